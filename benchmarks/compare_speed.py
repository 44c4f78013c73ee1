"""`tensorproof check` of this checkout against another one: user time of the processor, run by turns, the least of several.

    git worktree add /tmp/before COMMIT; python benchmarks/compare_speed.py /tmp/before [PROGRAM …] [--times 5] [--instructions]

`--instructions` counts instructions with valgrind in place of the time: the same at each run, whatever else the machine does.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from check_speed import BLOCKS, EPOCHS, LAYERS, SCRIPT

HERE = Path(__file__).parent.parent
CORPORA = ("corpus/seq2seq/train.py", "corpus_tf/keras_images/train.py", "corpus_tf/tf1_cnn/train.py")
MOST = 1.1
LIMIT = "3600"
"""Seconds that a check may take: more than it needs under valgrind on a machine that does other things, so that none ends early."""


def _run(tree: Path, program: Path, *under: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPATH": str(tree / "src"), "PYTHONHASHSEED": "0"}
    command = [*under, sys.executable, "-m", "tensorproof", "check", "--time-limit", LIMIT, str(program)]
    return subprocess.run(command, env=environment, capture_output=True, text=True).stderr


def user_time(tree: Path, program: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    _run(tree, program)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def instructions(tree: Path, program: Path) -> float:
    """In thousand millions."""
    _run(tree, program)  # writes compiled modules
    counted = _run(tree, program, "valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}")
    return int(counted.rpartition("Collected : ")[2].split()[0]) / 1e9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("programs", type=Path, nargs="*")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    given = parser.parse_args()
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        made = {"1,000 blocks": (BLOCKS, 1000), "10,000 layers": (LAYERS, 10_000), "200 epochs": (EPOCHS, 200)}
        programs = {str(path): path for path in given.programs} or {"examples/mnist.py": SCRIPT}
        if not given.programs:
            for name, (text, n) in made.items():
                programs[name] = Path(folder, f"p{len(programs)}.py")
                programs[name].write_text(text.replace("{n}", str(n)))
            programs |= {name: HERE / "tests" / name for name in CORPORA}
        print("| program | before | now | ratio |\n|---|---|---|---|")
        measure, times, unit = (instructions, 1, "billion") if given.instructions else (user_time, given.times, "s")
        for name, path in programs.items():
            costs = [(measure(given.other, path), measure(HERE, path)) for _ in range(times)]
            before, now = min(t for t, _ in costs), min(t for _, t in costs)
            slower += now > MOST * before
            print(f"| {name} | {before:.3f} {unit} | {now:.3f} {unit} | {now / before:.2f} |", flush=True)
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())

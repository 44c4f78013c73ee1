"""`tensorproof check` of this checkout against another one: user time of the processor, run by turns, the least of several.

git worktree add /tmp/before COMMIT; python benchmarks/compare_speed.py /tmp/before [--times 5] [PROGRAM …]
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


def user_time(tree: Path, program: Path) -> float:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPATH": str(tree / "src")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.executable, "-m", "tensorproof", "check", str(program)], env=environment, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("programs", type=Path, nargs="*")
    parser.add_argument("--times", type=int, default=5)
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
        for name, path in programs.items():
            times = [(user_time(given.other, path), user_time(HERE, path)) for _ in range(given.times)]
            before, now = min(t for t, _ in times), min(t for _, t in times)
            slower += now > MOST * before
            print(f"| {name} | {before:.3f} s | {now:.3f} s | {now / before:.2f} |", flush=True)
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())

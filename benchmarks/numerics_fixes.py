"""Changes that `tensorproof numerics --fix` proposes for the programs of `tests/numerics`: how many are proved, and how many a real run confirms.

    python benchmarks/numerics_fixes.py [PATTERN] [--runs N] [--list]

A program is confirmed when, after the changes, it runs to its end, and no run with inputs and parameters at the corners of their ranges leaves the finite
numbers on a line that had. `--list` prints the changes. Needs torch, TensorFlow and Keras.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.numerics.test_programs import Case, analysed, cases, expected, reported
from tests.numerics.truth import seen

TARGET = 30


def proposed(case: Case) -> tuple[str, bool]:
    """The program after all changes, and whether nothing is reported of it."""
    from tensorproof.app.numerics.fixes import changed, fixes
    from tensorproof.app.program import Options
    from tensorproof.engines.numerics.inputs.ranges import Given
    from tensorproof.engines.numerics.records import Settings

    with tempfile.TemporaryDirectory() as folder:
        text = changed(case.faulty, fixes(analysed(case.faulty, Path(folder)), Options(), Settings(), Given()))
        return text, text != case.faulty and not expected(case.faulty) & reported(analysed(text, Path(folder)))


def ends(code: str) -> bool:
    """Whether a program runs to its end."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(code, encoding="utf-8")
        return subprocess.run([sys.executable, str(file)], capture_output=True, timeout=600, env=environment, check=False).returncode == 0


def confirmed_by_runs(text: str, lines: set[int], runs: int) -> str:
    try:
        left = sorted(lines & set(seen(text, runs)))
        return f"lines {left} still fail" if left else "confirmed" if ends(text) else "does not run"
    except (subprocess.TimeoutExpired, RuntimeError):
        return "not run in time"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    chosen = [case for case in cases() if given.pattern in case.title]
    proved = confirmed = 0
    for case in chosen:
        text, safe = proposed(case)
        lines = {line for line, _ in expected(case.faulty)}
        state = "no change was found"
        if text != case.faulty:
            state = confirmed_by_runs(text, lines, given.runs)
        proved, confirmed = proved + safe, confirmed + (state == "confirmed")
        print(f"{case.title}: {'proved' if safe else 'not proved'}, {state}", flush=True)
        if given.list:
            for old, new in zip(case.faulty.splitlines(), text.splitlines()):
                if old != new:
                    print(f"    - {old.strip()}\n    + {new.strip()}")
    print(f"{len(chosen)} programs: {proved} proved after changes, {confirmed} confirmed by real runs (target {TARGET})")
    sys.exit(int(not given.pattern and confirmed < TARGET))


if __name__ == "__main__":
    main()

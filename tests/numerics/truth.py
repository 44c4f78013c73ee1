"""Runs the programs of the Markdown files under the real libraries: the faulty line must be seen to leave the finite numbers, and the twin must not.

`python -m tests.numerics.truth [PATTERN]` prints a table; `benchmarks/numerics_fixes.py` does it for the changes that are proposed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.numerics.test_programs import cases, expected

RUNS = 24
MOST_SECONDS = 600


def seen(code: str, runs: int = RUNS) -> dict[int, int]:
    """The lines that were reached with numbers that are not finite, with the first seed that showed it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(code, encoding="utf-8")
        command = [sys.executable, "-m", "tensorproof.runners.watching", str(file), "0", str(runs), "1.0"]
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        try:
            text = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, env=environment).stdout
        except subprocess.TimeoutExpired as late:  # what it showed by then counts
            text = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    if not text:
        raise RuntimeError("no run came to its end")
    found: dict[int, int] = {}
    for line in text.splitlines():
        one = json.loads(line)
        if "line" in one:
            found.setdefault(one["line"], one["seed"])
    return found


def main() -> None:
    pattern = next((a for a in sys.argv[1:] if not a.startswith("--")), "")
    shown = missed = false = 0
    for case in cases():
        if pattern not in case.title:
            continue
        lines, faulty, fixed = {line for line, _ in expected(case.faulty)}, seen(case.faulty), seen(case.fixed)
        shown, missed, false = shown + bool(lines & set(faulty)), missed + bool(lines - set(faulty)), false + bool(fixed)
        print(f"{case.title}: expected {sorted(lines)}, seen {faulty}" + (f"; twin {fixed}" if fixed else ""), flush=True)
    print(f"shown {shown}, lines not shown in {missed}, twins that fail {false}")


if __name__ == "__main__":
    main()

"""Runs the programs of the Markdown files under the real libraries: the faulty line must be seen to leave the finite numbers, and the twin must not.

`python -m tests.numerics.truth [--fixes] [PATTERN]` prints a table; with `--fixes`, of the programs after the changes that are proposed for them.
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


def seen(code: str, runs: int = RUNS) -> dict[int, int]:
    """The lines that were reached with numbers that are not finite, with the first seed that showed it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(code, encoding="utf-8")
        command = [sys.executable, "-m", "tensorproof.runners.watching", str(file), "0", str(runs), "1.0"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    found: dict[int, int] = {}
    for line in done.stdout.splitlines():
        one = json.loads(line)
        if "line" in one:
            found.setdefault(one["line"], one["seed"])
    if not done.stdout:
        raise RuntimeError(done.stderr[-2000:])
    return found


def mended(code: str) -> str:
    """The program after all changes that were proposed for it."""
    from tensorproof.app.check import Options
    from tensorproof.app.numeric_fixes import changed, fixes
    from tensorproof.engines.numerics.ranges import Given
    from tensorproof.engines.numerics.records import Settings
    from tests.numerics.test_programs import analysed

    with tempfile.TemporaryDirectory() as folder:
        proposed = fixes(analysed(code, Path(folder)), Options(), Settings(), Given())
    return changed(code, proposed)


def show_mended() -> None:
    """How many programs show nothing any more after the proposed changes."""
    pattern = next((a for a in sys.argv[1:] if not a.startswith("--")), "")
    good = every = 0
    for case in cases():
        if pattern in case.title:
            every += 1
            text = mended(case.faulty)
            left = set(seen(text)) & {line for line, _ in expected(case.faulty)} if text != case.faulty else {0}
            good += not left
            print(f"{case.title}: {'mended' if not left else f'lines {sorted(left)} are left'}", flush=True)
    print(f"mended {good} of {every}")


def main() -> None:
    if "--fixes" in sys.argv:
        show_mended()
        return
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

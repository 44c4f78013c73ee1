"""What type checkers know of the arguments of reference functions is read off the declarations as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_names_of_arguments_are_fresh() -> None:
    done = subprocess.run([sys.executable, "tools/make_arguments.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

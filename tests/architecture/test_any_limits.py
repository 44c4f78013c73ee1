"""Of each package, at most so many of its expressions have the type `Any`: `any_limits.txt` names the shares in percent, and they only shrink."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_no_package_has_a_greater_share_of_any() -> None:
    command = [sys.executable, "tools/any_share.py", "--check", "tests/architecture/any_limits.txt"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

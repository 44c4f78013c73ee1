"""What we say of strides and of shared memory holds in the real torch, for samples of every entry of op_db and module_db."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")


@pytest.mark.parametrize("options", [("--most", "4"), ("--modules", "--most", "4")], ids=["operators", "modules"])
def test_no_claim_about_memory_is_wrong(options: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("memory.py")), *options], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 wrong claims about 0 spellings", done.stdout

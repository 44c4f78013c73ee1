"""The programs of standard_library.md in Python itself: those with an expected error must die there, the others must end well."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs.test_programs import Case, cases


def _plain(case: Case) -> bool:
    """Whether a program needs nothing but Python's own library."""
    roots = {name for line in re.findall(r"^\s*(?:import|from) ([\w., ]+)", case.code, re.MULTILINE) for name in re.findall(r"\b\w+", line.split(" import")[0])}
    return case.title.startswith("standard_library:") and roots <= set(sys.stdlib_module_names) | {"as"} | {n for n in roots if f"as {n}" in case.code}


@pytest.mark.parametrize("case", [c for c in cases() if _plain(c)], ids=lambda c: c.title)
def test_python_agrees(case: Case, tmp_path: Path) -> None:
    for name, text in case.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "program.py").write_text(case.code, encoding="utf-8")
    done = subprocess.run([sys.executable, "program.py", *case.arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    line = next((i for i, text in enumerate(case.code.splitlines(), 1) if "# error:" in text), None)
    if line is None:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode != 0
        if "Traceback" in done.stderr:  # argparse ends a program without one
            assert f"line {line}," in done.stderr, done.stderr

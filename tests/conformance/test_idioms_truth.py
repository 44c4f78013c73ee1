"""The programs of tests/programs/idioms_python_*.md under the real Python and PyTorch, with their files beside them."""

from __future__ import annotations

import logging
import os
import re
import shlex
import sys
import traceback
import warnings
from pathlib import Path

import pytest

from tests.programs.test_programs import Case, cases

torch = pytest.importorskip("torch")
CASES = [case for case in cases() if case.title.startswith("idioms_python_")]
NEEDED = {"matplotlib", "yaml"}
"""Libraries that a program may need and that need not be installed here."""


def failing_line(path: Path, code: str) -> tuple[int | None, str]:
    """The innermost line of the program at which it fails, and why; None when it runs to its end."""
    torch.manual_seed(0)
    try:
        exec(compile(code, str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            return None, ""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        return (lines[-1] if lines else 0), f"{type(error).__name__}: {error}"
    return None, ""


def test_there_are_enough_programs() -> None:
    assert len(CASES) >= 90
    assert sum("# error: " in case.code for case in CASES) >= 45


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.title)
def test_program_does_what_is_expected_of_it(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NEEDED & set(re.findall(r"^\s*(?:import|from) (\w+)", case.code, re.MULTILINE)):
        pytest.importorskip(name)
    for name, text in case.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["program.py", *shlex.split(" ".join(case.arguments))])
    environment, modules, logger = dict(os.environ), set(sys.modules), logging.root.level
    expected = [i for i, line in enumerate(case.code.splitlines(), 1) if "# error: " in line]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line, why = failing_line(tmp_path / "program.py", case.code)
    finally:
        os.environ.clear()
        os.environ.update(environment)
        logging.root.setLevel(logger)
        for name in set(sys.modules) - modules:
            if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
    undecided = bool(re.search(r"# (gap|unknown)", case.code))
    assert line in expected if expected else line is None or undecided, why  # of several errors the real library shows the first that comes

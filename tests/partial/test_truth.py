"""The programs of tests/partial under the real libraries, with the package present: the wrong ones end at their line, the right ones run."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from pathlib import Path

import pytest

from tests.partial.programs import PRESENT, Case, cases

torch = pytest.importorskip("torch")


def failing_line(code: str) -> tuple[int, str]:
    """The innermost line of the program at which it ends with an exception, and why; 0 when it runs to its end."""
    try:
        exec(compile(code, "program.py", "exec"), {"__name__": "__main__"})
    except Exception as error:
        lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
        return lines[-1], f"{type(error).__name__}: {error}"
    return 0, ""


def test_there_are_enough_programs() -> None:
    assert sum(case.bug for case in cases()) >= 100


@pytest.mark.parametrize("case", cases(), ids=lambda c: f"{c.title} {'wrong' if c.bug else 'right'}")
def test_program_does_what_is_expected_of_it(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.title.startswith("keras"):
        pytest.importorskip("tensorflow")
    monkeypatch.syspath_prepend(str(PRESENT))
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    before = dict(os.environ)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line, why = failing_line(case.code)
    finally:
        os.environ.clear()
        os.environ.update(before)
        for name in [name for name in sys.modules if name.partition(".")[0] == "unseen_pkg"]:
            del sys.modules[name]
    assert line == case.fails, why

"""The programs of tests/programs/loops_*.md under the real PyTorch and TensorFlow: an error line must fail there, the others must run.

Where we say that we cannot tell, both may happen.
"""

from __future__ import annotations

import random
import re
import sys
import traceback
import warnings
from pathlib import Path

import pytest

from tests.programs.test_programs import Case, cases

CASES = [case for case in cases() if case.title.startswith("loops_")]
MORE = [case for case in cases() if case.title.startswith("range_generators:")]


def failing_line(code: str) -> tuple[int | None, str]:
    """The innermost line of the program at which it fails, and why; None when it runs to its end."""
    random.seed(0)
    try:
        exec(compile(code, "<program>", "exec"), {"__name__": "__main__"})
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<program>"]
        return (lines[-1] if lines else 0), f"{type(error).__name__}: {error}"
    return None, ""


def test_each_program_has_its_right_and_its_wrong_form_and_most_are_decided() -> None:
    titles = [case.title.rpartition(": ") for case in CASES]
    assert [form for _, _, form in titles] == ["right", "wrong"] * (len(CASES) // 2)
    assert len(CASES) >= 100
    assert sum(bool(re.search(r"# (gap|unknown)", case.code)) for case in CASES) <= len(CASES) // 10


@pytest.mark.parametrize("case", [*CASES, *MORE], ids=lambda c: c.title)
def test_program_does_what_is_expected_of_it(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorflow" if "import tensorflow" in case.code else "torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["program.py"])
    expected = next((i for i, line in enumerate(case.code.splitlines(), 1) if "# error: " in line), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line, why = failing_line(case.code)
    if not re.search(r"# (gap|unknown)", case.code):
        assert line == expected, why

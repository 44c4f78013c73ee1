"""The programs of tests/programs/patterns_*.md and of some others under the real PyTorch: an error line must fail there, the others must run.

Where we say that we cannot tell, both may happen.
"""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from pathlib import Path

import pytest

from tests.programs.test_programs import Case, cases

torch = pytest.importorskip("torch")

CASES = [case for case in cases() if case.title.startswith("patterns_")]
HELD = ("memory", "copies_of_views", "drawn_numbers", "values", "backward", "autocast", "devices_meta", "state_order", "memory_sure_views", "tensor_facts",
        "rare_arguments", "half_precision_kernels")  # fmt: skip
MORE = [case for case in cases() if case.title.partition(":")[0] in HELD or case.title.startswith("gradients_")]


def failing_line(code: str) -> tuple[int | None, str]:
    """The innermost line of the program at which it fails, and why; None when it runs to its end."""
    torch.manual_seed(0)
    torch.set_grad_enabled(True)  # a program may have switched it off
    try:
        exec(compile(code, "<program>", "exec"), {"__name__": "__main__"})
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<program>"]
        return (lines[-1] if lines else 0), f"{type(error).__name__}: {error}"
    return None, ""


def test_there_are_enough_programs_and_each_has_its_fixed_form() -> None:
    marked = [bool(re.search(r"# (error|warning): ", case.code)) for case in CASES]
    assert len(CASES) >= 90
    assert marked == [True, False] * (len(CASES) // 2)


@pytest.mark.parametrize("case", [*CASES, *MORE], ids=lambda c: c.title)
def test_program_does_what_is_expected_of_it(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["program.py"])
    expected = [i for i, line in enumerate(case.code.splitlines(), 1) if "# error: " in line]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line, why = failing_line(case.code)
    gap_lines = [i for i, text in enumerate(case.code.splitlines(), 1) if "# gap" in text]
    assert line in (expected or [None]) or line in gap_lines, why  # of several errors the real library shows the first that comes

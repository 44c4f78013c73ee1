"""The everyday PyTorch programs of tests/programs under the real library: an error line must fail there, the others must run."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import pytest

from tests.conformance.test_patterns_truth import failing_line
from tests.programs.test_programs import Case, cases

CASES = [case for case in cases() if case.title.startswith(("idioms_torch_", "training_helpers:", "arrays_and_tensors:"))]
IDIOMS = [case for case in CASES if case.title.startswith("idioms_torch_")]


def test_each_idiom_has_a_twin_with_one_bug() -> None:
    assert len(IDIOMS) >= 90
    assert [case.title.endswith(", with a bug") for case in IDIOMS] == [True, False] * (len(IDIOMS) // 2)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.title)
def test_program_does_what_is_expected_of_it(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["program.py"])
    expected = [i for i, line in enumerate(case.code.splitlines(), 1) if "# error: " in line]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line, why = failing_line(case.code)
    undecided = bool(re.search(r"# (gap|unknown)", case.code))
    assert line == (expected[0] if expected else None) or (undecided and not expected), why

"""Bounds over the program form hold in real runs, and the form has loops where the interpreter did not follow each iteration."""

from __future__ import annotations

import re

import pytest

from tests.conformance.program_form import violations
from tests.conformance.program_form_cases import TENSORFLOW, TORCH
from tests.conformance.program_form_random import program


def held(text: str, runs: int) -> None:
    paths, found = violations(text, runs)
    assert paths and not found
    assert not any(path.gaps for path in paths)
    for path in paths:
        assert bool(path.loops) or "# loop" not in text
        known = re.search(r"# known: (.*)", text)
        assert not set(known[1].split() if known else ()) & set(path.unknown)


@pytest.mark.parametrize("name", TORCH)
def test_values_of_a_torch_program_lie_within_its_bounds(name: str) -> None:
    pytest.importorskip("torch")
    held(TORCH[name], 12)


@pytest.mark.parametrize("name", TENSORFLOW)
def test_values_of_a_tensorflow_program_lie_within_its_bounds(name: str) -> None:
    pytest.importorskip("tensorflow")
    held(TENSORFLOW[name], 4)


@pytest.mark.parametrize("seed", range(24))
def test_values_of_a_random_program_lie_within_its_bounds(seed: int) -> None:
    pytest.importorskip("torch")
    _, found = violations(program(seed), 4)
    assert not found

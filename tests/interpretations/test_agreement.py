"""Evaluation = bounds = Z3 = Python on random terms (the full 100,000: `python -m tests.interpretations.agree`)."""

from __future__ import annotations

from tests.interpretations.agree import disagreements


def test_evaluation_bounds_and_z3_agree_with_python_on_random_terms() -> None:
    assert disagreements(4_000, seed=7, every_z3=2) == []

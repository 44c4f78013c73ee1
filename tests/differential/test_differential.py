"""A small seeded share of the comparison with CPython; `python -m tests.differential.run` runs as many as wanted."""

from __future__ import annotations

import pytest

from tensorproof.frontends.python.loops import budgets
from tests.differential import concrete, loops, symbolic
from tests.differential.programs import program

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize("block", range(5))
def test_concrete_programs(block: int) -> None:
    for seed in range(block * 18, block * 18 + 18):
        outcome = concrete.compare(program(seed))
        assert not outcome.difference, f"seed {seed}: {outcome.difference}\n{program(seed)}"


@pytest.mark.parametrize("block", range(5))
def test_symbolic_programs(block: int) -> None:
    for seed in range(block * 7, block * 7 + 7):
        outcome = symbolic.compare(program(seed, symbolic=True))
        assert not outcome.difference, f"seed {seed}: {outcome.difference}\n{program(seed, symbolic=True)}"


def test_long_loops() -> None:
    for seed in range(40):
        outcome = concrete.compare(loops.program(seed))
        assert not outcome.difference, f"seed {seed}: {outcome.difference}\n{loops.program(seed)}"


def test_loops_followed_by_one_symbolic_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "DEAR", -1)
    for seed in range(77_000_000, 77_000_080):
        outcome = concrete.compare(loops.program(seed), loose=True)
        assert not outcome.difference, f"seed {seed}: {outcome.difference}\n{loops.program(seed)}"

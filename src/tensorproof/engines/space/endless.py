"""Spaces in which a parameter has no upper end: the solver finds the vectors that break each check first, one after the other, up to a limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.listing import VALID
from tensorproof.engines.space.parameters import Parameter, Value, dimension
from tensorproof.engines.space.solving import BUDGET
from tensorproof.solve.port import Answer
from tensorproof.terms.predicates import disj, eq, le, ne, negate
from tensorproof.terms.records import dataclass

LISTED = 64
"""So many vectors of a cause are found; then there may be more."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Vectors that break a check first, or none (`VALID`)."""

    at: int
    vectors: list[dict[str, Value]]
    answer: Answer
    """UNSAT: these are all; SAT: there are more; UNKNOWN: the solver does not say whether there are more."""


def listed(parameters: Sequence[Parameter], checks: Sequence[Check], most: int = LISTED) -> Iterator[Listed]:
    """What breaks each check first, in their order, and at last what breaks none."""
    from tensorproof.solve.z3_solver import Z3Solver

    solver = Z3Solver(BUDGET)
    for p in parameters:
        solver.assume(le(p.numbers[0], p.term) if p.endless else disj(*(eq(dimension(p), number) for number in p.numbers)))
    for at, check in enumerate(checks):
        with solver.scope():
            solver.assume(check.broken)
            yield _all(solver, parameters, at, most)
        solver.assume(negate(check.broken))
    yield _all(solver, parameters, VALID, most)


def _all(solver: Any, parameters: Sequence[Parameter], at: int, most: int) -> Listed:
    vectors: list[dict[str, Value]] = []
    with solver.scope():
        while (found := solver.check()).answer is Answer.SAT and len(vectors) < most:
            numbers = {p.name: found.witness.get(p.name, p.numbers[0]) for p in parameters}
            vectors.append({p.name: numbers[p.name] if p.endless else p.values[p.numbers.index(numbers[p.name])] for p in parameters})
            solver.assume(disj(*(ne(dimension(p), numbers[p.name]) for p in parameters)))
    return Listed(at, vectors, found.answer)

"""The solver's modes, as the oracle of the vectorised one: *individual* asks Z3 for each vector, in one context that is used again; *bulk* lets it
enumerate the valid vectors of small subspaces (AllSAT)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.listing import VALID
from tensorproof.engines.space.parameters import Parameter, dimension
from tensorproof.solve.port import Answer
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom, Dim
from tensorproof.terms.predicates import conj, disj, eq, evaluate, ne, negate

Array = Any
BUDGET = BUDGETS.spaces.solver_steps
SUBSPACE = 64
"""How many vectors one enumeration covers at most: blocking clauses make a longer one slow."""
MOST = {"individual": 1_000_000, "bulk": 5_000_000}


def verdicts_by(mode: str) -> Callable[[Sequence[Parameter], Sequence[Check]], Iterator[tuple[int, Array]]]:
    """The verdicts of all vectors by a mode of the solver, in the form of `listing.verdicts`."""
    return {"individual": individual, "bulk": bulk}[mode]


def refuse_too_large(mode: str, vectors: int) -> None:
    if vectors > MOST.get(mode, vectors):
        raise BadInput(f"--mode {mode} asks the solver about each vector, and {vectors:,} are too many (at most {MOST[mode]:,}); --mode vectorised fits")


def individual(parameters: Sequence[Parameter], checks: Sequence[Check]) -> Iterator[tuple[int, Array]]:
    """One question for each vector."""
    for number, code in enumerate(asked(parameters, checks, product(*(p.numbers for p in parameters)))):
        yield number, np.array([code])


def asked(parameters: Sequence[Parameter], checks: Sequence[Check], vectors: Iterable[Sequence[int]]) -> Iterator[int]:
    """The check that each of some vectors breaks first, or `VALID`: one question for each, in one context."""
    solver = _solver(parameters, checks)
    for vector in vectors:
        with solver.scope():
            for p, value in zip(parameters, vector):
                solver.assume(eq(dimension(p), value))
            answer = solver.check().answer
        yield _cause(parameters, checks, vector, answer)


def bulk(parameters: Sequence[Parameter], checks: Sequence[Check]) -> Iterator[tuple[int, Array]]:
    """All valid vectors of a subspace at a time: each one found is ruled out for the next question."""
    sizes = [len(p.values) for p in parameters]
    split = len(sizes)
    while split > 0 and prod(sizes[split - 1 :]) <= SUBSPACE:
        split -= 1
    inner = prod(sizes[split:])
    solver = _solver(parameters, checks)
    for number, leading in enumerate(product(*(p.numbers for p in parameters[:split]))):
        valid = set[tuple[int, ...]]()
        with solver.scope():
            for p, value in zip(parameters, leading):
                solver.assume(eq(dimension(p), value))
            for p in parameters[split:]:
                solver.assume(disj(*(eq(dimension(p), value) for value in p.numbers)))
            while (found := solver.check()).answer is Answer.SAT:
                vector = tuple(found.witness.get(p.name, p.numbers[0]) for p in parameters[split:])
                valid.add(vector)
                solver.assume(disj(*(ne(dimension(p), value) for p, value in zip(parameters[split:], vector))))
        last = Answer.UNSAT if found.answer is Answer.UNSAT else Answer.UNKNOWN
        rest = product(*(p.numbers for p in parameters[split:]))
        codes = [_cause(parameters, checks, (*leading, *v), Answer.SAT if v in valid else last) for v in rest]
        yield number * inner, np.array(codes)


def _solver(parameters: Sequence[Parameter], checks: Sequence[Check]) -> Any:
    from tensorproof.solve.z3_solver import Z3Solver

    solver = Z3Solver(BUDGET)
    for check in checks:
        if not check.cause.unknown:
            solver.assume(negate(check.broken))
    return solver


def _cause(parameters: Sequence[Parameter], checks: Sequence[Check], vector: Sequence[int], answer: Answer) -> int:
    """The first check that a vector breaks, where the solver's answer and the numbers agree on whether there is one."""
    values: dict[Atom, Dim] = {p.atom: value for p, value in zip(parameters, vector)}
    broken = next((at for at, check in enumerate(checks) if evaluate(check.broken, values)), VALID)
    invalid = broken != VALID and not checks[broken].cause.unknown
    if answer is Answer.UNKNOWN or invalid is (answer is Answer.SAT):
        raise Disagreement(conj(*(eq(dimension(p), v) for p, v in zip(parameters, vector))), answer)
    return broken


class Disagreement(AssertionError):
    """The solver says otherwise than the numbers."""

"""Values that make predicates true, found by trying a few: most branches of a program can go either way, and that needs no solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom, Term
from tensorproof.terms.predicates import Predicate, evaluate
from tensorproof.terms.substitution import symbols

_MOST_SYMBOLS = BUDGETS.deciding.sampled_symbols
_MOST_PREDICATES = BUDGETS.deciding.sampled_predicates
_MOST_VALUES = {1: 40, 2: 12}


class _UnknownTruth(Exception):
    """A predicate hangs on a truth value, and those are not tried."""


def satisfied(predicates: Sequence[Predicate]) -> bool:
    """Whether a few values show that all the predicates can hold together. Where they do not, nothing is said."""
    if len(predicates) > _MOST_PREDICATES:
        return False
    atoms = sorted({atom for p in predicates for atom in symbols(p)}, key=lambda a: a.order)
    if not 1 <= len(atoms) <= _MOST_SYMBOLS:
        return False
    try:
        numbers = sorted({n for p in predicates for n in _numbers(p)}, key=abs)
    except _UnknownTruth:
        return False
    choices = [_values(atom, numbers)[: _MOST_VALUES[len(atoms)]] for atom in atoms]
    return any(_hold(predicates, dict(zip(atoms, values))) for values in product(*choices))


def _hold(predicates: Sequence[Predicate], values: dict[Atom, Any]) -> bool:
    try:
        return all(evaluate(p, values) for p in predicates)
    except ArithmeticError:  # a division by 0
        return False


def _values(atom: Atom, numbers: Sequence[int]) -> list[int]:
    """What a symbol is tried with: its ends, small numbers, and the numbers that the predicates speak of with those beside them."""
    near = [n + step for n in numbers for step in (0, 1, -1, n)]
    ends = [int(end) + step for end, steps in ((atom.lo, (0, 1)), (atom.hi, (0, -1))) if abs(end) != float("inf") for step in steps]
    return [n for n in dict.fromkeys([*ends, 0, 1, 2, 3, *near]) if atom.lo <= n <= atom.hi]


def _numbers(item: object) -> Iterator[int]:
    """The numbers that stand in a predicate or a term."""
    if type(item) is int:
        yield item
    elif type(item) is Term:
        for monomial, coefficient in item.parts:
            yield coefficient
            for atom, _ in monomial:
                yield from _numbers(atom)
    elif isinstance(item, (Atom, Predicate)) and item.kind == "flag":
        raise _UnknownTruth
    elif isinstance(item, (Atom, Predicate)) and item.kind != "symbol":
        for part in item.args:
            yield from _numbers(part)

"""Symbolic integers: what is computed with sizes that may be unknown. `terms/polynomials.py` has their normal form.

A dimension is a plain `int` where it is known and a `Term` where it is not. `==` is structural; `predicates.eq` makes a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorproof.terms.polynomials import (
    Atom,
    Dim,
    Monomial,
    Origin,
    Term,
    atom_of,
    begin_file,
    floordiv,
    mod,
    of_atom,
    parts_of,
    product,
    range_of,
    rank_of,
    single,
    sole_atom,
    symbol,
)
from tensorproof.terms.spans import INF, Bound

if TYPE_CHECKING:
    from tensorproof.terms.predicates import Predicate

__all__ = [
    "Atom",
    "Dim",
    "Monomial",
    "Origin",
    "Term",
    "absolute",
    "begin_file",
    "bounds",
    "ceildiv",
    "floordiv",
    "ite",
    "lower",
    "maximum",
    "minimum",
    "mod",
    "of_atom",
    "parts_of",
    "product",
    "single",
    "sole_atom",
    "symbol",
    "upper",
]


# --- min, max, if-then-else -----------------------------------------------------------------------------------------


def _extreme(kind: str, items: Iterable[Dim]) -> Dim:
    flat: list[Dim] = []
    constant: int | None = None
    pick: Callable[..., Any] = min if kind == "min" else max
    for item in items:
        if not isinstance(item, Term):
            constant = int(item) if constant is None else pick(constant, item)
            continue
        atom = sole_atom(item)
        for x in atom.args if atom is not None and atom.kind == kind else (item,):
            if type(x) is not Term:
                constant = x if constant is None else pick(constant, x)
            elif x not in flat:
                flat.append(x)
    if constant is not None:
        flat.append(constant)
    kept: list[Dim] = []
    for i, x in enumerate(flat):
        others = kept + flat[i + 1 :]
        if not any(_beats(kind, y, x) for y in others):
            kept.append(x)
    if len(kept) == 1:
        return kept[0]
    lows, highs = zip(*(range_of(x) for x in kept), strict=True)
    kept.sort(key=lambda x: (type(x) is Term, [(rank_of(m), c) for m, c in parts_of(x)]))
    return of_atom(atom_of(kind, tuple(kept), pick(lows), pick(highs)))


def _beats(kind: str, y: Dim, x: Dim) -> bool:
    """Whether `y` is surely the one to keep of the two."""
    difference = x - y if kind == "min" else y - x
    return range_of(difference)[0] >= 0


def minimum(*items: Dim) -> Dim:
    numbers = [x for x in items if not isinstance(x, Term)]
    return min(numbers) if len(numbers) == len(items) else _extreme("min", items)


def maximum(*items: Dim) -> Dim:
    numbers = [x for x in items if not isinstance(x, Term)]
    return max(numbers) if len(numbers) == len(items) else _extreme("max", items)


def ite(condition: Predicate | bool, then: Dim, other: Dim) -> Dim:
    if isinstance(condition, bool):
        return then if condition else other
    if then is other or then == other:
        return then
    if condition.kind == "le":  # of the two that are compared, one is the smaller
        below, difference = condition.args[0], then - other
        if below in (difference, difference + 1):
            return minimum(then, other)
        if below in (-difference, -difference + 1):
            return maximum(then, other)
    (a, b), (c, d) = range_of(then), range_of(other)
    return of_atom(atom_of("ite", (condition, then, other), min(a, c), max(b, d)))


def absolute(x: Dim) -> Dim:
    return maximum(x, -x)


def ceildiv(a: Dim, b: Dim) -> Dim:
    """The quotient rounded up."""
    return (a + b - 1) // b if lower(b) > 0 else -((-a) // b)  # the first form keeps its bounds


# --- bounds -----------------------------------------------------------------------------------------------------


def bounds(x: Dim) -> tuple[int | None, int | None]:
    """The least and the greatest value that the normal form allows; None where there is no bound."""
    lo, hi = range_of(x)
    return (None if lo == -INF else int(lo), None if hi == INF else int(hi))


def lower(x: Dim) -> Bound:
    return range_of(x)[0]


def upper(x: Dim) -> Bound:
    return range_of(x)[1]

"""Questions that must be answered here: the run forks on what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.errors import Fork
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term, lower, upper
from tensorproof.terms.predicates import Predicate, Truth, eq
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def decided(m: Interpreter, p: Truth) -> bool:
    """The answer to a question that cannot be answered both ways here: the run forks on it."""
    if isinstance(p, bool):
        return p
    number, side = m.branching.decided(p)
    if side is None:
        raise Fork(number)
    return side


MOST_VALUES = BUDGETS.exploration.values_decided


def concrete(m: Interpreter, value: Value) -> Any:
    """A value where one of few must be known: the run forks on which it is. MISSING when there are too many."""
    while type(value) is Choice:
        value = value.then if decided(m, value.condition) else value.other
    if isinstance(value, Predicate):
        return decided(m, value)
    if type(value) is Term:
        low, high = lower(value), upper(value)
        if high - low >= MOST_VALUES:
            return MISSING
        return next((n for n in range(int(low), int(high)) if decided(m, eq(value, n))), int(high))
    return value

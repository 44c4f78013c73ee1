"""Calls with arguments of which a branch decides: one call for each side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Term, lower, sole_atom
from tensorproof.terms.predicates import Truth
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, List

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


_HOLDING = (tuple, List)


def distributed_call(m: Interpreter, args: tuple[Any, ...], kwargs: dict[str, Value], again: Any) -> Value:
    """An argument that is one of two values: the call with each of them."""
    for i, value in enumerate(args):
        kind = type(value)
        if kind in _HOLDING and (found := _sides(m, value)) is not None:
            return m.branching.choose(found[0], *(partial(again, (*args[:i], one, *args[i + 1 :]), kwargs) for one in found[1:]))
        if (kind is Choice or kind is Term) and (chosen := _chosen(value)) is not None:
            return m.branching.choose(chosen[0], *(partial(again, (*args[:i], one, *args[i + 1 :]), kwargs) for one in chosen[1:]))
    for key, value in kwargs.items():
        kind = type(value)
        if (kind is Choice or kind is Term) and (chosen := _chosen(value)) is not None:
            return m.branching.choose(chosen[0], *(partial(again, args, {**kwargs, key: one}) for one in chosen[1:]))
    return MISSING


def _chosen(value: Any) -> tuple[Truth, Value, Value] | None:
    """The condition and the two values of one that a branch chose; also of a whole number that may be -1, which means no size and no place of its own."""
    if type(value) is Choice:
        return value.condition, value.then, value.other
    if type(value) is Term and lower(value) < 0:
        atom = sole_atom(value)
        if atom is not None and atom.kind == "ite" and any(side == -1 or _chosen(side) is not None for side in atom.args[1:]):
            condition, then, other = atom.args
            return condition, then, other
    return None


def _sides(m: Interpreter, value: Any) -> tuple[Truth, Value, Value] | None:
    """A sequence that holds one of two values: the condition, the sequence that holds the first, and that with the other."""
    items = value if type(value) is tuple else value.items
    for at, one in enumerate(items):
        if (type(one) is Choice or type(one) is Term) and (chosen := _chosen(one)) is not None:
            both = [[*items[:at], side, *items[at + 1 :]] for side in chosen[1:]]
            first, second = (tuple(side) if type(value) is tuple else List(m.heap.row(side)) for side in both)
            return chosen[0], first, second
    return None

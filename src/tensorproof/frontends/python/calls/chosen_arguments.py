"""Calls with arguments of which a branch decides: one call for each side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, List

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def distributed_call(m: Interpreter, args: tuple[Any, ...], kwargs: dict[str, Value], again: Any) -> Value:
    """An argument that is one of two values: the call with each of them."""
    for i, value in enumerate(args):
        if type(value) in (tuple, List) and Choice in map(type, value if type(value) is tuple else value.items):
            then, other = _sides(m, value)
            sides = [partial(again, (*args[:i], one, *args[i + 1 :]), kwargs) for one in (then[1], other)]
            return m.branching.choose(then[0], *sides)
        if type(value) is Choice:
            then, other = (*args[:i], value.then, *args[i + 1 :]), (*args[:i], value.other, *args[i + 1 :])
            return m.branching.choose(value.condition, partial(again, then, kwargs), partial(again, other, kwargs))
    for key, value in kwargs.items():
        if type(value) is Choice:
            return m.branching.choose(value.condition, partial(again, args, {**kwargs, key: value.then}), partial(again, args, {**kwargs, key: value.other}))
    return MISSING


def _sides(m: Interpreter, value: Any) -> tuple[tuple[Any, Value], Value]:
    """A sequence that holds one of two values: the condition with the sequence that holds the first, and that with the other."""
    items = list(value if type(value) is tuple else value.items)
    at = next(i for i, v in enumerate(items) if type(v) is Choice)
    both = [[*items[:at], one, *items[at + 1 :]] for one in (items[at].then, items[at].other)]
    made = [tuple(one) if type(value) is tuple else List(m.heap.row(one)) for one in both]
    return (items[at].condition, made[0]), made[1]

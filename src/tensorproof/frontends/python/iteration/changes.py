"""Dicts and sets that change while they are iterated: Python refuses the next item."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, TypeVar

from tensorproof.values.objects import OPEN, Dict, Keyed, List, Set, as_value
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


class Watch:
    """One iteration over a dict or a set, with the keys that it had at its beginning."""

    def __init__(self, m: Interpreter, owner: Dict | Set, node: ast.AST) -> None:
        self.m, self.owner, self.node = m, owner, node
        self.keys = list(owner.items)

    def check(self, ended: bool, node: ast.AST | None = None) -> None:
        """Before the next item is taken; `ended` tells that there is none."""
        now = self.owner.items
        if len(now) == len(self.keys) and all(a is b or a == b for a, b in zip(now, self.keys)):
            return
        ordered = isinstance(self.owner, Dict) and self.owner.ordered
        if ordered and ended:
            self.keys = list(now)
        elif ordered or len(now) != len(self.keys):
            what = "set" if isinstance(self.owner, Set) else "dict"
            raise self.m.raised("RuntimeError", f"the {what} has changed while it is iterated: loop over list(…) of it", node or self.node)
        else:
            self.m.gap("loop", self.node, "the keys change while they are iterated")
            self.keys = list(now)


T = TypeVar("T")


class Watched(list[Any]):
    """The items of an iterator over a dict or a set."""

    watch: Watch | None = None


def watch(m: Interpreter, value: Value, node: ast.AST) -> Watch | None:
    """What must not change while a value is iterated; None where nothing does, or it is not known."""
    owner = value.of if type(value) is List else value
    if not isinstance(owner, (Dict, Set)) or (OPEN in owner.items if isinstance(owner, Dict) else is_summarised(owner.items)):
        return None
    return None if _symbolic(owner) else Watch(m, owner, node)


def watched(m: Interpreter, value: Value, items: list[Value], node: ast.AST) -> list[Value]:
    found = watch(m, value, node)
    if found is None:
        return items
    made = Watched(items)
    made.watch = found
    return made


def fresh(m: Interpreter, value: T) -> T:
    """A view of a dict with what the dict holds now; any other value as it is."""
    if not isinstance(value, List) or value.of is None or OPEN in value.of.items:
        return value
    held = value.of.items
    now: list[Value] = list(held.values())
    if value.view != "values":
        keys = [as_value(k) for k in held]
        now = keys if value.view == "keys" else list(zip(keys, now))
    if len(now) != len(value.items) or any(_differ(a, b) for a, b in zip(now, value.items)):
        m.heap.touch(value.items)
        value.items[:] = now
    return value


def _differ(a: Value, b: Value) -> bool:
    return any(x is not y for x, y in zip(a, b)) if type(a) is tuple and type(b) is tuple and len(a) == len(b) else a is not b


def _symbolic(owner: Dict | Set) -> bool:
    return any(not isinstance(k, (str, int, float, tuple, bytes, Keyed, type(None))) for k in owner.items)

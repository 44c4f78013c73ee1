"""The rest of a long list comprehension over a range: where one more evaluation with a symbolic index gives an item of the same kind, without writes and
without new requirements, every item that is left has that kind. Contents are kept for none of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.errors import Dead, Fork, Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Origin, symbol
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import List
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

WAIT = 4
"""How many items are evaluated before the rest is tried."""
_DEAR = 20_000
"""How many steps the rest must take; a tenth of it where items call operators of a library, each of which costs more than a step."""
_MOST_ITEMS = BUDGETS.containers.like_items
_PROOF = 1 << 60
"""The number of the branch that a try is: a fork inside ends the try."""

Make = Callable[[Any, Callable[[Any], None]], None]


def dear(m: Interpreter, steps: int, calls: int, left: int) -> bool:
    """Whether the items that are left cost too much to be evaluated one by one, given the counts before the first `WAIT` of them."""
    return (m.steps - steps) // WAIT * left > (_DEAR if m.path.calls == calls else _DEAR // 10)


def rest_alike(m: Interpreter, own: Frame, items: range, last: Value, make: Make, node: ast.AST) -> list[Value] | None:
    """The items from `WAIT` on, where each is of the kind of the `last` one that was evaluated; None where that is not proved."""
    kind = _kind(last, m.heap.clock + 1)
    left = len(items) - WAIT
    if kind is None or left * _size(last) > _MOST_ITEMS:
        return None
    index = symbol(m.name_here("index", node), 0, left - 1, Origin.WORLD)
    found = _evaluated(m, own, items[WAIT] + items.step * index, make)
    if found is None or _kind(found[0], found[1], fresh=True) != kind:
        return None
    return [_like(m, found[0]) for _ in range(left)]


def _evaluated(m: Interpreter, own: Frame, item: Value, make: Make) -> tuple[Value, int] | None:
    """The one value that this item adds, and the time since which it was made; None where the evaluation did more than that. It is undone."""
    heap, path = m.heap, m.path
    kept = (len(path.stated), len(path.gaps), len(path.findings), len(m.facts), len(own.waiting), len(m.frames))
    calls, count, made, recorded = path.calls, m.branching.count, m.session.made, path.recorded
    lasting, occurrences, names, bound, handlers = list(m.lasting), dict(m.occurrences), m.session.names, dict(m.bound_on), m.handlers
    m.session.names = set()
    mark = heap.mark(_PROOF)
    added: list[Value] = []
    try:
        make(item, added.append)
        wrote = heap.difference(mark).owners.values()
        now = (len(path.stated), len(path.gaps), len(path.findings), len(m.facts), len(own.waiting), len(m.frames))
        if now != kept or m.session.names or len(added) != 1 or not all(owner is own.space for owner in wrote):
            return None
    except (Fork, Raised, Dead):
        return None
    finally:
        while heap.marks[-1] is not mark:
            heap.marks.pop()
        heap.undo(mark)
        heap.close(mark)
        del path.stated[kept[0] :], path.gaps[kept[1] :], path.findings[kept[2] :], m.facts[kept[3] :], own.waiting[kept[4] :], m.frames[kept[5] :]
        path.unrecord(recorded)
        path.calls, m.branching.count, m.session.made, m.session.names = calls, count, made, names | m.session.names
        m.lasting[:], m.occurrences, m.bound_on, m.handlers = lasting, occurrences, bound, handlers
    return added[0], mark.clock


def _kind(value: Value, since: int, fresh: bool = False) -> Value:
    """What kind of item it is: a real number, a NumPy scalar, or a list of such, which must be new where `fresh`; None for any other."""
    if type(value) is float or (type(value) is Unknown and value.number == "float"):
        return float
    if isinstance(value, TensorType):
        scalar = value.framework == "numpy" and value.shape.known and not len(value.shape) and (value.contents is None or not fresh)
        return value.dtype if scalar else None
    if type(value) is not List or value.deque or not value.items or (fresh and value.items.born < since):
        return None
    kinds = [_kind(one, since, fresh) for one in value.items]
    return None if None in kinds else tuple(kinds)


def _size(value: Value) -> int:
    return sum(map(_size, value.items)) if type(value) is List else 1


def _like(m: Interpreter, value: Value) -> Value:
    if type(value) is List:
        return List(m.heap.row([_like(m, one) if type(one) is List else one for one in value.items]))
    return value

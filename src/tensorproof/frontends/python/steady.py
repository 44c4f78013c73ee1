"""Loop acceleration: when two rounds of a loop wrote alike, one more round with symbolic numbers proves the rest.

The loop variable, numbers that grow by a constant step and lists that only grow are made symbolic; if that round writes the same difference, states nothing
new and takes no new way, the remaining rounds are skipped: counters advance by their step, lists by their growth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.errors import Dead, Fork, Raised
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.terms.ints import Origin, Term, symbol
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import ITEMS, MISSING, Space
from tensorproof.values.objects import Choice, Dict, Instance, List, Set
from tensorproof.values.python_values import Layer, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_TRIES = (1, 2, 8, 32, 128, 512)


@dataclass(frozen=True)
class Pattern:
    """How one round changed memory: counters with their steps, lists with their growth, other locations that changed."""

    counters: dict[tuple[int, Any], int]
    grown: dict[tuple[int, Any], int]
    others: frozenset[tuple[int, Any]]


class Steady:
    """Watches the rounds of one loop."""

    def __init__(self, m: Interpreter, frame: Frame, items: list[Any]) -> None:
        self.m = m
        self.frame = frame
        self.items = items
        self.signal: Signal | None = None
        self.last: Pattern | None = None

    def due(self, at: int) -> bool:
        return any(at in (t, t + 1) for t in _TRIES) and at + 2 < len(self.items)

    def try_round(self, at: int, put: Any, body: Any, node: Any) -> bool:
        """Run round `at`, watched; True when all the rounds after it may be skipped."""
        from tensorproof.frontends.python.loops import one_round

        m, heap = self.m, self.m.heap
        waiting = len(self.frame.waiting)
        mark = heap.mark()
        put(self.frame, self.items[at])
        self.signal = one_round(m, self.frame, body)
        if self.signal is not None or len(self.frame.waiting) > waiting:
            if heap.marks and heap.marks[-1] is mark:
                heap.close(mark)
            self.last = None
            return False
        pattern = self._pattern(mark)
        heap.close(mark)
        alike = pattern is not None and pattern == self.last
        self.last = pattern
        return alike and pattern is not None and self._proved(at, pattern, put, body)

    def _pattern(self, mark: Any) -> Pattern | None:
        heap = self.m.heap
        difference, before = heap.difference(mark), heap.before(mark)
        counters: dict[tuple[int, Any], int] = {}
        grown: dict[tuple[int, Any], int] = {}
        others: set[tuple[int, Any]] = set()
        for location, new in difference.values.items():
            old = before[location]
            if location[1] is ITEMS:
                if len(new) > len(old) and all(a is b for a, b in zip(old, new)):
                    grown[location] = len(new) - len(old)
                elif not alike(old, new):
                    return None
            elif type(old) is int and type(new) is int:
                counters[location] = new - old
            elif old is MISSING or not alike(old, new):
                others.add(location)
        return Pattern(counters, grown, frozenset(others)) if not others or self._loop_only(others, difference) else Pattern(counters, grown, frozenset(others))

    def _loop_only(self, others: set[tuple[int, Any]], difference: Any) -> bool:
        return all(difference.owners[number] is self.frame.space for number, _ in others)

    def _proved(self, at: int, pattern: Pattern, put: Any, body: Any) -> bool:
        """One round with a symbolic number, undone afterwards."""
        from tensorproof.frontends.python.loops import one_round

        if pattern.others:
            return False
        m, heap = self.m, self.m.heap
        path = m.path
        kept = (len(path.stated), len(path.gaps), len(path.findings), path.calls, m.branching.count, len(m.facts), len(self.frame.waiting))
        owners = {id(self.frame.space): self.frame.space, id(self.frame.globals): self.frame.globals}
        rest = len(self.items) - at - 1
        round_ = symbol(m.name_here("round", self.frame.at or _HERE), 1, rest, Origin.WORLD)
        mark = heap.mark()
        ok = False
        try:
            for (number, key), step in pattern.counters.items():
                owner = owners.get(number)
                if owner is None or not isinstance(owner, Space):
                    if step:
                        return False
                    continue
                heap.set(owner, key, owner[key] + step * round_ if step else owner[key])
            put(self.frame, self._symbolic_item(at, round_))
            inner = heap.mark()
            signal = one_round(m, self.frame, body)
            if signal is None and len(self.frame.waiting) == kept[6]:
                ok = self._same(inner, pattern)
                heap.close(inner)
        except (Fork, Raised, Dead):
            ok = False
        finally:
            while heap.marks and heap.marks[-1] is not mark:
                heap.marks.pop()
            heap.undo(mark)
            heap.close(mark)
            ok = ok and len(path.stated) == kept[0] and len(path.gaps) == kept[1] and len(path.findings) == kept[2]
            del path.stated[kept[0] :], path.gaps[kept[1] :], path.findings[kept[2] :], m.facts[kept[5] :], self.frame.waiting[kept[6] :]
            path.calls, m.branching.count = kept[3], kept[4]
        if ok:
            self._advance(pattern, rest)
        return ok

    def _same(self, mark: Any, pattern: Pattern) -> bool:
        heap = self.m.heap
        difference, before = heap.difference(mark), heap.before(mark)
        for location, new in difference.values.items():
            old = before[location]
            if location in pattern.counters:
                if not isinstance(new, (int, Term)) or not isinstance(old, (int, Term)) or new - old != pattern.counters[location]:
                    return False
            elif location in pattern.grown:
                if len(new) - len(old) != pattern.grown[location]:
                    return False
            elif not alike(old, new):
                return False
        return True

    def _symbolic_item(self, at: int, round_: Term) -> Any:
        a, b = self.items[at], self.items[at + 1]
        if type(a) is int and type(b) is int:
            return a + (b - a) * round_
        if type(a) is tuple and type(b) is tuple and len(a) == len(b):
            return tuple(x + (y - x) * round_ if type(x) is int and type(y) is int else x if alike(x, y) else Unknown("an item") for x, y in zip(a, b))
        return a if alike(a, b) else Unknown("an item")

    def _advance(self, pattern: Pattern, rest: int) -> None:
        heap = self.m.heap
        owners: dict[int, Any] = {id(self.frame.space): self.frame.space, id(self.frame.globals): self.frame.globals}
        for (number, key), step in pattern.counters.items():
            owner = owners.get(number)
            if owner is not None and step:
                heap.set(owner, key, owner[key] + step * rest)
        for (number, _), growth in pattern.grown.items():
            row = next((v.items for space in owners.values() for v in space.values() if isinstance(v, List) and id(v.items) == number), None)
            if row is not None and growth * rest <= 100_000:
                heap.touch(row)
                row.extend(list(row[-growth:]) * rest)


class _Here:
    lineno = 0


_HERE: Any = _Here()


def alike(a: Any, b: Any, depth: int = 4) -> bool:
    """Whether two values are the same to the analysis."""
    if a is b:
        return True
    if type(a) is not type(b) or depth == 0:
        return False
    match a:
        case TensorType():
            return a.shape == b.shape and a.dtype is b.dtype and a.contents == b.contents and a.framework == b.framework and a.strides == b.strides
        case Unknown():
            return True
        case List() | Set():
            return len(a.items) == len(b.items) and all(alike(x, y, depth - 1) for x, y in zip(a.items, b.items))
        case Dict():
            return list(a.items) == list(b.items) and all(alike(v, b.items[k], depth - 1) for k, v in a.items.items())
        case tuple():
            return len(a) == len(b) and all(alike(x, y, depth - 1) for x, y in zip(a, b))
        case Instance():
            return a.cls is b.cls and list(a.space) == list(b.space) and all(alike(v, b.space[k], depth - 1) for k, v in a.space.items())
        case Choice():
            return a.condition is b.condition and alike(a.then, b.then, depth - 1) and alike(a.other, b.other, depth - 1)
        case Layer():
            return False
        case _:
            try:
                return bool(a == b)
            except Exception:
                return False


def fingerprint(frame: Frame) -> str:
    """The names of a frame, as far as the analysis tells their values apart."""

    def shown(value: Any, depth: int) -> str:
        match value:
            case TensorType() | int() | float() | str() | bool() | None | Term():
                return repr(value)
            case Unknown():
                return "?"
            case List() | Set():
                return f"[{len(value.items)}]" if depth == 0 else "[" + ",".join(shown(v, depth - 1) for v in value.items[:50]) + "]"
            case tuple():
                return "(" + ",".join(shown(v, depth) for v in value[:50]) + ")"
            case Instance():
                return value.cls.name + ("{" + ",".join(f"{k}:{shown(v, depth - 1)}" for k, v in value.space.items()) + "}" if depth else "")
            case _:
                return type(value).__name__

    return ";".join(f"{k}={shown(v, 2)}" for k, v in frame.space.items() if isinstance(k, str) and not k.startswith("__"))

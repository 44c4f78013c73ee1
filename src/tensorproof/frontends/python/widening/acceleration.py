"""Loop acceleration: when two iterations of a loop wrote alike, one more iteration with symbolic numbers proves the rest.

The loop variable, numbers that grow by a constant step and lists that only grow are made symbolic; if that iteration writes the same difference, states nothing
new and takes no new path, the remaining iterations are skipped: counters advance by their step, lists by their growth.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching.loop_bodies import one_iteration
from tensorproof.frontends.python.errors import Dead, Fork, Looked, Raised
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.kinds import Kinds
from tensorproof.frontends.python.widening.descriptions import leaves
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.facts import same as same_facts
from tensorproof.terms.gradient import Use
from tensorproof.terms.ints import Origin, Term, sole_atom, symbol
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass
from tensorproof.terms.substitution import substitute, symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import ITEMS, MISSING, Heap, Mark, Row, Space, items_of
from tensorproof.values.objects import Choice, Dict, Instance, List, Set
from tensorproof.values.python_values import NUMBER, Layer, Summary, Unknown
from tensorproof.values.summaries import is_size, kind_of_all, number_of

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.frontends.python.scope import Act, Put
    from tensorproof.terms.ints import Dim
    from tensorproof.values.heap import Owner
    from tensorproof.values.machine import Value

_TRIES = (1, 2, 8, 32, 128, 512)
_MOST_GROWTH = BUDGETS.loops.growth
_PROOF = 1 << 60
"""The number of the branch that a proof is: it is not decided, the proof ends."""


class _Unread(Row):
    """A list during the iteration that proves: it may grow, but whoever looks at it ends the proof."""

    __slots__ = ()

    def _read(self, *args: Value, **kwargs: Value) -> Any:
        raise Looked

    __len__ = __iter__ = __getitem__ = __setitem__ = __delitem__ = __reversed__ = __contains__ = _read
    pop = insert = remove = reverse = sort = clear = index = count = copy = _read


@dataclass(frozen=True, slots=True)
class Pattern:
    """How one iteration changed memory: counters with their steps, lists with their growth, other locations that changed."""

    counters: dict[tuple[int, Value], int]
    grown: dict[tuple[int, Value], int]
    others: frozenset[tuple[int, Value]]
    reals: frozenset[tuple[int, Value]] = frozenset()
    """Real numbers that change in their own way: any number stands for them."""


class Acceleration:
    """Watches the iterations of one loop."""

    def __init__(self, m: Interpreter, frame: Frame, items: list[Value], cursor: Value = None) -> None:
        self.m = m
        self.cursor = cursor
        """The state of the iterator that is walked: an iteration must take one item of it."""
        self.frame = frame
        self.items = items
        self.signal: Signal | None = None
        self.last: Pattern | None = None
        self.owners: dict[int, Owner] = {}
        self.last_left = False
        """Whether the last iteration is still to be run: it leaves real numbers as they are."""
        self.files: dict[Value, Value] = {}
        """What each file that every iteration writes anew holds in any of them."""

    def due(self, at: int) -> bool:
        return any(at in (t, t + 1) for t in _TRIES) and at + 2 < len(self.items)

    def try_iteration(self, at: int, put: Put, body: Act, node: ast.AST) -> bool:
        """Run iteration `at`, watched; True when all the iterations after it may be skipped."""
        m, heap = self.m, self.m.heap
        waiting = len(self.frame.waiting)
        mark = heap.mark()
        pattern = None
        try:
            put(self.frame, self.items[at])
            self.signal = one_iteration(m, self.frame, body)
            if self.signal is None and len(self.frame.waiting) == waiting:
                pattern = self._pattern(mark)
        finally:
            heap.forget(mark)
        alike = pattern is not None and pattern == self.last
        self.last = pattern
        return alike and pattern is not None and self._proved(at, pattern, put, body)

    def _pattern(self, mark: Mark) -> Pattern | None:
        heap = self.m.heap
        difference, before = heap.difference(mark), heap.before(mark)
        self.owners = difference.owners
        counters: dict[tuple[int, Value], int] = {}
        grown: dict[tuple[int, Value], int] = {}
        others: set[tuple[int, Value]] = set()
        reals: set[tuple[int, Value]] = set()
        for location, new in difference.values.items():
            old = before[location]
            if location[0] == id(self.m.model_state["files"]) and old is not MISSING:
                continue
            if location[1] is ITEMS:
                then, now = items_of(old), items_of(new)
                if len(now) > len(then) and all(a is b for a, b in zip(then, now)):
                    grown[location] = len(now) - len(then)
                elif not alike(old, new):
                    return None
            elif type(old) is int and type(new) is int:
                counters[location] = new - old
            elif _real(old) and _real(new):
                if old is not new and old != new:
                    reals.add(location)
            elif old is MISSING or not alike(old, new):
                others.add(location)
        return Pattern(counters, grown, frozenset(others), frozenset(reals))

    def _proved(self, at: int, pattern: Pattern, put: Put, body: Act) -> bool:
        """One iteration with a symbolic number, undone afterwards; when it does as the others did, all the iterations are written at once."""
        rest = len(self.items) - at - 1
        if self.cursor is not None and pattern.counters.get((id(self.cursor), "at")) != 1:
            return False
        if pattern.others or any(growth * rest > _MOST_GROWTH for growth in pattern.grown.values()):
            return False
        m, path = self.m, self.m.path
        kept, errors, recorded = self._kept(), m.errors, path.recorded
        k = symbol(m.name_here("iteration", self.frame.at or _HERE, "iteration"), 1, rest, Origin.WORLD)
        item = _ruled(self.items[at:], k)
        if item is MISSING:
            return False
        rows = [row for number, _ in pattern.grown if isinstance(row := self.owners[number], Row)]
        classes = [row.__class__ for row in rows]
        """A loop around this one may be watching them too."""
        mark = m.heap.mark(_PROOF)
        turn: recording.Turn | None = None
        grown: dict[tuple[int, Value], list[Value]] | None = None
        same = False
        try:
            inner = self._made_symbolic(pattern, k)
            for row in rows:
                row.__class__ = _Unread
            put(self.frame, item)
            signal = one_iteration(m, self.frame, body)
            if signal is None and len(self.frame.waiting) == kept[6]:
                grown = self._same(inner, pattern, sole_atom(k))
                turn = recording.ended(m, inner, {}) if path.program is not None else None
        except (Fork, Raised, Dead, Looked):
            grown = None
        finally:
            for row, watched in zip(rows, classes):
                row.__class__ = watched
            same = self._undone(mark, kept)
            m.errors = errors
        if not same or grown is None:
            path.unrecord(recorded)
            return False
        if turn is not None:
            recording.close(m, recorded, turn, {place: three[0] for place, three in turn.places.items()}, self.frame.at or _HERE)
        self.last_left = bool(pattern.reals) and rest > 1
        return self._advance(pattern, rest - self.last_left, grown, k)

    def _kept(self) -> tuple[int, ...]:
        """How much the path held before a proof."""
        m, path = self.m, self.m.path
        return len(path.stated), len(path.gaps), len(path.findings), path.calls, m.branching.count, len(m.facts), len(self.frame.waiting)

    def _made_symbolic(self, pattern: Pattern, k: Dim) -> Mark:
        """Give counters and real numbers the values that they have in any iteration; the mark from which that iteration is watched."""
        heap = self.m.heap
        for (number, key), step in pattern.counters.items():
            if step:
                self._count_on(number, key, step * (k - 1))
        for number, key in pattern.reals:
            heap.set(self._space(number), key, NUMBER)
        return heap.mark(_PROOF)

    def _space(self, number: int) -> Space:
        owner = self.owners[number]
        assert isinstance(owner, Space)
        return owner

    def _count_on(self, number: int, key: Value, steps: Dim) -> None:
        owner = self._space(number)
        held = owner[key]
        assert is_size(held)
        self.m.heap.set(owner, key, held + steps)

    def _undone(self, mark: Mark, kept: tuple[int, ...]) -> bool:
        """Undo what a proof wrote and stated; whether it stated and reported nothing new."""
        m, heap, path = self.m, self.m.heap, self.m.path
        while heap.marks and heap.marks[-1] is not mark:
            heap.marks.pop()
        heap.undo(mark)
        heap.close(mark)
        before = {(s.requirement.predicate, s.span, s.facts) for s in path.stated[: kept[0]]} if len(path.stated) > kept[0] else ()
        same = all((s.requirement.predicate, s.span, s.facts) in before for s in path.stated[kept[0] :])
        same = same and len(path.gaps) == kept[1] and len(path.findings) == kept[2]
        del path.stated[kept[0] :], path.gaps[kept[1] :], path.findings[kept[2] :], m.facts[kept[5] :], self.frame.waiting[kept[6] :]
        path.calls, m.branching.count = kept[3], kept[4]
        return same

    def _same(self, mark: Mark, pattern: Pattern, k: Value) -> dict[tuple[int, Value], list[Value]] | None:
        """What the proving iteration appended to each list that grows; None when the iteration wrote otherwise than those before it."""
        heap = self.m.heap
        difference, before = heap.difference(mark), heap.before(mark)
        if any(step and location not in difference.values for location, step in pattern.counters.items()):
            return None
        if any(location not in difference.values for location in pattern.grown):
            return None
        grown: dict[tuple[int, Value], list[Value]] = {}
        for location, new in difference.values.items():
            old = before[location]
            if location[0] == id(self.m.model_state["files"]) and old is not MISSING:
                self.files[location[1]] = widened(heap, old, new)
            elif location in pattern.counters:
                if not is_size(new) or not is_size(old) or new - old != pattern.counters[location]:
                    return None
            elif location in pattern.reals:
                if not _real(new):
                    return None
            elif location in pattern.grown:
                then = items_of(old)
                added = grown[location] = list(items_of(new)[len(then) :])
                if any(isinstance(v, Unknown) and not isinstance(w, Unknown) for v, w in zip(added, then[-len(added) :])):
                    return None  # an iteration with numbers knows more than the one with a symbol
                if len(added) != pattern.grown[location] or not all(_repeatable(v, k) for v in added):
                    return None
            elif not alike(old, new) or (type(new) is Use and type(old) is Use and new.value is not old.value):
                return None  # a graph that an iteration before this one made was freed: the next one may fail for it
        return grown

    def _advance(self, pattern: Pattern, rest: int, grown: dict[tuple[int, Value], list[Value]], k: Term) -> bool:
        heap = self.m.heap
        atom = sole_atom(k)
        assert atom is not None
        rows: list[tuple[Row, list[Value]]] = []
        for location, values in grown.items():
            row = self.owners[location[0]]
            assert isinstance(row, Row)
            rows.append((row, [_at_iteration(v, {atom: n}) for n in range(1, rest + 1) for v in values]))
        for (number, key), step in pattern.counters.items():
            if step:
                self._count_on(number, key, step * rest)
        for number, key in pattern.reals:
            heap.set(self._space(number), key, NUMBER)
        for row, values in rows:
            heap.touch(row)
            row.extend(values)
        for path, value in self.files.items():
            heap.set(self.m.model_state["files"], path, value)
        return True


def _ruled(items: Sequence[Value], k: Term) -> Value:
    """The item of the iteration with this number; MISSING when the items do not follow one rule."""
    if isinstance(items, range):
        return k * items.step + items.start
    first = items[0]
    if type(first) is int and all(type(v) is int for v in items):
        numbers = [v for v in items if isinstance(v, int)]
        step = numbers[1] - first
        return first + step * k if all(b - a == step for a, b in pairwise(numbers)) else MISSING
    if type(first) is tuple and all(type(v) is tuple and len(v) == len(first) for v in items):
        parts = [_ruled(column, k) for column in zip(*(v for v in items if isinstance(v, tuple)))]
        return MISSING if any(p is MISSING for p in parts) else tuple(parts)
    return first if all(v is first or (not isinstance(first, (List, Dict, Set, Instance)) and alike(first, v)) for v in items) else MISSING


def _repeatable(value: Value, k: Value) -> bool:
    """Whether a value that an iteration appends has no identity of its own, so that its like can be made for every iteration."""
    if type(value) is tuple:
        return all(_repeatable(v, k) for v in value)
    if isinstance(value, TensorType):
        parts = (*(value.shape if value.shape.known else ()), *(value.contents or ()))
        return not any(type(p) in (Term, Predicate) and k in symbols(p) for p in parts)
    return isinstance(value, (int, float, str, bytes, type(None), Term, Predicate, Unknown))


def _at_iteration(value: Value, numbers: dict[Any, Any]) -> Value:
    if type(value) is Term:
        return substitute(value, numbers)
    if isinstance(value, Predicate):
        return value.substitute(numbers)
    return tuple(_at_iteration(v, numbers) for v in value) if type(value) is tuple else value


def _real(value: Value) -> bool:
    return type(value) is float or (type(value) is Unknown and value.number == "float")


_HERE = ast.Pass(lineno=0)


def alike(a: Value, b: Value, depth: int = 4) -> bool:
    """Whether two values are the same to the analysis."""
    if a is b:
        return True
    if type(a) is not type(b) or depth == 0:
        return False
    return _ALIKE[type(a)](a, b, depth - 1)


def _alike_tensors(a: TensorType, b: TensorType, depth: int) -> bool:
    described = a.shape == b.shape and a.dtype is b.dtype and a.contents == b.contents and a.framework == b.framework and a.strides == b.strides
    return described and same_facts(a.facts, b.facts)


def _alike_summaries(a: Summary, b: Summary, depth: int) -> bool:
    return a.count == b.count and alike(a.first, b.first, depth) and alike(a.second, b.second, depth)


def _alike_items(a: Sequence[Value], b: Sequence[Value], depth: int) -> bool:
    return len(a) == len(b) and all(alike(x, y, depth) for x, y in zip(a, b))


def _alike_entries(a: dict[Value, Value], b: dict[Value, Value], depth: int) -> bool:
    return list(a) == list(b) and all(alike(v, b[k], depth) for k, v in a.items())


def _alike_choices(a: Choice, b: Choice, depth: int) -> bool:
    return a.condition is b.condition and alike(a.then, b.then, depth) and alike(a.other, b.other, depth)


def _alike_layers(a: Layer, b: Layer, depth: int) -> bool:
    """Layers without weights that compute the same: an activation that each iteration makes anew."""
    if a.module is None or b.module is None or a.hooks or b.hooks or a.tensors or b.tensors or a.module.state() or b.module.state():
        return False
    return a.module.row is b.module.row and bool(a.module.arguments == b.module.arguments) and a.module.training == b.module.training


def _same_host(a: Value, b: Value, depth: int) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


_ALIKE: Kinds[Callable[[Any, Any, int], bool]] = Kinds(
    {
        TensorType: _alike_tensors, Summary: _alike_summaries, Unknown: lambda a, b, depth: True, tuple: _alike_items, Choice: _alike_choices,
        List: lambda a, b, depth: _alike_items(a.items, b.items, depth), Set: lambda a, b, depth: _alike_items(a.items, b.items, depth),
        Dict: lambda a, b, depth: _alike_entries(a.items, b.items, depth),
        Instance: lambda a, b, depth: a.cls is b.cls and _alike_entries(a.space, b.space, depth), Layer: _alike_layers,
    },
    _same_host,
)  # fmt: skip
"""Whether two values of one kind are the same to the analysis."""


def widened(heap: Heap, a: Value, b: Value) -> Value:
    """What stands for either of two values: where they differ, nothing is known."""
    if alike(a, b):
        return b
    if type(a) is Choice or type(b) is Choice:  # a file that was saved on some paths: that it exists is taken for granted
        return reduce(lambda x, y: widened(heap, x, y), [one for one in (*leaves(a), *leaves(b)) if one is not MISSING])
    if type(a) is Dict and type(b) is Dict and list(a.items) == list(b.items):
        return Dict(heap.entries({k: widened(heap, v, b.items[k]) for k, v in a.items.items()}))
    kinds = number_of(a), number_of(b)
    if all(kinds):
        return Unknown("a number of the last round", number=kind_of_all(kinds))
    return Unknown("what the last round saved")


def fingerprint(frame: Frame) -> str:
    """The names of a frame, as far as the analysis tells their values apart."""

    def shown(value: Value, depth: int) -> str:
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
                made: str = value.cls.name + ("{" + ",".join(f"{k}:{shown(v, depth - 1)}" for k, v in value.space.items()) + "}" if depth else "")
                return made
            case _:
                return type(value).__name__

    return ";".join(f"{k}={shown(v, 2)}" for k, v in frame.space.items() if isinstance(k, str) and not k.startswith("__"))

"""What many iterations make of a value: a number that counts is a term in the iteration's number, a list holds so many items, the rest is widened.

A description is a plain value in which the iteration's number is a symbol: an iteration that begins with the description at K must end with what the
description at K + 1 covers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.widening.acceleration import alike
from tensorproof.frontends.python.widening.descriptions import leaves, names_in, plain_unknown, stands_for, strides
from tensorproof.terms import facts
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Origin, Term, lower, sole_atom
from tensorproof.terms.predicates import Predicate, flag, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType
from tensorproof.values.heap import ITEMS, MISSING, items_of
from tensorproof.values.objects import Choice, Dict, Function, Instance, List, Model, Set
from tensorproof.values.python_values import COUNTED, TEXT, Summary, Unknown
from tensorproof.values.summaries import Renaming, has_identity, is_text, length, number_of, number_of_kinds, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.terms.ints import Dim
    from tensorproof.values.heap import Space
    from tensorproof.values.machine import Value

    Items = tuple[Value, ...]

MOST_DEPTH = BUDGETS.loops.depth_of_widened
MOST_VARIANTS = BUDGETS.loops.variants_widened
MOST_DIFFERENT = BUDGETS.loops.greatest_vocabulary
_NO_BOUND = -(1 << 60)
"""A number that may be below this may be any."""


class Widening:
    """For the iterations of one loop: `number` is the symbol of the iteration's number, `since` the first iteration that is not run by itself."""

    def __init__(self, m: Interpreter, number: Term, since: Dim, word: str) -> None:
        self.m = m
        self.iteration = number
        self.since = since
        self.word = word
        self.iteration_name = word
        self.wild: set[Value] = set()
        """Symbols and flags that stand for anything."""
        self.names: frozenset[str] = frozenset()
        """What the iteration that just ran has made."""
        self.made = 0
        self.counts: set[str] = set()

    # --- does a description hold? ---

    def covers(self, wide: Value, value: Value, depth: int = MOST_DEPTH) -> bool:
        """Whether a value is one of those that the description stands for."""
        if wide is value:
            return True
        if type(wide) is Summary or type(value) is Summary:
            return type(wide) is Summary and type(value) is Summary and self._summary(wide, value, depth)
        if isinstance(wide, Unknown):
            return stands_for(wide, value)
        if type(wide) is Term:
            return isinstance(value, (int, Term)) and not isinstance(value, bool) and self._number_covers(wide, value)
        if isinstance(wide, Predicate) and wide in self.wild:
            return isinstance(value, (bool, Predicate))
        if type(value) is Choice and not (type(wide) is Choice and wide.condition is value.condition):
            return self.covers(wide, value.then, depth) and self.covers(wide, value.other, depth)
        if type(wide) is Choice and wide.condition in self.wild:
            return self.covers(wide.then, value, depth) or self.covers(wide.other, value, depth)
        return type(wide) is type(value) and depth != 0 and self._parts_cover(wide, value, depth)

    def _number_covers(self, wide: Term, value: Dim) -> bool:
        if wide in self.wild:
            return lower(value) >= lower(wide) or lower(wide) < _NO_BOUND
        return bool(wide == value)

    def _parts_cover(self, wide: Value, value: Value, depth: int) -> bool:
        """Whether a value of the same class is covered part by part."""
        if isinstance(wide, TensorType) and isinstance(value, TensorType):
            return self._tensor(wide, value)
        if type(wide) is tuple and type(value) is tuple:
            return len(wide) == len(value) and all(self.covers(a, b, depth - 1) for a, b in zip(wide, value))
        if isinstance(wide, (List, Set)) and isinstance(value, (List, Set)):
            return self.items_cover(tuple(wide.items), tuple(value.items), depth - 1)
        if isinstance(wide, Dict) and isinstance(value, Dict):
            return list(wide.items) == list(value.items) and all(self.covers(v, value.items[k], depth - 1) for k, v in wide.items.items())
        if isinstance(wide, Instance) and isinstance(value, Instance):
            return wide.cls is value.cls and self._spaces(wide.space, value.space, depth)
        if isinstance(wide, Model) and isinstance(value, Model):
            return wide.kind == value.kind and self._spaces(wide.space, value.space, depth)
        return wide.code is value.code if isinstance(wide, Function) and isinstance(value, Function) else alike(wide, value)

    def _size_covers(self, wide: Value, value: Value) -> bool:
        """Whether a size is covered; none is below zero, whatever its term allows."""
        return bool(wide == value) or (type(wide) is Term and wide in self.wild) or (isinstance(wide, Unknown) and stands_for(wide, value))

    def _spaces(self, wide: Space, value: Space, depth: int) -> bool:
        return list(wide) == list(value) and all(self.covers(v, value[k], depth - 1) for k, v in wide.items())

    def _summary(self, wide: Summary, value: Summary, depth: int) -> bool:
        return self._size_covers(wide.count, value.count) and self._sampled(wide, value.first, depth) and self._sampled(wide, value.second, depth)

    def _sampled(self, wide: Summary, item: Value, depth: int) -> bool:
        """Whether an item is one of many: with the names of its own iteration."""
        return any(self.covers(sample, self._named(item, suffix), depth - 1) for sample, suffix in ((wide.first, "'"), (wide.second, '"'))) or (
            self.covers(wide.first, item, depth - 1) or self.covers(wide.second, item, depth - 1)
        )

    def _named(self, value: Value, suffix: str) -> Value:
        return Renaming(self.m.heap, self.names | {self.iteration_name}, suffix)(value)

    def _tensor(self, wide: TensorType, value: TensorType) -> bool:
        if wide.dtype is not value.dtype or wide.framework != value.framework or wide.layout != value.layout:
            return False
        if (wide.device or "cpu") != (value.device or "cpu"):
            return False
        if not wide.shape.known or not value.shape.known or len(wide.shape) != len(value.shape):
            return wide.shape == value.shape
        if not all(self._size_covers(a, b) for a, b in zip(wide.shape, value.shape)):
            return False
        if (wide.contents is not None and wide.contents != value.contents) or not facts.covers(wide.facts, value.facts, self._size_covers):
            return False
        return wide.strides == value.strides or wide.strides == UNKNOWN_STRIDES

    def items_cover(self, wide: Items, items: Items, depth: int = MOST_DEPTH) -> bool:
        """A list: what is listed item by item, what came after it by its number and its samples."""
        at, summary = next(((i, v) for i, v in enumerate(wide) if type(v) is Summary), (-1, None))
        if summary is None:
            return len(wide) == len(items) and all(self.covers(a, b, depth) for a, b in zip(wide, items))
        if at != len(wide) - 1 or len(items) < at or not all(self.covers(a, b, depth) for a, b in zip(wide[:at], items[:at])):
            return False
        rest = items[at:]
        count = length(rest)
        if not self._size_covers(summary.count, count):
            return False
        return all(self._sampled(summary, item, depth) for item in shown(rest))

    # --- making one ---

    def guess(self, key: Value, head: Value, end: Value) -> Value:
        """A description from what one iteration did, beginning with a value that was not described yet; MISSING when there is none."""
        if key is ITEMS:
            return self._grown(items_of(head), items_of(end))
        return self._value(head, end, MOST_DEPTH)

    def weaker(self, key: Value, old: Value, wide: Value, end: Value) -> Value:
        """A wider description, where the last one did not hold."""
        if key is ITEMS:
            return self._weaker_items(items_of(wide), items_of(end))
        if type(wide) is Summary and type(end) is Summary:
            second = self._either(wide.second, self._named(end.second, '"'), MOST_DEPTH)
            return MISSING if second is MISSING else summarise(self._any(0, "count"), [wide.first, second])
        if type(wide) is Term and wide not in self.wild and type(end) is Term:
            before = self.at(end, self.iteration - 1)  # what the iteration before left: `pointer = (pointer + n) % size`
            if before != wide and not names_in(end) & (self.names - {self.iteration_name}) and self.at(before, self.since) == old:
                return before
        return self._either(wide, end, MOST_DEPTH)

    def _weaker_items(self, wide: Items, end: Items) -> Value:
        at, summary = next(((i, v) for i, v in enumerate(wide) if type(v) is Summary), (-1, None))
        if summary is None or len(end) < at:
            return MISSING
        rest, count = shown(end[at:]), length(end[at:])
        count_then = summary.count if count == self._next(summary.count) else self._any(0, "count")
        made = Summary(summary.reason, count=count_then, first=summary.first, second=summary.second)
        for item in reversed(rest):
            if not self._sampled(made, item, MOST_DEPTH):
                second = self._either(made.second, self._named(item, '"'), MOST_DEPTH)
                if second is MISSING:
                    return MISSING
                made = Summary(summary.reason, count=count_then, first=summary.first, second=second)
        return (*wide[:at], made)

    def enough(self) -> dict[Value, Value]:
        """For each number of items that was not counted: the number after the last iteration. Data are taken to hold two different items at least."""
        counts = [s for s in self.wild if type(s) is Term and self.counts & names_in(s)]
        return {sole_atom(s): self.m.symbol(f"{s!r}, all rounds", 2, MOST_DIFFERENT, Origin.UNMODELLED) for s in counts}

    def _next(self, term: Value) -> object:
        return self.at(term, self.iteration + 1)

    def at(self, value: Value, number: Dim) -> Any:
        """A description in another iteration."""
        return Renaming(self.m.heap, frozenset(), "", {sole_atom(self.iteration): number})(value)

    def _grown(self, head: tuple[Value, ...], end: tuple[Value, ...]) -> Value:
        if len(end) < len(head) or not all(a is b or alike(a, b) for a, b in zip(head, end)):
            if len(end) == len(head):
                parts = [self._value(a, b, MOST_DEPTH) if not alike(a, b) else a for a, b in zip(head, end)]
                return MISSING if any(p is MISSING for p in parts) else tuple(parts)
            return MISSING
        added = end[len(head) :]
        if not added:
            return head
        growth = length(added)
        if isinstance(growth, Unknown) or names_in(growth) & {*self.names, self.iteration_name}:
            count = self._iterations_of(growth)
        else:
            count = growth * (self.iteration - self.since)
        items = shown(added)
        if any(has_identity(item) for item in items):
            return MISSING
        samples = [self._named(items[0], "'"), self._named(items[-1], '"')]
        for item in items[1:-1]:
            if not alike(item, items[0]) and not alike(item, items[-1]):
                samples[1] = self._either(samples[1], self._named(item, '"'), MOST_DEPTH)
        return MISSING if samples[1] is MISSING else (*head, summarise(count, samples))

    def _iterations_of(self, growth: Value) -> Dim:
        """How much grows in all that grows by this in an iteration: one number for all that grows alike."""
        name = f"{self.word}: rounds that add {growth!r}"
        chosen = bool(names_in(growth) & (self.names - {self.iteration_name}))
        made = self.m.symbol(name, 0, None, Origin.WORLD if chosen else Origin.UNMODELLED)  # what hangs on the number of the iteration alone is no choice
        self.wild.add(made)
        return made

    def _any(self, least: int, word: str) -> Term:
        self.made += 1
        name = f"{word} after {self.word}#{self.made}"
        made = self.m.symbol(name, least, None, Origin.UNMODELLED)
        assert type(made) is Term
        if word == "count":
            self.counts.add(name)
        self.wild.add(made)
        return made

    def _any_number(self, wide: Dim, value: Dim) -> Dim:
        return wide if self._size_covers(wide, value) else self._any(-(1 << 62), "a number")

    def _size(self, head: Dim, end: Dim) -> Dim:
        """A number that one iteration changed."""
        step = end - head
        if isinstance(step, int) or not (names_in(step) & {*self.names, self.iteration_name}):
            return head + step * (self.iteration - self.since)
        if not names_in(end) & (self.names - {self.iteration_name}) and self.at(end, self.since - 1) == head:
            before: Dim = self.at(end, self.iteration - 1)
            return before  # what the iteration before left: `last = now`
        known = ge(end, head)
        return self._any(int(lower(head)) if known is True and lower(head) > -(1 << 60) else -(1 << 62), "a number")

    def _count(self, head: Dim, end: Dim) -> Dim:
        step = end - head
        known = isinstance(step, int) or not (names_in(step) & {*self.names, self.iteration_name})
        return head + step * (self.iteration - self.since) if known else self._any(0, "count")

    def _entries(self, head: Value, end: Summary) -> Value:
        """The entries of a dict whose keys are not known."""
        first, second = self._named(end.first, "'"), self._named(end.second, '"')
        if type(head) is Summary:
            first, second = head.first, self._either(head.second, second, MOST_DEPTH)
        before = head.count if type(head) is Summary else 0
        count = self._count(before, end.count) if isinstance(before, (int, Term)) and isinstance(end.count, (int, Term)) else COUNTED
        return MISSING if second is MISSING else summarise(count, [first, second])

    def _value(self, head: Value, end: Value, depth: int) -> Value:
        if type(end) is Summary:
            return self._entries(head, end)
        if head is end or alike(head, end):
            return end
        if isinstance(head, (int, Term)) and isinstance(end, (int, Term)) and type(head) is not bool and type(end) is not bool:
            return self._size(head, end)
        if isinstance(head, TensorType) and isinstance(end, TensorType) and self._same_kind(head, end):
            shape = Shape(a if a == b else self._size(a, b) for a, b in zip(head.shape, end.shape))
            contents, known = end.contents if head.contents == end.contents else None, facts.widened(head.facts, end.facts, self._size)
            past = end.history if head.history is end.history else None
            return end.but(shape=shape, contents=contents, strides=strides(head, end), facts=known, history=past)
        if type(head) is tuple and type(end) is tuple and len(head) == len(end) and depth:
            return self._all([self._value(a, b, depth - 1) for a, b in zip(head, end)], tuple)
        return self._either(head, end, depth)

    def _same_kind(self, a: TensorType, b: TensorType) -> bool:
        same = a.dtype is b.dtype and a.framework == b.framework and a.layout == b.layout and (a.device or "cpu") == (b.device or "cpu")
        return same and a.shape.known and b.shape.known and len(a.shape) == len(b.shape)

    def _all(self, parts: list[Value], make: Callable[[list[Value]], Value]) -> Value:
        return MISSING if any(p is MISSING for p in parts) else make(parts)

    def _either(self, wide: Value, value: Value, depth: int) -> Value:
        """What stands for both."""
        if type(wide) is Choice or type(value) is Choice:
            return self._variants([*leaves(wide), *leaves(value)], depth)
        if wide is MISSING or value is MISSING:
            return self._choice(wide, value)
        if self.covers(wide, value):
            return wide
        if type(wide) is Summary and type(value) is Summary:
            first, second = self._either(wide.first, value.first, depth - 1), self._either(wide.second, value.second, depth - 1)
            count = wide.count if wide.count == value.count else self._any(0, "count")
            return MISSING if first is MISSING or second is MISSING else summarise(count, [first, second])
        if isinstance(wide, bool | Predicate) and isinstance(value, bool | Predicate):
            return self._flag()
        if number_of(wide) and number_of(value):
            return self._either_number(wide, value)
        if is_text(wide) and is_text(value):
            return TEXT
        if isinstance(wide, Unknown) or isinstance(value, Unknown):
            return wide if plain_unknown(wide) else value if plain_unknown(value) else self._choice(wide, value)
        if depth and type(wide) is type(value):
            return self._parts(wide, value, depth)
        return self._choice(wide, value)

    def _either_number(self, wide: Value, value: Value) -> Value:
        if not isinstance(wide, (int, Term)) or not isinstance(value, (int, Term)):
            return number_of_kinds((number_of(wide), number_of(value)))
        least = min(lower(wide), lower(value))
        if type(wide) is Term and wide in self.wild:
            least = 0 if least >= 0 else -(1 << 62)  # it falls: no other bound stays
        return self._any(int(least) if least > _NO_BOUND else -(1 << 62), "a number")

    def _parts(self, wide: Value, value: Value, depth: int) -> Value:
        """What stands for two values of one class, part by part."""
        heap = self.m.heap
        if isinstance(wide, TensorType) and isinstance(value, TensorType) and self._same_kind(wide, value):
            shape = Shape(a if self._size_covers(a, b) else self._any(0, "a size") for a, b in zip(wide.shape, value.shape))
            contents, known = wide.contents if wide.contents == value.contents else None, facts.widened(wide.facts, value.facts, self._any_number)
            return wide.but(shape=shape, contents=contents, strides=strides(wide, value), facts=known)
        if type(wide) is tuple and type(value) is tuple and len(wide) == len(value):
            return self._all([self._either(a, b, depth - 1) for a, b in zip(wide, value)], tuple)
        if isinstance(wide, List) and isinstance(value, List):
            if len(wide.items) == len(value.items):
                items = [self._either(a, b, depth - 1) for a, b in zip(wide.items, value.items)]
                return self._all(items, lambda new: List(heap.row(new), wide.deque, wide.most))
            return self._lists(wide, value, depth) if not wide.deque and not value.deque else self._choice(wide, value)
        if isinstance(wide, Dict) and isinstance(value, Dict) and list(wide.items) == list(value.items):
            parts = [self._either(v, value.items[k], depth - 1) for k, v in wide.items.items()]
            return self._all(parts, lambda new: Dict(heap.entries(dict(zip(wide.items, new))), wide.default, wide.counter, wide.ordered))
        if isinstance(wide, Model) and isinstance(value, Model) and list(wide.space) == list(value.space) and wide.kind == value.kind:
            return self._all(self._both(wide.space, value.space, depth), lambda new: Model(wide.kind, heap.space(dict(zip(wide.space, new)))))
        if isinstance(wide, Instance) and isinstance(value, Instance):
            return self._instances(wide, value, depth)
        return self._choice(wide, value)

    def _instances(self, wide: Instance, value: Instance, depth: int) -> Value:
        if wide.cls is not value.cls or wide.native is not None or value.native is not None or list(wide.space) != list(value.space):
            return self._choice(wide, value)
        parts = self._both(wide.space, value.space, depth)
        return self._all(parts, lambda new: Instance(wide.cls, self.m.heap.space(dict(zip(wide.space, new))), wide.span))

    def _both(self, wide: Space, value: Space, depth: int) -> list[Value]:
        return [self._either(v, value[k], depth - 1) for k, v in wide.items()]

    def _lists(self, wide: List, value: List, depth: int) -> Value:
        """Lists of different lengths: so many items, each like any of theirs."""
        items = shown([*wide.items, *value.items])
        if not items or any(has_identity(one) or type(one) is not type(items[0]) for one in items if type(one) not in (int, Term, Choice)):
            return self._choice(wide, value)
        second = items[0]
        for one in items[1:]:
            second = self._either(second, one, depth - 1)
            if second is MISSING:
                return self._choice(wide, value)
        return List(self.m.heap.row([summarise(self._any(0, "count"), [second])]))

    def _variants(self, leaves: list[Value], depth: int) -> Value:
        """What stands for each of these: those that have a common description are one."""
        found: list[Value] = []
        for leaf in leaves:
            for i, one in enumerate(found):
                if one is leaf:
                    break
                both = self._either(one, leaf, depth - 1) if depth and one is not MISSING and leaf is not MISSING else MISSING
                if both is not MISSING and type(both) is not Choice:
                    found[i] = both
                    break
            else:
                found.append(leaf)
        result = found[0]
        for one in found[1:]:
            result = self._choice(result, one)
            if result is MISSING:
                return MISSING
        return result

    def _flag(self) -> Predicate:
        self.made += 1
        name = f"one way or the other after {self.word}#{self.made}"
        self.m.session.names.add(name)
        made = flag(name)
        self.wild.add(made)
        return made

    def _loosened(self, value: Value) -> Value:
        """A value of one iteration as that of any: what the iteration made may be anything."""
        other = Renaming(self.m.heap, self.names | {self.iteration_name}, "~")
        made = other(value)
        self.wild.update(v for v in other.known.values() if isinstance(v, (Term, Predicate)))
        return made

    def _choice(self, a: Value, b: Value) -> Value:
        b = self._loosened(b)
        depth = 1 + max(a.depth if type(a) is Choice else 0, b.depth if type(b) is Choice else 0)
        return MISSING if depth > MOST_VARIANTS else Choice(self._flag(), a, b, depth)

"""What a loop over data leaves behind: the rounds that were run stand for many, so lists that grew and numbers that counted are put right.

Where it is known how often each round comes, growth is repeated that often; where it is not, a list has no known length any more and a number no known value.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.widening.acceleration import alike
from tensorproof.libraries import registry
from tensorproof.libraries.model import counts_of
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Origin, Term, ite
from tensorproof.values.heap import ITEMS, MISSING, ORDER, Cursor, Entries, items_of
from tensorproof.values.python_values import COLLECTED, COUNTED, NUMBER, TEXT, Summary, Unknown
from tensorproof.values.summaries import has_identity, is_size, is_summarised, number_of, number_of_kinds, shown, summarise

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.terms.ints import Dim
    from tensorproof.values.heap import Owner, Written
    from tensorproof.values.machine import Value

    Items = tuple[Value, ...]

_MOST_ITEMS = BUDGETS.loops.items_after_data_loop
_KEEP: Value = object()


class Collected:
    """Watches the rounds of one loop."""

    def __init__(self, m: Interpreter, iterations: list[Any], node: ast.AST, source: Any) -> None:
        self.m = m
        self.node = node
        self.counts = counts = counts_of(iterations)
        self.conditions = [condition for condition, _ in iterations]
        self.rest = [condition for condition, _ in getattr(iterations, "rest", ())]
        self.source = source
        self.ended = False
        """Whether a round left the loop, so that their number is unknown."""
        self.length: Dim | None = None
        self.exact = counts is not None and all(c == 1 for c in counts)
        self.mark = None if self.exact else m.heap.mark()
        self.seen: list[Written] = []
        self.regular: Written | None = None
        """What memory held after all regular iterations, where one of them was followed that represents all."""
        self.times: Dim | None = None

    def iteration_ran(self) -> None:
        if self.mark is not None:
            self.seen.append(self.m.heap.difference(self.mark).values)

    def followed(self, times: Dim) -> None:
        """Memory is now as after all `times` regular iterations."""
        assert self.mark is not None
        self.regular, self.times = self.m.heap.difference(self.mark).values, times

    def __enter__(self) -> Collected:
        return self

    def __exit__(self, kind: Value, *rest: Value) -> None:
        if kind is not None:
            self.forget()

    def forget(self) -> None:
        """What the iterations leave was described otherwise."""
        if self.mark is not None:
            self.m.heap.forget(self.mark)

    def finish(self, node: ast.AST) -> None:
        """Write what all the rounds together leave."""
        if self.mark is None:
            return
        heap = self.m.heap
        before, final = heap.before(self.mark), heap.difference(self.mark)
        heap.forget(self.mark)
        for location, new in final.values.items():
            owner, key = final.owners[location[0]], location[1]
            if key is ORDER or isinstance(owner, Cursor):
                continue
            if self.regular is not None:
                self._put_right(location, owner, before[location], new)
                continue
            series = [before[location], *(shot.get(location, before[location]) for shot in self.seen)]
            if key is not ITEMS and series[0] is MISSING:
                if isinstance(owner, Entries) and not isinstance(key, str):
                    self.m.gap("a dict filled in a loop over data", node, "its keys are not known")
                continue
            put = self._items(list(map(items_of, series)), items_of(new)) if key is ITEMS else self._value(series, new)
            if put is not _KEEP:
                heap.write(owner, key, put)

    def _put_right(self, location: tuple[int, Any], owner: Owner, first: Value, new: Value) -> None:
        """A list or a counter to which each iteration adds alike, in the terms of the length of the data."""
        assert self.regular is not None and self.times is not None
        one, all_ = (shot.get(location, first) for shot in (self.seen[0], self.regular))
        if self.ended or first is MISSING:
            return
        if location[1] is ITEMS:
            found = self._alike_items(self.times, items_of(first), items_of(one), items_of(all_), items_of(new))
        elif is_size(first) and is_size(one) and is_size(all_) and is_size(new) and all_ == first + (one - first) * self.times:
            found = self._counted(first, one - first, new - all_)
        else:
            return
        if found is not _KEEP:
            self.m.heap.write(owner, location[1], found)

    def _counted(self, first: Dim, step: Dim, last: Dim) -> Value:
        if not self.rest or last == 0:
            return _KEEP
        return first + step * self.total() if last == ite(self.rest[0], step, 0) else _KEEP

    def _alike_items(self, times: Dim, first: Items, one: Items, all_: Items, new: Items) -> Value:
        """What each iteration appended, as often as there are iterations."""
        added, all_added, last = one[len(first) :], all_[len(first) :], new[len(all_) :]
        grown = all_added[0] if len(all_added) == 1 else None
        if not added or type(grown) is not Summary or grown.count != len(added) * times or is_summarised(added):
            return _KEEP
        if any(a is not b for a, b in zip(all_, new)) or not all(_either(grown, item) for item in added):
            return _KEEP
        if isinstance(times, int) and not is_summarised(last):
            return (*first, *(added * times), *last) if len(added) * times <= _MOST_ITEMS else _KEEP
        series = [added, last] if self.rest and last else [added]
        return self._summary(first, series) if bool(self.rest) == bool(last) else _KEEP

    def total(self) -> Dim:
        """How many rounds there are: one number for all that the loop gathers."""
        if self.length is None and isinstance(self.times, int) and all(condition is True for condition in self.rest):
            self.length = self.times + len(self.rest)
        if self.length is None:
            gaps = len(self.m.path.gaps)
            with suppress(Raised):  # the program does not ask for it
                length = registry.known_length(self.m, self.source, self.node)
                self.length = length if isinstance(length, (int, Term)) else None
            del self.m.path.gaps[gaps:]
            if self.length is None:
                self.length = self.m.symbol(self.m.name_here("iterations", self.node), 1, None, Origin.UNMODELLED)
        return self.length

    def _growth(self, added: tuple[Value, ...], at: int) -> int | None:
        """How many items a round adds when it comes; None where that hangs on something else."""
        total = 0
        for item in added:
            if type(item) is not Summary:
                total += 1
                continue
            condition = self.conditions[at] if at < len(self.conditions) else True
            grown = [g for g in range(1, 9) if item.count == ite(condition, g, 0)]
            if not grown:
                return None
            total += grown[0]
        return total

    def _summary(self, base: Items, grown: list[tuple[Value, ...]]) -> Value:
        """Rounds that nothing counted: what each adds, as often as there are rounds."""
        items = shown([item for added in grown for item in added])
        if not items or any(has_identity(item) for item in items):
            return (*base, COLLECTED)
        steps = [self._growth(added, i) for i, added in enumerate(grown)]
        if self.ended or steps[0] is None or any(step != steps[0] for step in steps):
            count = self.m.symbol(self.m.name_here("gathered", self.node), 0, None, Origin.UNMODELLED)
        else:
            count = steps[0] * self.total()
        return (*base, summarise(count, items))

    def _items(self, series: list[Items], new: Items) -> Value:
        """A list: what each round added, as often as the round comes."""
        if len(new) == len(series[0]):
            return _KEEP
        grown: list[tuple[Value, ...]] = []
        for old, now in pairwise(series):
            if len(now) < len(old) or any(a is not b for a, b in zip(old, now)):
                return (COLLECTED,)
            grown.append(tuple(now[len(old) :]))
        if self.counts is None or len(grown) != len(self.counts) or sum(map(len, grown)) * max(self.counts) > _MOST_ITEMS:
            return self._summary(series[0], grown)
        result = list(series[0])
        for i, (count, added) in enumerate(zip(self.counts, grown)):
            if count > 1 and not (i and len(grown[i - 1]) == len(added) and all(map(alike, grown[i - 1], added))):
                return (*series[0], COLLECTED)
            result += added * count
        return tuple(result)

    def _value(self, series: list[Value], new: Value) -> Value:
        """A number that counts: what each round added, as often as the round comes."""
        if all(alike(series[0], one) for one in series[1:]):
            return _KEEP
        sizes = [one for one in series if is_size(one)]
        if len(sizes) == len(series):
            steps = [now - old for old, now in pairwise(sizes)]
            counts = self.counts if self.counts is not None and len(self.counts) == len(steps) else ()
            if counts and all(count == 1 or (i and steps[i - 1] == steps[i]) for i, count in enumerate(counts)):
                return sizes[0] + sum((c * s for c, s in zip(counts, steps)), 0)
            step = next((s for s in range(1, 9) if all(d == ite(self.conditions[i], s, 0) for i, d in enumerate(steps) if i < len(self.conditions))), None)
            return COUNTED if step is None or self.ended else sizes[0] + step * self.total()
        if all(isinstance(one, (int, float, Unknown)) and not isinstance(one, bool) for one in series):
            kinds = [number_of(one) for one in series]
            return number_of_kinds(kinds) if all(kinds) else NUMBER
        if isinstance(new, str):
            return TEXT
        return _KEEP


def _either(summary: Summary, item: Value) -> bool:
    """Whether an item is one of those that are shown."""
    return alike(summary.first, item) or alike(summary.second, item)

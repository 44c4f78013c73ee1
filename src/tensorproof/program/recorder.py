"""Collects the records of one path while a front end runs. A front end that nothing asked for the program form has none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tensorproof.diagnostics.span import Span
from tensorproof.ops.applied import Applied
from tensorproof.program.form import Carried, Changed, Computed, Differentiated, Join, Loop, Record, Same, Slice, Source, Stack
from tensorproof.terms.predicates import Predicate, Truth
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


class Recorder:
    """The records so far. What is tried and undone is cut off again; an iteration that stands for others is closed into a `Loop`."""

    __slots__ = ("records",)

    def __init__(self) -> None:
        self.records: list[Record] = []

    @property
    def position(self) -> int:
        return len(self.records)

    def cut(self, position: int) -> list[Record]:
        """Take off the records from a position on."""
        taken = self.records[position:]
        del self.records[position:]
        return taken

    def add(self, record: Record) -> None:
        self.records.append(record)

    def applied(self, applied: Sequence[Applied], span: Span, conditions: tuple[Predicate, ...] = ()) -> None:
        self.records += [Computed(one, span, conditions) for one in applied]

    def place(self, position: int, where: Callable[[Span], Span]) -> None:
        """Give what was applied since a position the places that `where` says."""
        for i, record in enumerate(self.records[position:], position):
            if isinstance(record, Computed) and (span := where(record.span)) is not record.span:
                self.records[i] = replace(record, span=span)

    def same(self, source: TensorType, result: TensorType) -> None:
        if source is not result:
            self.records.append(Same(source, result))

    def join(self, condition: Truth | None, options: tuple[TensorType | None, ...], result: TensorType) -> None:
        self.records.append(Join(result, options, condition))

    def changed(self, tensor: TensorType, before: TensorType | None = None) -> None:
        self.records.append(Changed(tensor, before))

    def differentiated(self, targets: Sequence[TensorType], sources: Sequence[TensorType] = (), results: Sequence[TensorType] = ()) -> None:
        if targets:
            self.records.append(Differentiated(tuple(targets), tuple(sources), tuple(results)))

    def loop(self, body: Sequence[Record], carried: Sequence[Carried], span: Span, runs: bool = True, most: float = math.inf) -> None:
        if body or carried:
            self.records.append(Loop(tuple(body), tuple(carried), span, runs, most))

    def turn(self, position: int, states: Sequence[Sequence[TensorType]], span: Span) -> None:
        """Make a loop of the records since a position: one turn of a loop that a library runs, perhaps not once.

        `states`: what it carries, before, at the start and at the end of a turn, and after; where their numbers differ, nothing is known of it.
        """
        before, start, end, after = states
        if len(before) == len(start) == len(end) == len(after):
            places = [Carried((b,), s, (e,), a) for b, s, e, a in zip(before, start, end, after)]
        else:
            places = [Carried((None,), s, (None,), None) for s in start]
        self.loop(self.cut(position), places, span, runs=False)

    def stack(self, items: Sequence[TensorType], wholes: Sequence[TensorType], axis: int = 0) -> None:
        self.records += [Stack(item, whole, axis) for item, whole in zip(items, wholes) if item.shape.known]

    def slices(self, wholes: Sequence[TensorType], items: Sequence[TensorType], axis: int = 0) -> None:
        self.records += [Slice(whole, item, axis) for whole, item in zip(wholes, items)]

    def source(self, tensor: TensorType, role: str, low: float, high: float, span: Span | None = None, drawn: bool = False) -> None:
        self.records.append(Source(tensor, role, low, high, span, drawn))

    def taken(self, source: TensorType, result: TensorType) -> None:
        """Each element of `result` is one of `source`, perhaps rounded to another element type: rows of it, one row, a row that is repeated, parts."""
        old, new = source.shape, result.shape
        if source is result or not old.known or not new.known:
            return
        if old == new:
            self.same(source, result)
            return
        for axis in (0, -1):
            inner = [list(shape[1:] if axis == 0 else shape[:-1]) for shape in (old, new)]
            if len(old) and list(new) == inner[0]:
                self.slices([source], [result], axis % len(old))
            elif len(new) and list(old) == inner[1]:
                self.stack([source], [result], axis % len(new))
            elif len(old) == len(new) and inner[0] == inner[1]:
                item = source.but(shape=Shape(inner[0]), contents=None, strides=None)
                self.slices([source], [item], axis % len(old))
                self.stack([item], [result], axis % len(new))
            else:
                continue
            return
        self._spread(source, result)

    def _spread(self, source: TensorType, result: TensorType) -> None:
        """Take single elements, and make a tensor of any shape of them."""
        item = source
        while len(item.shape):
            part = item.but(shape=Shape(item.shape[1:]), contents=None, strides=None)
            self.slices([item], [part])
            item = part
        for rank in range(1, len(result.shape) + 1):
            whole = result if rank == len(result.shape) else item.but(shape=Shape(result.shape[-rank:]))
            self.stack([item], [whole])
            item = whole
        if not len(result.shape):
            self.same(item, result)

"""Collects the records of one path while a front end runs. A front end that nobody asked for the program form has none."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.diagnostics.span import Span
from tensorproof.ops.applied import Applied
from tensorproof.program.form import Carried, Changed, Computed, Join, Loop, Record, Same, Slice, Stack
from tensorproof.terms.predicates import Predicate, Truth
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

    def same(self, source: TensorType, result: TensorType) -> None:
        if source is not result:
            self.records.append(Same(source, result))

    def join(self, condition: Truth | None, options: tuple[TensorType | None, ...], result: TensorType) -> None:
        self.records.append(Join(result, options, condition))

    def changed(self, tensor: TensorType) -> None:
        self.records.append(Changed(tensor))

    def loop(self, body: Sequence[Record], carried: Sequence[Carried], span: Span, runs: bool = True) -> None:
        if body or carried:
            self.records.append(Loop(tuple(body), tuple(carried), span, runs))

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

"""The graph around the operations that may go wrong: which operators compute from which, with their bounds. It is not drawn here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tensorproof.app.numerics.report import ORDER, Form, Report
from tensorproof.diagnostics.span import Span
from tensorproof.ops.applied import Applied
from tensorproof.program.form import Changed, Computed, Join, Loop, Record, Same, Slice, Source, Stack, written
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.tensor import TensorType

MOST_NODES = 150
"""How many nodes a picture has: more cannot be read."""
SHOWN = ("unsafe", "possible")


@dataclass(slots=True)
class Node:
    """An operator at one place of the program, whatever loop or path reaches it, or a tensor that comes from outside (`op` is empty)."""

    name: str
    op: str
    span: Span | None = None
    verdict: str = ""
    """The worst verdict of its hazards; empty where it has none."""
    bounds: tuple[float, float] | None = None
    """Between which numbers its results lie."""
    before: dict[int, None] = field(default_factory=dict[int, None])
    """The nodes whose results it takes, by their numbers."""


@dataclass(slots=True)
class Picture:
    """`nodes` by their numbers; `every` counts the operators of the whole graph, `findings` and `shown` the nodes that may go wrong."""

    nodes: dict[int, Node] = field(default_factory=dict[int, Node])
    every: int = 0
    findings: int = 0
    shown: int = 0


def picture(found: Report, most: int = MOST_NODES) -> Picture:
    """What is computed, or where that is more than can be read, the neighbourhood of the operations that may go wrong."""
    verdicts: dict[tuple[Span, str], str] = {}
    for one in found.operations:
        place = one.span, one.op
        verdicts[place] = min(one.verdict, verdicts.get(place, one.verdict), key=ORDER.index)
    whole = _Whole(verdicts)
    for form in found.forms:
        whole.add(form)
    chosen = _around(whole.nodes, most)
    kept = {i: whole.nodes[i] for i in sorted(chosen)}
    for node in kept.values():
        node.before = {i: None for i in node.before if i in chosen}
    marked = [i for i, node in enumerate(whole.nodes) if node.verdict in SHOWN]
    return Picture(kept, sum(bool(node.op) for node in whole.nodes), len(marked), sum(i in chosen for i in marked))


class _Whole:
    """All nodes of all paths. Equal operators at one place that compute from the same nodes are one node: iterations are drawn once."""

    def __init__(self, verdicts: Mapping[tuple[Span, str], str]) -> None:
        self.nodes: list[Node] = []
        self._verdicts = verdicts
        self._places: dict[object, int] = {}

    def add(self, form: Form) -> None:
        origins = _Origins(self, form)
        steps: list[tuple[int, Applied]] = []
        for one in _flat(form.records):
            if isinstance(one, Computed):
                before = dict.fromkeys(i for tensor in _tensors(one.applied) for i in origins.of(tensor))
                at = self._operator(one, tuple(before), form.bounds)
                steps.append((at, one.applied))
                for result in one.applied.results:
                    origins.makers.setdefault(id(result), {})[at] = None
            for result, options in _passed(one):
                origins.aliases.setdefault(id(result), []).extend(options)
        for at, applied in steps:  # again, now that it is known what an iteration leaves to the next
            self.nodes[at].before.update(dict.fromkeys(i for tensor in _tensors(applied) for i in origins.of(tensor)))

    def _operator(self, one: Computed, before: tuple[int, ...], bounds: Mapping[int, Any]) -> int:
        place = one.span, one.applied.op.name
        at = self._places.setdefault((place, before), len(self.nodes))
        if at == len(self.nodes):
            self.nodes.append(Node(one.applied.spelling or one.applied.op.name, one.applied.op.name, one.span, self._verdicts.get(place, "")))
        for result in one.applied.results[:1]:
            self.nodes[at].bounds = _joined(self.nodes[at].bounds, bounds.get(id(result)))
        return at

    def source(self, name: str, bounds: Any) -> int:
        at = self._places.setdefault(name, len(self.nodes))
        if at == len(self.nodes):
            self.nodes.append(Node(name, ""))
        self.nodes[at].bounds = _joined(self.nodes[at].bounds, bounds)
        return at


class _Origins:
    """The nodes that a tensor comes from, through joins and loops."""

    def __init__(self, whole: _Whole, form: Form) -> None:
        self.whole, self.form = whole, form
        self.made = written([one for one in _flat(form.records) if not isinstance(one, (Changed, Source, Loop))])  # a parameter that is trained is a source
        self.makers: dict[int, dict[int, None]] = {}
        self.aliases: dict[int, list[TensorType]] = {}

    def of(self, tensor: TensorType) -> Iterator[int]:
        form, pending, seen = self.form, [tensor], set[int]()
        while pending:
            one = pending.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if id(one) in self.makers:
                yield from self.makers[id(one)]
            elif id(one) in self.aliases:
                pending += self.aliases[id(one)]
            elif one.contents is None and id(one) in form.names and id(one) not in self.made:
                yield self.whole.source(form.names[id(one)][0], form.bounds.get(id(one)))


def _around(nodes: Sequence[Node], most: int) -> set[int]:
    """The findings with what they compute from, step by step, and what takes their results at once; all nodes where there are few."""
    if len(nodes) <= most:
        return set(range(len(nodes)))
    after: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        for each in node.before:
            after.setdefault(each, []).append(i)
    seeds = [i for verdict in ORDER[:-1] for i, node in enumerate(nodes) if node.verdict == verdict]
    chosen = dict.fromkeys(seeds[: most // 3])
    nearest = [i for seed in chosen for i in (*nodes[seed].before, *after.get(seed, ())[:2])]
    while nearest and len(chosen) < most:
        chosen.update(dict.fromkeys(nearest[: most - len(chosen)]))
        further = dict.fromkeys(i for each in nearest for i in nodes[each].before)
        nearest = [i for i in further if i not in chosen]
    return set(chosen)


def _flat(records: Sequence[Record]) -> Iterator[Record]:
    for one in records:
        yield one
        if isinstance(one, Loop):
            yield from _flat(one.body)


def _passed(one: Record) -> Iterator[tuple[TensorType, list[TensorType]]]:
    """The tensors that a record gives another name, with those that they are."""
    if isinstance(one, Same):
        yield one.result, [one.source]
    elif isinstance(one, Join):
        yield one.result, [option for option in one.options if option is not None]
    elif isinstance(one, Slice):
        yield one.item, [one.whole]
    elif isinstance(one, Stack):
        yield one.whole, [one.item]
    elif isinstance(one, Loop):
        for place in one.carried:
            options = [t for t in (*place.before, *place.end) if t is not None]
            for t in (place.start, place.after):
                if t is not None:
                    yield t, [each for each in options if each is not t]


def _tensors(applied: Applied) -> Iterable[TensorType]:
    for value in applied.arguments.values():
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(each, TensorType):
                yield each


def _joined(before: tuple[float, float] | None, grid: Any) -> tuple[float, float] | None:
    if grid is None:
        return before
    least, most = float(grid.least), float(grid.most)
    if math.isnan(least) or math.isnan(most):
        return before
    return (least, most) if before is None else (min(before[0], least), max(before[1], most))

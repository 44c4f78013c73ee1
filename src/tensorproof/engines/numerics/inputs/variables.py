"""Variables of a graph: what operators write into. Each starts from the value that is assigned to it, and training moves it from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tensorproof.engines.numerics.analysis import analyse
from tensorproof.engines.numerics.applying import FAILURES, tensors_in
from tensorproof.engines.numerics.grids.grid import Box, gridded
from tensorproof.engines.numerics.inputs.ranges import Range
from tensorproof.engines.numerics.records import Analysis, Settings
from tensorproof.engines.values.evaluate import arguments_of
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.rounding import computed_in
from tensorproof.ops.applied import Applied, parts
from tensorproof.program.form import Computed, Join, Record, Same
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.tensor import TensorType

MOST_STEPS = BUDGETS.numerics.initial_steps


def initial_ranges(records: Sequence[Record], outside: set[int]) -> dict[int, Range]:
    """The range of the initial value of each variable, by identity; one whose initial value is computed from itself or from inputs has none.

    `outside`: the results that are computed from inputs or variables, by identity.
    """
    makers, assigned = _makers(records), dict[int, list[TensorType]]()
    order = {id(one): i for i, one in enumerate(makers.values())}
    for one in records:
        if isinstance(one, Computed) and one.applied.op.writes:
            pair = _assigned(one.applied)
            if pair is not None:
                assigned.setdefault(id(pair[0]), []).append(pair[1])
    needed = {id(v): by for values in assigned.values() for v in values if id(v) not in outside and (by := _needed(v, makers)) is not None}
    every = {id(one): one for by in needed.values() for one in by}
    done = _bounded(every.values(), order)
    found: dict[int, Range] = {}
    for variable, values in assigned.items():
        ranges = [r for value in values if id(value) in needed and (r := _range(value, needed[id(value)], done, order)) is not None]
        if ranges:
            found[variable] = Range(min(r.lo for r in ranges), max(r.hi for r in ranges))
    return found


def _bounded(records: Iterable[Record], order: Mapping[int, int]) -> Analysis | None:
    """The bounds of what these records make; None where something in them has none."""
    done = analyse(sorted(records, key=lambda one: order.get(id(one), 0)), {}, Settings(values="interval"))
    return None if done.not_analysed or done.unbounded else done


STEP = 1000.0
"""Within which numbers gradients and variables lie when a step is tried for the sign of its accumulators."""


def non_negative(records: Sequence[Record]) -> set[int]:
    """The accumulators of optimizer steps that stay at or above 0 from there on, by identity: a step from such numbers, with any gradient, ends with them."""
    found: set[int] = set()
    known: dict[tuple[object, ...], list[bool]] = {}
    for one in records:
        if not isinstance(one, Computed) or one.applied.op.written is None:
            continue
        applied = one.applied
        written = [applied.arguments.get(name) for name in applied.op.writes]
        key = (applied.op.name, *((name, repr(v.contents)) for name, v in applied.arguments.items() if isinstance(v, TensorType) and v.contents is not None))
        if key not in known:
            known[key] = _signs(applied, written)
        found.update(id(t) for t, stays in zip(written[1:], known[key][1:]) if stays)
    return found


def _signs(one: Applied, written: Sequence[object]) -> list[bool]:
    """Whether each tensor that a step writes stays at or above 0: from 0 itself, and from numbers above it."""
    boxes: dict[int, Box] = {id(v): Box(-STEP, STEP) for v in one.arguments.values() if isinstance(v, TensorType) and v.contents is None}
    stays: list[bool] | None = None
    assert one.op.written is not None
    for start in (0.0, 1.0, STEP):
        boxes.update({id(t): Box(start, start) for t in written[1:]})
        try:
            with np.errstate(all="ignore"), computed_in(parts(one).types):
                made = one.op.written(NUMPY, arguments_of(NUMPY, one, boxes))
            now = [bool((gridded(part).box.lo >= 0).all()) for part in (made if isinstance(made, tuple) else (made,))]
        except FAILURES:
            return []
        stays = now if stays is None else [a and b for a, b in zip(stays, now)]
    return stays or []


def _assigned(one: Applied) -> tuple[TensorType, TensorType] | None:
    """The variable and the value, where an operator puts one whole tensor into another."""
    tensors = [v for v in one.arguments.values() if isinstance(v, TensorType)]
    into = one.arguments.get(one.op.writes[0])
    others = [t for t in tensors if t is not into]
    plain = one.op.name == "assign" and isinstance(into, TensorType) and len(others) == 1
    return (into, others[0]) if plain and isinstance(into, TensorType) else None


def _makers(records: Sequence[Record]) -> dict[int, Record]:
    made: dict[int, Record] = {}
    for one in records:
        if isinstance(one, Computed):
            for result in one.applied.results:
                made[id(result)] = one
        elif isinstance(one, Same):
            made[id(one.result)] = one
    return made


def from_outside(records: Sequence[Record]) -> set[int]:
    """The identities of results that are computed from inputs or variables."""
    found: set[int] = set()
    made: set[int] = set()
    for one in records:
        if isinstance(one, Computed):
            given, results = tensors_in(one.applied), one.applied.results
        elif isinstance(one, Same):
            given, results = (one.source,), (one.result,)
        elif isinstance(one, Join):
            given, results = tuple(t for t in one.options if t is not None), (one.result,)
        else:
            continue
        for t in given:
            if id(t) in found or (t.contents is None and id(t) not in made):
                found.update(map(id, results))
                break
        made.update(map(id, results))
    return found


def _needed(value: TensorType, makers: Mapping[int, Record]) -> list[Record] | None:
    """The records by which a value is computed from constants and draws alone; None where they are too many."""
    needed: dict[int, Record] = {}
    pending, seen = [value], set[int]()
    while pending:
        tensor = pending.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        record = makers.get(id(tensor))
        if record is None:
            if tensor.contents is None:
                return None
            continue
        needed[id(record)] = record
        if len(needed) > MOST_STEPS:
            return None
        if isinstance(record, Computed):
            pending += tensors_in(record.applied)
        elif isinstance(record, Same):
            pending.append(record.source)
    return list(needed.values())


def _range(value: TensorType, needed: Sequence[Record], done: Analysis | None, order: Mapping[int, int]) -> Range | None:
    """The range of a value that these records compute; `done` is the analysis of all of them together, where that says all."""
    if not needed:
        numbers = [float(n) for n in set(value.contents or ()) if isinstance(n, (bool, int, float))]
        return Range(min(numbers), max(numbers)) if numbers else None
    own = done or _bounded(needed, order)
    grid = own.values.get(id(value)) if own is not None else None
    return Range(float(grid.least), float(grid.most)) if grid is not None and grid.size else None

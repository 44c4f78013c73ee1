"""What holds of variables at every step of training: which never fall below 0, and which no step changes.

A variable that starts at or above 0 stays there when each value that is assigned to it is, for any gradient, and for variables of the same kind that are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from tensorproof.engines.numerics.analysis import analyse
from tensorproof.engines.numerics.inputs.ranges import TRAINED, Range
from tensorproof.engines.numerics.inputs.variables import from_outside
from tensorproof.engines.numerics.records import Settings
from tensorproof.ops.applied import Applied, parts
from tensorproof.program.form import Computed, Join, Record, Same
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.tensor import TensorType

MOST_STEPS = BUDGETS.numerics.assigned_steps
ANY = 1e12
"""Larger than the constants of a step, and small enough for squares."""


@dataclass(slots=True)
class Invariants:
    """Variables by the identity of their tensors."""

    never_negative: set[int] = field(default_factory=set[int])
    unchanged: set[int] = field(default_factory=set[int])
    """Single numbers, such as a rate, that no step of a training graph assigns anything to."""


def invariants(records: Sequence[Record], first: Mapping[int, Range], outside: set[int] | None = None) -> Invariants:
    """`first` holds the ranges of initial values, `outside` the results that are computed from inputs or variables, by identity."""
    writes = _Writes(records)
    if not writes.assigned:
        return Invariants()
    steps = _Steps(records)
    outside = from_outside(records) if outside is None else outside
    later = {i: [v for v in values if id(v) in outside or (id(v) not in steps.makers and v.contents is None)] for i, values in writes.assigned.items()}
    found = Invariants()
    if writes.stepped or any(later.values()):
        found.unchanged = {i for i in first if not later.get(i) and writes.is_single(i) and i not in writes.stepped}
    known = {i: first[i] for i in found.unchanged}
    found.never_negative = {
        i for i, values in later.items() if values and i not in writes.stepped and i in first and 0 <= first[i].lo < TRAINED and _is_real(writes.variables[i])
    }
    _keep_non_negative(found, steps, later, known)
    return found


def _keep_non_negative(found: Invariants, steps: _Steps, later: Mapping[int, list[TensorType]], known: Mapping[int, Range]) -> None:
    """Leave out variables that a step may make negative, until those that are left keep each other at or above 0."""
    asked = found.never_negative
    while asked:
        holds = steps.non_negative([v for i in asked for v in later[i]], found.never_negative, known)
        fallen = {i for i in asked if not all(id(v) in holds for v in later[i])}
        found.never_negative = found.never_negative - fallen
        asked = {i for i in found.never_negative if any(not fallen.isdisjoint(steps.behind(v).leaves) for v in later[i])}


class _Writes:
    """The variables that records write into, by identity: the values that are assigned to them, and those that a step changes otherwise."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.assigned: dict[int, list[TensorType]] = {}
        self.variables: dict[int, TensorType] = {}
        self.stepped: set[int] = set()
        for one in records:
            if isinstance(one, Computed) and one.applied.op.writes:
                self._add(one.applied)

    def _add(self, one: Applied) -> None:
        written = [one.arguments.get(name) for name in one.op.writes]
        self.variables.update((id(t), t) for t in written if isinstance(t, TensorType))
        value = one.arguments.get("y") if one.op.name == "assign" else None
        if value is None and len(written) == len(one.results) == 1 and one.op.written is None:
            value = one.results[0]
        if isinstance(value, TensorType):
            self.assigned.setdefault(id(written[0]), []).append(value)
        else:
            self.stepped.update(id(t) for t in written)

    def is_single(self, i: int) -> bool:
        """Whether it is a variable of one number."""
        held = self.variables.get(i)
        return held is not None and held.shape.known and not len(held.shape)


@dataclass(slots=True)
class _Behind:
    """What a value is computed by, and from, by identity."""

    records: dict[int, Record] = field(default_factory=dict[int, Record])
    leaves: dict[int, TensorType] = field(default_factory=dict[int, TensorType])


class _Steps:
    """The records behind values."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.makers: dict[int, Record] = {}
        self.order: dict[int, int] = {}
        for i, one in enumerate(records):
            for result in _results(one):
                self.makers[id(result)] = one
            self.order[id(one)] = i
        self._behind: dict[int, _Behind] = {}
        self._alike: dict[Hashable, TensorType] = {}

    def behind(self, value: TensorType) -> _Behind:
        """The records nearest to a value, and what they start from. What gives values of any sign, such as a sum of products, is not looked into."""
        found = self._behind.get(id(value))
        if found is not None:
            return found
        found = self._behind[id(value)] = _Behind()
        pending = [value]
        while pending:
            tensor = pending.pop(0)
            maker = self.makers.get(id(tensor))
            if maker is not None and (id(maker) in found.records or (len(found.records) < MOST_STEPS and not _hides_signs(maker))):
                if id(maker) not in found.records:
                    found.records[id(maker)] = maker
                    pending += _operands(maker)
            elif maker is not None or tensor.contents is None:
                found.leaves[id(tensor)] = tensor
        return found

    def non_negative(self, values: Sequence[TensorType], kept: set[int], known: Mapping[int, Range]) -> set[int]:
        """The identities of those values that are at or above 0 where the variables in `kept` are."""
        needed = {i: one for value in values for i, one in self.behind(value).records.items()}
        leaves = {i: t for value in values for i, t in self.behind(value).leaves.items()}
        made = {id(result) for one in needed.values() for result in _results(one)}
        given = {i: (0.0, ANY) if i in kept else (known[i].lo, known[i].hi) if i in known else _any(t) for i, t in leaves.items() if i not in made}
        alike = {id(v): v if len(given) < len(leaves) else self._first_alike(v, given) for v in values}  # where one starts within another, all are computed
        needed = {i: one for value in alike.values() for i, one in self.behind(value).records.items()}
        done = analyse(sorted(needed.values(), key=lambda one: self.order[id(one)]), given, Settings())
        bounds = {i: done.values.get(id(v)) if self.behind(v).records else None for i, v in alike.items()}
        found = {i for i, grid in bounds.items() if grid is not None and (not grid.size or float(grid.least) >= 0)}
        return found | {id(v) for v in values if not self.behind(v).records and id(v) in kept}

    def _first_alike(self, value: TensorType, given: Mapping[int, tuple[float, float]]) -> TensorType:
        """The first value that the same operators compute from the same ranges and numbers: the layers of a network have steps that differ in names alone."""
        places: dict[int, int] = {}
        key: list[Hashable] = []
        for one in sorted(self.behind(value).records.values(), key=lambda one: self.order[id(one)]):
            form = parts(one.applied).form if isinstance(one, Computed) and not one.conditions else 0
            if not form:
                return value
            for tensor in (*_operands(one), *_results(one)):
                if id(tensor) not in places:
                    places[id(tensor)] = len(places)
                    key += given.get(id(tensor)), repr(tensor.contents), tensor.dtype, tensor.weak, tensor.shape
                key.append(places[id(tensor)])
            key.append(form)
        return self._alike.setdefault((*key, places.get(id(value))), value)


def _any(tensor: TensorType) -> tuple[float, float]:
    kind = tensor.dtype.kind if tensor.dtype is not None else "f"
    return (0.0, 1.0) if kind == "b" else (0.0, 2.0**31) if kind == "u" else (-ANY, ANY) if kind == "f" else (-(2.0**31), 2.0**31)


def _is_real(tensor: TensorType) -> bool:
    return tensor.dtype is not None and tensor.dtype.kind == "f"


def _hides_signs(one: Record) -> bool:
    """Whether nothing is declared of an operator's values that says of which sign they are."""
    if not isinstance(one, Computed) or one.applied.op.writes:
        return False
    return one.applied.op.values.kind == "dot" or (one.applied.op.values.kind == "unknown" and not one.applied.op.order)


def _results(one: Record) -> Sequence[TensorType]:
    if isinstance(one, Computed):
        return one.applied.results
    return (one.result,) if isinstance(one, (Same, Join)) else ()


def _operands(one: Record) -> list[TensorType]:
    if isinstance(one, Computed):
        return [t for v in one.applied.arguments.values() for t in (v if isinstance(v, (tuple, list)) else (v,)) if isinstance(t, TensorType)]
    if isinstance(one, Same):
        return [one.source]
    return [t for t in one.options if t is not None] if isinstance(one, Join) else []

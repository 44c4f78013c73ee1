"""Bounds of all values of a program form. Loops are iterated to a fixpoint with widening, and narrowed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.values.bounds import Boxes, bound
from tensorproof.engines.values.evaluate import contents_of, numbers_in
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.rules import Box, boxed
from tensorproof.program.form import Carried, Changed, Computed, Join, Loop, Record, Same, Slice, Source, Stack, written
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like, Reals

EXACT = 3
"""How many times a loop is gone through before bounds that still move are widened."""
MOST = BUDGETS.numerics.bound_iterations
STEPS = (0.0, 1.0, 2.0, 16.0, 256.0, 65504.0, 1e9, 1e18, 3.4e38, float("inf"))
"""The bounds to which widening goes, of either sign."""


class _Never(Enum):
    """A place that holds nothing before the first iteration."""

    NEVER = 1


_NEVER = _Never.NEVER
Carry = Box | _Never | None
"""What a place holds at the beginning of an iteration."""


def program_bounds(records: Sequence[Record], given: Mapping[int, Like]) -> Boxes:
    """Bounds by the identity of tensors: for a value in a loop, of all its iterations. `given` holds those of the inputs."""
    values: Boxes = {i: boxed(v) for i, v in given.items()}
    with np.errstate(all="ignore"):
        _Walk(values).run(records)
    return values


class _Walk:
    def __init__(self, values: Boxes) -> None:
        self.values = values

    def run(self, records: Sequence[Record]) -> None:
        for one in records:
            if isinstance(one, Computed):
                self.computed(one)
            elif isinstance(one, Same):
                self.values[id(one.result)] = self.of(one.source)
            elif isinstance(one, Join):
                self.values[id(one.result)] = self.joined(one.options)
            elif isinstance(one, Slice):
                self.values[id(one.item)] = self.sliced(one)
            elif isinstance(one, Stack):
                self.values[id(one.whole)] = self.stacked(one)
            elif isinstance(one, Source):
                self.values[id(one.tensor)] = self.within(one)
            elif isinstance(one, Changed):
                self.values[id(one.tensor)] = anything(one.tensor)
            elif isinstance(one, Loop):
                self.loop(one)

    def computed(self, one: Computed) -> None:
        for value in one.applied.arguments.values():
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, TensorType) and self.values.get(id(each)) is None:
                    self.values[id(each)] = self.of(each)
        bound(one.applied, self.values)
        for result in one.applied.results:
            if self.values.get(id(result)) is None:
                self.values[id(result)] = self.of(result)

    def of(self, tensor: TensorType | None) -> Box | None:
        """The bounds of one value. What a tensor holds may be known without a record."""
        if tensor is None:
            return None
        found = self.values.get(id(tensor))
        if found is not None:
            return found
        return boxed(contents_of(NUMPY, tensor)) if numbers_in(tensor) else anything(tensor)

    def joined(self, options: Sequence[TensorType | None]) -> Box | None:
        made = self.of(options[0]) if options else None
        for one in options[1:]:
            made = self.either(made, self.of(one))
        return made

    def either(self, a: Box | None, b: Box | None) -> Box | None:
        if a is None or b is None or a.shape != b.shape:
            return None
        return Box(np.minimum(a.lo, b.lo), np.maximum(a.hi, b.hi), a.nan | b.nan, np.result_type(a.dtype, b.dtype))

    def within(self, one: Source) -> Box | None:
        full = tuple(one.tensor.shape) if one.tensor.shape.concrete else None
        return None if full is None else Box(np.full(full, one.low), np.full(full, one.high), False, np.float64)

    def sliced(self, one: Slice) -> Box | None:
        whole = self.of(one.whole)
        if whole is None or not whole.shape[one.axis]:
            return anything(one.item)
        return Box(whole.lo.min(one.axis), whole.hi.max(one.axis), whole.nan.any(one.axis), whole.dtype)

    def stacked(self, one: Stack) -> Box | None:
        item = self.of(one.item)
        if item is None or not one.whole.shape.concrete:
            return anything(one.whole)
        lo, hi, nan = (np.broadcast_to(np.expand_dims(side, one.axis), tuple(one.whole.shape)) for side in (item.lo, item.hi, item.nan))
        return Box(lo, hi, nan, item.dtype)

    # --- loops ---

    def loop(self, one: Loop) -> None:
        """Go through the body until what it begins with covers what it ends with."""
        places = list(one.carried)
        first: list[Carry] = [self.joined(c.before) if c.before else _NEVER for c in places]
        outside = {id(c.start): self.values.get(id(c.start)) for c in places if c.start is not None}
        kept = {i: self.values[i] for i in written(one.body) if i in self.values and i not in outside}
        begin: Sequence[Carry] = first
        state = dict(kept)
        for turn in range(MOST):
            ends = self.turn(one, places, begin, state)
            wider = [self.next(b, e, turn) for b, e in zip(begin, ends)]
            later = {i: self.next(v, self.values.get(i), turn) for i, v in state.items()}
            if all(map(_equal, wider, begin)) and all(_equal(later[i], state[i]) for i in state):
                break
            begin, state = wider, later
        else:
            begin, state = [None] * len(begin), dict.fromkeys(state)
            ends = self.turn(one, places, begin, state)
        narrow = [e if f is _NEVER else self.either(f, e) for f, e in zip(first, ends)]
        if not all(map(_equal, narrow, begin)):
            ends = self.turn(one, places, narrow, {i: self.either(kept[i], self.values.get(i)) for i in state})
        self.values.update(outside)
        for c, f, e in zip(places, first, ends):
            if c.after is not None:
                self.values[id(c.after)] = e if one.runs and c.after is not c.start else e if f is _NEVER else self.either(f, e)

    def turn(self, one: Loop, places: list[Carried], begin: Sequence[Carry], state: Boxes) -> list[Box | None]:
        """One time through the body: what it ends with."""
        self.values.update(state)
        merged: dict[int, Carry] = {}
        for c, value in zip(places, begin):
            i = id(c.start)
            if c.start is None:
                continue
            other = merged.get(i, _NEVER)
            merged[i] = value if other is _NEVER else other if value is _NEVER else self.either(other, value)
        self.values.update({i: None if value is _NEVER else value for i, value in merged.items()})
        self.run(one.body)
        return [self.joined(c.end) for c in places]

    def next(self, old: Carry, new: Box | None, turn: int) -> Box | None:
        """What the next time begins with: both, and wider where that still grows."""
        if old is _NEVER:
            return new
        made = self.either(old, new)
        if made is None or old is None or turn < EXACT:
            return made
        lo = np.where(made.lo < old.lo, -_step(-made.lo), made.lo)
        hi = np.where(made.hi > old.hi, _step(made.hi), made.hi)
        return Box(lo, hi, made.nan, made.dtype)


def anything(tensor: TensorType) -> Box | None:
    """A box without ends, of the tensor's shape; None where a size is not a number."""
    if not tensor.shape.concrete or tensor.dtype is None or tensor.dtype.kind not in "biuf":
        return None
    full, ends = tuple(tensor.shape), (0.0, 1.0) if tensor.dtype.kind == "b" else (-np.inf, np.inf)
    kind = bool if tensor.dtype.kind == "b" else np.int64 if tensor.dtype.kind in "iu" else np.float64
    return Box(np.full(full, ends[0]), np.full(full, ends[1]), tensor.dtype.kind == "f", kind)


def _step(end: Reals) -> Reals:
    """The least step at or above each number; for a negative one, the least that is near enough to zero."""
    steps = np.array([*(-s for s in STEPS[:0:-1]), *STEPS])
    return steps[np.minimum(np.searchsorted(steps, end), len(steps) - 1)]


def _equal(a: Carry, b: Carry) -> bool:
    if a is None or b is None or a is _NEVER or b is _NEVER:
        return a is b
    return bool(a.shape == b.shape and (a.lo == b.lo).all() and (a.hi == b.hi).all() and (a.nan == b.nan).all())

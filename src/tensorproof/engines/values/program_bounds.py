"""Bounds of all values of a program form. Loops are iterated to a fixpoint with widening, and narrowed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorproof.engines.values.bounds import bound
from tensorproof.engines.values.evaluate import contents_of, numbers_in
from tensorproof.program.form import Carried, Changed, Computed, Join, Loop, Record, Same, Slice, Source, Stack, written
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.tensor import TensorType

EXACT = 3
"""How many times a loop is gone through before bounds that still move are widened."""
MOST = BUDGETS.numerics.bound_iterations
STEPS = (0.0, 1.0, 2.0, 16.0, 256.0, 65504.0, 1e9, 1e18, 3.4e38, float("inf"))
"""The bounds to which widening goes, of either sign."""

Values = dict[int, Any]
"""Boxes by the identity of tensors. None where nothing is known and the sizes are not numbers; else anything is a box too, without ends."""


def program_bounds(records: Sequence[Record], given: Mapping[int, Any]) -> Values:
    """Bounds by the identity of tensors: for a value in a loop, of all its iterations. `given` holds those of the inputs."""
    import numpy as np

    from tensorproof.engines.values.rules import boxed

    values: Values = {i: boxed(v) for i, v in given.items()}
    with np.errstate(all="ignore"):
        _Walk(np, values).run(records)
    return values


class _Walk:
    def __init__(self, np: Any, values: Values) -> None:
        self.np = np
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
                self.values[id(one.tensor)] = anything(self.np, one.tensor)
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

    def of(self, tensor: TensorType | None) -> Any:
        """The bounds of one value. What a tensor holds may be known without a record."""
        from tensorproof.engines.values.rules import boxed

        if tensor is None:
            return None
        found = self.values.get(id(tensor))
        if found is not None:
            return found
        return boxed(contents_of(self.np, tensor)) if numbers_in(tensor) else anything(self.np, tensor)

    def joined(self, options: Sequence[TensorType | None]) -> Any:
        made = self.of(options[0]) if options else None
        for one in options[1:]:
            made = self.either(made, self.of(one))
        return made

    def either(self, a: Any, b: Any) -> Any:
        from tensorproof.engines.values.rules import Box

        if a is None or b is None or a.shape != b.shape:
            return None
        return Box(self.np.minimum(a.lo, b.lo), self.np.maximum(a.hi, b.hi), a.nan | b.nan, self.np.result_type(a.dtype, b.dtype))

    def within(self, one: Source) -> Any:
        from tensorproof.engines.values.rules import Box

        full = tuple(one.tensor.shape) if one.tensor.shape.concrete else None
        return None if full is None else Box(self.np.full(full, one.low), self.np.full(full, one.high), False, self.np.float64)

    def sliced(self, one: Slice) -> Any:
        from tensorproof.engines.values.rules import Box

        whole = self.of(one.whole)
        if whole is None or not whole.shape[one.axis]:
            return anything(self.np, one.item)
        return Box(whole.lo.min(one.axis), whole.hi.max(one.axis), whole.nan.any(one.axis), whole.dtype)

    def stacked(self, one: Stack) -> Any:
        from tensorproof.engines.values.rules import Box

        item = self.of(one.item)
        if item is None or not one.whole.shape.concrete:
            return anything(self.np, one.whole)
        lo, hi, nan = (self.np.broadcast_to(self.np.expand_dims(side, one.axis), tuple(one.whole.shape)) for side in (item.lo, item.hi, item.nan))
        return Box(lo, hi, nan, item.dtype)

    # --- loops ---

    def loop(self, one: Loop) -> None:
        """Go through the body until what it begins with covers what it ends with."""
        places = list(one.carried)
        first = [self.joined(c.before) if c.before else _NEVER for c in places]
        outside = {id(c.start): self.values.get(id(c.start)) for c in places if c.start is not None}
        kept = {i: self.values[i] for i in written(one.body) if i in self.values and i not in outside}
        begin = list(first)
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

    def turn(self, one: Loop, places: list[Carried], begin: list[Any], state: Values) -> list[Any]:
        """One time through the body: what it ends with."""
        self.values.update(state)
        merged: Values = {}
        for c, value in zip(places, begin):
            i = id(c.start)
            if c.start is None:
                continue
            merged[i] = value if i not in merged or merged[i] is _NEVER else merged[i] if value is _NEVER else self.either(merged[i], value)
        self.values.update({i: None if value is _NEVER else value for i, value in merged.items()})
        self.run(one.body)
        return [self.joined(c.end) for c in places]

    def next(self, old: Any, new: Any, turn: int) -> Any:
        """What the next time begins with: both, and wider where that still grows."""
        if old is _NEVER:
            return new
        made = self.either(old, new)
        if made is None or turn < EXACT:
            return made
        from tensorproof.engines.values.rules import Box

        np = self.np
        lo = np.where(made.lo < old.lo, -_step(np, -made.lo), made.lo)
        hi = np.where(made.hi > old.hi, _step(np, made.hi), made.hi)
        return Box(lo, hi, made.nan, made.dtype)


def anything(np: Any, tensor: TensorType) -> Any:
    """A box without ends, of the tensor's shape; None where a size is not a number."""
    from tensorproof.engines.values.rules import Box

    if not tensor.shape.concrete or tensor.dtype is None or tensor.dtype.kind not in "biuf":
        return None
    full, ends = tuple(tensor.shape), (0.0, 1.0) if tensor.dtype.kind == "b" else (-np.inf, np.inf)
    kind = bool if tensor.dtype.kind == "b" else np.int64 if tensor.dtype.kind in "iu" else np.float64
    return Box(np.full(full, ends[0]), np.full(full, ends[1]), tensor.dtype.kind == "f", kind)


_NEVER: Any = object()
"""A place that holds nothing before the first iteration."""


def _step(np: Any, end: Any) -> Any:
    """The least step at or above each number; for a negative one, the least that is near enough to zero."""
    steps = np.array([*(-s for s in STEPS[:0:-1]), *STEPS])
    return steps[np.minimum(np.searchsorted(steps, end), len(steps) - 1)]


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None or a is _NEVER or b is _NEVER:
        return a is b
    return bool(a.shape == b.shape and (a.lo == b.lo).all() and (a.hi == b.hi).all() and (a.nan == b.nan).all())

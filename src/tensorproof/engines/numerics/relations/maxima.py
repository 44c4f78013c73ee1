"""What follows from a maximum: no operand is above it, one of them is it, and some element of a tensor is equal to its greatest, and one to its least.

With m = max(x, y), one of x - m and y - m is 0 and the other is not above it, so that exp(x - m) + exp(y - m) is at least 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.numerics.grids.grid import Box, gridded
from tensorproof.engines.numerics.guards import equates, negates
from tensorproof.engines.numerics.relations.affine import Form
from tensorproof.engines.numerics.value import Value
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op

if TYPE_CHECKING:
    from tensorproof.engines.numerics.relations.relations import Relations

ZERO = 0
"""The number of an operand that is 0 everywhere."""
Level = tuple[int, int, float, float]
"""The number of a maximum and that of an operand: where the operand is the maximum, a value lies between these numbers."""


class Maxima:
    """`_pairs`: the two operands of each maximum, by number."""

    def __init__(self, relations: Relations) -> None:
        self.relations = relations
        self._pairs: dict[int, tuple[int, int]] = {}
        self._levels: dict[int, Level] = {}

    def see(self, one: Applied, value: Value, values: Sequence[Value], ramp: bool) -> None:
        """Remember a maximum, or use one."""
        if ramp:
            self._pairs[value.number] = values[0].number, ZERO
        elif len(values) == 2:
            self._two(one, value, values)
        elif len(values) == 1 and self._pairs:
            self._one(one, value, values[0])

    def _two(self, one: Applied, value: Value, values: Sequence[Value]) -> None:
        kind = one.op.values.kind
        if kind == "mixes" and _is_maximum(one.op):
            if all(v.grid.shape in (value.grid.shape, ()) for v in values):
                self._pairs[value.number] = _number(values[0]), _number(values[1])
        elif kind == "sums" and any(v.number in self._pairs or v.number in self._levels for v in values):
            self._sum(one, value, values)
        elif one.op.opposite and equates(one.op):
            for x, y in (values, values[::-1]):
                axes = self.relations.end_of(y, x) if value.grid.shape == x.grid.shape else None
                if axes is not None:
                    value.attained = axes, 1.0, 1.0

    def _sum(self, one: Applied, value: Value, values: Sequence[Value]) -> None:
        shown = self.relations.shown(one, values)
        if shown is None or shown.constant or any(v.grid.shape != value.grid.shape for v in values):
            return
        x, y = values
        own, other = _factors(shown, x, y)
        if (own, other) in ((1.0, -1.0), (-1.0, 1.0)):
            operand, most = (x, y) if own == 1.0 else (y, x)
            if operand.number in self._pairs.get(most.number, ()):
                self.relations.meet(value, gridded(Box(-np.inf, 0.0)))
                self._levels[value.number] = most.number, operand.number, 0.0, 0.0
        elif own == other == 1.0:
            a, b = self._levels.get(x.number), self._levels.get(y.number)
            if a is not None and b is not None and a[0] == b[0] and {a[1], b[1]} == set(self._pairs[a[0]]) and a[1] != b[1]:
                least = min(a[2] + y.grid.least, b[2] + x.grid.least)
                self.relations.meet(value, gridded(Box(least - 1e-6 * abs(least), np.inf)))

    def _one(self, one: Applied, value: Value, operand: Value) -> None:
        if value.grid.shape != operand.grid.shape:
            return
        if ZERO in self._pairs.get(operand.number, ()) and negates(one.op):
            self._levels[value.number] = operand.number, ZERO, 0.0, 0.0
        known = self._levels.get(operand.number)
        if known is not None and one.op.values.kind in ("increasing", "decreasing"):
            ends = self.relations.at(one, known[2], known[3])
            if ends is not None:
                self._levels[value.number] = *known[:2], *ends


def _number(value: Value) -> int:
    return ZERO if value.grid.size and value.grid.least == value.grid.most == 0 else value.number


def _factors(shown: Form, x: Value, y: Value) -> tuple[float, float]:
    """What two operands are multiplied with, where they are seen as they are."""
    found = shown.terms.get((x.number, ()), 0.0), shown.terms.get((y.number, ()), 0.0)
    return found if len(shown.terms) == 2 else (0.0, 0.0)


_MAXIMA: dict[int, tuple[Op, bool]] = {}


def _is_maximum(op: Op) -> bool:
    """Whether an operator gives the greater of two numbers, by its reference function."""
    known = _MAXIMA.get(id(op))
    if known is None:
        arrays = np.array([1.0, 3.0, -2.0]), np.array([2.0, -1.0, -5.0])
        try:
            assert op.evaluate is not None
            made = op.evaluate(NUMPY, {**dict(zip((p.name for p in op.inputs), arrays)), "results": (), "tensors": {}})
            known = op, np.asarray(made).tolist() == [2.0, 3.0, -2.0]
        except (AssertionError, KeyError, TypeError, ValueError):
            known = op, False
        _MAXIMA[id(op)] = known
    return known[1]

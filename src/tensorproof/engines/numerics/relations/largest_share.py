"""Shares of a total: none is above 1, and n numbers that sum to 1 have one that is at least 1 / n, so that a sum or a maximum of them is not 0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES
from tensorproof.engines.numerics.grids.grid import Box, gridded
from tensorproof.engines.numerics.relations.affine import replayed
from tensorproof.engines.numerics.relations.ends import fits
from tensorproof.engines.numerics.value import Value
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Values
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.numerics.relations.relations import Relations

_ULPS = 64.0
"""By how many units in the last place a share may be off."""


def note(fact: Values, arguments: dict[str, Any], value: Value, dtype: DType | None) -> None:
    """Note what some element of shares attains along their axis."""
    axis, rank = arguments.get(fact.by) if isinstance(fact.by, str) else None, value.grid.ndim
    if not isinstance(axis, int) or not rank or not -rank <= axis < rank or not value.grid.shape[axis] or value.marks:
        return
    least = (1.0 - _ULPS * (dtype.step if dtype is not None else 0.0)) / value.grid.shape[axis]
    if least > 0:
        value.attained = (axis % rank,), *((least, 1.0) if fact.probabilities == "numbers" else (math.log(least), 0.0))


def divided(relations: Relations, one: Applied, value: Value, x: Value, y: Value) -> None:
    """Bound x / y where no x is negative and y is the sum of all x along axes, and perhaps a number more.

    Rounding keeps the order, so that a sum as computed is no less than each of its parts.
    """
    if not x.grid.size or x.grid.least < 0 or value.grid.shape != x.grid.shape:
        return
    total, whole = relations.form(y), relations.form(x)
    if len(total.terms) != 1 or whole.terms != {(x.number, ()): 1.0} or total.constant < 0:
        return
    (((number, view), factor),) = total.terms.items()
    if number != x.number or factor != 1.0 or not view or view[0][0] != "sum":
        return
    axes = _summed(view[0], x.grid.ndim)
    shape = replayed(view[:1], np.broadcast_to(np.zeros(()), x.grid.shape)).shape
    if not fits(view[1:], (number, axes, x.grid.shape, 1.0), shape):
        return
    if not _is_quotient(one):
        return
    dtype = relations.walk.setting.type_of(one.results[0])
    step = dtype.step if dtype is not None else 0.0
    relations.meet(value, gridded(Box(0.0, 1.0)))
    count = math.prod(x.grid.shape[a] for a in axes)
    least = (1.0 - (_ULPS + count) * step) / count
    if not total.constant and least > 0 and not value.marks:
        value.attained = axes, least, 1.0


def _is_quotient(one: Applied) -> bool:
    """Whether an application gives x / y, and no remainder or whole number, by its reference function."""
    numbers = iter((np.array([1.0, 3.0]), np.array([4.0, 2.0])))
    try:
        arguments = {name: next(numbers) if isinstance(v, TensorType) else v for name, v in one.arguments.items()}
        assert one.op.evaluate is not None
        made = one.op.evaluate(NUMPY, {**arguments, "results": (), "tensors": {}})
        return bool(np.asarray(made).tolist() == [0.25, 1.5])
    except (AssertionError, StopIteration, *FAILURES):
        return False


def _summed(move: tuple[Any, ...], rank: int) -> tuple[int, ...]:
    """The axes of a sum."""
    axis = dict(move[1:])["axis"]
    given = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(a % rank for a in given))

"""Rules for boxes: functions that NumPy has not, of which ops/mathematics.py makes use: curves with turning points, and shares of a total."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values.boxes import Box, boxed, float_of, register
from tensorproof.engines.values.reductions import slack_of_logarithms
from tensorproof.engines.values.rounding import Rounding

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like, Reals

INF = math.inf
_COMPOSED = 48.0
"""By how many units in the last place a library may be off that computes a curve step by step."""


FAR = 1e150
"""Beyond this the square of a number is infinite, and a library that takes it may get nan."""


def _pieces(x: Box, function: Callable[[Any], Any], turns: Sequence[float], lo: float, hi: float, size: float = 0.0) -> Box:
    """A function that is monotone between its turning points; nothing is known outside of [lo, hi]."""
    inside = (x.lo >= lo) & (x.hi <= hi)
    with np.errstate(all="ignore"):
        ends = [np.where(inside, function(np.where(inside, side, lo if np.isfinite(lo) else 0.0)), np.nan) for side in (x.lo, x.hi)]
        least, most = np.minimum(*ends), np.maximum(*ends)
        for turn in turns:
            value = function(np.asarray(turn))
            passed = (x.lo <= turn) & (x.hi >= turn)
            least, most = np.where(passed, np.minimum(least, value), least), np.where(passed, np.maximum(most, value), most)
        slack = (_COMPOSED * Rounding.step + 1e-13) * np.maximum(np.maximum(np.abs(least), np.abs(most)), size) + 1e-300
    slack = np.where(np.isfinite(slack), slack, 0.0)
    reach = np.maximum(np.abs(x.lo), np.abs(x.hi))
    pole = (np.isinf(least) | np.isinf(most) | (reach > FAR)) & np.isfinite(reach)  # libraries give inf or nan there
    return Box(least - slack, most + slack, x.nan | pole, float_of(x))


register("pieces", _pieces, rounded=True)


_FEW = 256


def _others(others: Any, own: Any, axis: int) -> Any:
    """The logarithm of the sum of the exponentials of all the others along an axis, above one's own."""
    front, mine = np.moveaxis(others, axis, 0), np.moveaxis(own, axis, 0)
    count = front.shape[0]
    if count > _FEW:
        nothing = np.full((1, *front.shape[1:]), -INF)
        before = np.concatenate([nothing, np.logaddexp.accumulate(front, 0)[:-1]])
        behind = np.concatenate([nothing, np.logaddexp.accumulate(front[::-1], 0)[:-1]])[::-1]
        return np.moveaxis(np.logaddexp(before, behind) - mine, 0, axis)
    total = np.full(front.shape, -INF)
    for shift in range(1, count):  # each difference on its own: sums of large numbers lose what is small
        apart = np.roll(front, shift, 0) - mine
        total = np.logaddexp(total, np.where(np.isnan(apart), -INF, apart))
    return np.moveaxis(total, 0, axis)


def _log_softmax(x: Like, axis: int) -> Box:
    """It grows with its own element and falls with the others."""
    x = boxed(x)
    if not x.size:
        return Box(x.lo, x.hi, x.nan)
    most = Rounding.greatest  # a larger number becomes infinite where the element type is set first
    x = Box(np.where(x.lo < -most, -INF, x.lo), np.where(x.hi > most, INF, x.hi), x.nan, x.dtype)
    with np.errstate(all="ignore"):
        lo = -np.logaddexp(0.0, _others(x.hi, x.lo, axis))
        hi = -np.logaddexp(0.0, _others(x.lo, x.hi, axis))
        size = np.max(np.where(np.isfinite(x.hi) & np.isfinite(x.lo), np.maximum(np.abs(x.lo), np.abs(x.hi)), INF), axis=axis, keepdims=True)
    lost = np.any(x.nan | np.isposinf(x.hi), axis=axis, keepdims=True) | np.all(np.isneginf(x.lo), axis=axis, keepdims=True)
    far = (size * Rounding.step > 1e-3) & (x.shape[axis] > _FEW)
    lo, hi = np.where(lost | far | np.isnan(lo), -INF, lo), np.where(lost | far | np.isnan(hi), 0.0, hi)
    error = 1e-12 + 4 * Rounding.step  # the sum is a number near 1, whose logarithm is as far off as it is
    slack = np.where(np.isfinite(lo), error * (1 + np.abs(lo)), 0.0)
    return Box(lo - slack, np.minimum(hi + error * (1 + np.abs(np.where(np.isfinite(hi), hi, 0.0))), 0.0), lost, float_of(x))


def _softmax(x: Like, axis: int) -> Box:
    probabilities = _log_softmax(x, axis)
    return Box(np.exp(probabilities.lo), np.exp(probabilities.hi), probabilities.nan, probabilities.dtype)


register("log_softmax", _log_softmax, rounded=True)
register("softmax", _softmax, rounded=True)


def unless_undefined(made: Box, x: Box, axis: int) -> Box:
    """Shares of which a library makes zeros where all elements are -inf: nan comes from nan and inf alone."""
    return Box(made.lo, made.hi, np.broadcast_to(np.any(x.nan | np.isposinf(x.hi), axis=axis, keepdims=True), made.shape), made.dtype)


register("probabilities", lambda x, axis: unless_undefined(_softmax(x, axis), boxed(x), axis), rounded=True)


def _log_of_sum(x: Like, axis: int = 0, keepdims: bool = False, **kwargs: Any) -> Box:
    x = boxed(x)
    total: Callable[..., Reals] = np.logaddexp.reduce
    lo, hi = (total(side, axis=axis, keepdims=keepdims) for side in (x.lo, x.hi))
    slack = slack_of_logarithms(x, x.size)
    return Box(lo - slack, hi + slack, np.any(x.nan, axis=axis, keepdims=keepdims), float_of(x))


register("logaddexp.reduce", _log_of_sum, rounded=True)


def _either(x: Like, y: Like) -> Box:
    """One of two, or what lies between them."""
    x, y = boxed(x), boxed(y)
    return Box(np.minimum(x.lo, y.lo), np.maximum(x.hi, y.hi), x.nan | y.nan, float_of(x, y))


register("either", _either)


def _beside(x: Like, other: Like) -> Box:
    """x, or anything where `other` may be infinite or nan."""
    x, other = boxed(x), boxed(other)
    lost = other.nan | np.isinf(other.lo) | np.isinf(other.hi)
    if not lost.any():
        if x.shape == other.shape or not other.ndim:
            return boxed(x)
        shape = np.broadcast_shapes(x.shape, other.shape)
        lo, hi, nan = (np.broadcast_to(side, shape) for side in (x.lo, x.hi, x.nan))
        return Box(lo, hi, nan, x.dtype)
    return Box(np.where(lost, -np.inf, x.lo), np.where(lost, np.inf, x.hi), x.nan | lost, x.dtype)


register("beside", _beside)


def _of_finite(made: Any, x: Like) -> Box:
    """What is made along the last axis of x: of infinite numbers a library may make anything."""
    made, x = boxed(made), boxed(x)
    endless = np.any(np.isinf(x.lo) | np.isinf(x.hi) | x.nan, axis=-1, keepdims=True)
    return Box(np.where(endless, -INF, made.lo), np.where(endless, INF, made.hi), made.nan | endless, made.dtype)


register("of_finite", _of_finite)

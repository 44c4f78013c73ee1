"""Rules for boxes: bits and divisors of whole numbers, and parts of real ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values.boxes import Box, Rule, boxed, float_of, kind_of, register
from tensorproof.engines.values.curves import absolute

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like, Numbers, Reals

INF = math.inf
_WIDEST = 2.0**63
_MOST = float(np.finfo(np.float64).max)


def _above(x: Reals) -> Reals:
    """The least power of two above numbers that are not negative."""
    with np.errstate(all="ignore"):
        made: Reals = np.exp2(np.floor(np.log2(np.maximum(x, 0.5))) + 1)
    return made


def _bits(least: Callable[[Box, Box], Numbers | float], most: Callable[[Box, Box, Reals], Numbers | float]) -> Rule:
    """A function of the bits of two numbers: `least` and `most` bound it where none is negative; else its size is that of the larger one."""

    def rule(x: Like, y: Like) -> Box:
        x, y = boxed(x), boxed(y)
        plain = (x.lo >= 0) & (y.lo >= 0)
        top = np.maximum.reduce([_above(side) for side in np.broadcast_arrays(np.abs(x.lo), np.abs(x.hi), np.abs(y.lo), np.abs(y.hi))])
        return Box(np.where(plain, least(x, y), -top), np.where(plain, most(x, y, top), top), False, kind_of(x, y))

    return rule


register("bitwise_and", _bits(lambda x, y: 0.0, lambda x, y, top: np.minimum(x.hi, y.hi)))
register("bitwise_or", _bits(lambda x, y: np.maximum(x.lo, y.lo), lambda x, y, top: top - 1))
register("bitwise_xor", _bits(lambda x, y: 0.0, lambda x, y, top: top - 1))


def _inverted(x: Like) -> Box:
    x = boxed(x)
    return Box(1 - x.hi, 1 - x.lo, False, bool) if x.dtype.kind == "b" else Box(-x.hi - 1, -x.lo - 1, False, x.dtype)


register("invert bitwise_not", _inverted)


def _shifted(x: Like, y: Like) -> Box:
    """Anything, but no number changes its sign where the shift is small."""
    x, y = boxed(x), boxed(y)
    with np.errstate(all="ignore"):
        most = np.maximum(np.abs(x.lo), np.abs(x.hi)) * np.exp2(np.maximum(y.hi, 0.0))
    fits = (most < 2.0**31) & (y.lo >= 0)
    zero = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    lo, hi = np.where(x.lo >= 0, zero, -most), np.where(x.hi <= 0, zero, most)
    return Box(np.where(fits, lo, -_WIDEST), np.where(fits, hi, _WIDEST), False, kind_of(x, y))


def _shifted_back(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    zero = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    fits = y.lo >= 0
    lo, hi = np.minimum(zero + x.lo, np.where(x.lo < 0, -1.0, 0.0)), np.maximum(zero + x.hi, 0.0)
    return Box(np.where(fits, np.minimum(lo, 0.0), zero - _WIDEST), np.where(fits, hi, zero + _WIDEST), False, kind_of(x, y))


register("left_shift bitwise_left_shift", _shifted)
register("right_shift bitwise_right_shift", _shifted_back)


def _divisor(x: Like, y: Like) -> Box:
    a, b = absolute(x), absolute(y)
    return _with_sign(np.maximum(a.hi, b.hi), kind_of(a, b))


def _multiple(x: Like, y: Like) -> Box:
    a, b = absolute(x), absolute(y)
    return _with_sign(a.hi * b.hi, kind_of(a, b))


def _with_sign(most: Any, kind: Any) -> Box:
    """Up to these; the least number of a type has no opposite, and stays negative."""
    return Box(np.where(most >= 2.0**7, -most, 0.0), most, False, kind)


register("gcd", _divisor)
register("lcm", _multiple)


def _step(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    through = (x.lo <= 0) & (x.hi >= 0)
    lo, hi = np.where(x.lo > 0, 1.0, 0.0), np.where(x.hi < 0, 0.0, 1.0)
    return Box(np.where(through, np.minimum(lo, y.lo), lo), np.where(through, np.maximum(hi, y.hi), hi), x.nan | (through & y.nan), float_of(x, y))


register("heaviside", _step)


def _numbers_only(x: Like, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Box:
    x = boxed(x)
    most, least = INF if posinf is None else posinf, -INF if neginf is None else neginf
    lo, hi = (np.where(np.isposinf(side), most, np.where(np.isneginf(side), least, side)) for side in (x.lo, x.hi))
    low, high = np.minimum(lo, hi), np.maximum(lo, hi)
    for value, may in ((nan, x.nan), (most, np.isposinf(x.hi)), (least, np.isneginf(x.lo))):
        low, high = np.where(may, np.minimum(low, value), low), np.where(may, np.maximum(high, value), high)
    for side, value in ((x.hi, _MOST), (x.lo, -_MOST)):  # what lies below an end that is infinite
        low, high = np.where(np.isinf(side), np.minimum(low, value), low), np.where(np.isinf(side), np.maximum(high, value), high)
    return Box(low, high, False, x.dtype)


register("nan_to_num", _numbers_only)


def _mantissa(x: Like) -> tuple[Box, Box]:
    x = boxed(x)
    endless = np.isinf(x.lo) | np.isinf(x.hi)
    size = np.where(endless, INF, 1.0)
    return Box(np.where(x.lo >= 0, 0.0, -size), np.where(x.hi <= 0, 0.0, size), x.nan, float_of(x)), Box(np.full(x.shape, -1100.0), 1100.0, False, np.int64)


register("frexp", _mantissa)


def _at_end(up: bool) -> Rule:
    def rule(x: Like) -> Box:
        x = boxed(x)
        sure, may = (np.isposinf(x.lo), np.isposinf(x.hi)) if up else (np.isneginf(x.hi), np.isneginf(x.lo))
        return Box(np.where(sure & ~x.nan, 1.0, 0.0), np.where(may, 1.0, 0.0), False, bool)

    return rule


register("isposinf", _at_end(True))
register("isneginf", _at_end(False))
register("isreal", lambda x: Box(np.ones(boxed(x).shape), 1.0, False, bool))

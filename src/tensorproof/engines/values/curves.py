"""Rules for boxes: functions of one argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values import single
from tensorproof.engines.values.boxes import RULES, Box, Rule, boxed, float_of, register
from tensorproof.engines.values.rounding import Rounding, overflowed

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like

INF = math.inf
TINY = 5e-324
"""The least number above 0."""


def _monotone(function: Callable[..., Any], lo: float = -INF, hi: float = INF, falling: bool = False, near_one: bool = False) -> Rule:
    """A monotone function on [lo, hi]; outside it gives nan. `near_one`: some libraries compute it by way of numbers near 1, whose rounding stays."""

    def rule(x: Like, **kwargs: object) -> Box:
        x = boxed(x)
        with np.errstate(all="ignore"):
            ends = function(np.clip(x.lo, lo, hi)), function(np.clip(x.hi, lo, hi))
        outside = (x.lo < lo) | (x.hi > hi)
        least, most = ends[::-1] if falling else ends
        Rounding.over = Rounding.over or bool((np.isposinf(most) & np.isfinite(x.hi)).any())
        if near_one:
            slack = 4 * Rounding.step
            least, most = np.where(least >= 0, np.maximum(least - slack, 0.0), least - slack), np.where(most <= 0, np.minimum(most + slack, 0.0), most + slack)
        return Box(least, most, x.nan | outside, float_of(x))

    return rule


for one in ("exp", "exp2", "tanh", "arctan", "arcsinh", "sinh", "cbrt", "deg2rad", "rad2deg", "degrees", "radians"):
    register(one, _monotone(getattr(np, one)), rounded=True, plain=single.increasing(getattr(np, one)))
for one in ("log", "log2", "log10", "sqrt"):
    register(one, _monotone(getattr(np, one), 0.0), rounded=True, plain=single.increasing(getattr(np, one), 0.0))
register("log1p", _monotone(np.log1p, -1.0, near_one=True), rounded=True)
register("expm1", _monotone(np.expm1, near_one=True), rounded=True)
register("arcsin", _monotone(np.arcsin, -1.0, 1.0), rounded=True)
register("arctanh", _monotone(np.arctanh, -1.0, 1.0), rounded=True)
register("arccosh", _monotone(np.arccosh, 1.0), rounded=True)
register("arccos", _monotone(np.arccos, -1.0, 1.0, falling=True), rounded=True)


def _stepwise(name: str) -> Rule:
    function = getattr(np, name)

    def rule(x: Like, *args: object, **kwargs: object) -> Box:
        x = boxed(x)
        return Box(function(x.lo, *args), function(x.hi, *args), x.nan, x.dtype)

    return rule


def _to_decimals(x: Like, decimals: int = 0, **kwargs: object) -> Box:
    """To decimals a number is scaled, which may overflow."""
    x = boxed(x)
    made = Box(np.round(x.lo, decimals), np.round(x.hi, decimals), x.nan, x.dtype)
    if not decimals or x.dtype.kind != "f":
        return made
    Rounding.count += 1
    most = Rounding.greatest / 10.0 ** abs(decimals)
    return Box(np.where(x.lo < -most, -np.inf, made.lo), np.where(x.hi > most, np.inf, made.hi), x.nan, x.dtype)


for one in ("floor", "ceil", "trunc", "rint", "positive", "sign"):
    register(one, _stepwise(one))
for one in ("round", "around"):
    register(one, _to_decimals)
register("negative", lambda x: Box(-boxed(x).hi, -boxed(x).lo, boxed(x).nan, boxed(x).dtype), wraps=True, plain=single.negative)


def absolute(x: Like, **kwargs: object) -> Box:
    x = boxed(x)
    through = (x.lo <= 0) & (x.hi >= 0)
    a, b = np.abs(x.lo), np.abs(x.hi)
    return Box(np.where(through, 0.0, np.minimum(a, b)), np.maximum(a, b), x.nan, x.dtype)


def square(x: Like, **kwargs: object) -> Box:
    size = absolute(x)
    with np.errstate(all="ignore"):
        most = np.where(size.hi > 0, np.maximum(size.hi**2, TINY), 0.0)
        overflowed(most, size.hi)
        return Box(size.lo**2, most, size.nan, size.dtype)


register("absolute abs fabs", absolute, wraps=True, plain=single.absolute)
register("square", square, rounded=True, whole=True, plain=single.square)


def _periodic(function: Callable[..., Any], top: float) -> Rule:
    """sin or cos: the extremes where a peak lies inside."""

    def rule(x: Like, **kwargs: object) -> Box:
        x = boxed(x)
        with np.errstate(all="ignore"):
            wide = ~np.isfinite(x.lo) | ~np.isfinite(x.hi) | (np.maximum(abs(x.lo), abs(x.hi)) > 1e6)
            a, b = np.where(wide, 0.0, x.lo), np.where(wide, 0.0, x.hi)
            ends = function(a), function(b)
            peak = np.floor((b - top) / (2 * np.pi)) >= np.ceil((a - top) / (2 * np.pi))
            low = np.floor((b - top - np.pi) / (2 * np.pi)) >= np.ceil((a - top - np.pi) / (2 * np.pi))
        lo = np.where(wide | low, -1.0, np.minimum(*ends) - 1e-12)
        hi = np.where(wide | peak, 1.0, np.maximum(*ends) + 1e-12)
        return Box(lo, hi, x.nan | np.isinf(x.lo) | np.isinf(x.hi), float_of(x))

    return rule


register("sin", _periodic(np.sin, np.pi / 2), rounded=True)
register("cos", _periodic(np.cos, 0.0), rounded=True)


def _cosh(x: Like, **kwargs: object) -> Box:
    size = absolute(x)
    with np.errstate(all="ignore"):
        return Box(np.cosh(size.lo), np.cosh(size.hi), size.nan, float_of(size))


register("cosh", _cosh, rounded=True)
register("reciprocal", lambda x: RULES["true_divide"](boxed(1.0), boxed(x)), rounded=True)


def _anywhere(x: Like, lo: float = -INF, hi: float = INF, nan: bool = False, dtype: object = None) -> Box:
    """Nothing is known but the bounds of the function."""
    x = boxed(x)
    return Box(np.full(x.shape, lo), np.full(x.shape, hi), x.nan | nan, dtype or float_of(x))


STEEPEST = 1e19
"""No number of a float type is so near to a pole that its tangent is greater: pi is none of them."""


def _tangent(x: Like) -> Box:
    """Between two poles it grows; near to one it is off by as much as its argument is."""
    x = boxed(x)
    endless = np.isinf(x.lo) | np.isinf(x.hi)
    with np.errstate(all="ignore"):
        near = 1e-6 + 1e-6 * np.maximum(np.abs(x.lo), np.abs(x.hi))
        between = np.floor((x.lo - near) / np.pi + 0.5) == np.floor((x.hi + near) / np.pi + 0.5)
        lo, hi = (np.where(between, np.tan(side), far) for side, far in ((x.lo, -STEEPEST), (x.hi, STEEPEST)))
    return Box(np.where(endless, -np.inf, lo), np.where(endless, np.inf, hi), x.nan | endless, float_of(x))


register("tan", _tangent, rounded=True)
register("isnan", lambda x: Box(np.where(x.nan & False, 1.0, 0.0), np.where(x.nan, 1.0, 0.0), False, bool))
register("isfinite", lambda x: Box(np.where(x.nan | np.isinf(x.lo) | np.isinf(x.hi), 0.0, 1.0), 1.0, False, bool))
register("isinf", lambda x: Box(0.0, np.where(np.isinf(x.lo) | np.isinf(x.hi), 1.0, 0.0), False, bool))
register("signbit", lambda x: Box(np.where((x.hi < 0) & ~x.nan, 1.0, 0.0), np.where((x.lo <= 0) | x.nan, 1.0, 0.0), False, bool))
register("conjugate conj real", lambda x: boxed(x))
register("imag", lambda x: _anywhere(x, 0.0, 0.0, dtype=boxed(x).dtype))
register("angle", lambda x: _anywhere(x, 0.0, np.pi))

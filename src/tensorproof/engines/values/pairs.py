"""Rules for boxes: functions of two arguments, by their corners, and comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values import open_ends, single
from tensorproof.engines.values.boxes import RULES, Box, Rule, boxed, float_of, intervals, kind_of, register
from tensorproof.engines.values.curves import TINY, absolute
from tensorproof.engines.values.rounding import Rounding, overflowed

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like, Reals, Truths

INF = math.inf


def _add(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    with np.errstate(all="ignore"):
        lo, hi = x.lo + y.lo, x.hi + y.hi
        if np.isfinite(lo).all() and np.isfinite(hi).all():
            return intervals(lo, hi, x.nan | y.nan, kind_of(x, y))
        clash = (np.isposinf(x.hi) & np.isneginf(y.lo)) | (np.isneginf(x.lo) & np.isposinf(y.hi))
        lo, hi = np.where(np.isneginf(x.lo) | np.isneginf(y.lo), -INF, lo), np.where(np.isposinf(x.hi) | np.isposinf(y.hi), INF, hi)
        overflowed(lo, x.lo, y.lo)
        overflowed(hi, x.hi, y.hi)
    return Box(lo, hi, x.nan | y.nan | clash, kind_of(x, y))


def _corners(function: Callable[..., Any], x: Box, y: Box) -> tuple[Reals, Reals]:
    with np.errstate(all="ignore"):
        a, d = function(x.lo, y.lo), function(x.hi, y.hi)
        if x.lo is x.hi or y.lo is y.hi:
            b, c = (d, a) if x.lo is x.hi else (a, d)
        else:
            b, c = function(x.lo, y.hi), function(x.hi, y.lo)
        if not np.isfinite(a + b + c + d).all():
            a, b, c, d = (np.nan_to_num(corner, nan=0.0, posinf=INF, neginf=-INF) for corner in (a, b, c, d))
            for corner in (a, b, c, d):
                overflowed(corner, x.lo, x.hi, y.lo, y.hi)
    return np.minimum(np.minimum(np.minimum(a, b), c), d), np.maximum(np.maximum(np.maximum(a, b), c), d)


def _product(x: Reals, y: Reals) -> Reals:
    """A product that is not 0 unless a factor is: one that is too small has the least number of its sign."""
    made = x * y
    none = made == 0
    return np.where(none & (x != 0) & (y != 0), np.copysign(TINY, made), made) if none.any() else made


def multiply(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    if all(np.isfinite(end).all() for end in (x.lo, x.hi, y.lo, y.hi)):
        lo, hi = _corners(_product, x, y)
        return intervals(lo, hi, x.nan | y.nan, kind_of(x, y))
    zero_x, zero_y = (x.lo <= 0) & (x.hi >= 0), (y.lo <= 0) & (y.hi >= 0)
    endless_x, endless_y = np.isinf(x.lo) | np.isinf(x.hi), np.isinf(y.lo) | np.isinf(y.hi)
    lo, hi = _corners(_product, x, y)
    return Box(lo, hi, x.nan | y.nan | (zero_x & endless_y) | (zero_y & endless_x), kind_of(x, y))


def _divide(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    zero = (y.lo <= 0) & (y.hi >= 0)
    lo, hi = _corners(np.true_divide, x, Box(np.where(zero, 1.0, y.lo), np.where(zero, 1.0, y.hi)))
    both = (np.isinf(x.lo) | np.isinf(x.hi)) & (np.isinf(y.lo) | np.isinf(y.hi))
    of_nothing = zero & (x.lo <= 0) & (x.hi >= 0)
    return Box(np.where(zero, -INF, lo), np.where(zero, INF, hi), x.nan | y.nan | of_nothing | both, float_of(x, y))


def _defined(function: Rule) -> Rule:
    """x / y where 0 / 0 does not matter, or x · y where y = 0 does not."""

    def rule(y: Like, x: Like) -> Box:
        x, y = boxed(x), boxed(y)
        made = function(x, y)
        other = np.isinf(x.lo) | np.isinf(x.hi) if function is _divide else (x.lo <= 0) & (x.hi >= 0)
        return Box(made.lo, made.hi, x.nan | y.nan | (other & (np.isinf(y.lo) | np.isinf(y.hi))), made.dtype)

    return rule


register("defined_quotient", _defined(_divide), rounded=True)
register("defined_product", _defined(multiply), rounded=True)
register("add", _add, rounded=True, whole=True, plain=single.add, pair=open_ends.add)
register("subtract", lambda x, y: _add(x, RULES["negative"](y)), rounded=True, whole=True, plain=single.subtract, pair=open_ends.subtract)
register("multiply", multiply, rounded=True, whole=True, plain=single.multiply, pair=open_ends.multiply)
register("true_divide divide", _divide, rounded=True, plain=single.divide)
register("floor_divide", lambda x, y: _floored(x, y), wraps=True)


def _floored(x: Like, y: Like) -> Box:
    made = _divide(x, y)
    whole = kind_of(boxed(x), boxed(y)).kind in "biu"
    zero = np.isinf(made.lo) & np.isinf(made.hi)
    a, b = boxed(x), boxed(y)
    apart = ((a.lo < 0) & (b.hi > 0)) | ((a.hi > 0) & (b.lo < 0))  # a quotient below 0 that is rounded to 0 is still below it
    lo, hi = np.where(apart, np.minimum(np.floor(made.lo), -1.0), np.floor(made.lo)), np.floor(made.hi)
    if not whole:  # rounding may have lifted the exact quotient to the next whole number; that of an infinite number is nan
        slack = np.where(np.isfinite(lo) & np.isfinite(hi), 2.0 * Rounding.step * np.maximum(np.abs(lo), np.abs(hi)), 0.0)
        slack = np.where(slack < 0.5, 0.0, slack)  # whole numbers beyond these are rounded themselves
        return Box(lo - 1 - slack, hi + slack, made.nan | np.isinf(a.lo) | np.isinf(a.hi), made.dtype)
    return Box(np.where(zero, -(2.0**63), lo), np.where(zero, 2.0**63, hi), False, kind_of(a, b))


def _overflows(x: Box, y: Box) -> Any:
    """Whether x / y may overflow, where the vectors of torch, which are of float32 at most, give nan for the remainder."""
    if kind_of(x, y).kind != "f":
        return False
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(x.lo), np.abs(x.hi)) / np.minimum(np.abs(y.lo), np.abs(y.hi)) > min(_GREATEST, Rounding.greatest)


def _remainder(x: Like, y: Like) -> Box:
    """With the sign of y; exact where x lies in [0, y)."""
    x, y = boxed(x), boxed(y)
    size = np.maximum(np.abs(y.lo), np.abs(y.hi))
    inside = (x.lo >= 0) & (x.hi < y.lo)
    lo = np.where(inside, x.lo, np.where(y.lo > 0, 0.0, -size))
    hi = np.where(inside, x.hi, np.where(y.hi < 0, 0.0, size))
    zero = ((y.lo <= 0) & (y.hi >= 0)) | _overflows(x, y)
    return Box(lo, hi, x.nan | y.nan | zero | np.isinf(x.lo) | np.isinf(x.hi), kind_of(x, y))


def _fmod(x: Like, y: Like) -> Box:
    """With the sign of x."""
    x, y = boxed(x), boxed(y)
    size = np.minimum(np.maximum(np.abs(y.lo), np.abs(y.hi)), np.maximum(np.abs(x.lo), np.abs(x.hi)))
    none = ((y.lo <= 0) & (y.hi >= 0)) | _overflows(x, y)
    return Box(np.where(x.lo >= 0, 0.0, -size), np.where(x.hi <= 0, 0.0, size), x.nan | y.nan | none | np.isinf(x.lo) | np.isinf(x.hi), kind_of(x, y))


_GREATEST = float(np.finfo(np.float32).max)


register("remainder mod", _remainder, rounded=True)
register("fmod", _fmod)


def _raised(x: Reals, y: Reals | int) -> Reals:
    """A power that is not 0 unless its base is: one that is too small has the least number of its sign."""
    made = np.power(x, y)
    return np.where((made == 0) & (x != 0) & np.isfinite(x) & np.isfinite(y), np.copysign(TINY, made), made)


def _power(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    if y.shape == () and y.lo == y.hi and float(y.lo).is_integer() and not y.nan:
        n = int(y.lo)
        if n >= 0 and n % 2 == 0:
            size = absolute(x)
            with np.errstate(all="ignore"):
                endless = np.isinf(size.hi) & (n == 0)  # a library that takes logarithms gets nan
                return Box(size.lo**n, _raised(size.hi, n), np.where(n == 0, endless, x.nan), kind_of(x, y))
        if n > 0:
            with np.errstate(all="ignore"):
                return Box(_raised(x.lo, n), _raised(x.hi, n), x.nan, kind_of(x, y))
    above = x.lo >= 0
    lo, hi = _corners(_raised, Box(np.maximum(x.lo, 0), np.maximum(x.hi, 0)), y)
    one = (x.lo <= 1) & (x.hi >= 1)
    none = (y.lo <= 0) & (y.hi >= 0)
    lo, hi = np.where(one | none, np.minimum(lo, 1), lo), np.where(one | none, np.maximum(hi, 1), hi)
    through = (x.lo <= 0) & (y.lo < 0)
    hi = np.where(through, INF, hi)
    odd = ~((y.lo == y.hi) & (np.rint((y.lo - 1) / 2) * 2 + 1 != y.lo))
    lo = np.where(through & odd, -INF, lo)  # 0 may be -0
    return Box(np.where(above, lo, -INF), np.where(above, hi, INF), x.nan | y.nan | ~above, kind_of(x, y))


register("power", _power, rounded=True, whole=True)
register("float_power", lambda x, y: _power(boxed(x).astype(float), boxed(y).astype(float)), rounded=True, whole=True)


def _extreme(name: str, skips: bool = False) -> Rule:
    function = getattr(np, name)

    def rule(x: Like, y: Like) -> Box:
        x, y = boxed(x), boxed(y)
        lo, hi = function(x.lo, y.lo), function(x.hi, y.hi)
        if skips:  # where one may be nan, the other comes through
            lo = np.where(x.nan | y.nan, np.minimum(x.lo, y.lo), lo)
            hi = np.where(x.nan | y.nan, np.maximum(x.hi, y.hi), hi)
        return Box(lo, hi, (x.nan & y.nan) if skips else (x.nan | y.nan), kind_of(x, y))

    return rule


for one in ("maximum", "minimum"):
    register(one, _extreme(one), plain=getattr(single, one))
for one in ("fmax", "fmin"):
    register(one, _extreme(one, True))


def _clip(x: Like, low: Like | None = None, high: Like | None = None, **kwargs: Any) -> Box:
    low, high = kwargs.get("min", low), kwargs.get("max", high)
    made = boxed(x)
    made = made if low is None else RULES["maximum"](made, low)
    return made if high is None else RULES["minimum"](made, high)


register("clip", _clip)


def _compared(holds: Any, fails: Any) -> Rule:
    """A comparison; `holds` and `fails` say where it surely does. With nan it does not hold, but `not_equal` does."""

    def rule(x: Like, y: Like) -> Box:
        x, y = boxed(x), boxed(y)
        nan = x.nan | y.nan
        return Box(np.where(holds(x, y) & ~nan, 1.0, 0.0), np.where(fails(x, y), 0.0, 1.0), False, bool)

    return rule


register("less", _compared(lambda x, y: x.hi < y.lo, lambda x, y: x.lo >= y.hi), plain=single.less, truths=True)
register("less_equal", _compared(lambda x, y: x.hi <= y.lo, lambda x, y: x.lo > y.hi), plain=single.less_equal, truths=True)
register("greater", _compared(lambda x, y: x.lo > y.hi, lambda x, y: x.hi <= y.lo), plain=single.greater, truths=True)
register("greater_equal", _compared(lambda x, y: x.lo >= y.hi, lambda x, y: x.hi < y.lo), plain=single.greater_equal, truths=True)
register("equal", _compared(lambda x, y: (x.lo == y.hi) & (x.hi == y.lo), lambda x, y: (x.hi < y.lo) | (x.lo > y.hi)))


def _not_equal(x: Like, y: Like) -> Box:
    x, y = boxed(x), boxed(y)
    apart, same = (x.hi < y.lo) | (x.lo > y.hi), (x.lo == y.hi) & (x.hi == y.lo) & ~x.nan & ~y.nan
    return Box(np.where(apart, 1.0, 0.0), np.where(same, 0.0, 1.0), False, bool)


register("not_equal", _not_equal, plain=single.not_equal, truths=True)


def truth(x: Like) -> Box:
    return _not_equal(x, 0)


def _hypot(x: Like, y: Like) -> Box:
    a, b = absolute(x), absolute(y)
    with np.errstate(all="ignore"):
        return Box(np.hypot(a.lo, b.lo), np.hypot(a.hi, b.hi), a.nan | b.nan, float_of(a, b))


register("logical_not", lambda x: Box(1 - truth(x).hi, 1 - truth(x).lo, False, bool))
register("logical_and", lambda x, y: RULES["minimum"](truth(x), truth(y)), plain=single.both, truths=True)
register("logical_or", lambda x, y: RULES["maximum"](truth(x), truth(y)))
register("logical_xor", lambda x, y: Box(np.zeros(np.broadcast_shapes(boxed(x).shape, boxed(y).shape)), 1.0, False, bool))
register("hypot", _hypot, rounded=True)
register("arctan2", lambda y, x: Box(np.full(np.broadcast_shapes(boxed(x).shape, boxed(y).shape), -np.pi), np.pi, boxed(x).nan | boxed(y).nan), rounded=True)


def _copysign(x: Like, y: Like) -> Box:
    size, sign = absolute(x), boxed(y)
    most = np.broadcast_to(size.hi, np.broadcast_shapes(size.shape, sign.shape))
    return Box(-most, most, size.nan, float_of(size, sign))


register("copysign", _copysign)


def _heaviside(x: Like, y: Like) -> Box:
    """0, y or 1 where x is negative, zero or positive; of nan libraries make nan, 0 or y."""
    x, y = boxed(x), boxed(y)
    zero = ((x.lo <= 0) & (x.hi >= 0)) | x.nan
    given: list[tuple[Truths, Reals | float, Reals | float]] = [((x.lo < 0) | x.nan, 0.0, 0.0), (x.hi > 0, 1.0, 1.0), (zero, y.lo, y.hi)]
    lo = np.minimum.reduce(np.broadcast_arrays(*(np.where(there, least, INF) for there, least, _ in given)))
    hi = np.maximum.reduce(np.broadcast_arrays(*(np.where(there, most, -INF) for there, _, most in given)))
    return Box(lo, hi, x.nan | (zero & y.nan), kind_of(x, y))


register("heaviside", _heaviside)


def _logaddexp(x: Like, y: Like, base: float = math.e) -> Box:
    x, y = boxed(x), boxed(y)
    function = np.logaddexp if base == math.e else np.logaddexp2
    endless = np.isposinf(x.hi) | np.isposinf(y.hi)  # a library that subtracts the greater one gets nan
    size = 1.0 + np.maximum(np.maximum(np.abs(x.lo), np.abs(x.hi)), np.maximum(np.abs(y.lo), np.abs(y.hi)))
    with np.errstate(all="ignore"):
        slack = np.where(np.isfinite(size), 4.0 * Rounding.step * size, 0.0)  # a sum of numbers of this size, which may cancel
        return Box(function(x.lo, y.lo) - slack, function(x.hi, y.hi) + slack, x.nan | y.nan | endless, float_of(x, y))


register("logaddexp", _logaddexp, rounded=True)
register("logaddexp2", lambda x, y: _logaddexp(x, y, 2.0), rounded=True)
register("isin", lambda x, y, **kwargs: Box(np.zeros(boxed(x).shape), np.ones(boxed(x).shape), False, bool))

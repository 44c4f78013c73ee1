"""One interval of finite real numbers: what the rules of boxes give of it, in plain numbers, at a tenth of the cost of arrays.

A function gives None where an end is not finite, or where it has no answer; the rule for arrays is asked then. Both give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf, isfinite
from typing import Any

import numpy as np

from tensorproof.engines.values.rounding import Rounding

Ends = tuple[float, float]
Plain = Callable[..., Ends | None]
"""The ends of the result, of the ends of the operands."""
TINY = 5e-324
"""The least number above 0."""
_REAL = np.dtype(np.float64)
TRUTH = np.dtype(bool)
_EXACT = 2**53


def _product(a: float, b: float) -> float:
    made = a * b
    return copysign(TINY, made) if made == 0 and a and b else made


def add(a: float, b: float, c: float, d: float) -> Ends:
    return a + c, b + d


def subtract(a: float, b: float, c: float, d: float) -> Ends:
    return a - d, b - c


def multiply(a: float, b: float, c: float, d: float) -> Ends:
    corners = _product(a, c), _product(a, d), _product(b, c), _product(b, d)
    return min(corners), max(corners)


def divide(a: float, b: float, c: float, d: float) -> Ends | None:
    if c <= 0 <= d:
        return None
    corners = a / c, a / d, b / c, b / d
    return min(corners), max(corners)


def negative(a: float, b: float) -> Ends:
    return -b, -a


def absolute(a: float, b: float) -> Ends:
    least, most = sorted((abs(a), abs(b)))
    return (0.0 if a <= 0 <= b else least), most


def square(a: float, b: float) -> Ends:
    least, most = absolute(a, b)
    return least * least, max(most * most, TINY) if most > 0 else 0.0


def maximum(a: float, b: float, c: float, d: float) -> Ends:
    return max(a, c), max(b, d)


def minimum(a: float, b: float, c: float, d: float) -> Ends:
    return min(a, c), min(b, d)


def increasing(function: Any, lo: float = -inf, hi: float = inf) -> Plain:
    """An increasing function inside of ]lo, hi[."""
    return lambda a, b: (float(function(a)), float(function(b))) if lo < a and b < hi else None


def less(a: float, b: float, c: float, d: float) -> Ends:
    return float(b < c), float(a < d)


def less_equal(a: float, b: float, c: float, d: float) -> Ends:
    return float(b <= c), float(a <= d)


def greater(a: float, b: float, c: float, d: float) -> Ends:
    return less(c, d, a, b)


def greater_equal(a: float, b: float, c: float, d: float) -> Ends:
    return less_equal(c, d, a, b)


def not_equal(a: float, b: float, c: float, d: float) -> Ends:
    return float(b < c or a > d), float(not (a == d and b == c))


def both(a: float, b: float, c: float, d: float) -> Ends:
    return float(not a <= 0 <= b and not c <= 0 <= d), float(not a == b == 0 and not c == d == 0)


def ends_of(boxes: Any, real: bool) -> tuple[list[float], int] | None:
    """The ends of all operands one behind the other, and the greatest rank, where each is one finite interval; with `real`, not all of whole numbers."""
    made: list[float] = []
    rank = 0
    for x in boxes:
        lo = getattr(x, "lo", None)
        if lo is None:
            if (type(x) is int and abs(x) > _EXACT) or type(x) not in (int, float):
                return None
            made += float(x), float(x)
            real = real and type(x) is int
            continue
        if lo.size != 1 or x.nan.item():
            return None
        made += lo.item(), x.hi.item()
        rank = max(rank, lo.ndim)
        if x.dtype is _REAL:
            real = False
        elif x.dtype.kind == "f":
            return None
    return None if real or not all(map(isfinite, made)) else (made, rank)


def plainly(plain: Plain, truths: bool, rule: Callable[..., Any], make: Callable[[float, float, int, Any], Any]) -> Callable[..., Any]:
    """A rule that is asked where operands are not one finite interval each; `make` gives a box of one, `truths` says of what."""
    dtype = TRUTH if truths else _REAL

    def either(*given: Any, **kwargs: Any) -> Any:
        found = None if kwargs else ends_of(given, not truths)
        made = None if found is None else plain(*found[0])
        if made is None or found is None or not (isfinite(made[0]) and isfinite(made[1])):
            return rule(*given, **kwargs)
        return make(*made, found[1], dtype)

    return either


def summed(box: Any, count: float, mean: bool) -> Ends | None:
    """The sum or the mean of so many numbers of one interval, in any order."""
    found = ends_of((box,), True)
    if found is None or not count:
        return None
    (a, b), _ = found
    size, most = max(abs(a), abs(b)), Rounding.greatest
    if max(b, 0.0) * count > most or min(a, 0.0) * count < -most:
        return None
    exact = a == b and a.is_integer() and size * count * Rounding.step < 1
    slack = 0.0 if exact else count * Rounding.step * size * count
    lo, hi = a * count - slack, b * count + slack
    lo, hi = (max(lo, 0.0) if a >= 0 else lo), (min(hi, 0.0) if b <= 0 else hi)
    return (lo / count, hi / count) if mean else (lo, hi)

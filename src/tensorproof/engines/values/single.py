"""One interval of finite real numbers: what the rules of boxes give of it, in plain numbers, at a tenth of the cost of arrays.

A function gives None where an end is not finite, or where it has no answer; the rule for arrays is asked then. Both give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf, isfinite
from typing import Any

import numpy as np

Ends = tuple[float, float]
Plain = Callable[..., Ends | None]
"""The ends of the result, of the ends of the operands."""
TINY = 5e-324
"""The least number above 0."""
_REAL = np.dtype(np.float64)
TRUTH = np.dtype(bool)
_EXACT = 2**53


def product(a: float, b: float) -> float:
    """A product that is not 0 unless a factor is: one that is too small has the least number of its sign."""
    made = a * b
    return copysign(TINY, made) if made == 0 and a and b else made


def add(a: float, b: float, c: float, d: float) -> Ends:
    return a + c, b + d


def subtract(a: float, b: float, c: float, d: float) -> Ends:
    return a - d, b - c


def multiply(a: float, b: float, c: float, d: float) -> Ends:
    corners = product(a, c), product(a, d), product(b, c), product(b, d)
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
        if x.__class__ is float:
            if not isfinite(x):
                return None
            made += x, x
            real = False
            continue
        lo = getattr(x, "lo", None)
        if lo is None:
            if (type(x) is int and abs(x) > _EXACT) or type(x) not in (int, float):
                return None
            made += float(x), float(x)
            real = real and type(x) is int
            continue
        if lo.size != 1 or x.nan.item():
            return None
        low, high = lo.item(), x.hi.item()
        if not (isfinite(low) and isfinite(high)):
            return None
        made += low, high
        if lo.ndim > rank:
            rank = lo.ndim
        if x.dtype is _REAL:
            real = False
        elif x.dtype.kind == "f":
            return None
    return None if real else (made, rank)

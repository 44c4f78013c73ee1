"""One interval of real numbers whose ends may be infinite, and which may be nan: what the rules of boxes give of it, in plain numbers.

single.py has the rules for finite ends. Both give the same as the rules for arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, isinf, sqrt
from typing import Any

import numpy as np

from tensorproof.engines.values.rounding import Rounding
from tensorproof.engines.values.single import product

Open = tuple[float, float, bool]
"""The ends of an interval, and whether it may be nan."""
Pair = Callable[[float, float, bool, float, float, bool], Open]
Total = Callable[[float, float, bool, float, float], Open]
"""The ends of a reduction of so many elements that lie in one interval; the last argument is `ddof`."""
_REAL = np.dtype(np.float64)


def add(a: float, b: float, n: bool, c: float, d: float, m: bool) -> Open:
    lo = -inf if -inf in (a, c) else a + c
    hi = inf if inf in (b, d) else b + d
    if not Rounding.over:
        Rounding.over = (isinf(lo) and isfinite(a) and isfinite(c)) or (isinf(hi) and isfinite(b) and isfinite(d))
    return lo, hi, n or m or (b == inf and c == -inf) or (a == -inf and d == inf)


def subtract(a: float, b: float, n: bool, c: float, d: float, m: bool) -> Open:
    return add(a, b, n, -d, -c, m)


def multiply(a: float, b: float, n: bool, c: float, d: float, m: bool) -> Open:
    corners = [0.0 if made != made else made for made in (product(a, c), product(a, d), product(b, c), product(b, d))]
    endless_x, endless_y = isinf(a) or isinf(b), isinf(c) or isinf(d)
    lo, hi = min(corners), max(corners)
    if not Rounding.over and not endless_x and not endless_y:
        Rounding.over = isinf(lo) or isinf(hi)
    return lo, hi, n or m or (endless_y and a <= 0 <= b) or (endless_x and c <= 0 <= d)


def added(mean: bool) -> Total:
    """The sum or the mean of so many numbers, in any order: partial sums may overflow on either side."""

    def total(a: float, b: float, nan: bool, count: float, ddof: float) -> Open:
        lo, hi = 0.0 if isinf(a) else a * count, 0.0 if isinf(b) else b * count
        size, most = max(abs(a), abs(b)), Rounding.greatest
        highest, lowest = max(b, 0.0) * count, min(a, 0.0) * count
        exact = a == b and a.is_integer() and size * count * Rounding.step < 1
        slack = 0.0 if exact or isinf(size) else count * Rounding.step * size * count
        lo = max(lo - slack, 0.0) if lowest == 0 else lo - slack
        hi = min(hi + slack, 0.0) if highest == 0 else hi + slack
        over, under = highest > most or highest == inf, lowest < -most or lowest == -inf
        Rounding.over = Rounding.over or (over and b != inf) or (under and a != -inf)
        lo = -inf if under else most if a == inf else lo
        hi = inf if over else -most if b == -inf else hi
        if lo != lo or hi != hi:  # float64 itself overflows
            return -inf, inf, True
        return (lo / count, hi / count, nan or (over and under)) if mean else (lo, hi, nan or (over and under))

    return total


def spread(root: bool) -> Total:
    """A variance lies between 0 and a quarter of the square of the range, times n / (n - ddof)."""

    def total(a: float, b: float, nan: bool, count: float, ddof: float) -> Open:
        few = count - ddof <= 0
        size = max(abs(a), abs(b))
        apart = b - a + 4 * count * Rounding.step * size + 1e-150  # the mean is rounded
        most = apart * apart / 4 * count / max(count - ddof, 1e-300)
        if few or apart * apart * count > Rounding.greatest or most != most:
            most = inf
        return 0.0, sqrt(most) if root else most, nan or few or not size * count <= Rounding.greatest

    return total


def open_of(boxes: Any) -> tuple[list[Any], int] | None:
    """The ends and whether it may be nan of all operands one behind the other, and the greatest rank, where each is one interval of real numbers."""
    made: list[Any] = []
    rank = 0
    for x in boxes:
        lo = getattr(x, "lo", None)
        if lo is None:
            if type(x) is not float or x != x:
                return None
            made += x, x, False
        elif lo.size != 1 or x.dtype is not _REAL:
            return None
        else:
            made += lo.item(), x.hi.item(), x.nan.item()
            rank = max(rank, lo.ndim)
    return made, rank

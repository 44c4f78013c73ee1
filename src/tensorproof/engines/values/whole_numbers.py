"""Whole numbers as the ends of intervals: those beyond 2⁵³ lie between two numbers of float64, and those beyond their element type wrap around."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Numbers, Reals, Truths

EXACT = 2.0**53
"""Up to here float64 holds all whole numbers."""
STEP = 2.0**-52
_ULPS = 64.0
"""By how many units in the last place a bound may be off that was computed in float64."""


def ends(array: Numbers) -> tuple[Reals, Reals]:
    """Numbers of float64 around whole numbers. The greatest number of a type of 64 bits stands between its neighbour and the power of two above it."""
    made = array.astype(np.float64)
    if array.dtype.itemsize < 8 or not (np.abs(made) >= EXACT).any():
        return made, made
    limits = np.iinfo(array.dtype)
    beyond = made >= float(limits.max)
    moved = beyond | (np.where(beyond, 0.0, made).astype(array.dtype) != np.where(beyond, 0, array))
    return np.where(moved, np.nextafter(made, -math.inf), made), np.where(moved & ~beyond, np.nextafter(made, math.inf), made)


def wrapped(lo: Reals, hi: Reals, dtype: Any) -> tuple[Reals, Reals]:
    """Bounds of what was computed from whole numbers: rounded outwards where float64 may have rounded, all numbers of the type where it may wrap around."""
    large = ~(np.maximum(np.abs(lo), np.abs(hi)) < EXACT)
    if not large.any():
        return lo, hi
    limits = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        below, above = np.floor(lo - _ULPS * STEP * np.abs(lo)), np.ceil(hi + _ULPS * STEP * np.abs(hi))
    fits = (below >= limits.min) & (above < float(limits.max))
    below, above = np.where(fits, below, float(limits.min)), np.where(fits, above, float(limits.max))
    return np.where(large, below, lo), np.where(large, above, hi)


def fitting(lo: Reals, hi: Reals, nan: Truths, dtype: Any, whole: bool) -> tuple[Reals, Reals]:
    """Bounds after a cast to whole numbers: cut off, and all numbers of the type where some do not fit. Of `whole` ones the upper end may be the greatest."""
    limits = np.iinfo(dtype)
    most = float(limits.max)
    fits = (lo >= limits.min) & (hi <= most if whole else hi < most + 1.0) & ~nan
    return np.where(fits, np.trunc(lo), float(limits.min)), np.where(fits, np.trunc(hi), most)

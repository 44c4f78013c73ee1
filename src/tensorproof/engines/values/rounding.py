"""What a library may get where the exact value lies within bounds: rounded to its element type, infinite beyond the greatest number, 0 below the least."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Reals

_ULPS = 16.0
"""By how many units in the last place a primitive function of a library may be off."""


class Rounding:
    """The element type in which an operator computes: the coarsest of those that meet in it."""

    step = DType.FLOAT64.step
    smallest = DType.FLOAT64.smallest_normal
    greatest = DType.FLOAT64.greatest
    over = False
    """Whether finite numbers may have overflowed."""
    lost = False
    """Whether something was computed from what may have overflowed: another order of the same computation may give anything."""
    late = False
    """Whether the first sum, product or quotient stays as it is, to be rounded at the end: each is rounded to the nearest number, which keeps bounds tight."""
    count = 0
    """How many functions were computed that a library rounds."""
    single = False
    """Whether one was left to be rounded at the end."""


class Several(Exception):
    """More than one function was computed, and the first was not rounded yet."""


Limits = tuple[float, float, float]


@lru_cache(maxsize=256)
def _coarsest(dtypes: tuple[DType | None, ...]) -> Limits:
    """Of the coarsest of these types: the distance from 1 to the next number, the least number with all digits, the greatest one."""
    floats = [d.real for d in dtypes if d is not None and d.kind in "fc" and d.step] or [DType.FLOAT64]
    return max(d.step for d in floats), max(d.smallest_normal for d in floats), min(d.greatest for d in floats)


class computed_in:
    """Rules for bounds round outwards to the coarsest of these types."""

    __slots__ = ("_before", "_limits")

    def __init__(self, dtypes: Iterable[DType | None]) -> None:
        self._limits = _coarsest(dtypes if dtypes.__class__ is tuple else tuple(dtypes))

    def __enter__(self) -> None:
        self._before = Rounding.step, Rounding.smallest, Rounding.greatest
        Rounding.step, Rounding.smallest, Rounding.greatest = self._limits
        Rounding.over = Rounding.lost = False
        Rounding.count, Rounding.single = 0, False

    def __exit__(self, *failed: object) -> None:
        Rounding.step, Rounding.smallest, Rounding.greatest = self._before


def outwards(lo: Reals, hi: Reals, slack: Reals | float = 0.0) -> tuple[Reals, Reals]:
    """Bounds that hold after rounding, with a `slack` that comes on top. Rounding changes no sign."""
    if slack.__class__ is float and lo.__class__ is hi.__class__ is np.ndarray and lo.size == hi.size == 1:
        least, most = one_outwards(lo.item(), hi.item(), slack)
        return filled(lo.shape, least), filled(hi.shape, most)
    if slack.__class__ is float and slack == 0.0 and (near := _finite_outwards(lo, hi)) is not None:
        return near
    with np.errstate(all="ignore"):
        below, above = (lo - _error(lo) - slack, hi + _error(hi) + slack)
        below, above = np.where((lo >= 0) & (slack == 0), np.maximum(below, 0.0), below), np.where((hi <= 0) & (slack == 0), np.minimum(above, 0.0), above)
    greatest = Rounding.greatest
    Rounding.over = Rounding.over or bool((np.isfinite(below) & (below < -greatest)).any() or (np.isfinite(above) & (above > greatest)).any())
    below = np.where(np.isnan(below) | (below < -greatest), -math.inf, np.minimum(below, greatest))
    above = np.where(np.isnan(above) | (above > greatest), math.inf, np.maximum(above, -greatest))
    return below, above


def _finite_outwards(lo: Reals, hi: Reals) -> tuple[Reals, Reals] | None:
    """The same without a slack, of ends that are finite and stay so; None of others."""
    low, high = np.abs(lo), np.abs(hi)
    scale, least, most = _ULPS * Rounding.step, Rounding.smallest, Rounding.greatest
    if not low.size or max(low.max().item(), high.max().item()) * (1 + 2 * scale) + least >= most:
        return None
    below, above = lo - (scale * low + least), hi + (scale * high + least)
    return np.where(lo >= 0, np.maximum(below, 0.0), below), np.where(hi <= 0, np.minimum(above, 0.0), above)


def filled(shape: tuple[int, ...], value: float) -> Reals:
    made = np.empty(shape)
    made.fill(value)
    return made


def one_outwards(lo: float, hi: float, slack: float) -> tuple[float, float]:
    """The same of one interval."""
    scale, most = _ULPS * Rounding.step, Rounding.greatest
    below, above = lo - slack, hi + slack
    if math.isfinite(lo):
        below = lo - (scale * abs(lo) + Rounding.smallest) - slack
        below = max(below, 0.0) if lo >= 0 and not slack else below
    if math.isfinite(hi):
        above = hi + (scale * abs(hi) + Rounding.smallest) + slack
        above = min(above, 0.0) if hi <= 0 and not slack else above
    Rounding.over = Rounding.over or -math.inf < below < -most or most < above < math.inf
    below = min(below, most) if below >= -most else -math.inf
    return below, max(above, -most) if above <= most else math.inf


def _error(end: Reals) -> Reals:
    return np.where(np.isfinite(end), _ULPS * Rounding.step * np.abs(end) + Rounding.smallest, 0.0)


def overflowed(made: Reals, *given: Reals) -> None:
    """Note where finite numbers gave an infinite one."""
    endless = np.isinf(made)
    if not Rounding.over and endless.any():
        Rounding.over = bool((endless & np.logical_and.reduce(np.broadcast_arrays(*map(np.isfinite, given)))).any())

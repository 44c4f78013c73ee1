"""Rules for boxes: elements that are written to places which are not known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.values.boxes import Box, Unbounded, boxed, kind_of, register
from tensorproof.engines.values.rounding import Rounding

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like

INF = math.inf


def _scattered(places: object, target: Like, source: Like, reduction: str) -> Box:
    """The target, where any elements of the source may come to any place, several to one, and none to others: the places are not known."""
    x, y = boxed(target), boxed(source)
    if not y.size:
        return x.copy()
    least, most, nan, kind = y.lo.min(), y.hi.max(), x.nan | y.nan.any(), kind_of(x, y)
    if reduction == "update":
        return Box(np.minimum(x.lo, least), np.maximum(x.hi, most), nan, kind)
    if reduction == "max":
        return Box(x.lo, np.maximum(x.hi, most), nan, kind)
    if reduction == "min":
        return Box(np.minimum(x.lo, least), x.hi, nan, kind)
    if reduction == "sub":
        return _scattered(places, x, Box(-y.hi, -y.lo, y.nan, y.dtype), "add")
    if reduction != "add":
        raise Unbounded(reduction)
    up, down = float(np.sum(np.maximum(y.hi, 0.0))), float(np.sum(np.minimum(y.lo, 0.0)))
    size = np.maximum(np.abs(x.lo), np.abs(x.hi)) + max(up, -down)
    error = 2 * (y.size + 1) * Rounding.step * size if kind.kind == "f" else 0.0
    lo, hi = x.lo + down - error, x.hi + up + error
    either = (lo < -Rounding.greatest) & (hi > Rounding.greatest)  # sums of infinite numbers of either sign
    return Box(lo, hi, nan | (either & (kind.kind == "f")), kind)


register("scattered", _scattered, wraps=True)

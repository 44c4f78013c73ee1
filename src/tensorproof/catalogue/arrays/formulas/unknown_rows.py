"""Bounds of a variable after rows were written into it that are not known: each element is written by none, some or all of the updates."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undetermined

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def written_somewhere(np: Numpy, a: Arguments) -> Array:
    """Raises `Undetermined` for reductions other than sums, the greatest and the least."""
    x, y, count = a["x"], a["y"], prod(a["index"].shape)
    if not count or not prod(y.shape):
        return x
    low, high = np.min(y), np.max(y)
    kind = a["reduction"]
    if kind == "update":
        return x.of("either", low.of("either", high))
    if kind in ("max", "min"):
        return x.of("either", np.maximum(x, high) if kind == "max" else np.minimum(x, low))
    if kind not in ("add", "sub"):
        raise Undetermined
    if kind == "sub":
        low, high = np.negative(high), np.negative(low)
    total = np.multiply(np.minimum(low, 0), count).of("either", np.multiply(np.maximum(high, 0), count))
    return _rounded(np, a, np.add(x, total), count, alike=_least(x) >= 0 and _least(total) >= 0)


def _rounded(np: Numpy, a: Arguments, made: Array, count: int, alike: bool) -> Array:
    """With what so many roundings add: a share of a sum of numbers that are all at or above 0, else a share of the largest."""
    share = count * (a["results"][0].step if a["results"] and a["results"][0] is not None else 0.0)
    if share > 0.5:
        raise Undetermined
    if alike:
        return np.multiply(made, 1 - share).of("either", np.multiply(made, 1 + share))
    error = np.multiply(np.max(np.absolute(made)), share)
    return np.subtract(made, error).of("either", np.add(made, error))


def _least(value: Any) -> float:
    return float(getattr(value, "box", value).lo.min())

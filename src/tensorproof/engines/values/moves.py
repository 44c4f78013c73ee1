"""Rules for boxes: functions of NumPy that move, take, join or choose elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values.boxes import RULES, Box, Rule, Unbounded, boxed, joined, kind_of, moved, register

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Like, Numbers

INF = math.inf


def _moving(name: str) -> Rule:
    function = getattr(np, name)
    return lambda x, *args, **kwargs: moved(function, x, *map(plain, args), **kwargs)


def _clearing(function: Callable[..., Any]) -> Rule:
    """A function that puts 0 in the place of some elements."""

    def rule(x: Like, *args: object) -> Box:
        x = boxed(x)
        lo, hi, nan = (function(side, *args) for side in (x.lo, x.hi, x.nan))
        return Box(lo, hi, nan, x.dtype)

    return rule


def plain(value: Like) -> Any:
    """Places that are known, as an array."""
    return np.asarray(value) if isinstance(value, Box) else value


def _joining(name: str) -> Rule:
    function = getattr(np, name)
    return lambda boxes, *args, **kwargs: joined(function, boxes, *args, **kwargs)


for one in (
    "transpose", "reshape", "ravel", "squeeze", "expand_dims", "swapaxes", "moveaxis", "broadcast_to", "flip", "flipud", "fliplr", "roll", "repeat", "tile",
    "diagonal", "rot90", "split", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "rollaxis", "delete", "compress",
    "diag", "diagflat",
):  # fmt: skip
    register(one, _moving(one))
register("tril", _clearing(np.tril))
register("triu", _clearing(np.triu))
for one in ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"):
    register(one, _joining(one))
register("copy", lambda x, **kwargs: boxed(x).copy())
register("shape", lambda x: x.shape)
register("ndim", lambda x: x.ndim)
register("size", lambda x, axis=None: x.size if axis is None else x.shape[axis])
register("sort", lambda x, axis=-1, **kwargs: Box(np.sort(x.lo, axis), np.sort(x.hi, axis), np.broadcast_to(x.nan.any(), x.shape), x.dtype))


def _pad(x: Like, widths: Any, mode: str = "constant", constant_values: Like = 0, **kwargs: Any) -> Box:
    x = boxed(x)
    if mode != "constant":
        return moved(np.pad, x, widths, mode=mode, **kwargs)  # type: ignore[no-any-return]
    value = boxed(constant_values)
    if value.shape:
        raise Unbounded("several values to pad with")
    lo, hi = np.pad(x.lo, widths, constant_values=value.lo), np.pad(x.hi, widths, constant_values=value.hi)
    return Box(lo, hi, np.pad(x.nan, widths, constant_values=bool(value.nan)), x.dtype)


register("pad", _pad)


def _taken(x: Like, index: object, axis: int | None = None, along: bool = False) -> Box:
    """Elements by their places. Where a place is not known, any element of the axis may come."""
    function: Callable[..., Numbers] = np.take_along_axis if along else np.take
    if not isinstance(index, Box):
        return moved(function, x, index, axis)  # type: ignore[no-any-return]
    x = boxed(x)
    at = index.lo.astype(np.int64)
    if (index.lo == index.hi).all() and not index.nan.any():
        return moved(function, x, at, axis)  # type: ignore[no-any-return]
    sides = ((np.min, x.lo), (np.max, x.hi), (np.any, x.nan))
    lo, hi, nan = (function(np.broadcast_to(reduce(side, axis=axis, keepdims=True), x.shape), np.zeros_like(at), axis) for reduce, side in sides)
    return Box(lo, hi, nan, x.dtype)


register("take", _taken)
register("take_along_axis", lambda x, index, axis=None: _taken(x, index, axis, True))


def _where(condition: Like, x: Like, y: Like) -> Box:
    c, a, b = RULES["not_equal"](boxed(condition), boxed(0)), boxed(x), boxed(y)
    sure, never = c.lo > 0, c.hi <= 0
    lo = np.where(sure, a.lo, np.where(never, b.lo, np.minimum(a.lo, b.lo)))
    hi = np.where(sure, a.hi, np.where(never, b.hi, np.maximum(a.hi, b.hi)))
    return Box(lo, hi, np.where(sure, a.nan, np.where(never, b.nan, a.nan | b.nan)), kind_of(a, b))


register("where", _where)
register("undecided", lambda x: Box(np.zeros(x.shape), np.ones(x.shape), False, bool))
register("widened", lambda x, array, error: Box(array - error, array + error), rounded=True)

for one in ("zeros_like", "ones_like"):
    register(one, lambda x, dtype=None, _n=float(one == "ones_like"), **kwargs: Box(np.full(x.shape, _n), np.full(x.shape, _n), False, dtype or x.dtype))


def _full_like(x: Box | Numbers, value: Like, dtype: object = None, **kwargs: object) -> Box:
    of = boxed(value)
    return Box(np.full(x.shape, of.lo), np.full(x.shape, of.hi), of.nan, dtype)


register("full_like", _full_like)

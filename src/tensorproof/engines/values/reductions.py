"""Rules for boxes: reductions, running totals and products of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorproof.engines.values.boxes import Box, Rule, Unbounded, boxed, float_of, joined, kind_of, moved, register
from tensorproof.engines.values.pairs import multiply, truth

INF = math.inf

def _summed(name: str) -> Rule:
    function = getattr(np, name)

    def rule(x: Any, axis: Any = None, **kwargs: Any) -> Box:
        x = boxed(x)
        kwargs = {k: v for k, v in kwargs.items() if k in ("keepdims",)}
        with np.errstate(all="ignore"):
            ends = [function(np.nan_to_num(side, posinf=INF, neginf=-INF), axis=axis, **kwargs) for side in (x.lo, x.hi)]
            endless = np.any(np.isneginf(x.lo), axis=axis, **kwargs) & np.any(np.isposinf(x.hi), axis=axis, **kwargs)
        nan = np.any(x.nan, axis=axis, **kwargs) | endless
        kind = np.dtype(np.int64) if x.dtype.kind in "biu" and name == "sum" else float_of(x)
        lo = np.where(endless, -INF, ends[0])
        return Box(lo, np.where(endless, INF, ends[1]), nan | (np.isnan(lo) if name == "mean" else False), kind)

    return rule


register("sum add.reduce", _summed("sum"))
register("mean", _summed("mean"))


def _reduced(name: str) -> Rule:
    function = getattr(np, name)

    def rule(x: Any, axis: Any = None, **kwargs: Any) -> Box:
        x = boxed(x)
        kwargs = {k: v for k, v in kwargs.items() if k in ("keepdims", "initial")}
        flags = {k: v for k, v in kwargs.items() if k == "keepdims"}
        return Box(function(x.lo, axis=axis, **kwargs), function(x.hi, axis=axis, **kwargs), np.any(x.nan, axis=axis, **flags), x.dtype)

    return rule


register("max amax maximum.reduce", _reduced("max"))
register("min amin minimum.reduce", _reduced("min"))
register("median", _reduced("median"))
register("all", lambda x, axis=None, **kwargs: _reduced("min")(truth(x), axis, **kwargs))
register("any", lambda x, axis=None, **kwargs: _reduced("max")(truth(x), axis, **kwargs))
register("count_nonzero", lambda x, axis=None, **kwargs: _summed("sum")(truth(x), axis, **kwargs))


def _product(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Box:
    x = boxed(x)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % x.ndim for a in axes)
    front = moved(np.moveaxis, x, axes, range(len(axes)))
    flat = moved(np.reshape, front, (-1, *front.shape[len(axes) :]))
    made = boxed(np.ones(flat.shape[1:]))
    for i in range(flat.shape[0]):
        made = multiply(made, flat[i])
    return moved(np.expand_dims, made, axes) if keepdims else made


register("prod", _product)


def _running(name: str) -> Rule:
    function = getattr(np, name)

    def rule(x: Any, axis: Any = None, **kwargs: Any) -> Box:
        x = boxed(x) if axis is not None else moved(np.ravel, x)
        axis = 0 if axis is None else axis
        with np.errstate(all="ignore"):
            return Box(function(x.lo, axis=axis), function(x.hi, axis=axis), np.logical_or.accumulate(x.nan, axis=axis), x.dtype)

    return rule


register("cumsum", _running("cumsum"))


def _so_far(function: Any) -> Rule:
    def rule(x: Any, axis: int = 0, **kwargs: Any) -> Box:
        x = boxed(x)
        return Box(function.accumulate(x.lo, axis), function.accumulate(x.hi, axis), np.logical_or.accumulate(x.nan, axis), x.dtype)

    return rule


def _running_product(x: Any, axis: Any = None, **kwargs: Any) -> Box:
    x = boxed(x) if axis is not None else moved(np.ravel, x)
    lines = moved(np.moveaxis, x, 0 if axis is None else axis, 0)
    made = [lines[0:1]] if lines.shape[0] else []
    for i in range(1, lines.shape[0]):
        made.append(multiply(made[-1], lines[i : i + 1]))
    return moved(np.moveaxis, joined(np.concatenate, made), 0, 0 if axis is None else axis) if made else x  # type: ignore[no-any-return]


def _increasing(function: Any) -> Rule:
    """A fold along axes that grows with every element."""

    def rule(x: Any, axis: Any = 0, **kwargs: Any) -> Box:
        x = boxed(x)
        with np.errstate(all="ignore"):
            return Box(function(x.lo, axis=axis, **kwargs), function(x.hi, axis=axis, **kwargs), bool(x.nan.any()), float_of(x))

    return rule


register("cumprod", _running_product)
register("logaddexp.reduce", _increasing(np.logaddexp.reduce))
register("logaddexp.accumulate", _increasing(np.logaddexp.accumulate))
register("maximum.accumulate", _so_far(np.maximum))
register("minimum.accumulate", _so_far(np.minimum))


def _spread(root: bool) -> Rule:
    """A variance lies between 0 and a quarter of the square of the range, times n / (n - ddof)."""

    def rule(x: Any, axis: Any = None, ddof: float = 0, keepdims: bool = False, **kwargs: Any) -> Box:
        x = boxed(x)
        if not x.size:
            raise Unbounded("the variance of nothing")
        hi, lo = np.max(x.hi, axis=axis, keepdims=keepdims), np.min(x.lo, axis=axis, keepdims=keepdims)
        count = x.size / max(1, np.size(hi))
        few = count - ddof <= 0
        with np.errstate(all="ignore"):
            most = (hi - lo) ** 2 / 4 * count / max(count - ddof, 1e-300) + 1e-300
        most = np.where(np.isnan(most), INF, most)
        nan = np.any(x.nan, axis=axis, keepdims=keepdims) | few | np.isinf(hi) | np.isinf(lo)
        return Box(np.zeros_like(most), np.sqrt(most) if root else most, nan, float_of(x))

    return rule


register("var", _spread(False))
register("std", _spread(True))


def _position(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Box:
    x = boxed(x)
    like = np.max(np.zeros(x.shape), axis=axis, keepdims=keepdims)
    count = x.size if axis is None else x.shape[axis]
    return Box(np.zeros_like(like), np.full_like(like, count - 1), False, np.int64)


register("argmax argmin", _position)
register("argsort", lambda x, axis=-1, **kwargs: Box(np.zeros(x.shape), np.full(x.shape, x.shape[axis] - 1 if x.ndim else 0), False, np.int64))

# --- products of matrices ---


def _bilinear(function: Any) -> Rule:
    """A product that is linear in each argument, by mid points and radii."""

    def rule(x: Any, y: Any, *args: Any, **kwargs: Any) -> Box:
        x, y = boxed(x), boxed(y)
        if not all(np.isfinite(side).all() for side in (x.lo, x.hi, y.lo, y.hi)):
            lo = function(np.zeros(x.shape), np.zeros(y.shape), *args, **kwargs)
            return Box(lo - INF, lo + INF, True, kind_of(x, y))
        with np.errstate(all="ignore"):
            a, r, b, s = (x.lo + x.hi) / 2, (x.hi - x.lo) / 2, (y.lo + y.hi) / 2, (y.hi - y.lo) / 2
            middle = function(a, b, *args, **kwargs)
            radius = function(np.abs(a), s, *args, **kwargs) + function(r, np.abs(b), *args, **kwargs) + function(r, s, *args, **kwargs)
            slack = 1e-12 * function(np.abs(a) + r, np.abs(b) + s, *args, **kwargs)
        nan = bool(x.nan.any() or y.nan.any()) | ~np.isfinite(middle + radius)
        return Box(middle - radius - slack, middle + radius + slack, nan, kind_of(x, y))

    return rule


for one in ("matmul", "dot", "tensordot", "inner", "outer", "vdot", "kron", "convolve"):
    register(one, _bilinear(getattr(np, one)))


def _einsum(pattern: str, *operands: Any, **kwargs: Any) -> Box:
    if len(operands) == 1:
        x = boxed(operands[0])
        with np.errstate(all="ignore"):
            return Box(np.einsum(pattern, x.lo), np.einsum(pattern, x.hi), bool(x.nan.any()), x.dtype)
    if len(operands) != 2:
        raise Unbounded("einsum of more than two")
    return _bilinear(lambda a, b: np.einsum(pattern, a, b))(*operands)  # type: ignore[no-any-return]


register("einsum", _einsum)

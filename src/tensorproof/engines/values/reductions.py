"""Rules for boxes: reductions, running totals and products of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tensorproof.engines.values.boxes import TOTALS, Box, Rule, Unbounded, boxed, float_of, interval, joined, kind_of, moved, register
from tensorproof.engines.values.open_ends import added, spread
from tensorproof.engines.values.pairs import multiply, truth
from tensorproof.engines.values.rounding import Rounding, outwards
from tensorproof.engines.values.whole_numbers import EXACT, STEP

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Axes, Like, Numbers, Reals, Truths

Summed: TypeAlias = "Callable[[Reals], Reals]"
"""Totals of numbers, along the axes that a reduction is of."""
Met: TypeAlias = "Callable[[Truths], Truths]"
"""Whether any is true, along the same axes."""
INF = math.inf
_REAL = np.dtype(np.float64)


def _summed(name: str) -> Rule:
    def rule(x: Like, axis: Axes = None, weights: Numbers | float | None = None, **kwargs: Any) -> Box:
        x = boxed(x)
        if x.size == 1 and weights is None and x.dtype == _REAL:
            least, most, lost = TOTALS[name](x.lo.item(), x.hi.item(), x.nan.item(), 1.0, 0.0)
            return interval(least, most, x.ndim if kwargs.get("keepdims") else x.ndim - _how_many(axis, x.ndim), _REAL, lost)
        along = {"axis": axis, **{k: v for k, v in kwargs.items() if k == "keepdims"}}
        every = np.ones(x.shape) if weights is None else np.broadcast_to(weights, x.shape)
        count = float(np.max(np.sum(every, **along), initial=0.0))
        lo, hi, nan = _added(x, lambda side: np.sum(side * every, **along), lambda flags: np.any(flags, **along), count)
        whole = x.dtype.kind in "biu" and name == "sum"
        if name == "mean":
            lo, hi, nan = (lo / count, hi / count, nan) if count else (lo, hi, np.ones_like(nan))
        return Box(lo, hi, nan, np.dtype(np.int64) if whole else float_of(x))

    return rule


def _how_many(axis: Axes, rank: int) -> int:
    """How many axes are reduced."""
    return rank if axis is None else len(axis) if isinstance(axis, (tuple, list)) else 1


def _added(x: Box, total: Summed, either: Met, count: float) -> tuple[Reals, Reals, Truths]:
    """Bounds of sums of so many numbers in any order: rounding grows with the sizes of the summands, and partial sums may overflow on either side."""
    if x.dtype.kind == "f" and np.isfinite(x.lo).all() and np.isfinite(x.hi).all():
        return _added_finite(x, total, either, count)
    with np.errstate(all="ignore"):
        lo, hi = (total(np.where(np.isinf(side), 0.0, side)) for side in (x.lo, x.hi))
        size = np.maximum(np.abs(x.lo), np.abs(x.hi))
        highest, lowest = total(np.maximum(x.hi, 0.0)), total(np.minimum(x.lo, 0.0))
        if x.dtype.kind == "f":
            slack = count * Rounding.step * total(np.where(np.isinf(size), 0.0, size))
            points = ~either((x.lo != x.hi) | (x.lo != np.rint(x.lo))) & (total(size) * Rounding.step < 1)
            slack = np.where(points | np.isnan(slack), 0.0, slack)
            lo, hi = np.where(lowest == 0, np.maximum(lo - slack, 0.0), lo - slack), np.where(highest == 0, np.minimum(hi + slack, 0.0), hi + slack)
        elif (size > EXACT / max(1, count)).any():  # float64 rounds the sums
            slack = count * STEP * total(size)
            lo, hi = lo - slack, hi + slack
    most = Rounding.greatest if x.dtype.kind == "f" else INF
    over, under = (highest > most) | np.isposinf(highest), (lowest < -most) | np.isneginf(lowest)
    Rounding.over = Rounding.over or bool((over & ~either(np.isposinf(x.hi))).any() or (under & ~either(np.isneginf(x.lo))).any())
    sure_over, sure_under = either(np.isposinf(x.lo)), either(np.isneginf(x.hi))
    lo, hi = np.where(under, -INF, np.where(sure_over, most, lo)), np.where(over, INF, np.where(sure_under, -most, hi))
    return lo, hi, either(x.nan) | (over & under)


def _added_finite(x: Box, total: Summed, either: Met, count: float) -> tuple[Reals, Reals, Truths]:
    """The same of finite real numbers."""
    most = Rounding.greatest
    with np.errstate(all="ignore"):
        sizes = total(np.maximum(np.abs(x.lo), np.abs(x.hi)))
        highest, lowest = total(np.maximum(x.hi, 0.0)), total(np.minimum(x.lo, 0.0))
        slack = count * Rounding.step * sizes
        same = x.lo == x.hi
        if same.any():
            slack = np.where(~either(~same | (x.lo != np.rint(x.lo))) & (sizes * Rounding.step < 1), 0.0, slack)
        slack = np.where(np.isnan(slack), 0.0, slack)
        lo, hi = total(x.lo) - slack, total(x.hi) + slack
        lo, hi = np.where(lowest == 0, np.maximum(lo, 0.0), lo), np.where(highest == 0, np.minimum(hi, 0.0), hi)
    over, under = highest > most, lowest < -most
    if over.any() or under.any():
        Rounding.over = True
        lo, hi = np.where(under, -INF, lo), np.where(over, INF, hi)
    return lo, hi, either(x.nan) | (over & under)


register("sum add.reduce", _summed("sum"), rounded=True, whole=True, total=added(False))
register("mean", _summed("mean"), rounded=True, total=added(True))


def _reduced(name: str) -> Rule:
    function: Callable[..., Reals] = getattr(np, name)

    def rule(x: Like, axis: Axes = None, **kwargs: Any) -> Box:
        x = boxed(x)
        kwargs = {k: v for k, v in kwargs.items() if k in ("keepdims", "initial")}
        flags = {k: v for k, v in kwargs.items() if k == "keepdims"}
        return Box(function(x.lo, axis=axis, **kwargs), function(x.hi, axis=axis, **kwargs), np.any(x.nan, axis=axis, **flags), x.dtype)

    return rule


register("max amax maximum.reduce", _reduced("max"))
register("min amin minimum.reduce", _reduced("min"))
register("median", _reduced("median"), rounded=True)
register("all", lambda x, axis=None, **kwargs: _reduced("min")(truth(x), axis, **kwargs))
register("any", lambda x, axis=None, **kwargs: _reduced("max")(truth(x), axis, **kwargs))
register("count_nonzero", lambda x, axis=None, **kwargs: _summed("sum")(truth(x), axis, **kwargs))


def _product(x: Like, axis: Axes = None, keepdims: bool = False, **kwargs: Any) -> Box:
    x = boxed(x)
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % x.ndim for a in axes)
    front = moved(np.moveaxis, x, axes, range(len(axes)))
    flat = moved(np.reshape, front, (math.prod(front.shape[: len(axes)]), *front.shape[len(axes) :]))
    made = boxed(np.ones(flat.shape[1:]))
    for i in range(flat.shape[0]):
        made = multiply(made, flat[i])
    made = _in_any_order(flat, made) if x.dtype.kind == "f" else Box(made.lo, made.hi, made.nan, np.int64)
    return moved(np.expand_dims, made, axes) if keepdims else made


def _in_any_order(factors: Box, made: Box) -> Box:
    """A product of the first axis, of which any partial product may overflow, or come to 0."""
    least, most = (
        np.abs(np.where((factors.lo <= 0) & (factors.hi >= 0), 0.0, np.minimum(abs(factors.lo), abs(factors.hi)))),
        np.maximum(np.abs(factors.lo), np.abs(factors.hi)),
    )
    with np.errstate(all="ignore"):
        over = np.prod(np.maximum(most, 1.0), axis=0) > Rounding.greatest
        under = np.prod(np.minimum(least, 1.0), axis=0) < Rounding.smallest
    lo, hi = np.where(under, np.minimum(made.lo, 0.0), made.lo), np.where(under, np.maximum(made.hi, 0.0), made.hi)
    signed = np.any(factors.lo < 0, axis=0)
    lo, hi = np.where(over, np.where(signed, -INF, 0.0), lo), np.where(over, INF, hi)
    return Box(lo, hi, made.nan | (over & under), made.dtype)


register("prod", _product, rounded=True, whole=True)


def _running_sum(x: Like, axis: int | None = None, **kwargs: Any) -> Box:
    x = boxed(x) if axis is not None else moved(np.ravel, x)
    along = 0 if axis is None else axis
    lo, hi, nan = _added(x, lambda side: np.cumsum(side, axis=along), lambda flags: np.logical_or.accumulate(flags, axis=along), x.size)
    return Box(lo, hi, nan, x.dtype)


register("cumsum", _running_sum, rounded=True, whole=True)


def _so_far(function: np.ufunc) -> Rule:
    def rule(x: Like, axis: int = 0, **kwargs: Any) -> Box:
        x = boxed(x)
        return Box(function.accumulate(x.lo, axis), function.accumulate(x.hi, axis), np.logical_or.accumulate(x.nan, axis), x.dtype)

    return rule


def _running_product(x: Like, axis: int | None = None, **kwargs: Any) -> Box:
    """Each product is rounded before it is multiplied again: one that is too small loses digits."""
    x = boxed(x) if axis is not None else moved(np.ravel, x)
    lines = moved(np.moveaxis, x, 0 if axis is None else axis, 0)
    made = [lines[0:1]] if lines.shape[0] else []
    for i in range(1, lines.shape[0]):
        product = multiply(made[-1], lines[i : i + 1])
        made.append(Box(*outwards(product.lo, product.hi), product.nan, product.dtype) if product.dtype.kind == "f" else product)
    return moved(np.moveaxis, joined(np.concatenate, made), 0, 0 if axis is None else axis) if made else x


def _logarithms(x: Like, axis: int = 0, **kwargs: Any) -> Box:
    """The logarithm of each running sum of exponentials, which grows with every element."""
    x = boxed(x)
    slack = slack_of_logarithms(x, x.shape[axis])
    with np.errstate(all="ignore"):
        lo, hi = (np.logaddexp.accumulate(side, axis=axis, **kwargs) for side in (x.lo, x.hi))
    return Box(lo - slack, hi + slack, bool(x.nan.any()), float_of(x))


def slack_of_logarithms(x: Box, count: int) -> float:
    """How far off the logarithm of a sum of exponentials may be: it is a sum of numbers of this size, which may cancel."""
    size = max((abs(end) for side in (x.lo, x.hi) for end in (side.min(initial=0.0), side.max(initial=0.0))), default=0.0)
    return 4.0 * Rounding.step * (1.0 + size) * max(1, min(count, 64)) if math.isfinite(size) else 0.0


register("cumprod", _running_product, rounded=True)
register("logaddexp.accumulate", _logarithms, rounded=True)
register("maximum.accumulate", _so_far(np.maximum))
register("minimum.accumulate", _so_far(np.minimum))


def _spread(root: bool) -> Rule:
    """A variance lies between 0 and a quarter of the square of the range, times n / (n - ddof)."""

    def rule(x: Like, axis: Axes = None, ddof: float = 0, keepdims: bool = False, count: float = 0, **kwargs: Any) -> Box:
        x = boxed(x)
        if not x.size:
            raise Unbounded("the variance of nothing")
        hi: Reals = np.max(x.hi, axis=axis, keepdims=keepdims)
        lo: Reals = np.min(x.lo, axis=axis, keepdims=keepdims)
        count = count or x.size / max(1, np.size(hi))
        few = count - ddof <= 0
        size = np.maximum(np.abs(hi), np.abs(lo))
        with np.errstate(all="ignore"):
            apart = hi - lo + 4 * count * Rounding.step * size + 1e-150  # the mean is rounded
            most = apart**2 / 4 * count / max(count - ddof, 1e-300)
            most = np.where((apart**2 * count > Rounding.greatest) | np.isnan(most) | few, INF, most)
            over = ~(size * count <= Rounding.greatest)
        nan = np.any(x.nan, axis=axis, keepdims=keepdims) | few | over
        return Box(np.zeros_like(most), np.sqrt(most) if root else most, nan, float_of(x))

    return rule


register("var", _spread(False), rounded=True, total=spread(False))
register("std", _spread(True), rounded=True, total=spread(True))


def _position(x: Like, axis: int | None = None, keepdims: bool = False, **kwargs: Any) -> Box:
    x = boxed(x)
    like: Reals = np.max(np.zeros(x.shape), axis=axis, keepdims=keepdims)
    count = x.size if axis is None else x.shape[axis]
    return Box(np.zeros_like(like), np.full_like(like, count - 1), False, np.int64)


def _order(x: Box, axis: int = -1, **kwargs: object) -> Box:
    return Box(np.zeros(x.shape), np.full(x.shape, x.shape[axis] - 1 if x.ndim else 0), False, np.int64)


register("argmax argmin", _position)
register("argsort", _order)

# --- products of matrices ---


def _bilinear(function: Callable[..., Reals]) -> Rule:
    """A product that is linear in each argument, by mid points and radii. Elements of x may stand for several (`weights`)."""

    def rule(x: Like, y: Like, *args: Any, weights: Numbers | float = 1.0, **kwargs: Any) -> Box:
        x, y = boxed(x), boxed(y)
        if not all(np.isfinite(side).all() for side in (x.lo, x.hi, y.lo, y.hi)):
            lo = function(np.zeros(x.shape), np.zeros(y.shape), *args, **kwargs)
            return Box(lo - INF, lo + INF, True, kind_of(x, y))
        with np.errstate(all="ignore"):
            a, b = x.lo / 2 + x.hi / 2, y.lo / 2 + y.hi / 2
            r, s = np.maximum(x.hi - a, a - x.lo) * weights, np.maximum(y.hi - b, b - y.lo)
            a = a * weights
            middle = function(a, b, *args, **kwargs)
            radius = function(np.abs(a), s, *args, **kwargs) + function(r, np.abs(b), *args, **kwargs) + function(r, s, *args, **kwargs)
            size = function(np.abs(a) + r, np.abs(b) + s, *args, **kwargs)
            terms = function(np.ones(x.shape) * weights, np.ones(y.shape), *args, **kwargs)
            slack = ((terms + 4) * Rounding.step + 1e-12) * size + terms * Rounding.smallest
        exact = size < EXACT if kind_of(x, y).kind != "f" else _whole(x) & _whole(y) & (size * Rounding.step < 1)
        slack = np.where(exact & (radius == 0), 0.0, slack)
        over = ~(size <= Rounding.greatest)
        Rounding.over = Rounding.over or bool(over.any())
        lo, hi = np.where(over, -INF, middle - radius - slack), np.where(over, INF, middle + radius + slack)
        return Box(lo, hi, bool(x.nan.any() or y.nan.any()) | over, kind_of(x, y))

    return rule


def _whole(x: Box) -> bool:
    """Whether all are whole numbers."""
    return bool(((x.lo == x.hi) & (x.lo == np.rint(x.lo))).all())


for one in ("matmul", "dot", "tensordot", "inner", "outer", "vdot", "kron", "convolve"):
    register(one, _bilinear(getattr(np, one)), rounded=True)


def _einsum(pattern: str, *operands: Any, weights: Numbers | float = 1.0, **kwargs: Any) -> Box:
    if len(operands) == 1:
        x = boxed(operands[0])
        lo, hi, nan = _added(x, lambda side: np.einsum(pattern, side), lambda flags: np.einsum(pattern, flags.astype(np.float64)) > 0, x.size)
        return Box(lo, hi, nan, x.dtype)
    if len(operands) != 2:
        raise Unbounded("einsum of more than two")
    return _bilinear(lambda a, b: np.einsum(pattern, a, b))(*operands, weights=weights)  # type: ignore[no-any-return]


register("einsum", _einsum, rounded=True)

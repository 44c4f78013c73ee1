"""Reference functions of grids: images sampled at fractional points."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.images.formulas.resize_weights import cubic
from tensorproof.ops.evaluation import Arguments, Undefined, Undetermined, around, points

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _line(np: Numpy, count: int, aligned: bool) -> Array:
    """From -1 to 1, at the middles of pixels or from corner to corner."""
    if aligned:
        return np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros((count,))
    return (2 * np.arange(count) + 1) / count - 1


def affine_grid(np: Numpy, a: Arguments) -> Array:
    sizes = a["size"][2:]
    lines = np.meshgrid(*(_line(np, n, a["align_corners"]) for n in sizes), indexing="ij")
    base = np.stack([*lines[::-1], np.ones(lines[0].shape)], -1)
    base = np.reshape(base, (prod(sizes), len(sizes) + 1))
    base = around(np, a["x"], base, np.where(base == 1, 0.0, 4 * (a["results"][0].step if a["results"][0] is not None else 0.0)))
    made = np.matmul(base, np.swapaxes(a["x"], -1, -2))
    return np.reshape(made, (a["x"].shape[0], *sizes, len(sizes)))


def _reflected(np: Numpy, at: Array, size: int, aligned: bool) -> Array:
    low, span = (0.0, size - 1.0) if aligned else (-0.5, float(size))
    if span <= 0:
        return at * 0
    away = np.abs(at - low)
    extra, turns = np.fmod(away, span), np.floor(away / span)
    return np.where(turns % 2 == 0, extra + low, span - extra + low)


def _inside(np: Numpy, at: Array, size: int, mode: str, aligned: bool) -> Array:
    if mode == "border":
        return np.clip(at, 0, size - 1)
    return np.clip(_reflected(np, at, size, aligned), 0, size - 1) if mode == "reflection" else at


def _beyond_brought_in(np: Numpy, at: Array, size: int, mode: str, aligned: bool) -> Array:
    """Points within half a pixel of an image whose corners are not aligned stay where they are."""
    low, high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
    inside = np.clip(at, 0, size - 1) if mode == "border" else _reflected(np, at, size, aligned) if mode == "reflection" else at
    return np.where((at < low) | (at > high), inside, at)


def _taken(np: Numpy, x: Array, at: list[Array], mode: str, aligned: bool) -> Array:
    """Pixels of each image of the batch at whole places (batch, ...), 0 outside."""
    sizes = x.shape[2:]
    at = [_inside(np, p, n, mode, aligned) for p, n in zip(at, sizes)]
    valid = np.ones(at[0].shape, bool)
    flat = np.zeros(at[0].shape, np.int64)
    for p, n in zip(at, sizes):
        valid = valid & (p >= 0) & (p <= n - 1)
        flat = flat * n + np.clip(np.nan_to_num(p), 0, n - 1).astype(np.int64)
    batch, channels = x.shape[:2]
    count = prod(flat.shape[1:])
    places = np.broadcast_to(np.reshape(flat, (batch, 1, count)), (batch, channels, count))
    taken = np.take_along_axis(np.reshape(x, (batch, channels, prod(sizes))), places, 2)
    return np.where(np.reshape(valid, (batch, 1, count)), taken, 0.0)


def _anywhere(np: Numpy, x: Array, shape: Any) -> Array:
    """Bounds of samples at points that are not known: between pixels, or outside."""
    flat = np.reshape(x, (*x.shape[:2], prod(x.shape[2:])))
    high, low = np.maximum(np.max(flat, axis=2), 0.0), np.minimum(np.min(flat, axis=2), 0.0)
    ends = (np.broadcast_to(np.reshape(side, (*x.shape[:2], *(1,) * (len(shape) - 2))), shape) for side in (low.lo, high.hi))
    bounds: Callable[..., Array] = type(x)
    return bounds(*ends, True)


def _decided(np: Numpy, places: list[Array], at: list[Array], sizes: Any, a: Arguments) -> bool:
    """Whether each point has one nearest pixel, however its place is rounded."""
    step = 1e-7 if a["results"][0] is None else max(a["results"][0].step, 1e-7)
    for p, q, n in zip(places, at, sizes):
        error = np.maximum(8 * step * (np.abs(p) + 1) * n, 1e-5)
        if not np.all(np.isfinite(q) & (np.abs(q - np.floor(q) - 0.5) > error)):
            return False
    return True


def sampled(np: Numpy, a: Arguments) -> Array:
    x, mode, padding, aligned = a["x"], a["mode"], a["padding_mode"], a["align_corners"]
    sizes, shape = x.shape[2:], (*x.shape[:2], *a["grid"].shape[1:-1])
    if 0 in sizes or 0 in shape:
        return np.zeros(shape)
    try:
        grid = points(np, a["grid"])
    except Undetermined:
        if mode == "bicubic" or not hasattr(x, "of"):
            raise
        return _anywhere(np, x, shape)
    places = [grid[..., len(sizes) - 1 - i] for i in range(len(sizes))]
    at = [(p + 1) / 2 * (n - 1) if aligned else ((p + 1) * n - 1) / 2 for p, n in zip(places, sizes)]
    if mode != "bicubic":
        at = [_inside(np, p, n, padding, aligned) for p, n in zip(at, sizes)]
    elif a["points_inside"]:
        at = [_beyond_brought_in(np, p, n, padding, aligned) for p, n in zip(at, sizes)]
    if mode == "nearest":
        if not _decided(np, places, at, sizes, a):
            if hasattr(x, "of"):
                return _anywhere(np, x, shape)
            raise Undefined("a point between two pixels falls to either, as it is rounded")
        return np.reshape(_taken(np, x, [np.rint(p) for p in at], "zeros", aligned), shape)
    total: Array | float = 0.0
    base = [np.floor(p) for p in at]
    steps, curve, inside = ((0, 1), None, "zeros") if mode == "bilinear" else ((-1, 0, 1, 2), -0.75, padding)
    for offsets in product(steps, repeat=len(sizes)):
        weight = np.ones(at[0].shape)
        for p, b, o in zip(at, base, offsets):
            weight = weight * (1 - np.abs(p - b - o) if curve is None else cubic(np, p - b - o, curve))
        part = _taken(np, x, [b + o for b, o in zip(base, offsets)], inside, aligned)
        total = np.add(total, np.multiply(part, np.reshape(weight, (x.shape[0], 1, prod(weight.shape[1:])))))
    made = np.reshape(total, shape)
    return _rounded_points(np, a, made, at) if hasattr(made, "of") else made


def _rounded_points(np: Numpy, a: Arguments, made: Array, at: list[Array]) -> Array:
    """Bounds of samples at points that are rounded: the shares of neighbours change a little."""
    x, dtype = a["x"], a["results"][0]
    assert dtype is not None
    step = dtype.step
    axes = tuple(range(2, x.ndim))
    high, low = np.maximum(np.max(x, axis=axes, keepdims=True), 0.0), np.minimum(np.min(x, axis=axes, keepdims=True), 0.0)
    moved = sum((8 * step * (np.abs(p) + n) for p, n in zip(at, x.shape[2:])), 0.0)
    change = np.multiply(np.subtract(high, low), np.expand_dims(np.minimum(4.0 * np.nan_to_num(moved, nan=1.0), 4.0), 1))
    return np.subtract(made, change).of("either", np.add(made, change))

"""Reference functions of resizing: a matrix of weights for each axis, from places of the input to places of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.pooling import adaptive_mean
from tensorproof.ops.evaluation import Arguments, named

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def along(np: Numpy, x: Array, weights: Array, axis: int) -> Array:
    """One axis taken through a matrix (places of the result, places of the axis)."""
    return np.moveaxis(np.tensordot(x, weights, ((axis,), (1,))), -1, axis)


def cubic(np: Numpy, t: Array, a: float) -> Array:
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((t - 5) * t + 8) * t * a - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


def tent(np: Numpy, t: Array) -> Array:
    return np.maximum(0.0, 1.0 - np.abs(t))


def gathered(np: Numpy, places: Array, taps: list[tuple[Array, Any]], size: int) -> Array:
    """The matrix of taps: places beyond the ends are those at the ends."""
    made = np.zeros((len(places), size))
    rows = np.arange(len(places))
    for at, weight in taps:
        np.add.at(made, (rows, np.clip(at, 0, size - 1).astype(np.int64)), weight)
    return made


def interpolating(np: Numpy, places: Array, size: int, order: int, a: float = -0.75) -> Array:
    """Weights of order 1 or 3 at fractional places of an axis."""
    base = np.floor(places)
    steps = (0, 1) if order == 1 else (-1, 0, 1, 2)
    return gathered(np, places, [(base + s, tent(np, places - base - s) if order == 1 else cubic(np, places - base - s, a)) for s in steps], size)


def lanczos(np: Numpy, t: Array) -> Array:
    return np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0.0)


_SMOOTH = {"bilinear": tent, "bicubic": lambda np, t: cubic(np, t, -0.5), "lanczos": lanczos}


def smoothing(np: Numpy, size: int, count: int, ratio: float, mode: str) -> Array:
    """Weights that average over as much of the axis as a place of the result covers."""
    reach = {"bilinear": 1.0, "bicubic": 2.0, "lanczos": 3.0}[mode]
    wide = max(ratio, 1.0)
    made = np.zeros((count, size))
    for i in range(count):
        center = ratio * (i + 0.5)
        first, last = max(int(center - reach * wide + 0.5), 0), min(int(center + reach * wide + 0.5), size)
        t = (np.arange(first, last) - center + 0.5) / wide
        row = _SMOOTH[mode](np, t)
        made[i, first:last] = row / np.sum(row)
    return made


def _weights(np: Numpy, a: Arguments, size: int, count: int, factor: float | None) -> Array:
    mode = a["mode"]
    ratio = size / count if factor is None or a["recompute"] else 1.0 / factor
    if mode in ("nearest", "nearest-exact"):
        places = np.floor((np.arange(count) + (0.5 if mode == "nearest-exact" else 0.0)) * np.float32(ratio))
        return gathered(np, places, [(places, 1.0)], size)
    if a["align_corners"]:
        ratio = (size - 1) / (count - 1) if count > 1 else 0.0
    if a["antialias"]:
        return smoothing(np, size, count, ratio, mode)
    places = np.arange(count) * ratio if a["align_corners"] else (np.arange(count) + 0.5) * ratio - 0.5
    if mode != "bicubic":
        return interpolating(np, np.maximum(places, 0.0), size, 1)
    return interpolating(np, places, size, 3)


def interpolated(np: Numpy, a: Arguments) -> Array:
    x, size, scale = a["x"], a["size"], a["scale"]
    n = x.ndim - 2
    factors: tuple[Any, ...] = (None,) * n if scale is None else tuple(scale) if isinstance(scale, (tuple, list)) else (scale,) * n
    sizes = tuple(size) if size is not None else tuple(int(own * f) for own, f in zip(x.shape[2:], factors))
    if a["mode"] == "area":
        return adaptive_mean(np, named(x=x, output_size=sizes))
    made = x
    for axis, (own, count, factor) in enumerate(zip(x.shape[2:], sizes, factors), 2):
        if own != count or factor not in (None, 1):
            made = along(np, made, _weights(np, a, own, count, factor), axis)
    if made is not x and x.dtype.kind in "iu" and not a["mode"].startswith("nearest"):
        return np.clip(np.floor(np.add(made, 0.5)), 0, 255)
    return made

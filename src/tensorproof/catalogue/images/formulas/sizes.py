"""What resizing of images computes by TensorFlow's methods: a matrix of weights for the height and one for the width."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.images.formulas.resize_weights import along, cubic, gathered, interpolating, tent
from tensorproof.ops.evaluation import Arguments, around

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

_TABLE = 1024
"""Weights of the bicubic method are rounded to so many places between two elements."""
_STEP = 2.0**-22
"""By how much a weight between 0 and 1 is off that was computed as float32."""


def _keys(np: Numpy, t: Array) -> Array:
    return cubic(np, t, -0.5)


def _mitchell(np: Numpy, t: Array) -> Array:
    near, far = (7 / 6 * t - 2) * t * t + 8 / 9, ((-7 / 18 * t + 2) * t - 10 / 3) * t + 16 / 9
    return np.where(t < 1, near, np.where(t < 2, far, 0.0))


def _lanczos(radius: float) -> Callable[[Any, Any], Any]:
    return lambda np, t: np.where(t <= radius, np.sinc(t) * np.sinc(t / radius), 0.0)


def _gaussian(np: Numpy, t: Array) -> Array:
    return np.where(t < 1.5, np.exp(-2 * t * t), 0.0)


_KERNELS: dict[str, tuple[float, Callable[[Any, Any], Any]]] = {
    "bilinear": (1.0, tent), "bicubic": (2.0, _keys), "lanczos3": (3.0, _lanczos(3.0)), "lanczos5": (5.0, _lanczos(5.0)), "gaussian": (1.5, _gaussian),
    "mitchellcubic": (2.0, _mitchell),
}  # fmt: skip
"""How far the kernel of a method reaches, and the kernel as a function of distances."""


def _normalised(np: Numpy, weights: Array) -> Array:
    total = np.sum(weights, axis=1, keepdims=True)
    return np.where(np.abs(total) > 1e-30, weights / np.where(total == 0, 1.0, total), weights)


def _by_kernel(np: Numpy, size: int, count: int, method: str, antialias: bool) -> Array:
    """Weights by the distance of each element; with `antialias` the kernel is as wide as what an element of the result covers."""
    reach, kernel = _KERNELS[method]
    ratio = size / count
    wide = max(ratio, 1.0) if antialias else 1.0
    centers = (np.arange(count) + 0.5) * ratio
    apart = np.abs(np.arange(size) + 0.5 - centers.reshape((-1, 1))) / wide
    return _normalised(np, np.where(apart <= reach, kernel(np, apart), 0.0))


def _area(np: Numpy, size: int, count: int, ratio: float) -> Array:
    """How much of each element is covered; what lies beyond the image is its last element."""
    if not ratio:
        return np.ones((count, 1))
    first = (np.arange(count).astype(np.float32) * np.float32(ratio)).reshape((-1, 1))
    last = (np.arange(1, count + 1).astype(np.float32) * np.float32(ratio)).reshape((-1, 1))
    at = np.arange(max(size, int(np.ceil(count * ratio)) + 1))
    behind, before = at < first, at + 1 > last
    covered = np.where(behind, np.where(before, ratio, at + 1 - first), np.where(before, last - at, 1.0)) / ratio
    covered = np.where((at + 1 > first) & (at < last), covered, 0.0)
    return np.concatenate([covered[:, : size - 1], np.sum(covered[:, size - 1 :], axis=1, keepdims=True)], axis=1)


def _bicubic(np: Numpy, places: Array, size: int, half_pixel_centers: bool) -> Array:
    """Weights from a table; by half pixels, those of elements beyond the image are left out."""
    base = np.floor(places)
    t = np.rint((places - base) * _TABLE) / _TABLE
    factor = -0.5 if half_pixel_centers else -0.75
    taps = [(base + s, cubic(np, np.abs(t - s), factor)) for s in (-1, 0, 1, 2)]
    if not half_pixel_centers:
        return gathered(np, places, taps, size)
    return _normalised(np, gathered(np, places, [(at, np.where((at >= 0) & (at < size), weight, 0.0)) for at, weight in taps], size))


def axis_weights(np: Numpy, size: int, count: int, method: str, align_corners: bool, half_pixel_centers: bool, antialias: bool) -> Array:
    """The matrix (places of the result, places of the axis)."""
    if method in _KERNELS and (antialias or method not in ("bilinear", "bicubic")):
        return _by_kernel(np, size, count, method, antialias)
    ratio = (size - 1) / (count - 1) if align_corners and count > 1 else size / count if count else 1.0
    if method == "area":
        return _area(np, size, count, ratio)
    single = np.arange(count).astype(np.float32)
    if method == "nearest":
        places = (single + np.float32(0.5 if half_pixel_centers else 0.0)) * np.float32(ratio)
        places = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
        return gathered(np, places, [(places, 1.0)], size)
    places = (single + np.float32(0.5)) * np.float32(ratio) - np.float32(0.5) if half_pixel_centers else single * np.float32(ratio)
    return interpolating(np, places, size, 1) if method == "bilinear" else _bicubic(np, places, size, half_pixel_centers)


def resized_image(np: Numpy, a: Arguments) -> Array:
    made, at, total = a["x"], a["axis"], 1.0
    for axis, count in enumerate(a["size"], at):
        flags = (bool(a["align_corners"]), bool(a["half_pixel_centers"]), bool(a["antialias"]))
        weights = axis_weights(np, made.shape[axis], count, a["method"], *flags)
        if a["method"] not in ("nearest", "area"):
            weights = around(np, made, weights, _STEP * np.where((weights == 0) | (weights == 1), 0.0, max(made.shape[axis], 4)))
        if a["method"] == "area" and count:  # what is covered is summed first, which may overflow
            weights, total = weights * max(made.shape[axis] / count, 1.0), total * max(made.shape[axis] / count, 1.0)
        made = along(np, made, weights, axis)
    return made if total == 1.0 else np.divide(made, total)

"""What resizing as ONNX has it computes: a matrix of weights for each axis, from places of the input to places of the result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.images.formulas.resize_weights import along, cubic, gathered, tent
from tensorproof.ops.evaluation import Arguments, points

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _numbers(np: Numpy, value: Any) -> list[float]:
    """Numbers that may stand in a tensor."""
    if value is None:
        return []
    made: list[float] = points(np, value).tolist() if hasattr(value, "shape") else list(value)
    return made


def _factors(np: Numpy, a: Arguments, axes: list[int]) -> dict[int, tuple[float, int]]:
    """The scale and the new size of each axis."""
    shape, sizes, scales = a["x"].shape, _numbers(np, a["size"]), _numbers(np, a["scale"])
    if not sizes:
        single = [float(np.float32(s)) for s in scales]
        return {axis: (s, int(np.float32(shape[axis] * s))) for axis, s in zip(axes, single)}
    factors = [n / shape[axis] for n, axis in zip(sizes, axes)]
    if a["policy"] == "stretch":
        return {axis: (f, int(n)) for axis, f, n in zip(axes, factors, sizes)}
    factor = min(factors) if a["policy"] == "not_larger" else max(factors)
    return {axis: (factor, int(factor * shape[axis] + 0.5)) for axis in axes}


def _places(np: Numpy, mode: str, size: int, factor: float, count: int, region: tuple[float, float]) -> Array:
    """Where the elements of the result lie in the input."""
    at, wide = np.arange(count, dtype=np.float64), factor * size
    if mode == "align_corners":
        return at * (size - 1) / (wide - 1) if wide != 1 else at * 0
    if mode == "asymmetric":
        return at / factor
    if mode == "tf_crop_and_resize":
        reach = (region[1] - region[0]) * (size - 1)
        return (at * reach / (wide - 1) if wide != 1 else at * 0 + reach / 2) + region[0] * (size - 1)
    if mode == "pytorch_half_pixel" and wide == 1:
        return at * 0 - 0.5
    shift = size / 2 * (1 - count / wide) if mode == "half_pixel_symmetric" else 0.0
    return shift + (at + 0.5) / factor - 0.5


_NEAREST = {
    "round_prefer_floor": lambda np, x: np.ceil(x - 0.5), "round_prefer_ceil": lambda np, x: np.floor(x + 0.5), "floor": lambda np, x: np.floor(x),
    "ceil": lambda np, x: np.ceil(x),
}  # fmt: skip


def _weights(np: Numpy, a: Arguments, places: Array, size: int, factor: float) -> Array:
    if a["mode"] == "nearest":
        chosen = _NEAREST["floor" if a["older"] else a["nearest_mode"]](np, places)
        return gathered(np, places, [(chosen, np.where(a["exclude_outside"] & ((chosen < 0) | (chosen >= size)), 0.0, 1.0))], size)
    shrink = min(factor, 1.0) if a["antialias"] else 1.0
    reach = 1 if a["mode"] == "linear" else 2
    base, first = np.ceil(places) - 1, math.floor(-reach / shrink) + 1
    taps = [base + i for i in range(first, 2 - first)]
    weights = [tent(np, (t - places) * shrink) if reach == 1 else cubic(np, (t - places) * shrink, a["cubic_coeff_a"]) for t in taps]
    if a["antialias"]:
        total = sum(weights)
        weights = [s / total for s in weights]
    if a["exclude_outside"]:
        weights = [np.where((t < 0) | (t >= size), 0.0, s) for t, s in zip(taps, weights)]
        total = sum(weights)
        weights = [s / np.where(total == 0, 1.0, total) for s in weights]
    return gathered(np, places, list(zip(taps, weights)), size)


def resized(np: Numpy, a: Arguments) -> Array:
    x, mode = a["x"], "asymmetric" if a["older"] else a["coordinate_transformation_mode"]
    axes = list(range(x.ndim)) if a["dim"] is None else [axis % x.ndim for axis in a["dim"]]
    ends = _numbers(np, a["roi"]) if mode == "tf_crop_and_resize" else []
    made = x
    for i, (axis, (factor, count)) in enumerate(_factors(np, a, axes).items()):
        size, region = x.shape[axis], (ends[i], ends[i + len(axes)]) if ends else (0.0, 1.0)
        if math.isclose(factor, 1.0) and count == size and region == (0.0, 1.0):
            continue
        places = np.zeros(0) if not count else _places(np, mode, size, factor, count, region)
        made = along(np, made, _weights(np, a, places, size, factor or 1.0), axis)
        if mode == "tf_crop_and_resize":
            outside = np.reshape((places < 0) | (places > size - 1), (-1,) + (1,) * (x.ndim - axis - 1))
            made = np.where(outside, a["extrapolation_value"], made)
    dtype = a["results"][0]
    if dtype is None or not dtype.is_integer:
        return made
    low, high = (-(1 << dtype.bits - 1), (1 << dtype.bits - 1) - 1) if dtype.kind == "i" else (0, (1 << dtype.bits) - 1)
    return np.clip(np.round(made), low, high) if dtype.bits < 64 else np.round(made)

"""Reference functions of pools."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.mathematics import beside
from tensorproof.ops.sliding import fitting, greatest, same_padding, window_count, window_maximum, window_sum
from tensorproof.ops.window import places_rounded_up

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _slid(a: Arguments) -> tuple[Any, ...]:
    """Kernel, stride, dilation, padding and counts of the windows of a call."""
    kernel = tuple(a["kernel"])
    n = len(kernel)
    stride, dilation, padding = a["stride"] or kernel, a.get("dilation") or (1,) * n, a.get("padding") or (0,) * n
    sizes = a["x"].shape[-n:]
    if padding == "same":
        sides = same_padding(sizes, kernel, stride, dilation)
        return kernel, stride, dilation, sides, tuple(-(-m // s) for m, s in zip(sizes, stride))
    sides = list(zip(padding, a.get("padding_end") or padding))
    if not a["ceil_mode"]:
        return kernel, stride, dilation, sides, fitting([m + p + q for m, (p, q) in zip(sizes, sides)], kernel, stride, dilation)
    counts = tuple(places_rounded_up(m, p, q, d * (k - 1) + 1, s) for m, k, s, d, (p, q) in zip(sizes, kernel, stride, dilation, sides))
    return kernel, stride, dilation, sides, counts


def max_pool(np: Numpy, a: Arguments) -> Array | tuple[Array, ...]:
    return greatest(np, a["x"], *_slid(a)) if a["return_indices"] else window_maximum(np, a["x"], *_slid(a))


def mean_pool(np: Numpy, a: Arguments) -> Array:
    slid = _slid(a)
    divisor = a.get("divisor_override")
    if divisor is None:
        padded = a["padding"] != "same" and bool(a["count_include_pad"])
        divisor = window_count(np, a["x"].shape[-len(slid[0]) :], *slid, with_padding=padded)
    return np.divide(window_sum(np, a["x"], *slid), divisor)


def norm_pool(np: Numpy, a: Arguments) -> Array:
    """The root of the mean of powers, times the size of the kernel. Whole powers of whole numbers have a whole mean."""
    x, norm, slid = a["x"], a["norm"], _slid(a)
    powers = np.power(x, norm) if x.dtype.kind == "f" or norm >= 0 else np.power(np.multiply(x, 1.0), norm)
    mean = np.divide(window_sum(np, powers, *slid), window_count(np, x.shape[-len(slid[0]) :], *slid, with_padding=True))
    mean = np.trunc(mean) if x.dtype.kind != "f" and isinstance(norm, int) else mean
    return np.power(np.multiply(mean, prod(slid[0])), 1.0 / norm)


def _cuts(size: int, count: int) -> list[slice]:
    """`count` stretches that cover an axis."""
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _wanted(a: Arguments) -> tuple[int, ...]:
    n = len(a["output_size"])
    return tuple(own if size is None else size for size, own in zip(a["output_size"], a["x"].shape[-n:]))


def _by_axis(np: Numpy, a: Arguments, reduce: Any) -> Array:
    made, wanted = a["x"], _wanted(a)
    if not prod(wanted):
        return np.zeros((*made.shape[: made.ndim - len(wanted)], *wanted))
    for axis, count in enumerate(wanted, made.ndim - len(wanted)):
        lead = [slice(None)] * axis
        made = np.stack([reduce(made[(*lead, cut)], axis=axis) for cut in _cuts(made.shape[axis], count)], axis)
    return made


def adaptive_mean(np: Numpy, a: Arguments) -> Array:
    return beside(np, _by_axis(np, a, np.mean), _by_axis(np, a, np.sum))


def adaptive_max(np: Numpy, a: Arguments) -> Array | tuple[Array, ...]:
    values = _by_axis(np, a, np.max)
    if not a["return_indices"]:
        return values
    x, wanted = a["x"], _wanted(a)
    lead, sizes = x.shape[: x.ndim - len(wanted)], x.shape[x.ndim - len(wanted) :]
    here = np.reshape(np.arange(prod(sizes)), sizes)
    found = []
    for cuts in product(*(_cuts(size, count) for size, count in zip(sizes, wanted))):
        part = x[(..., *cuts)]
        first = np.argmax(np.reshape(part, (*lead, prod(part.shape[len(lead) :]))), axis=-1)
        found.append(np.take(np.ravel(here[cuts]), first))
    return values, np.reshape(np.stack(found, -1), values.shape) if found else np.zeros(values.shape, np.int64)

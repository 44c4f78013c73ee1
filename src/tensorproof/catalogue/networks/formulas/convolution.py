"""Reference functions of convolutions."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined
from tensorproof.ops.sliding import convolved, fitting, least, padded, patches, same_padding, transposed, with_bias

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

_MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def convolution(np: Numpy, a: Arguments) -> Array:
    x, weight, padding = a["x"], a["weight"], a["padding"]
    n = weight.ndim - 2
    if padding == "same":
        sides = same_padding(x.shape[-n:], weight.shape[2:], a["stride"], a["dilation"])
    else:
        before = (0,) * n if padding == "valid" else padding
        sides = list(zip(before, a["padding_end"] or before))
    images = x if x.ndim == n + 2 else np.expand_dims(x, 0)
    made = convolved(np, images, weight, a["stride"], a["dilation"], sides, a["groups"], _MODES[a["padding_mode"]])
    made = with_bias(np, made if weight.shape[1] else made[:, :0], a["bias"], n)
    return made if x.ndim == n + 2 else made[0]


def transposed_convolution(np: Numpy, a: Arguments) -> Array:
    x, weight, before = a["x"], a["weight"], a["padding"]
    n = weight.ndim - 2
    if not a["groups"]:
        raise Undefined("there is nothing to compute")
    if 0 in tuple(a["shapes"][0]):
        return np.zeros(tuple(a["shapes"][0]))
    if not weight.size:
        return with_bias(np, np.zeros(tuple(a["shapes"][0])), a["bias"], n)
    sides = list(zip(before, a["padding_end"] or before))
    extra = a["output_padding"]
    if a["output_size"] is not None:
        wanted = a["output_size"][-n:]
        sizes = zip(wanted, x.shape[-n:], weight.shape[2:], a["stride"], a["dilation"], sides)
        extra = tuple(w - ((m - 1) * s - p - q + d * (k - 1) + 1) for w, m, k, s, d, (p, q) in sizes)
    images = x if x.ndim == n + 2 else np.expand_dims(x, 0)
    made = with_bias(np, transposed(np, images, weight, a["stride"], a["dilation"], sides, extra, a["groups"]), a["bias"], n)
    return made if x.ndim == n + 2 else made[0]


def time_convolution(np: Numpy, a: Arguments) -> Array:
    """Time first and channels last."""
    x, weight, pad = a["x"], a["weight"], a["padding"]
    images = np.transpose(x, (1, 2, 0))
    made = convolved(np, images, np.transpose(weight, (2, 1, 0)), (1,), (1,), [(pad, pad)])
    return np.add(np.transpose(made, (2, 0, 1)), a["bias"])


def greatest_sum(np: Numpy, a: Arguments) -> Array:
    """Channels last; what lies outside of the image counts for nothing."""
    x, weight, stride, dilation = a["x"], a["weight"], a["stride"], a["dilation"]
    images, kernel, dtype = np.moveaxis(x, -1, 1), weight.shape[:2], a["results"][0]
    assert dtype is not None
    sides = same_padding(x.shape[1:3], kernel, stride, dilation) if a["padding"] == "SAME" else [(0, 0), (0, 0)]
    grown = padded(np, images, sides, least(np, x))
    if not prod(kernel):  # a window of nothing
        counts = tuple(-(-n // s) for n, s in zip(x.shape[1:3], stride)) if a["padding"] == "SAME" else fitting(grown.shape[2:], kernel, stride, dilation)
        return np.full((x.shape[0], *counts, x.shape[3]), dtype.least)
    counts, lowest = fitting(grown.shape[2:], kernel, stride, dilation), dtype.least
    taken, inside = (patches(np, one, kernel, stride, dilation, counts) for one in (grown, padded(np, np.ones(images.shape, bool), sides, False)))
    added = np.add(taken, np.reshape(weight, (kernel[0] * kernel[1], 1, weight.shape[2], 1, 1)))
    return np.maximum(np.moveaxis(np.max(np.where(inside, added, lowest), axis=0), 1, -1), lowest)

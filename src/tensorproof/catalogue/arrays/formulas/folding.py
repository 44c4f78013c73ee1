"""Reference functions of patches, columns and shuffled channels."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.sliding import fitting, folded, padded, patches, same_padding

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def columns(np: Numpy, a: Arguments) -> Array:
    x, kernel, stride, dilation = a["x"], a["kernel"], a["stride"], a["dilation"]
    grown = padded(np, x, [(p, p) for p in a["padding"]])
    counts = fitting(grown.shape[-2:], kernel, stride, dilation)
    taken = np.moveaxis(patches(np, grown, kernel, stride, dilation, counts), 0, -3)
    return np.reshape(taken, (*x.shape[:-3], x.shape[-3] * prod(kernel), prod(counts)))


def channel_patches(np: Numpy, a: Arguments) -> Array:
    x, kernel, stride, dilation = a["x"], a["kernel"], a["stride"], a["dilation"]
    sides = same_padding(x.shape[1:3], kernel, stride, dilation) if a["padding"] == "SAME" else [(0, 0), (0, 0)]
    taken = patches(np, padded(np, np.moveaxis(x, -1, 1), sides), kernel, stride, dilation)
    taken = np.transpose(taken, (1, 3, 4, 0, 2))
    return np.reshape(taken, (*taken.shape[:3], prod(kernel) * x.shape[3]))


def image_of_columns(np: Numpy, a: Arguments) -> Array:
    x = a["x"] if a["x"].ndim == 3 else np.expand_dims(a["x"], 0)
    made = folded(np, x, a["output_size"], a["kernel"], a["stride"], a["dilation"], [(p, p) for p in a["padding"]])
    return made if a["x"].ndim == 3 else made[0]


def pixels_of_channels(np: Numpy, a: Arguments) -> Array:
    (*lead, channels, height, width), f = a["x"].shape, a["factor"]
    if a["block_first"]:
        split = np.transpose(np.reshape(a["x"], (prod(lead), f, f, channels // (f * f), height, width)), (0, 3, 1, 2, 4, 5))
    else:
        split = np.reshape(a["x"], (prod(lead), channels // (f * f), f, f, height, width))
    return np.reshape(np.transpose(split, (0, 1, 4, 2, 5, 3)), (*lead, channels // (f * f), height * f, width * f))


def channels_of_pixels(np: Numpy, a: Arguments) -> Array:
    (*lead, channels, height, width), f = a["x"].shape, a["factor"]
    if a["empty_stays"] and not a["x"].size:
        return a["x"]
    split = np.reshape(a["x"], (prod(lead), channels, height // f, f, width // f, f))
    return np.reshape(np.transpose(split, (0, 3, 5, 1, 2, 4) if a["block_first"] else (0, 1, 3, 5, 2, 4)), (*lead, channels * f * f, height // f, width // f))


def channels_in_turn(np: Numpy, a: Arguments) -> Array:
    (batch, channels, *rest), groups = a["x"].shape, a["groups"]
    split = np.reshape(a["x"], (batch, groups, channels // groups, *rest))
    return np.reshape(np.swapaxes(split, 1, 2), a["x"].shape)

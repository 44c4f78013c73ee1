"""What gradients behind windows, normalisations, resizing, padding and slices compute."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorproof.catalogue.arrays.formulas.written_places import accumulated, new
from tensorproof.catalogue.frameworks.formulas.tensorflow_places import numbers, strided_slice
from tensorproof.catalogue.images.formulas.resize_weights import along
from tensorproof.catalogue.images.formulas.sizes import axis_weights
from tensorproof.ops.evaluation import Arguments, changed
from tensorproof.ops.sliding import fitting, folded, greatest, least, padded, patches, same_padding, surrounded, window_count

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


Window = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], list[tuple[int, int]]]


def _window(a: Arguments) -> Window:
    """Kernel, stride, dilation and sides of a window that slides."""
    kernel = tuple(a["kernel"])
    return kernel, a["stride"], (1,) * len(kernel), list(zip(a["padding"], a["padding_end"] or a["padding"]))


def _back(np: Numpy, parts: Array, sizes: tuple[int, ...], window: Window) -> Array:
    """Shares (places in a window, batch, channels, windows ...) summed into images of these sizes."""
    kernel, stride, dilation, sides = window
    places, batch, channels = parts.shape[:3]
    columns = np.reshape(np.moveaxis(parts, 0, 2), (batch, channels * places, prod(parts.shape[3:])))
    return folded(np, columns, sizes, kernel, stride, dilation, sides)


def max_pool_gradient(np: Numpy, a: Arguments) -> Array:
    """The first greatest element of a window takes the gradient, or each that equals the value (`ties`)."""
    x, y, window = a["x"], a["y"], _window(a)
    kernel, stride, dilation, sides = window
    if not prod(y.shape):
        return np.zeros(x.shape)
    taken = patches(np, padded(np, x, sides, least(np, x)), kernel, stride, dilation, y.shape[2:])
    if a["ties"]:
        chosen = np.equal(taken, np.expand_dims(a["values"], 0))
    else:
        chosen = np.equal(np.expand_dims(np.argmax(taken, axis=0), 0), np.arange(prod(kernel)).reshape((-1, *[1] * y.ndim)))
    return _back(np, np.where(chosen, np.expand_dims(y, 0), 0), x.shape[2:], window)


def mean_pool_gradient(np: Numpy, a: Arguments) -> Array:
    """Each element of a window takes an equal share."""
    y, window, size = a["y"], _window(a), tuple(numbers(np, a["size"]))
    kernel, stride, dilation, sides = window
    counted = window_count(np, size[2:], kernel, stride, dilation, sides, y.shape[2:], with_padding=bool(a["count_include_pad"]))
    share = np.divide(y, counted)
    return _back(np, np.stack([share] * prod(kernel)), size[2:], window)


def max_pool_positions(np: Numpy, a: Arguments) -> Array:
    """Channels last."""
    x, kernel, stride = np.moveaxis(a["x"], -1, 1), tuple(a["kernel"]), a["stride"]
    ones, sizes, channels = (1,) * len(kernel), x.shape[2:], x.shape[1]
    sides = same_padding(sizes, kernel, stride, ones) if a["padding"] == "SAME" else [(0, 0)] * len(kernel)
    counts = fitting([n + p + q for n, (p, q) in zip(sizes, sides)], kernel, stride, ones)
    places = np.moveaxis(greatest(np, x, kernel, stride, ones, sides, counts)[1], 1, -1) * channels + np.arange(channels)
    before = np.arange(x.shape[0]).reshape((-1, *[1] * (x.ndim - 1))) * prod(x.shape[1:])
    return places + before if a["include_batch"] else places


def conv_weight_gradient(np: Numpy, a: Arguments) -> Array:
    """Products of the gradient with what stood in each window."""
    x, y, size, groups = a["x"], a["y"], tuple(numbers(np, a["size"])), a["groups"]
    kernel, sides, counts = size[2:], list(zip(a["padding"], a["padding_end"] or a["padding"])), y.shape[2:]
    if not prod(size) or not prod(y.shape):
        return np.zeros(size)
    taken = patches(np, surrounded(np, x, sides), kernel, a["stride"], a["dilation"], counts)
    split = np.reshape(taken, (prod(kernel), x.shape[0], groups, x.shape[1] // groups, prod(counts)))
    behind = np.reshape(y, (y.shape[0], groups, y.shape[1] // groups, prod(counts)))
    return np.reshape(np.einsum("pngcl,ngml->gmcp", split, behind), size)


def batch_norm_gradient(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    """In training the mean and the variance depend on x as well."""
    x, y = a["x"], a["y"]
    axes = tuple(i for i in range(x.ndim) if i != 1)
    weight, mean, variance = (np.reshape(a[name], (1, -1, *[1] * (x.ndim - 2))) for name in ("weight", "mean", "variance"))
    apart, scale = x - mean, 1 / np.sqrt(variance + a["eps"])
    by_weight, by_bias = np.sum(y * apart * scale, axis=axes), np.sum(y, axis=axes)
    if not a["training"]:
        return y * (weight * scale), by_weight, by_bias
    common = np.mean(y, axis=axes, keepdims=True) + apart * np.mean(y * apart, axis=axes, keepdims=True) / (variance + a["eps"])
    return weight * scale * (y - common), by_weight, by_bias


def resize_image_gradient(np: Numpy, a: Arguments) -> Array:
    """The transpose of the resizing."""
    y, sizes = a["y"], a["x"].shape[1:3] if a["x"] is not None else tuple(numbers(np, a["size"]))
    for axis, size in enumerate(sizes, 1):
        weights = axis_weights(np, size, y.shape[axis], a["method"], bool(a["align_corners"]), bool(a["half_pixel_centers"]), False)
        y = along(np, y, np.transpose(weights), axis)
    return y


def mirror_pad_gradient(np: Numpy, a: Arguments) -> Array:
    """The edges of each axis are turned and added to what they mirror."""
    x, skipped = a["x"], int(a["mode"] == "REFLECT")
    for axis, (before, after) in enumerate(a["paddings"]):
        lead = (slice(None),) * axis
        n = x.shape[axis] - before - after
        made = x[(*lead, slice(before, before + n))]
        for edge, first in ((x[(*lead, slice(0, before))], skipped), (x[(*lead, slice(before + n, None))], n - after - skipped)):
            size = edge.shape[axis]
            widths = [(0, 0)] * x.ndim
            widths[axis] = (first, n - first - size)
            made = np.add(made, np.pad(np.flip(edge, axis), widths)) if size else made
        x = made
    return x


def _placed(np: Numpy, x: Array, a: Arguments) -> Array:
    places = strided_slice(np, changed(a, x=np.arange(prod(x.shape)).reshape(x.shape)))
    return accumulated(np, x, places, np.broadcast_to(a["y"], places.shape), new)


def strided_slice_gradient(np: Numpy, a: Arguments) -> Array:
    return _placed(np, np.zeros(tuple(numbers(np, a["size"])), a["y"].dtype), a)


def strided_slice_update(np: Numpy, a: Arguments) -> Array:
    return _placed(np, a["x"], a)

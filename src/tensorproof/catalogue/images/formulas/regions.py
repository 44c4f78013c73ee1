"""What the operators on regions of images compute: reference functions with NumPy. Where regions lie must be given."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.formulas.onnx_windows import displaced_convolution
from tensorproof.ops.evaluation import Arguments, Undefined, changed, plain, points
from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _single(np: Numpy, a: Arguments, value: Array) -> Array:
    """Coordinates rounded to the element type of the result: whether a region ends at a pixel depends on it."""
    dtype = a["results"][0]
    return value.astype(dtype.label).astype(np.float64) if dtype is not None and dtype.label in ("float16", "float32") else value


def _images(np: Numpy, x: Array, numbers: Array) -> Array:
    """The numbers of images; beside the tensor, or in images without pixels, anything may be read."""
    index = numbers.astype(np.int64)
    if index.size and (np.any((index < 0) | (index >= x.shape[0])) or not prod(x.shape[2:])):
        raise Undefined
    return index


def _corners(np: Numpy, a: Arguments, boxes: Array, scale: float, shift: float) -> tuple[Array, Array]:
    """Where regions (left, top, right, bottom) begin and how far they reach, along the height and the width."""
    left = _single(np, a, _single(np, a, boxes * scale) - shift)
    first, last = left[:, 1::-1], left[:, :1:-1]
    return first, _single(np, a, last - first)


# --- samples between pixels ---


def _samples(np: Numpy, start: Array, step: Array, count: int, grid: int) -> Array:
    """The places of `grid` samples in each of `count` parts of an axis: (parts, samples)."""
    return start + np.expand_dims(np.arange(count) * step, 1) + np.expand_dims((np.arange(grid) + 0.5) * step / max(grid, 1), 0)


def _taps(np: Numpy, at: Array, size: int) -> tuple[Array, Array, Array, Array]:
    """The pixels before and behind each place of an axis, with their shares; none far outside."""
    inside = (at >= -1.0) & (at <= size)
    low = np.clip(np.floor(np.maximum(at, 0.0)), 0, size - 1).astype(np.int64)
    share = np.where(low >= size - 1, 0.0, np.maximum(at, 0.0) - low)
    return low, np.minimum(low + 1, size - 1), np.where(inside, 1 - share, 0.0), np.where(inside, share, 0.0)


def _weights(np: Numpy, a: Arguments, at: Array, size: int) -> Array:
    """The matrix (parts, pixels) that sums the samples of each part. Beside bounds it is bounds as well: places are rounded, and one at the edge may be
    taken for outside."""
    low, high, near, far = _taps(np, at, size)
    pixels = np.arange(size)
    weights = np.expand_dims(near, 2) * (np.expand_dims(low, 2) == pixels) + np.expand_dims(far, 2) * (np.expand_dims(high, 2) == pixels)
    if not hasattr(a["x"], "of") or a["results"][0] is None:
        return np.sum(weights, axis=1)
    error = np.expand_dims(8 * a["results"][0].step * (np.abs(at) + size), 2)
    place = np.expand_dims(at, 2)
    edge = (np.abs(place + 1) <= error) | (np.abs(place - size) <= error)
    error = np.where((place >= -1) & (place <= size), error, 0.0)
    least, most = np.where(edge, 0.0, np.maximum(weights - error, 0.0)), np.where(edge, 1.0, np.minimum(weights + error, 1.0))
    bounds: Callable[..., Array] = type(a["x"])
    return bounds(np.sum(least, axis=1), np.sum(most, axis=1))


def _count(lines: list[Any]) -> int:
    """How many samples each part has: their sum, which may overflow, is divided by it."""
    return max(prod(int(line.shape[1]) for line in lines), 1)


def _choices(np: Numpy, a: Arguments, at: Array, size: int) -> list[tuple[Array, ...]]:
    """The taps of places. Beside bounds they are those to both sides of each place, which is rounded, with bounds for shares."""
    if not hasattr(a["x"], "of") or a["results"][0] is None:
        return [_taps(np, at, size)]
    error = 8 * a["results"][0].step * (np.abs(at) + size)
    edge = (np.abs(at + 1) <= error) | (np.abs(at - size) <= error)
    inside = edge | ((at >= -1) & (at <= size))
    bounds: Callable[..., Array] = type(a["x"])
    found: list[tuple[Array, ...]] = []
    for side in (at - error, at + error):
        low, high, *weights = _taps(np, np.clip(side, -1.0, size), size)
        wide = [
            bounds(np.where(inside & ~edge, np.maximum(share - 2 * error, 0.0), 0.0), np.where(inside, np.minimum(share + 2 * error, 1.0), 0.0))
            for share in weights
        ]
        found.append((low, high, *wide))
    return found


def _greatest(np: Numpy, a: Arguments, x: Array, down: Array, across: Array) -> Array:
    """The greatest share of a pixel in the samples of each part, as ONNX has it."""
    if not down.size or not across.size:
        return np.zeros((x.shape[0], down.shape[0], across.shape[0]))
    parts = []
    for i, j in product((0, 1), (0, 1)):
        made: Array | None = None
        for rows, columns in product(_choices(np, a, down, x.shape[1]), _choices(np, a, across, x.shape[2])):
            taken = x[:, rows[i][:, :, None, None], columns[j]]
            weights = np.multiply(taken, np.multiply(rows[i + 2][:, :, None, None], columns[j + 2]))
            made = weights if made is None else made.of("either", weights)
        assert made is not None
        parts.append(np.max(made, axis=(2, 4)))
    return np.max(np.stack(parts), axis=0)


def _grid(np: Numpy, a: Arguments, reach: Any, sizes: tuple[int, int], ratio: int) -> list[int]:
    """How many samples a part of a region has along each axis; below 0 where the region is turned round."""
    return [ratio if ratio > 0 else int(np.ceil(_single(np, a, reach[i] / n))) for i, n in enumerate(sizes)]


def _aligned(np: Numpy, a: Arguments, x: Array, boxes: Array, index: Array, scale: float, sizes: Any, shifted: bool, mode: str = "avg") -> Array:
    first, reach = _corners(np, a, boxes, scale, 0.5 if shifted else 0.0)
    reach = reach if shifted else np.maximum(reach, 1.0)
    made = []
    for start, size, image in zip(first, reach, index.tolist()):
        grids = _grid(np, a, size, sizes, a["sampling_ratio"])
        lines = [_samples(np, start[i], size[i] / n, n, max(0, grid)) for i, (n, grid) in enumerate(zip(sizes, grids))]
        if mode == "max":
            made.append(_greatest(np, a, x[image], *lines))
            continue
        rows, columns = (_weights(np, a, line, n) for line, n in zip(lines, x.shape[2:]))
        empty = not all(line.size for line in lines)
        made.append(np.divide(np.matmul(np.matmul(rows * (not empty), x[image]), columns.T), _count(lines)))
    return np.stack(made) if made else np.zeros((0, x.shape[1], *sizes))


def aligned(np: Numpy, a: Arguments) -> Array:
    boxes = points(np, a["boxes"])
    return _aligned(np, a, a["x"], boxes[:, 1:], _images(np, a["x"], boxes[:, 0]), a["scale"], a["output_size"], bool(a["aligned"]))


def aligned_by_index(np: Numpy, a: Arguments) -> Array:
    if a["sampling_ratio"] < 0 or a["spatial_scale"] <= 0:
        raise Undefined
    sizes, half = (a["height"], a["width"]), a["coordinate_transformation_mode"] == "half_pixel"
    return _aligned(np, a, a["x"], points(np, a["rois"]), _images(np, a["x"], plain(np, a["index"])), a["spatial_scale"], sizes, half, a["mode"])


# --- pixels of parts ---


def _rounded(np: Numpy, value: Array) -> Array:
    """To the nearest whole number, halves away from zero."""
    return np.copysign(np.floor(np.abs(value) + 0.5), value).astype(np.int64)


def _bins(np: Numpy, a: Arguments, boxes: Array, scale: float, sizes: Any, shape: Any, closed: bool) -> list[list[list[range]]]:
    """For each region and axis the pixels of each part; `closed`: a region holds its last pixel."""
    whole = _rounded(np, _single(np, a, boxes * scale))
    first, last = whole[:, 1::-1], whole[:, :1:-1]
    reach = np.maximum(last - first + int(closed), 1)
    found = []
    for start, size in zip(first.tolist(), reach.tolist()):
        axes = []
        for begin, long, count, limit in zip(start, size, sizes, shape):
            step = _single(np, a, np.asarray(long / count))
            steps = [_single(np, a, np.asarray(i * step)) for i in range(count + 1)]
            edges = [(int(np.floor(low)) + begin, int(np.ceil(high)) + begin) for low, high in pairwise(steps)]
            most = limit if closed else limit - 1
            axes.append([range(min(max(low, 0), most), min(max(high, 0), most)) for low, high in edges])
        found.append(axes)
    return found


def _pooled(np: Numpy, a: Arguments, boxes: Array, scale: float) -> tuple[Array, ...]:
    """The greatest pixel of each part, 0 where it has none, and its place in the image, -1 then, or where none is more than the least number of float32."""
    x, sizes = a["x"], tuple(a["output_size"])
    least = -min(DType.FLOAT32.greatest, a["results"][0].greatest) if a["results"][0] is not None else -np.inf
    values, places = [], []
    images = _images(np, x, boxes[:, 0])
    for image, (down, across) in zip(images, _bins(np, a, boxes[:, 1:], scale, sizes, x.shape[2:], closed=True)):
        for i, j in ((i, j) for i in down for j in across):
            if not i or not j:
                values.append(np.zeros(x.shape[1:2]))
                places.append(np.full(x.shape[1:2], -1))
                continue
            part = x[image, :, i.start : i.stop, j.start : j.stop]
            flat = np.reshape(part, (x.shape[1], len(i) * len(j)))
            at = np.argmax(flat, axis=1)
            best = np.max(flat, axis=1)
            values.append(np.maximum(best, least))
            found = np.add(np.multiply(np.add(np.floor_divide(at, len(j)), i.start), x.shape[3]), np.add(np.remainder(at, len(j)), j.start))
            places.append(np.where(np.greater(best, least), found, -1))
    shape = (boxes.shape[0], *sizes, x.shape[1])
    if not values:
        return np.zeros((shape[0], x.shape[1], *sizes)), np.zeros((shape[0], x.shape[1], *sizes), np.int64)
    return tuple(np.moveaxis(np.reshape(np.stack(part), shape), 3, 1) for part in (values, places))


def pooled(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return _pooled(np, a, points(np, a["boxes"]), a["scale"])


def greatest_of_regions(np: Numpy, a: Arguments) -> Array:
    if a["spatial_scale"] <= 0:
        raise Undefined
    return _pooled(np, a, points(np, a["rois"]), a["spatial_scale"])[0]


def _channels(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The channels of x as (images, channels of the result, parts, ...), and the number of the channel that each part of the result reads."""
    x, (height, width) = a["x"], a["output_size"]
    parts, out = height * width, x.shape[1] // (height * width)
    numbers = np.reshape(np.arange(out * parts), (out, height, width))
    return np.reshape(x, (x.shape[0], out, parts, *x.shape[2:])), np.broadcast_to(numbers, (a["boxes"].shape[0], out, height, width))


def pooled_by_position(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The mean of each part, of the channel that belongs to its position."""
    boxes, (split, numbers) = points(np, a["boxes"]), _channels(np, a)
    sizes, made = tuple(a["output_size"]), []
    images = _images(np, a["x"], boxes[:, 0])
    for image, (down, across) in zip(images, _bins(np, a, boxes[:, 1:], a["scale"], sizes, a["x"].shape[2:], closed=False)):
        for at, (i, j) in enumerate((i, j) for i in down for j in across):
            part = split[image, :, at, i.start : i.stop, j.start : j.stop]
            made.append(np.mean(part, axis=(1, 2)) if i and j else np.zeros(split.shape[1:2]))
    if not made:
        return np.zeros(numbers.shape), numbers
    return np.moveaxis(np.reshape(np.stack(made), (boxes.shape[0], *sizes, split.shape[1])), 3, 1), numbers


def aligned_by_position(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The mean of samples between pixels, of the channel that belongs to the part's position; nan without samples, 0 where their number is below 0."""
    boxes, (split, numbers) = points(np, a["boxes"]), _channels(np, a)
    sizes, made = tuple(a["output_size"]), []
    first, reach = _corners(np, a, boxes[:, 1:], a["scale"], 0.5)
    for start, size, image in zip(first, reach, _images(np, a["x"], boxes[:, 0]).tolist()):
        grids = _grid(np, a, size, sizes, a["sampling_ratio"])
        lines = [_samples(np, start[i], size[i] / n, n, max(0, grid)) for i, (n, grid) in enumerate(zip(sizes, grids))]
        rows, columns = (_weights(np, a, line, n) for line, n in zip(lines, a["x"].shape[2:]))
        if not all(line.size for line in lines):
            made.append(np.full(numbers.shape[1:], np.nan if 0 in grids else 0.0))
            continue
        each = np.reshape(split[image], (split.shape[1], *sizes, *a["x"].shape[2:]))
        by_rows = np.sum(np.multiply(each, rows[:, None, :, None]), axis=3)
        made.append(np.divide(np.sum(np.multiply(by_rows, columns), axis=3), _count(lines)))
    return (np.stack(made) if made else np.zeros(numbers.shape)), numbers


def displaced(np: Numpy, a: Arguments) -> Array:
    """A deformable convolution over two axes as one over any."""
    kernel, padding = a["weight"].shape[2:], tuple(a["padding"])
    groups, parts = a["x"].shape[1] // max(a["weight"].shape[1], 1), a["offset"].shape[1] // max(2 * prod(kernel), 1)
    return displaced_convolution(np, changed(a, padding=(*padding, *padding), groups=groups, offset_groups=parts, auto_pad=None))

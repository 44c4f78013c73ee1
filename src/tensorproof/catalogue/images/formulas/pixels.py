"""What the operators on images compute: the reference functions of `images` and `image_measures`, with NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, around, plain, points
from tensorproof.ops.mathematics import beside

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

# --- colours ---

SINGLE = 3.4028234663852886e38
"""The greatest number of single precision."""


def ramps(np: Numpy, hue: Array) -> Array:
    """How much red, green and blue there is in a hue, a part of a whole turn."""
    turn = np.multiply(hue, 6.0)
    red = np.subtract(np.absolute(np.subtract(turn, 3.0)), 1.0)
    green, blue = (np.subtract(2.0, np.absolute(np.subtract(turn, at))) for at in (2.0, 4.0))
    return np.clip(np.stack([red, green, blue], -1), 0.0, 1.0)


def hue_of(np: Numpy, x: Array) -> tuple[Array, Array, Array]:
    """The hue of colours, with their least and their greatest part."""
    red, green, blue = x[..., 0], x[..., 1], x[..., 2]
    least, most = np.min(x, axis=-1), np.max(x, axis=-1)
    span = np.subtract(most, least)
    grey = np.less_equal(span, 0.0)
    unit = np.multiply(6.0, np.where(grey, 1.0, span))
    of_red, of_green, of_blue = (np.clip(np.true_divide(np.subtract(p, q), unit), -1 / 6, 1 / 6) for p, q in ((green, blue), (blue, red), (red, green)))
    if hasattr(unit, "of"):  # libraries multiply by the reciprocal, which may be flushed to 0 or overflow
        share = np.true_divide(1.0, unit)
        far = np.less_equal(share, 0.0)
        of_red, of_green, of_blue = (beside(np, np.where(far, one.of("either", np.zeros(one.shape)), one), share) for one in (of_red, of_green, of_blue))
    hue = np.where(np.equal(red, most), of_red, np.where(np.equal(green, most), np.add(of_green, 2 / 6), np.add(of_blue, 4 / 6)))
    hue = np.where(grey, 0.0, hue)
    return np.where(np.less(hue, 0.0), np.add(hue, 1.0), hue), least, most


def _of_finite(np: Numpy, x: Array, made: Array) -> Array:
    """What is made of colours; libraries differ in what they make of infinite ones."""
    return made.of("of_finite", x) if hasattr(made, "of") else made


def _in_single(np: Numpy, x: Array) -> Array:
    """Colours as TensorFlow changes them, in single precision: what is too large for it is infinite."""
    return np.where(np.greater(np.absolute(x), SINGLE), np.where(np.greater(x, 0.0), np.inf, -np.inf), x) if hasattr(x, "of") else x


def rgb_to_hsv(np: Numpy, a: Arguments) -> Array:
    hue, least, most = hue_of(np, a["x"])
    share = np.true_divide(np.subtract(most, least), np.where(np.greater(most, 0.0), most, 1.0))
    return _of_finite(np, a["x"], np.stack([hue, np.where(np.greater(most, 0.0), share, 0.0), most], -1))


def of_hsv(np: Numpy, hue: Array, saturation: Array, value: Any) -> Array:
    share = np.expand_dims(saturation, -1)
    return np.multiply(np.add(np.subtract(1.0, share), np.multiply(share, ramps(np, hue))), np.expand_dims(value, -1))


def hsv_to_rgb(np: Numpy, a: Arguments) -> Array:
    return _of_finite(np, a["x"], of_hsv(np, a["x"][..., 0], a["x"][..., 1], a["x"][..., 2]))


def _rounded_hue(np: Numpy, a: Arguments, hue: Array) -> Array:
    """A hue as libraries get it in another order of steps: what is small beside 1 may be lost, or kept."""
    step = 2.0**-23 if a["results"][0] is None else max(a["results"][0].step, 2.0**-23)
    return np.add(hue, around(np, hue, np.zeros(()), 4.0 * step))


def saturated(np: Numpy, a: Arguments) -> Array:
    made = rgb_to_hsv(np, a)
    hue, value = _rounded_hue(np, a, made[..., 0]), made[..., 2]
    share = np.clip(np.multiply(made[..., 1], a["factor"]), 0.0, 1.0)
    made = of_hsv(np, hue, share, value)
    if hasattr(made, "of"):  # TensorFlow has no colour for a hue that is rounded to a whole turn
        grey = np.multiply(np.expand_dims(np.multiply(np.subtract(1.0, share), value), -1), np.ones(3))
        made = np.where(np.expand_dims(np.greater_equal(hue, 1.0 - 2.0**-20), -1), made.of("either", grey), made)
    return _of_finite(np, _in_single(np, a["x"]), made)


def turned_hue(np: Numpy, a: Arguments) -> Array:
    """The least and the greatest part of a colour stay."""
    hue, least, most = hue_of(np, a["x"])
    turned = np.add(hue, a["factor"])
    share = ramps(np, _rounded_hue(np, a, np.subtract(turned, np.floor(turned))))
    return _of_finite(np, _in_single(np, a["x"]), np.add(np.expand_dims(least, -1), np.multiply(np.expand_dims(np.subtract(most, least), -1), share)))


def contrasted(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    mean = np.mean(x, axis=(-3, -2), keepdims=True)
    return np.add(np.multiply(np.subtract(x, mean), a["factor"]), mean)


# --- crops and outlines ---


def _line(np: Numpy, first: Any, last: Any, size: int, count: int) -> Array:
    """Where the pixels of a crop lie along an axis: (boxes, count)."""
    if count == 1:
        return np.expand_dims((first + last) * 0.5 * (size - 1), 1)
    return np.expand_dims(first * (size - 1), 1) + np.arange(count).astype(first.dtype) * np.expand_dims((last - first) * (size - 1) / (count - 1), 1)


def _rows(np: Numpy, x: Array, at: Array, axis: int, method: str) -> Array:
    """Lines of each image along an axis, at fractional places (images, count) within it."""
    last = x.shape[axis] - 1
    shape = [x.shape[0], *[1] * (x.ndim - 1)]
    shape[axis] = at.shape[1]

    def line(places: Array) -> Array:
        index = np.reshape(np.clip(places, 0, last).astype(np.int64), shape)
        return np.take_along_axis(x, np.broadcast_to(index, [*x.shape[:axis], at.shape[1], *x.shape[axis + 1 :]]), axis)

    if method == "nearest":
        return line(np.floor(at + 0.5))
    share = np.reshape(at - np.floor(at), shape)
    return np.add(np.multiply(line(np.floor(at)), 1 - share), np.multiply(line(np.ceil(at)), share))


def _places(np: Numpy, boxes: Array, a: Arguments) -> tuple[Array, Array]:
    """Where the rows and the columns of crops lie."""
    height, width = a["x"].shape[1:3]
    down, across = (_line(np, boxes[:, i], boxes[:, i + 2], n, count) for i, n, count in zip((0, 1), (height, width), a["size"]))
    return down, across


def _inside(np: Numpy, down: Array, across: Array, height: int, width: int) -> Array:
    """Whether the pixels of crops lie inside of their images."""
    return np.expand_dims((down >= 0) & (down <= height - 1), 2) & np.expand_dims((across >= 0) & (across <= width - 1), 1)


def crops(np: Numpy, a: Arguments) -> Array:
    """What lies outside of an image is the extrapolation value."""
    boxes = points(np, a["boxes"])
    height, width = a["x"].shape[1:3]
    if boxes.size and not (np.all(np.abs(boxes) < 1e30) and a["x"].size):
        raise Undefined  # places that are not numbers in single precision
    down, across = _places(np, boxes, a)
    taken = a["x"][plain(np, a["index"])]
    made = _rows(np, _rows(np, taken, down, 1, a["method"]), across, 2, a["method"])
    inside = _inside(np, down, across, height, width)
    made = np.where(np.expand_dims(inside, 3), made, a["extrapolation_value"])
    if not hasattr(made, "of") and np.any(inside != _inside(np, *_places(np, boxes.astype(np.float32), a), height, width)):
        raise Undefined("a place at the edge of an image, which is outside as it is rounded")
    return _rounded_places(np, a, made, taken, (down, across)) if hasattr(made, "of") else made


def _rounded_places(np: Numpy, a: Arguments, made: Array, taken: Array, places: tuple[Array, Array]) -> Array:
    """Bounds of crops whose places are rounded to single precision: shares of neighbours change a little, and places at the edge may be outside."""
    spread = np.subtract(np.max(taken, axis=(1, 2), keepdims=True), np.min(taken, axis=(1, 2), keepdims=True))
    weight: Array | float = 0.0
    edge: Array | bool = False
    for at, n, axes in zip(places, a["x"].shape[1:3], ((2, 3), (1, 3))):
        error = 2.0**-20 * (np.abs(at) + n)
        share = np.where(np.abs(at + 0.5 - np.rint(at + 0.5)) < error, 1.0, 0.0) if a["method"] == "nearest" else error
        weight = weight + np.expand_dims(share, axes)
        edge = edge | np.expand_dims((at != 0) & ((np.abs(at) < error) | (np.abs(at - (n - 1)) < error)), axes)
    change = np.multiply(spread, np.minimum(weight, 1.0))
    either = np.subtract(made, change).of("either", np.add(made, change))
    return np.where(np.broadcast_to(edge, made.shape), either.of("either", np.full(made.shape, a["extrapolation_value"])), either)


def sobel(np: Numpy, a: Arguments) -> Array:
    """Differences two apart along one axis, summed with weights 1, 2, 1 along the other, over mirrored edges."""
    x = np.pad(a["x"], ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")

    def along(y: Any, axis: int, weights: tuple[float, ...]) -> Any:
        n = y.shape[axis] - 2
        parts = [np.multiply(weight, y[(slice(None),) * axis + (slice(i, i + n),)]) for i, weight in enumerate(weights)]
        return np.add(np.add(parts[0], parts[1]), parts[2])

    slopes = [along(along(x, axis, (-1.0, 0.0, 1.0)), 3 - axis, (1.0, 2.0, 1.0)) for axis in (1, 2)]
    return np.stack(slopes, -1)


def similarity(np: Numpy, a: Arguments) -> Array:
    """Luminance times contrast and structure in windows of a normal distribution, averaged."""
    size = a["filter_size"]
    line = np.exp(-0.5 * np.square((np.arange(size) - (size - 1) / 2) / a["filter_sigma"]))
    line = line / np.sum(line)

    def smooth(y: Any) -> Any:
        for axis in (-3, -2):
            n, at = y.shape[axis] - size + 1, y.ndim + axis
            weights = [around(np, y, np.asarray(w), 5e-7 * w) for w in line.tolist()]  # exponentials over their sum, in single precision
            y = sum((np.multiply(w, y[(slice(None),) * at + (slice(i, i + n),)]) for i, w in enumerate(weights)), 0.0)
        return y

    x, y = a["x"], a["y"]
    if not hasattr(x, "of") and x.size and y.size and 0 < max(np.max(np.abs(x)), np.max(np.abs(y))) < 1e-15:
        raise Undefined  # squares in single precision have few digits left
    first, second = smooth(x), smooth(y)
    small, other = (a["k1"] * a["most"]) ** 2, (a["k2"] * a["most"]) ** 2
    both, squares = np.multiply(np.multiply(first, second), 2.0), np.add(np.square(first), np.square(second))
    together = np.multiply(smooth(np.multiply(x, y)), 2.0)
    apart = smooth(np.add(np.square(x), np.square(y)))
    luminance = np.true_divide(np.add(both, small), np.add(squares, small))
    structure = np.true_divide(np.add(np.subtract(together, both), other), np.add(np.subtract(apart, squares), other))
    return np.mean(np.multiply(luminance, structure), axis=-1 if a["windows"] else (-3, -2, -1))


COLOURS = (
    (1.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.5, 0.0, 0.5, 1.0),
    (0.5, 0.5, 0.0, 1.0), (0.5, 0.0, 0.0, 1.0), (0.0, 0.0, 0.5, 1.0), (0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 1.0, 1.0),
)  # fmt: skip
"""The colours of outlines where none are given: red, green, blue and opacity."""


def _outline(np: Numpy, first: Array, last: Array, height: int, width: int) -> Array:
    """Where the outline of a box between two corners runs."""
    row, column = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    if np.any(first > last) or np.any(first >= (height, width)) or np.any(last < 0):
        return np.zeros((height, width), bool)
    within = (row >= first[0]) & (row <= last[0]) & (column >= first[1]) & (column <= last[1])
    return within & ((row == first[0]) | (row == last[0]) | (column == first[1]) | (column == last[1]))


def outlined(np: Numpy, a: Arguments) -> Array:
    x, boxes = a["x"], points(np, a["boxes"])
    height, width, depth = x.shape[1:]
    if boxes.size and not np.all(np.abs(boxes) < 1e6):
        raise Undefined  # corners that are not whole numbers
    table = a["colours"] if a["colours"] is not None and a["colours"].size else np.where(depth == 1, 1.0, np.asarray(COLOURS))
    images = []
    for image, own in zip(x, boxes):
        for i, box in enumerate(np.trunc(np.reshape(own, (-1, 2, 2)).astype(np.float32) * np.float32((height - 1, width - 1)))):
            mask = _outline(np, box[0], box[1], height, width)
            image = np.where(np.expand_dims(mask, 2), table[i % table.shape[0], :depth], image)
        images.append(image)
    return np.stack(images) if images else x

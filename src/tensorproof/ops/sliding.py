"""Reference functions of windows that slide over the last axes: loops run over the places in a window, and each is one slice of the padded input."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy, Operand

Sides = Sequence[tuple[int, int]]
Whole = Sequence[int]


def padded(np: Numpy, x: Array, sides: Sides, value: Any = 0, mode: str = "constant") -> Array:
    """The last axes padded; negative padding cuts."""
    lead = x.ndim - len(sides)
    widths = [(0, 0)] * lead + [(max(0, p), max(0, q)) for p, q in sides]
    if any(p or q for p, q in widths):
        x = np.pad(x, widths, constant_values=value) if mode == "constant" else np.pad(x, widths, mode=mode)
    cuts = [slice(max(0, -p), n - max(0, -q)) for (p, q), n in zip(sides, x.shape[lead:])]
    return x[(..., *cuts)]


def alike(x: Array, shape: tuple[int, ...], last: int, other: Operand | None = None) -> Array | None:
    """Bounds of a tensor of that shape whose elements are some of x, and perhaps another number, where x is bounds that do not tell its elements apart
    along the `last` axes."""
    return x.alike(shape, other, last) if hasattr(x, "alike") else None


def surrounded(np: Numpy, x: Array, sides: Sides, mode: str = "constant") -> Array:
    """The same for windows whose products are added up: bounds that hold 0 are those of the padding as well."""
    lead = x.ndim - len(sides)
    made = alike(x, (*x.shape[:lead], *(n + p + q for n, (p, q) in zip(x.shape[lead:], sides))), len(sides), 0.0) if mode == "constant" else None
    return padded(np, x, sides, 0, mode) if made is None else made


def fitting(sizes: Whole, kernel: Whole, stride: Whole, dilation: Whole) -> tuple[int, ...]:
    """How many windows there are along each axis."""
    return tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation))


def same_padding(sizes: Whole, kernel: Whole, stride: Whole, dilation: Whole, lower: bool = False) -> list[tuple[int, int]]:
    """The padding with which there are as many windows as strides begin; the odd one goes after, or before (`lower`)."""
    totals = [max(0, (-(-n // s) - 1) * s + d * (k - 1) + 1 - n) for n, k, s, d in zip(sizes, kernel, stride, dilation)]
    return [(t - t // 2, t // 2) if lower else (t // 2, t - t // 2) for t in totals]


def patches(np: Numpy, x: Array, kernel: Whole, stride: Whole, dilation: Whole, counts: Whole | None = None) -> Array:
    """The elements of every window: a new first axis runs over the places in it, the last axes over the windows."""
    n = len(kernel)
    counts = counts if counts is not None else fitting(x.shape[x.ndim - n :], kernel, stride, dilation)
    made = alike(x, (prod(kernel), *x.shape[: x.ndim - n], *counts), n)
    if made is not None:
        return made
    slices = []
    for at in product(*(range(k) for k in kernel)):
        cuts = [slice(i * d, i * d + (m - 1) * s + 1 if m else i * d, s) for i, m, s, d in zip(at, counts, stride, dilation)]
        slices.append(x[(..., *cuts)])
    return np.stack(slices)


def convolved(np: Numpy, x: Array, weight: Array, stride: Whole, dilation: Whole, sides: Sides, groups: int = 1, mode: str = "constant") -> Array:
    """x (batch, channels, ...) with weight (outputs, channels of a group, ...)."""
    kernel, out = weight.shape[2:], weight.shape[0]
    grown = surrounded(np, x, sides, mode)
    counts = fitting(grown.shape[2:], kernel, stride, dilation)
    places, batch = prod(kernel), x.shape[0]
    if not places or not x.shape[1]:
        return np.zeros((batch, out, *counts))
    taken = np.reshape(patches(np, grown, kernel, stride, dilation, counts), (places, batch, groups, x.shape[1] // groups, prod(counts)))
    split = np.reshape(weight, (groups, out // groups, weight.shape[1], places))
    return np.reshape(np.einsum("pngcl,gmcp->ngml", taken, split), (batch, out, *counts))


def spaced(np: Numpy, x: Array, stride: Whole) -> Array:
    """Zeros put between the elements of the last axes."""
    first = x.ndim - len(stride)
    for axis, s in enumerate(stride, first):
        n = x.shape[axis]
        made = alike(x, (*x.shape[:axis], (n - 1) * s + 1, *x.shape[axis + 1 :]), x.ndim - axis, 0.0) if s > 1 and n else None
        if made is not None:
            x = made
        elif s > 1 and n:
            apart = np.expand_dims(x, axis + 1)
            widths = [(0, 0)] * apart.ndim
            widths[axis + 1] = (0, s - 1)
            x = np.reshape(np.pad(apart, widths), (*x.shape[:axis], n * s, *x.shape[axis + 1 :]))[(*[slice(None)] * axis, slice(0, (n - 1) * s + 1))]
    return x


def transposed(np: Numpy, x: Array, weight: Array, stride: Whole, dilation: Whole, sides: Sides, extra: Whole, groups: int = 1) -> Array:
    """The transpose of a convolution: x (batch, channels, ...) with weight (channels, outputs of a group, ...); `extra` is added after each axis."""
    kernel, n = weight.shape[2:], weight.ndim - 2
    reach = [d * (k - 1) for k, d in zip(kernel, dilation)]
    around = [(r - p, r - q + e) for r, (p, q), e in zip(reach, sides, extra)]
    inputs, outputs = weight.shape[0] // groups, weight.shape[1]
    split = np.reshape(np.flip(weight, tuple(range(2, n + 2))), (groups, inputs, outputs, *kernel))
    turned = np.reshape(np.swapaxes(split, 1, 2), (groups * outputs, inputs, *kernel))
    return convolved(np, spaced(np, x, stride), turned, (1,) * n, dilation, around, groups)


def with_bias(np: Numpy, made: Array, bias: Array | None, n: int) -> Array:
    """One number is added to each channel, which stands before `n` axes."""
    return made if bias is None or not made.shape[-n - 1] else np.add(made, np.reshape(bias, (-1, *[1] * n)))


def least(np: Numpy, x: Array) -> float:
    """What no element is less than."""
    return -np.inf if x.dtype.kind == "f" else np.iinfo(np.int64).min


def overhang(sizes: Whole, kernel: Whole, stride: Whole, dilation: Whole, sides: Sides, counts: Whole) -> list[tuple[int, int]]:
    """The padding, grown after each axis where the last window reaches beyond it."""
    made = []
    for size, k, s, d, (p, q), m in zip(sizes, kernel, stride, dilation, sides, counts):
        made.append((p, max(q, (m - 1) * s + d * (k - 1) + 1 - size - p)))
    return made


def greatest(np: Numpy, x: Array, kernel: Whole, stride: Whole, dilation: Whole, sides: Sides, counts: Whole) -> tuple[Array, Array]:
    """The greatest of each window, and where it stands in the spatial axes, counted along all of them."""
    n = len(kernel)
    sizes = x.shape[x.ndim - n :]
    around = overhang(sizes, kernel, stride, dilation, sides, counts)
    taken = patches(np, padded(np, x, around, least(np, x)), kernel, stride, dilation, counts)
    here = patches(np, padded(np, np.reshape(np.arange(prod(sizes)), sizes), around, -1), kernel, stride, dilation, counts)
    inside = np.reshape(here >= 0, (here.shape[0], *[1] * (x.ndim - n), *here.shape[1:]))
    first = np.argmax(np.where(inside, taken, least(np, x)), axis=0)
    where = np.broadcast_to(np.reshape(here, inside.shape), taken.shape)
    found = np.take_along_axis(where, np.expand_dims(first, 0), 0)[0]
    return np.max(taken, axis=0), np.where(np.any(inside, axis=0), found, _starts(np, sizes, stride, dilation, sides, counts))


def window_maximum(np: Numpy, x: Array, kernel: Whole, stride: Whole, dilation: Whole, sides: Sides, counts: Whole) -> Array:
    """The greatest of each window."""
    around = overhang(x.shape[x.ndim - len(kernel) :], kernel, stride, dilation, sides, counts)
    return np.max(patches(np, padded(np, x, around, least(np, x)), kernel, stride, dilation, counts), axis=0)


def _starts(np: Numpy, sizes: Whole, stride: Whole, dilation: Whole, sides: Sides, counts: Whole) -> Array:
    """The first place of each window that does not lie before the input, counted along all axes."""
    made = np.zeros((1,) * len(sizes), np.int64)
    for axis, (size, s, d, (p, _), m) in enumerate(zip(sizes, stride, dilation, sides, counts)):
        first = np.arange(m) * s - p
        first = np.where(first < 0, first % d, first)
        made = made * size + np.reshape(first, [-1 if i == axis else 1 for i in range(len(sizes))])
    return made


def window_sum(np: Numpy, x: Array, kernel: Whole, stride: Whole, dilation: Whole, sides: Sides, counts: Whole) -> Array:
    around = overhang(x.shape[x.ndim - len(kernel) :], kernel, stride, dilation, sides, counts)
    return np.sum(patches(np, padded(np, x, around), kernel, stride, dilation, counts), axis=0)


def window_count(np: Numpy, sizes: Whole, kernel: Whole, stride: Whole, dilation: Whole, sides: Sides, counts: Whole, *, with_padding: bool) -> Array:
    """How many elements of the input, or of the padded input, lie in each window."""
    ones = padded(np, np.ones(tuple(sizes)), sides, 1 if with_padding else 0)
    grown = overhang(sizes, kernel, stride, dilation, sides, counts)
    rest = [(0, after - q) for (_, after), (_, q) in zip(grown, sides)]
    return np.sum(patches(np, padded(np, ones, rest), kernel, stride, dilation, counts), axis=0)


def folded(np: Numpy, columns: Any, sizes: Whole, kernel: Whole, stride: Whole, dilation: Whole, sides: Sides) -> Array:
    """Columns (batch, channels * places, windows) summed into images: what `patches` took goes back."""
    whole = [n + p + q for n, (p, q) in zip(sizes, sides)]
    counts = fitting(whole, kernel, stride, dilation)
    split = np.reshape(columns, (columns.shape[0], columns.shape[1] // prod(kernel), prod(kernel), *counts))
    total = np.zeros((*split.shape[:2], *whole), dtype=columns.dtype)
    for i, at in enumerate(product(*(range(k) for k in kernel))):
        part = spaced(np, split[:, :, i], stride)
        around = [(j * d, n - m - j * d) for j, d, n, m in zip(at, dilation, whole, part.shape[2:])]
        total = np.add(total, padded(np, part, around))
    return padded(np, total, [(-p, -q) for p, q in sides])

"""Reference functions of windows as ONNX pads them."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.unpooling import at_places
from tensorproof.ops.evaluation import Arguments, Undefined, Undetermined, plain, points
from tensorproof.ops.mathematics import label_of
from tensorproof.ops.sliding import convolved, fitting, folded, greatest, padded, same_padding, transposed, window_count, window_sum, with_bias

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

Slid = tuple[Any, ...]


def _whole(np: Numpy, value: Any) -> tuple[int, ...]:
    """Whole numbers that may stand in a tensor."""
    return tuple(int(n) for n in plain(np, value)) if hasattr(value, "shape") else tuple(value)


def _window(a: Arguments, sizes: Any, kernel: Any) -> tuple[Any, Any, list[tuple[int, int]]]:
    """Stride, dilation and padding of a call."""
    n = len(kernel)
    stride, dilation = a["stride"] or (1,) * n, a.get("dilation") or (1,) * n
    auto, pads = a.get("auto_pad"), a.get("padding") or (0,) * (2 * n)
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        return stride, dilation, same_padding(sizes, kernel, stride, dilation, auto == "SAME_LOWER")
    return stride, dilation, [(0, 0)] * n if auto == "VALID" else list(zip(pads[:n], pads[n:]))


def convolution(np: Numpy, a: Arguments) -> Array:
    x, weight = a["x"], a["weight"]
    stride, dilation, sides = _window(a, x.shape[2:], weight.shape[2:])
    return with_bias(np, convolved(np, x, weight, stride, dilation, sides, a["groups"]), a.get("bias"), x.ndim - 2)


def transposed_convolution(np: Numpy, a: Arguments) -> Array:
    x, weight = a["x"], a["weight"]
    kernel, n, auto = weight.shape[2:], x.ndim - 2, a["auto_pad"]
    stride, dilation, extra = a["stride"] or (1,) * n, a["dilation"] or (1,) * n, a["output_padding"] or (0,) * n
    pads = a["padding"] or (0,) * (2 * n)
    sides = [(0, 0)] * n if auto == "VALID" else list(zip(pads[:n], pads[n:]))
    wanted = a["output_size"]
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = tuple(m * s for m, s in zip(x.shape[2:], stride))
    if wanted is not None:
        totals = [s * (m - 1) + e + d * (k - 1) + 1 - w for m, k, s, d, e, w in zip(x.shape[2:], kernel, stride, dilation, extra, wanted)]
        sides = [(t // 2, t - t // 2) if auto == "SAME_UPPER" else (t - t // 2, t // 2) for t in totals]
    return with_bias(np, transposed(np, x, weight, stride, dilation, sides, extra, a["groups"]), a["bias"], n)


def causal_convolution(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, weight, state = a["x"], a["weight"], a["state"]
    back = weight.shape[2] - 1
    state = state if state is not None else np.zeros((*x.shape[:2], back))
    whole = np.concatenate([state, x], 2)
    made = with_bias(np, convolved(np, whole, weight, (1,), (1,), [(0, 0)], x.shape[1]), a["bias"], 1)
    if a["activation"] in ("silu", "swish"):
        made = np.divide(made, np.add(1.0, np.exp(np.negative(made))))
    return made, whole[:, :, whole.shape[2] - back :]


def displaced_convolution(np: Numpy, a: Arguments) -> Array:
    """Every place of the kernel reads between the pixels around its displaced point, 0 outside."""
    x, weight, offset, mask = a["x"], a["weight"], points(np, a["offset"]), a["mask"]
    kernel, n = weight.shape[2:], x.ndim - 2
    stride, dilation, sides = _window(a, x.shape[2:], kernel)
    counts = fitting([m + p + q for m, (p, q) in zip(x.shape[2:], sides)], kernel, stride, dilation)
    batch, channels, parts, places = x.shape[0], x.shape[1], a["offset_groups"], prod(kernel)
    moved = np.reshape(offset, (batch, parts, places, n, *counts))
    weights = np.ones((batch, parts, places, *counts)) if mask is None else np.reshape(mask, (batch, parts, places, *counts))
    lines = np.meshgrid(*(np.arange(m) * s - p for m, s, (p, _) in zip(counts, stride, sides)), indexing="ij")
    if label_of(a) in ("float16", "bfloat16") and np.any(moved != np.floor(moved)):
        raise Undetermined("where points lie that are rounded in half precision")
    taken = []
    for i, at in enumerate(product(*(range(k) for k in kernel))):
        here = [lines[j] + at[j] * dilation[j] + moved[:, :, i, j] for j in range(n)]
        value = between(np, np.reshape(x, (batch * parts, channels // parts, *x.shape[2:])), [np.reshape(h, (batch * parts, prod(counts))) for h in here])
        taken.append(np.multiply(np.reshape(value, (batch, parts, channels // parts, *counts)), np.expand_dims(weights[:, :, i], 2)))
    groups, out = a["groups"], weight.shape[0]
    columns = np.reshape(np.stack(taken), (places, batch, groups, channels // groups, prod(counts)))
    split = np.reshape(weight, (groups, out // groups, weight.shape[1], places))
    made = np.reshape(np.einsum("pngcl,gmcp->ngml", columns, split), (batch, out, *counts))
    return with_bias(np, made, a["bias"], n)


def between(np: Numpy, x: Array, at: list[Array]) -> Array:
    """Linear interpolation of x (batch, channels, ...) at points (batch, places), 0 outside."""
    sizes, (batch, channels), count = x.shape[2:], x.shape[:2], at[0].shape[1]
    flat = np.reshape(x, (batch, channels, prod(sizes)))
    total: Array | float = 0.0
    for steps in product((0, 1), repeat=len(sizes)):
        weight, place, valid = np.ones((batch, count)), np.zeros((batch, count), np.int64), np.ones((batch, count), bool)
        for p, size, step in zip(at, sizes, steps):
            whole = np.floor(p) + step
            weight = weight * (1 - np.abs(p - whole))
            valid = valid & (whole >= 0) & (whole < size)
            place = place * size + np.clip(whole, 0, size - 1).astype(np.int64)
        taken = np.take_along_axis(flat, np.broadcast_to(np.expand_dims(place, 1), (batch, channels, count)), 2)
        total = np.add(total, np.multiply(taken, np.expand_dims(np.where(valid, weight, 0.0), 1)))
    assert not isinstance(total, float)
    return total


# --- pools ---


def _slid(a: Arguments) -> Slid:
    """Kernel, stride, dilation, padding and counts of the windows of a call."""
    kernel, sizes = tuple(a["kernel"]), a["x"].shape[2:]
    stride, dilation, sides = _window(a, sizes, kernel)
    counts = fitting([m + p + q for m, (p, q) in zip(sizes, sides)], kernel, stride, dilation)
    if a["auto_pad"] in ("SAME_UPPER", "SAME_LOWER"):
        counts = tuple(-(-m // s) for m, s in zip(sizes, stride))
    elif a["ceil_mode"]:
        counts = tuple(_rounded_up(m, p + q, p, d * (k - 1) + 1, s) for m, k, s, d, (p, q) in zip(sizes, kernel, stride, dilation, sides))
    return kernel, stride, dilation, sides, counts


def _rounded_up(size: int, padding: int, before: int, reach: int, stride: int) -> int:
    found = -(-(size + padding - reach) // stride) + 1
    return found - int((found - 1) * stride >= size + before)


def max_pool(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """Places are counted along all axes of x. What a window of nothing but padding gives is not defined."""
    x, slid = a["x"], _slid(a)
    if not np.all(window_count(np, x.shape[2:], *slid, with_padding=False)):
        raise Undefined
    values, places = greatest(np, x, *slid)
    images = np.reshape(np.arange(prod(x.shape[:2])) * prod(x.shape[2:]), (*x.shape[:2], *[1] * (x.ndim - 2)))
    return values, np.add(places, images)


def mean_pool(np: Numpy, a: Arguments) -> Array:
    slid = _slid(a)
    return np.divide(window_sum(np, a["x"], *slid), window_count(np, a["x"].shape[2:], *slid, with_padding=bool(a["count_include_pad"])))


def norm_pool(np: Numpy, a: Arguments) -> Array:
    powers = np.power(np.absolute(a["x"]), a["norm"])
    return np.power(window_sum(np, powers, *_slid(a)), np.divide(1.0, a["norm"]))


def unpooled(np: Numpy, a: Arguments) -> Array:
    """Places are counted along all axes of what was pooled."""
    x, n = a["x"], a["x"].ndim - 2
    stride, _, sides = _window(a, x.shape[2:], a["kernel"])
    usual = tuple((m - 1) * s + k - p - q for m, k, s, (p, q) in zip(x.shape[2:], a["kernel"], stride, sides))
    pooled = (*x.shape[:2], *usual)
    places = np.reshape(plain(np, a["indices"]), (x.size,))
    wanted = _whole(np, a["output_size"]) if a["output_size"] is not None else pooled
    made = np.reshape(at_places(np, np.reshape(x, (x.size,)), places, (prod(pooled),)), pooled)
    return padded(np, made, [(0, w - m) for w, m in zip(wanted[-n:], usual)])


def image_of_columns(np: Numpy, a: Arguments) -> Array:
    sizes, kernel = _whole(np, a["output_size"]), _whole(np, a["kernel"])
    stride, dilation, sides = _window(a, sizes, kernel)
    return folded(np, a["x"], sizes, kernel, stride, dilation, sides)

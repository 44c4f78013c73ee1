"""Functions of `tf.image` that change or compare colours, and keep the size."""

from __future__ import annotations

import math
from typing import Any

from tensorproof.bindings.adapt.tensorflow.shared import Arguments, of_type, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, broadcast_of, ranked, somewhere, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import FLOAT32, DType, Shape, TensorType, eq, ge, product


def drawn(run: Run, low: Any, high: Any) -> TensorType:
    """One number between two, drawn uniformly."""
    unit = run.typed("random", FLOAT32, size=(), dtype=FLOAT32, distribution="uniform")
    return run.typed("add", FLOAT32, x=run.typed("mul", FLOAT32, x=unit, y=high - low), y=low)


def _most(dtype: DType) -> int:
    """The greatest whole number of an element type."""
    return (1 << (dtype.bits - (dtype.kind == "i"))) - 1


def converted(run: Run, x: TensorType, dtype: DType | None, saturate: bool = False) -> TensorType:
    """An image of another element type: floats lie between 0 and 1, whole numbers between 0 and the greatest of their type."""
    old = x.dtype
    if old is None or dtype is None or old is dtype or (old.is_float and dtype.is_float):
        return run("cast", x=x, dtype=dtype)
    if old.is_float:
        most = _most(dtype)
        scaled = run.typed("mul", old, x=x, y=most + 0.5)
        bounded = run.typed("clamp", old, x=scaled, low=-most - 1 if dtype.kind == "i" else 0, high=most) if saturate else scaled
        return run("cast", x=bounded, dtype=dtype)
    if dtype.is_float:
        return run.typed("mul", dtype, x=run("cast", x=x, dtype=dtype), y=1.0 / _most(old))
    if _most(old) > _most(dtype):
        less = run.typed("div", old, x=x, y=(_most(old) + 1) // (_most(dtype) + 1), rounding="floor")
        return run("cast", x=less, dtype=dtype)
    return run.typed("mul", dtype, x=run("cast", x=x, dtype=dtype), y=(_most(dtype) + 1) // (_most(old) + 1))


def convert(a: Arguments, run: Run) -> TensorType:
    x, dtype = a["x"], a["dtype"]
    usable = dtype.is_float or dtype.is_integer
    run.require("dtype", usable, f"an image is of floats or whole numbers, not of {dtype!r}", ("dtype",))
    return converted(run, x, dtype, bool(a.get("saturate")))


def _in_floats(run: Run, x: TensorType, change: Any) -> TensorType:
    """What `change` makes of an image of floats of 16 or 32 bits; another is converted to them and back."""
    if x.dtype in (None, DType.FLOAT16, FLOAT32):
        made: TensorType = change(x)
        return made
    return converted(run, change(converted(run, x, FLOAT32)), x.dtype, saturate=True)


def _not_negative(a: Arguments, run: Run, name: str) -> None:
    if isinstance(a.get(name), (int, float)):
        run.require(name, a[name] >= 0, f"{name} must not be negative, and is {a[name]!r}", (name,))


def brightness(a: Arguments, run: Run) -> TensorType:
    return _in_floats(run, a["x"], lambda x: with_shape(run, "add", x, x.shape, y=a["delta"]))


def random_brightness(a: Arguments, run: Run) -> TensorType:
    _not_negative(a, run, "max_delta")
    most = a["max_delta"]
    return _in_floats(run, a["x"], lambda x: with_shape(run, "add", x, x.shape, y=of_type(run, drawn(run, -most, most), x.dtype)))


def gamma(a: Arguments, run: Run) -> TensorType:
    """gain · x to the power of gamma"""
    _not_negative(a, run, "gamma")
    power, gain = a.get("gamma", 1), a.get("gain", 1)
    return _in_floats(run, a["x"], lambda x: with_shape(run, "mul", with_shape(run, "pow", x, x.shape, y=power), x.shape, y=gain))


def _ordered(a: Arguments, run: Run) -> None:
    low, high = a.get("lower"), a.get("upper")
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        run.require("bounds", 0 <= low < high, f"the bounds must rise from 0 or more, and are {low!r} and {high!r}", ("lower", "upper"))


def _adjusted(run: Run, x: TensorType, factor: Value) -> TensorType:
    return _in_floats(run, x, lambda image: with_shape(run, run.row.op, image, image.shape, factor=factor))


def contrast(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 3)
    return _adjusted(run, a["x"], a["contrast_factor"])


def random_contrast(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 3)
    _ordered(a, run)
    return _adjusted(run, a["x"], drawn(run, a["lower"], a["upper"]))


def _three(run: Run, x: TensorType) -> TensorType:
    at_least(run, x, 3)
    if x.shape.known:
        run.require("channels", eq(x.shape[-1], 3), f"the last axis must hold 3 colours, and has {x.shape[-1]!r}", ("x",))
    return x


def hue(a: Arguments, run: Run) -> TensorType:
    x, delta = _three(run, a["x"]), a["delta"]
    if isinstance(delta, (int, float)):
        run.require("delta", -1 <= delta <= 1, f"the hue turns by -1 to 1, not by {delta!r}", ("delta",))
    return _adjusted(run, x, delta)


def random_hue(a: Arguments, run: Run) -> TensorType:
    x, most = _three(run, a["x"]), a["max_delta"]
    if isinstance(most, (int, float)):
        run.require("max_delta", 0 <= most <= 0.5, f"the hue turns by at most a half, not by {most!r}", ("max_delta",))
    return _adjusted(run, x, drawn(run, -most, most))


def saturation(a: Arguments, run: Run) -> TensorType:
    return _adjusted(run, _three(run, a["x"]), a["saturation_factor"])


def random_saturation(a: Arguments, run: Run) -> TensorType:
    x = _three(run, a["x"])
    _ordered(a, run)
    return _adjusted(run, x, drawn(run, a["lower"], a["upper"]))


def standardised(a: Arguments, run: Run) -> TensorType:
    """(x - mean) / max(deviation, 1 / √n) of each image of n elements"""
    x = a["x"]
    at_least(run, x, 3)
    for n in x.shape[-3:] if x.shape.known else ():
        run.require("empty", ge(n, 1), f"an image must not be empty, and this is {x.shape!r}", ("x",))
    kind = x.dtype if x.dtype in (None, DType.FLOAT16) else FLOAT32
    x = of_type(run, x, kind)
    if not x.shape.known:
        return with_shape(run, "div", x, x.shape, y=run.typed("maximum", kind, x=with_shape(run, "std", x, somewhere(run), correction=0, keepdim=True), y=0.0))
    axes, count = tuple(range(len(x.shape) - 3, len(x.shape))), product(x.shape[-3:])
    kept = Shape((*x.shape[:-3], 1, 1, 1))
    mean, spread = with_shape(run, "mean", x, kept, dim=axes, keepdim=True), with_shape(run, "std", x, kept, dim=axes, keepdim=True, correction=0)
    least = count**-0.5 if type(count) is int else run.typed("rsqrt", kind, x=run.typed("full", kind, size=(), value=count, dtype=kind))
    return with_shape(run, "div", with_shape(run, "sub", x, x.shape, y=mean), x.shape, y=with_shape(run, "maximum", spread, kept, y=least))


def _coloured(run: Run, x: TensorType, depth: int) -> TensorType:
    at_least(run, x, 1)
    if x.shape.known:
        run.require("channels", eq(x.shape[-1], depth), f"the last axis must hold {depth} colour(s), and has {x.shape[-1]!r}", ("x",))
    return x


def _table(run: Run, dtype: DType | None, *rows: tuple[float, ...] | float) -> TensorType:
    """A constant vector or matrix."""
    flat = [v for r in rows for v in (r if isinstance(r, tuple) else (r,))]
    shape = Shape((len(rows), len(rows[0])) if isinstance(rows[0], tuple) else (len(rows),))
    return run.typed("constant", dtype, data=TensorType(shape, dtype, contents=tuple(map(float, flat)), framework="tf"))


def to_grey(a: Arguments, run: Run) -> TensorType:
    """A weighted sum of red, green and blue."""
    x = _coloured(run, a["x"], 3)
    image = converted(run, x, FLOAT32) if x.dtype is not None and x.dtype is not FLOAT32 else x
    weighted = with_shape(run, "mul", image, image.shape, y=_table(run, image.dtype, 0.2989, 0.587, 0.114))
    grey = with_shape(run, "sum", weighted, (*x.shape[:-1], 1) if x.shape.known else somewhere(run), dim=(-1,), keepdim=True)
    return grey if image is x else converted(run, grey, x.dtype)


def to_rgb(a: Arguments, run: Run) -> TensorType:
    x = _coloured(run, a["x"], 1)
    at_least(run, x, 2)
    times = (*(1 for _ in x.shape[:-1]), 3) if x.shape.known else (3,)
    return with_shape(run, "repeat", x, (*x.shape[:-1], 3) if x.shape.known else somewhere(run), times=times)


def hsv(a: Arguments, run: Run) -> TensorType:
    x = _coloured(run, a["x"], 3)
    return with_shape(run, run.row.op, x, x.shape)


_KERNELS = {
    "rgb_to_yiq": ((0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955)),
    "yiq_to_rgb": ((1, 1, 1), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049)),
    "rgb_to_yuv": ((0.299, -0.14714119, 0.61497538), (0.587, -0.28886916, -0.51496512), (0.114, 0.43601035, -0.10001026)),
    "yuv_to_rgb": ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0)),
}


def by_matrix(a: Arguments, run: Run) -> TensorType:
    """Colours times the matrix that leads from one space of colours to another."""
    x = _coloured(run, a["x"], 3)
    kernel = _table(run, x.dtype, *_KERNELS[run.name.rpartition(".")[2]])
    return with_shape(run, "tensordot", x, x.shape, y=kernel, dim=(len(x.shape) - 1,) if x.shape.known else (-1,), dim2=(0,))


def _slopes(run: Run, x: TensorType, at: int) -> TensorType:
    """Differences of neighbours along one axis."""
    n = x.shape[at]
    after, before = (run("slice", x=x, dim=at, start=i, end=e, step=1) for i, e in ((1, n), (0, n - 1)))
    return run.typed("sub", x.dtype, x=after, y=before)


def gradients(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """Differences of rows and of columns, with zeros after the last."""
    x = ranked(run, a["x"], 4)
    if x.shape.numel == 0:
        raise run.give_up("images without elements, which are taken where a row of zeros has none either")
    return tuple(with_shape(run, "pad", _slopes(run, x, at), x.shape, padding=(*(0, 0) * (3 - at), 0, 1), mode="constant", value=0) for at in (1, 2))


def sobel(a: Arguments, run: Run) -> TensorType:
    x = ranked(run, a["x"], 4)
    for n in x.shape[1:3]:
        run.require("size", ge(n, 2), f"an edge needs two elements to lie between, and an axis has {n!r}", ("x",))
    return with_shape(run, "sobel_edges", x, (*x.shape, 2))


def total_variation(a: Arguments, run: Run) -> TensorType:
    """The sum of the absolute differences of neighbours."""
    x = a["x"]
    kind = None if x.dtype is None else x.dtype.real
    if not x.shape.known:
        return run.shaped("sum", somewhere(run), kind, x=run.typed("abs", kind, x=x))
    run.require("rank", len(x.shape) in (3, 4), f"an image has rank 3, a batch of them 4, and this is {x.shape!r}", ("x",))
    first = len(x.shape) - 3
    axes = tuple(range(first, first + 3))
    parts = [run.typed("sum", kind, x=run.typed("abs", kind, x=_slopes(run, x, at)), dim=axes, keepdim=False) for at in (first, first + 1)]
    return run.typed("add", kind, x=parts[0], y=parts[1])


def _of_one_size(run: Run, x: TensorType, y: TensorType) -> Shape:
    """One number for each pair of images."""
    at_least(run, x, 3)
    at_least(run, y, 3, "y")
    if not x.shape.known or not y.shape.known:
        return somewhere(run)
    for m, n in zip(x.shape[-3:], y.shape[-3:]):
        run.require("size", eq(m, n), f"the images {x.shape!r} and {y.shape!r} must have one size", ("x", "y"))
    return broadcast_of(run, [Shape(x.shape[:-3]), Shape(y.shape[:-3])], ("x", "y"), "add/broadcast")


def psnr(a: Arguments, run: Run) -> TensorType:
    """20 · log10(max_val) - 10 · log10(mean of squared differences), of images as floats"""
    lead = _of_one_size(run, a["x"], a["y"])
    x, y = (converted(run, a[n], FLOAT32) for n in ("x", "y"))
    wide = Shape((*lead, *x.shape[-3:])) if lead.known and x.shape.known else somewhere(run)
    error = with_shape(run, "square", with_shape(run, "sub", x, wide, y=y), wide)
    mean = with_shape(run, "mean", error, lead, dim=(-3, -2, -1), keepdim=False)
    scaled = with_shape(run, "mul", with_shape(run, "log", mean, lead), lead, y=10 / math.log(10))
    most = a["max_val"]
    most = most / _most(a["x"].dtype) if isinstance(most, (int, float)) and a["x"].dtype is not None and a["x"].dtype.is_integer else most
    if isinstance(most, (int, float)) and most > 0:
        peak: Value = 20 * math.log10(most)
    else:
        peak = run.typed("mul", FLOAT32, x=run.typed("log", FLOAT32, x=most), y=20 / math.log(10))
    return run.shaped("sub", lead, FLOAT32, x=peak, y=scaled)


def ssim(a: Arguments, run: Run) -> TensorType:
    x, y, side = a["x"], a["y"], a["filter_size"]
    lead = _of_one_size(run, x, y)
    same_types(run, a, "x", "y")
    for n in x.shape[-3:-1] if x.shape.known and y.shape.known else ():
        run.require("filter", ge(n, side), f"an axis of {n!r} is smaller than the filter of {side!r}", ("x",))
    windows = bool(a["return_index_map"])
    if windows:
        lead = Shape((*lead, *(n - side + 1 for n in x.shape[-3:-1]))) if lead.known and x.shape.known else somewhere(run)
    words = {name: a[name] for name in ("filter_sigma", "k1", "k2") if a.get(name) is not None}
    first, second = (converted(run, a[n], FLOAT32) for n in ("x", "y"))
    return run.shaped("ssim", lead, FLOAT32, x=first, y=second, most=_peak(a["max_val"], x.dtype), filter_size=side, windows=windows, **words)


def _peak(value: Value, dtype: DType | None) -> Value:
    """The greatest number of an image, as that of an image of floats."""
    if not isinstance(value, (int, float)) or dtype is None or not dtype.is_integer:
        return value
    return int(value) / _most(dtype)

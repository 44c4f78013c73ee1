"""Convolutions of `tf.nn`: what their Python arguments mean for the operators."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import convolutions as graphdef_convolutions
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import ranked, somewhere, vector, with_shape
from tensorproof.bindings.adapt.tensorflow.windows import channels_last, convolve, depthwise, explicit_sides, spatial, to_front, windowed
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import FLOAT32, Shape, TensorType, eq, ge, product

FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def layout_of(a: Arguments, n: int) -> str:
    return a.get("data_format") or FORMATS[n][0]


def needed(run: Run, a: Arguments, *names: str) -> Arguments:
    """Version 1 gives None as the default of what it demands all the same."""
    a = modern(a)
    for name in names:
        run.require(name, a.get(name) is not None, f"{run.name} is missing its {name}", (name,))
    return a


def _batched(run: Run, x: TensorType, n: int, conv: Any, several: bool = True) -> TensorType:
    """A convolution of a batch that may have several axes."""
    extra = len(x.shape) - n - 2 if several and x.shape.known else 0
    if extra <= 0:
        result: TensorType = conv(x)
        return result
    lead = x.shape[: extra + 1]
    size = (product(lead), *x.shape[extra + 1 :])
    made = conv(with_shape(run, "reshape", x, size, size=size))
    return with_shape(run, "reshape", made, (*lead, *made.shape[1:]), size=(*lead, *made.shape[1:]))


def axes_of(run: Run) -> int:
    """The 2 of conv2d and conv_transpose2d."""
    return int(run.row.op[-2])


def conv(a: Arguments, run: Run) -> TensorType:
    a, n = needed(run, a, "x", "weight", "stride", "padding"), axes_of(run)
    if n == 3:
        for name in ("stride", "dilation"):
            full = a.get(name) is None or (isinstance(a[name], (tuple, list)) and len(a[name]) == 5)
            run.require(name, full, f"{name} must have 5 numbers, and is {a[name]!r}", (name,))
    for size in a["weight"].shape if a["weight"].shape.known else ():
        run.require("kernel", ge(size, 1), f"the filters must have elements, and are {a['weight'].shape!r}", ("weight",))
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty input, which eager execution returns as it is")
    several = n < 3 or not run.name.startswith("tf.compat.v1.")
    made = lambda x: convolve(run, x, a["weight"], n, a["stride"], a["padding"], None, a.get("dilation"), layout_of(a, n))
    return _batched(run, a["x"], n, made, several)


def _of_space(padding: Value) -> Value:
    """With a dilation TensorFlow spreads the image over the batch, and does not look at the paddings of batch and channels."""
    return ((0, 0), *padding[1:-1], (0, 0)) if isinstance(padding, (tuple, list)) and len(padding) == 4 else padding


def atrous_conv2d(a: Arguments, run: Run) -> TensorType:
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty batch is spread over blocks")
    for k in a["weight"].shape[:2] if a["weight"].shape.known else ():
        run.require("kernel", ge(k, 1), f"a kernel has at least one element, and this is {a['weight'].shape!r}", ("weight",))
    return _batched(run, a["x"], 2, lambda x: convolve(run, x, a["weight"], 2, 1, _of_space(a["padding"]), None, a["dilation"], "NHWC"))


def convolution(a: Arguments, run: Run) -> TensorType:
    """A convolution over as many axes as the weight has kernel axes."""
    a = needed(run, a, "weight")
    weight = a["weight"]
    if not weight.shape.known:
        return with_shape(run, "conv2d", a["x"], somewhere(run), weight=weight)
    n = len(weight.shape) - 2
    run.require("rank", n in (1, 2, 3), f"the weight {weight.shape!r} must have one, two or three kernel axes", ("weight",))
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty batch is spread over blocks")
    steps = [
        v
        for name in ("stride", "dilation")
        for v in (any(type(n) is int and n > 1 for n in spatial(run, a.get(name) or 1, n, channels_last(layout_of(a, n)), name)),)
    ]
    run.require("stride", not all(steps), "strides and dilations are not both more than 1", ("stride", "dilation"))
    for k in weight.shape[:-2]:
        run.require("kernel", ge(k, 1), f"a kernel has at least one element, and this is {weight.shape!r}", ("weight",))
    return _batched(run, a["x"], n, lambda x: convolve(run, x, weight, n, a.get("stride") or 1, a["padding"], None, a.get("dilation"), layout_of(a, n)))


def depthwise_conv2d(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    if a["x"].shape.known and a["x"].shape.numel == 0:
        raise run.give_up("an empty input")
    stride = tuple(a["stride"])
    run.require("stride", len(stride) == 4, f"stride must have 4 numbers, and is {stride!r}", ("stride",))
    dilation = a.get("dilation")
    pair = dilation is None or (isinstance(dilation, (tuple, list)) and len(dilation) == 2)
    run.require("dilation", pair, f"dilation is two numbers, not {dilation!r}", ("dilation",))
    if dilation is not None and any(d != 1 for d in dilation) and any(s != 1 for s in stride):
        raise run.give_up("strides beside dilations, which the documentation forbids and TensorFlow takes")
    for n in a["weight"].shape if a["weight"].shape.known else ():
        if a["x"].dtype is not FLOAT32 and eq(n, 0) is True:
            raise run.give_up("a weight without elements, which only some of TensorFlow's kernels take")
        run.require("kernel", ge(n, 1), f"the weight has at least one element, and is {a['weight'].shape!r}", ("weight",))
    spread = dilation is not None and any(d != 1 for d in dilation) and channels_last(layout_of(a, 2))
    padding = _of_space(a["padding"]) if spread else a["padding"]
    return depthwise(run, a["x"], a["weight"], stride, padding, None, dilation, layout_of(a, 2))


def separable_conv2d(a: Arguments, run: Run) -> TensorType:
    middle = depthwise_conv2d(a, run)
    point = ranked(run, a["pointwise"], 4, "pointwise")
    for i in (0, 1):
        run.require("pointwise", eq(point.shape[i], 1), f"the pointwise weight must begin with (1, 1), and is {point.shape!r}", ("pointwise",))
    deep = ranked(run, a["weight"], 4, "weight").shape
    taken, made = point.shape[2], deep[2] * deep[3]
    run.require("pointwise", eq(taken, made), f"the pointwise weight takes {taken!r} channels and gets {made!r}", ("pointwise", "weight"))
    return convolve(run, middle, point, 2, 1, "VALID", None, None, layout_of(a, 2))


def conv_transpose(a: Arguments, run: Run) -> TensorType:
    """The result's shape is an argument, which the windows must lead to."""
    a, n = needed(run, a, "x", "weight", "sizes", "stride"), axes_of(run)
    last = channels_last(layout_of(a, n))
    x, weight = to_front(ranked(run, a["x"], n + 2), last), ranked(run, a["weight"], n + 2, "weight")
    given = {**a, "y": a["x"], "data_format": layout_of(a, n)}
    same_types(run, a, "x", "weight")
    *kernel, out, channels = weight.shape
    if x.shape.numel == 0:
        raise run.give_up("nothing is checked of an empty input")
    run.require("channels", eq(x.shape[1], channels), f"x has {x.shape[1]!r} channels and the weight takes {channels!r}", ("x", "weight"))
    sizes = vector(run, a["sizes"], "sizes")
    if sizes is not None and 0 in sizes:
        raise run.give_up("nothing is checked of an empty result")
    rates = a.get("dilation")
    if run.name.startswith("tf.compat.v1.") and any(type(d) is int and d < 1 for d in (rates if isinstance(rates, (tuple, list)) else (rates,))):
        raise run.give_up("a dilation below 1, of which nothing is checked")
    if sizes is None or None in sizes:
        return graphdef_convolutions.transposed(run, given, n, Shape(run.fresh("size") for _ in x.shape))
    full = len(sizes) == n + 2
    run.require("sizes", full or (len(sizes) == n and n == 2), f"sizes must be {n + 2} numbers, and are {len(sizes)}", ("sizes",))
    if full:
        wanted = Shape((sizes[0], sizes[-1], *sizes[1:-1]) if last else sizes)
        run.require("batch", eq(wanted[0], x.shape[0]), f"the batch is {x.shape[0]!r} and the output asked for has {wanted[0]!r}", ("sizes", "x"))
        run.require("channels", eq(wanted[1], out), f"the weight makes {out!r} channels and {wanted[1]!r} are asked for", ("sizes", "weight"))
        inner = wanted[2:]
    else:
        inner = sizes
    strides, dilations = spatial(run, a["stride"], n, last, "stride"), spatial(run, a.get("dilation"), n, last, "dilation")
    name, sides = explicit_sides(run, a["padding"], None, n, last)
    for size, k, s, d, e, found in zip(inner, kernel, strides, dilations, sides, x.shape[2:]):
        count = windowed(run, size, k, s, d, name, e)
        run.require("sizes", eq(count, found), f"an output of {size!r} comes from {count!r} windows, and x has {found!r}", ("sizes", "x"))
    asked = full and not run.name.startswith("tf.compat.v1.")  # static inference of the present release knows the input's batch only
    batch = sizes[0] if asked else x.shape[0]
    result = Shape((batch, *inner, out) if last else (batch, out, *inner))
    return graphdef_convolutions.transposed(run, given, n, result)


def dilation2d(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "weight", "stride", "dilation")
    return graphdef_convolutions.dilation2d(a, run)

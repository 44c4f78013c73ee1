"""GraphDef nodes of convolutions and biases, with the gradients that graphs for training hold."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, Window, anew, at_least, ranked, same_types, vector
from tensorproof.bindings.adapt.tf_windows import channels_last, convolve, depthwise, spatial, to_front, windowed
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Choice, Ints, Tensor
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import eq, ge
from tensorproof.terms.tensor import TensorType

FORMAT = Choice("data_format", ("NHWC", "NCHW"), "NHWC")
FORMAT3 = Choice("data_format", ("NDHWC", "NCDHW"), "NDHWC")
PADDING = Choice("padding", ("SAME", "VALID"))


def fourfold(name: str) -> Ints:
    """A number for each axis; only the spatial ones are free."""
    return Ints(name, least=1, one=False)


_WINDOW = (fourfold("stride"), PADDING, FORMAT, fourfold("dilation"), Anything("explicit_paddings", ()))
FIVE = ([1, 1, 1, 1, 1], [1, 2, 1, 1, 1], [1, 1, 2, 2, 1], [1, 1, 1, 2, 1])
_WINDOW3 = (Window("stride", FIVE), PADDING, FORMAT3, Window("dilation", FIVE[:1]))


def full_format(run: Run, a: Arguments, *names: str) -> None:
    """Strides and dilations of a node name every axis."""
    rank = 5 if "D" in a["data_format"] and len(a["data_format"]) == 5 else 4
    for name in names:
        value = a.get(name)
        if isinstance(value, (tuple, list)):
            run.require(name, len(value) == rank, f"{name} must have {rank} numbers, and is {value!r}", (name,))


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C M"), *_WINDOW)
def conv2d(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "stride", "dilation")
    return convolve(run, a["x"], a["weight"], 2, a["stride"], a["padding"], a.get("explicit_paddings"), a["dilation"], a["data_format"])


@takes(Tensor("x", "N D H W C"), Tensor("weight", "d h w C M"), *_WINDOW3)
def conv3d(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "stride", "dilation")
    return convolve(run, a["x"], a["weight"], 3, a["stride"], a["padding"], None, a["dilation"], a["data_format"])


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C M"), *_WINDOW)
def depthwise_conv2d(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "stride", "dilation")
    return depthwise(run, a["x"], a["weight"], a["stride"], a["padding"], a.get("explicit_paddings"), a["dilation"], a["data_format"])


def _five(run: Run, a: Arguments) -> None:
    for name in ("stride", "dilation"):
        given = a.get(name)
        enough = given is None or name == "dilation" or len(given) >= 5
        run.require(name, enough, f"{name} must have 5 numbers, and is {given!r}", (name,))


SIZES = Ints("sizes", shape=True, loose=True, one=False)


def stated_sizes(run: Run, value: Any, rank: int, y: TensorType) -> TensorType:
    """A result whose shape is a vector argument of `rank` numbers."""
    sizes = vector(run, value, "sizes")
    if sizes is None:
        return anew(y, [run.fresh("size") for _ in range(rank)])
    run.require("sizes", len(sizes) == rank, f"sizes must be {rank} numbers, and are {len(sizes)}", ("sizes",))
    for n in sizes:
        run.require("sizes", n is None or ge(n, -1), f"a size cannot be negative, and the shape is {sizes!r}", ("sizes",))
    return anew(y, [run.fresh("size") if n is None or n == -1 else n for n in sizes])


@takes(SIZES, Tensor("weight", "h w C M"), Tensor("y", "N H W M"), *_WINDOW)
def conv2d_backprop_input(a: Arguments, run: Run) -> TensorType:
    """The transposed convolution, with its shape given. `sizes` may leave out the batch and the channels."""
    same_types(run, a, "weight", "y")
    weight, image = ranked(run, a["weight"], 4, "weight"), to_front(ranked(run, a["y"], 4, "y"), channels_last(a["data_format"]))
    run.require(
        "channels",
        eq(image.shape[1], weight.shape[3]),
        f"y has {image.shape[1]!r} channels and the weight makes {weight.shape[3]!r}",
        ("y", "weight"),
    )
    sizes = vector(run, a["sizes"], "sizes")
    if sizes is not None and len(sizes) == 4 and sizes[0] is not None and sizes[0] != -1:
        run.require(
            "batch",
            eq(sizes[0], image.shape[0]),
            f"the batch is {image.shape[0]!r} and the output asked for has {sizes[0]!r}",
            ("sizes", "y"),
        )
    if sizes is not None and len(sizes) == 2:
        y, last = ranked(run, a["y"], 4, "y"), channels_last(a["data_format"])
        height, width = (run.fresh("size") if n is None else n for n in sizes)
        return anew(y, (y.shape[0], height, width, weight.shape[2]) if last else (y.shape[0], weight.shape[2], height, width))
    return stated_sizes(run, a["sizes"], 4, a["y"])


@takes(SIZES, Tensor("weight", "d h w C M"), Tensor("y", "N D H W M"), *_WINDOW3)
def conv3d_backprop_input(a: Arguments, run: Run) -> TensorType:
    _five(run, a)
    same_types(run, a, "weight", "y")
    return stated_sizes(run, a["sizes"], 5, a["y"])


@takes(SIZES, Tensor("weight", "h w C M"), Tensor("y", "N H W M"), *_WINDOW)
def backprop_input(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "weight", "y")
    return stated_sizes(run, a["sizes"], 4, a["y"])


@takes(Tensor("x", "N H W C"), SIZES, Tensor("y", "N H W M"), *_WINDOW)
def backprop_filter(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    return stated_sizes(run, a["sizes"], 4, a["y"])


@takes(Tensor("x", "N D H W C"), SIZES, Tensor("y", "N D H W M"), *_WINDOW3)
def backprop_filter3(a: Arguments, run: Run) -> TensorType:
    _five(run, a)
    same_types(run, a, "x", "y")
    return stated_sizes(run, a["sizes"], 5, a["y"])


@takes(Tensor("x", "N H W C"), Tensor("weight", "h w C"), fourfold("stride"), fourfold("dilation"), PADDING)
def dilation2d(a: Arguments, run: Run) -> TensorType:
    """A greyscale dilation: the greatest of x plus the weight in each window."""
    a = {**a, "data_format": "NHWC"}
    full_format(run, a, "stride", "dilation")
    same_types(run, a, "x", "weight")
    x, weight = ranked(run, a["x"], 4), ranked(run, a["weight"], 3, "weight")
    run.require(
        "channels", eq(x.shape[3], weight.shape[2]), f"x has {x.shape[3]!r} channels and the weight {weight.shape[2]!r}", ("x", "weight")
    )
    strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("stride", "dilation"))
    sizes = [windowed(run, s, k, t, d, a["padding"]) for s, k, t, d in zip(x.shape[1:3], weight.shape[:2], strides, dilations)]
    return anew(x, (x.shape[0], *sizes, x.shape[3]))


@takes(Tensor("x", "N ... C"), Tensor("bias", "C"), FORMAT)
def bias_add(a: Arguments, run: Run) -> TensorType:
    x, bias = a["x"], ranked(run, a["bias"], 1, "bias")
    same_types(run, a, "x", "bias")
    last = channels_last(a.get("data_format") or "NHWC")
    at_least(run, x, 2 if last else 3)
    if not x.shape.known:
        return anew(x, x.shape)
    at = len(x.shape) - 1 if last else 1
    run.require(
        "bias", eq(x.shape[at], bias.shape[0]), f"bias has {bias.shape[0]!r} elements and x {x.shape[at]!r} channels", ("bias", "x")
    )
    return anew(x, (*x.shape[:at], bias.shape[0] if isinstance(x.shape[at], Term) else x.shape[at], *x.shape[at + 1 :]))


@takes(Tensor("y"), FORMAT)
def bias_add_grad(a: Arguments, run: Run) -> TensorType:
    y, last = a["y"], channels_last(a["data_format"])
    at_least(run, y, 2 if last else 3, "y")
    return anew(y, (y.shape[-1 if last else 1],) if y.shape.known else (run.fresh("channels"),))

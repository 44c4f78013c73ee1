"""GraphDef nodes of convolutions and biases, with the gradients that graphs for training hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, ranked, vector
from tensorproof.bindings.adapt.tensorflow.windows import (
    backed,
    channel_filters,
    channels_last,
    convolve,
    depthwise,
    explicit_sides,
    fronted,
    spatial,
    windowed,
)
from tensorproof.bindings.adapters import Refused, Run, Value
from tensorproof.terms import Dim, Shape, TensorType, Term, ceildiv, dataclass, eq, ge, maximum


def full_format(run: Run, a: Arguments, *names: str) -> None:
    """Strides and dilations of a node name every axis."""
    rank = 5 if "D" in a["data_format"] and len(a["data_format"]) == 5 else 4
    for name in names:
        value = a.get(name)
        if isinstance(value, (tuple, list)):
            run.require(name, len(value) == rank, f"{name} must have {rank} numbers, and is {value!r}", (name,))


def axes_of(run: Run) -> int:
    """Over how many axes the images of a node are."""
    return 3 if "3D" in run.name else 2


def conv(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "stride", "dilation")
    return convolve(run, a["x"], a["weight"], axes_of(run), a["stride"], a["padding"], a.get("explicit_paddings"), a["dilation"], a["data_format"])


def depthwise_conv2d(a: Arguments, run: Run) -> TensorType:
    full_format(run, a, "stride", "dilation")
    return depthwise(run, a["x"], a["weight"], a["stride"], a["padding"], a.get("explicit_paddings"), a["dilation"], a["data_format"])


def _full_stride(run: Run, a: Arguments) -> None:
    """A stride over three axes names every axis."""
    run.require("stride", axes_of(run) == 2 or len(a["stride"]) >= 5, f"stride must have 5 numbers, and is {a['stride']!r}", ("stride",))


def stated_sizes(run: Run, value: Value, rank: int) -> Shape:
    """The shape that a vector argument of `rank` numbers states."""
    sizes = vector(run, value, "sizes")
    if sizes is None:
        return Shape(run.fresh("size") for _ in range(rank))
    run.require("sizes", len(sizes) == rank, f"sizes must be {rank} numbers, and are {len(sizes)}", ("sizes",))
    for n in sizes:
        run.require("sizes", n is None or ge(n, -1), f"a size cannot be negative, and the shape is {sizes!r}", ("sizes",))
    return Shape(run.fresh("size") if n is None or n == -1 else n for n in sizes)


@dataclass(frozen=True, slots=True)
class Slide:
    """How the window of a node slides over the spatial axes of images."""

    stride: tuple[Any, ...]
    dilation: tuple[Any, ...]
    sides: list[tuple[Dim, Dim]]

    @property
    def words(self) -> dict[str, Any]:
        """The same in the words of the operators."""
        return {"stride": self.stride, "padding": tuple(b for b, _ in self.sides), "padding_end": tuple(e for _, e in self.sides)}


def slide(run: Run, a: Arguments, n: int, sizes: Sequence[Dim], kernel: Sequence[Dim], last: bool, dilated: bool = True) -> Slide:
    """ "SAME" pads so that there are size / stride windows, rounded up; the greater part of an odd padding comes after. Without `dilated` the node's kernel
    does not read its dilations."""
    strides, dilations = spatial(run, a["stride"], n, last, "stride"), spatial(run, a.get("dilation"), n, last, "dilation")
    dilations = dilations if dilated else (1,) * n
    name, sides = explicit_sides(run, a["padding"], a.get("explicit_paddings"), n, last)
    if name == "SAME":
        sides = []
        for size, k, s, d in zip(sizes, kernel, strides, dilations):
            total = maximum((ceildiv(size, s) - 1) * s + d * (k - 1) + 1 - size, 0) if s != 0 else 0
            sides.append((total // 2, total - total // 2))
    return Slide(strides, dilations, sides)


def at_run_time(run: Run, make: Callable[[], TensorType]) -> TensorType:
    """What static inference does not look at: a call that does not fit is refused when the node runs, and not before."""
    try:
        return make()
    except Refused as refused:
        raise run.give_up(f"{refused.requirement.message}, which TensorFlow sees when the node runs") from None


def transposed(run: Run, a: Arguments, n: int, result: Shape, depthwise: bool = False) -> TensorType:
    return at_run_time(run, lambda: _transposed(run, a, n, result, depthwise))


def _transposed(run: Run, a: Arguments, n: int, result: Shape, depthwise: bool) -> TensorType:
    """The gradient of a convolution by its input: a transposed convolution of the gradient behind it."""
    last = channels_last(a["data_format"])
    weight, y = a["weight"], a["y"]
    filters, image = ranked(run, weight, n + 2, "weight").shape, fronted(run, y, n + 2, last, "y")
    *kernel, channels, out = filters
    inner = result[1:-1] if last else result[2:]
    given = result[-1] if last else result[1]
    if depthwise:
        kernels, groups = channel_filters(run, weight, filters), channels
    else:
        kernels = run.shaped("permute", (out, channels, *kernel), weight.dtype, x=weight, dim=(n + 1, n, *range(n)))
        known = type(given) is int and type(channels) is int and channels
        groups = given // channels if known else 1
    window = slide(run, a, n, inner, kernel, last, not depthwise)
    extra = tuple(
        size - ((m - 1) * s - b - e + d * (k - 1) + 1)
        for size, m, k, s, d, (b, e) in zip(inner, image.shape[2:], kernel, window.stride, window.dilation, window.sides)
    )
    made = run.shaped(
        f"conv_transpose{n}d", (result[0], given, *inner), y.dtype, x=image, weight=kernels, **window.words, output_padding=extra, groups=groups,
        dilation=window.dilation,
    )  # fmt: skip
    return backed(run, made, last)


def conv2d_backprop_input(a: Arguments, run: Run) -> TensorType:
    """The transposed convolution, with its shape given. `sizes` may leave out the batch and the channels."""
    same_types(run, a, "weight", "y")
    last = channels_last(a["data_format"])
    weight, y = ranked(run, a["weight"], 4, "weight").shape, ranked(run, a["y"], 4, "y").shape
    channels = y[-1 if last else 1]
    run.require("channels", eq(channels, weight[3]), f"y has {channels!r} channels and the weight makes {weight[3]!r}", ("y", "weight"))
    sizes = vector(run, a["sizes"], "sizes")
    if sizes is not None and len(sizes) == 4 and sizes[0] is not None and sizes[0] != -1:
        run.require("batch", eq(sizes[0], y[0]), f"the batch is {y[0]!r} and the output asked for has {sizes[0]!r}", ("sizes", "y"))
    if sizes is not None and len(sizes) == 2:
        height, width = (run.fresh("size") if n is None else n for n in sizes)
        return transposed(run, a, 2, Shape((y[0], height, width, weight[2]) if last else (y[0], weight[2], height, width)))
    return transposed(run, a, 2, stated_sizes(run, a["sizes"], 4))


def backprop_input(a: Arguments, run: Run) -> TensorType:
    _full_stride(run, a)
    same_types(run, a, "weight", "y")
    n = axes_of(run)
    return transposed(run, a, n, stated_sizes(run, a["sizes"], n + 2), "Depthwise" in run.name)


def filter_gradient(run: Run, a: Arguments, n: int, result: Shape, depthwise: bool = False) -> TensorType:
    return at_run_time(run, lambda: _filter_gradient(run, a, n, result, depthwise))


def _filter_gradient(run: Run, a: Arguments, n: int, result: Shape, depthwise: bool) -> TensorType:
    """The gradient of a convolution by its weight, of this shape."""
    last = channels_last(a["data_format"])
    image, behind = fronted(run, a["x"], n + 2, last), fronted(run, a["y"], n + 2, last, "y")
    *kernel, channels, out = result
    window = slide(run, a, n, image.shape[2:], kernel, last, not depthwise)
    if depthwise:
        shape, groups = (channels * out, 1, *kernel), channels
    else:
        known = type(image.shape[1]) is int and type(channels) is int and channels
        shape, groups = (out, channels, *kernel), image.shape[1] // channels if known else 1
    made = run.shaped("conv_weight_gradient", shape, a["y"].dtype, x=image, y=behind, size=shape, **window.words, dilation=window.dilation, groups=groups)
    if depthwise:
        made = run.shaped("reshape", (channels, out, *kernel), made.dtype, x=made, size=(channels, out, *kernel))
    order = (*range(2, n + 2), 0, 1) if depthwise else (*range(2, n + 2), 1, 0)
    return run.shaped("permute", result, made.dtype, x=made, dim=order)


def backprop_filter(a: Arguments, run: Run) -> TensorType:
    _full_stride(run, a)
    same_types(run, a, "x", "y")
    n = axes_of(run)
    return filter_gradient(run, a, n, stated_sizes(run, a["sizes"], n + 2), "Depthwise" in run.name)


def dilation2d(a: Arguments, run: Run) -> TensorType:
    """A greyscale dilation: the greatest of x plus the weight in each window."""
    a = {**a, "data_format": "NHWC"}
    full_format(run, a, "stride", "dilation")
    same_types(run, a, "x", "weight")
    x, weight = ranked(run, a["x"], 4), ranked(run, a["weight"], 3, "weight")
    run.require("channels", eq(x.shape[3], weight.shape[2]), f"x has {x.shape[3]!r} channels and the weight {weight.shape[2]!r}", ("x", "weight"))
    strides, dilations = (spatial(run, a[n], 2, True, n) for n in ("stride", "dilation"))
    sizes = [windowed(run, s, k, t, d, a["padding"], overhang=True) for s, k, t, d in zip(x.shape[1:3], weight.shape[:2], strides, dilations)]
    return run.shaped(
        "grey_dilation2d", (x.shape[0], *sizes, x.shape[3]), x.dtype, x=a["x"], weight=a["weight"], stride=strides, dilation=dilations, padding=a["padding"]
    )


def bias_add(a: Arguments, run: Run) -> TensorType:
    x, bias = a["x"], ranked(run, a["bias"], 1, "bias")
    same_types(run, a, "x", "bias")
    last = channels_last(a.get("data_format") or "NHWC")
    at_least(run, x, 2 if last else 3)
    if not x.shape.known:
        return run.shaped("add", x.shape, x.dtype, x=x, y=a["bias"])
    at = len(x.shape) - 1 if last else 1
    run.require("bias", eq(x.shape[at], bias.shape[0]), f"bias has {bias.shape[0]!r} elements and x {x.shape[at]!r} channels", ("bias", "x"))
    count = bias.shape[0] if isinstance(x.shape[at], Term) else x.shape[at]
    beside: TensorType = a["bias"]
    if not last:  # the channels before the spatial axes
        size = (count, *(1 for _ in x.shape[2:]))
        beside = run.shaped("reshape", size, bias.dtype, x=beside, size=size)
    return run.shaped("add", (*x.shape[:at], count, *x.shape[at + 1 :]), x.dtype, x=x, y=beside)


def bias_add_grad(a: Arguments, run: Run) -> TensorType:
    """The sum over all axes but that of the channels."""
    y, last = a["y"], channels_last(a["data_format"])
    at_least(run, y, 2 if last else 3, "y")
    at = (len(y.shape) - 1 if last else 1) if y.shape.known else None
    others = None if at is None else tuple(i for i in range(len(y.shape)) if i != at)
    return run.shaped("sum", (run.fresh("channels") if at is None else y.shape[at],), y.dtype, x=y, dim=others, keepdim=False)

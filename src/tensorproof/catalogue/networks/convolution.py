"""Convolutions and transposed convolutions over one, two or three spatial axes, batched or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Same
from tensorproof.ops.inputs import Bool, Choice, Int, Ints, Sizes, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Values
from tensorproof.ops.statements import SameSize, Side
from tensorproof.ops.window import AXES, advice, images, must_fit, places, same_sides, span
from tensorproof.terms.dtypes import BOOLS, COMPLEX32, COMPLEX64, COMPLEXES, FLOAT32, FLOATS, INT64, NUMBERS, DType
from tensorproof.terms.ints import Dim, ceildiv, ite, maximum
from tensorproof.terms.predicates import Truth, conj, disj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import convolution as convolution_windows
else:
    convolution_windows = later("catalogue.networks.formulas.convolution")

_same = Same("x", "weight", "bias")


def _conv_dtype(c: Call) -> DType | None:
    """Some kernels for narrow whole numbers know no dilation."""
    dtype = _same(c)
    if c.option("typed_kernels") and dtype is not None and dtype.is_integer and dtype is not INT64:
        plain = conj(*(eq(d, 1) for d in c["dilation"]))
        c.require("dtype", plain, f"elements of type {dtype!r} are convolved without dilation only, and it is {c['dilation']!r}", ("x", "dilation"))
    return dtype


def _no_work(c: Call) -> Truth:
    """An empty batch or no channels: then little else is looked at."""
    return disj(eq(c.dims.get("N", 1), 0), eq(c.dims["C"], 0))


def _not_empty(c: Call, size: Dim) -> None:
    """Some libraries let a batch or the channels be empty, not an image."""
    if c.option("no_empty_image"):
        c.require("empty", disj(ge(size, 1), _no_work(c)), "a spatial axis of x has no elements", "x")


def _sides(c: Call, kernel: tuple[Dim, ...]) -> list[tuple[Dim, Dim]]:
    """The padding before and after each axis. Of "same" only the size that it gives is known here."""
    padding = c["padding"]
    if padding == "valid":
        return [(0, 0) for _ in kernel]
    if padding == "same":
        for k in kernel:
            c.require("padding", ge(k, 1), "a kernel without elements would need a negative padding to keep the size", ("weight", "padding"))
        return same_sides(kernel, c["dilation"])
    for one in padding if c["padding_mode"] == "zeros" else ():
        c.require("padding", ge(one, 0), f"padding must be at least 0, and is {padding!r}", "padding")
    return list(zip(padding, c["padding_end"] or padding, strict=True))


def _pad_with_image(c: Call, size: Dim, most: Dim) -> None:
    """Padding that is taken from the image itself must find enough of it."""
    mode = c["padding_mode"]
    if mode in ("reflect", "replicate"):
        c.require("empty", ge(c.dims["C"], 1), f"padding by {mode!r} needs at least one channel", "x")
    if mode == "replicate":
        c.require("empty", ge(size, 1), "padding by 'replicate' needs an image, and an axis of it is empty", "x")
    if mode == "reflect":
        c.require("padding", lt(most, size), f"reflecting padding of {most!r} must be less than the axis, which has {size!r}", ("padding", "x"))
    elif mode == "circular":
        c.require("padding", le(most, size), f"circular padding of {most!r} goes round an axis of {size!r} more than once", ("padding", "x"))


def _check_kernel(c: Call, axis: int, size: Dim) -> None:
    """A kernel is not empty, and is what was said where it was said."""
    idle = bool(c.option("idle_without_channels")) and eq(c.dims["C"], 0)
    c.require("kernel", disj(ge(size, 1), idle), f"a kernel has at least one element, and axis {axis} of it has {size!r}", "weight")
    if c["kernel"] is not None:
        c.equal("kernel", size, c["kernel"][axis], "the weight's kernel is {a} and the kernel given is {b}", ("weight", "kernel"))


def _conv_shape(c: Call) -> Shape:
    x, (out, per_group, *kernel) = c.shape("x"), c.shape("weight")
    n, groups, channels = len(kernel), c["groups"], c.dims["C"]
    wanted = per_group * groups
    message = SameSize("channels", Side("x", channels, -n - 1, len(x)), Side("weight", wanted))
    c.equal("channels", channels, wanted, message, ("x", "weight", "groups"), len(x) > n + 1 > 2 and conj(eq(x[-1], wanted), eq(x[1], x[2])))
    least = 0 if c["empty_output"] else groups
    c.require("groups", conj(ge(out, least), eq(out % groups, 0)), f"{out!r} output channels do not divide into {groups!r} groups", ("weight", "groups"))
    if c.option("same_by_one") and c["padding"] == "same":
        for s in c["stride"]:
            c.require("stride", eq(s, 1), f"padding='same' needs stride 1, and it is {s!r}", ("stride", "padding"))
    made: list[Dim] = []
    for i, (size, k, s, d, (before, after)) in enumerate(zip(x[-n:], kernel, c["stride"], c["dilation"], _sides(c, tuple(kernel)), strict=True)):
        _check_kernel(c, i, k)
        c.require("dilation", disj(ge(d, 1), _no_work(c)), f"dilation must be at least 1, and is {d!r}", "dilation")
        _pad_with_image(c, size, maximum(before, after))
        _not_empty(c, size)
        if c["padding"] == "same":
            c.require("kernel", not c.option("no_empty_image") or ge(size, 1), "padding='same' of an empty axis leaves no room for the kernel", "x")
            made.append(ceildiv(size, s))
        else:
            must_fit(c, size + before + after, span(k, d), "weight")
            made.append(places(size + before + after, span(k, d), s))
    if c.option("idle_without_channels"):  # no input channels: no output channels either
        out = ite(eq(per_group, 0), 0, out)
    return Shape((*x[: -n - 1], out, *made))


def _conv(n: int) -> Op:
    return Op(
        f"conv{n}d",
        inputs=(
            Tensor("x", images(n), NUMBERS - BOOLS),
            Tensor("weight", f"M K {AXES[n].lower()}", NUMBERS - BOOLS, draw=f"M C {AXES[n].lower()} | M 1 {AXES[n].lower()}"),
            Tensor("bias", "M", NUMBERS - BOOLS, optional=True),
        ),
        attributes=(
            Sizes("stride", n, 1, least=1),
            Sizes("padding", n, 0, words=("same", "valid")),
            Sizes("dilation", n, 1),
            Int("groups", 1, least=1),
            Choice("padding_mode", ("zeros", "reflect", "replicate", "circular"), "zeros"),
            Sizes("padding_end", n, None, least=0, optional=True),
            Sizes("kernel", n, None, optional=True),
            Bool("empty_output", False),
        ),
        shape=_conv_shape,
        dtype=_conv_dtype,
        codes={"M": "bias"},
        order="channels",
        values=Values("dot"),
        evaluate=convolution_windows.convolution,
        advice=advice(f"conv{n}d"),
        doc=f"Convolution over {n} spatial axes; padding_end, where given, is the padding after each axis; empty_output: there may be no output channels.",
    )


CONVOLUTIONS = (_conv(1), _conv(2), _conv(3))


def _may_make_nothing(c: Call) -> bool:
    """A fast kernel for single precision may make empty outputs where others refuse; which is taken, is for the machine to say."""
    return bool(c.option("fast_kernels")) and c.dtype("x") in (FLOAT32, COMPLEX64)


def _transposed_shape(c: Call) -> Shape:
    x, (_, per_group, *kernel) = c.shape("x"), c.shape("weight")
    n, groups, channels = len(kernel), c["groups"], c.dims["C"]
    c.require("groups", conj(ge(channels, groups), eq(channels % groups, 0)), f"{channels!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    c.require("empty", ge(per_group, 1), "the weight has no output channels", "weight")
    wanted = _wanted_sizes(c, n)
    nothing = _may_make_nothing(c)
    made: list[Dim] = []
    after = c["padding_end"] or c["padding"]
    for i, (size, k, s, d) in enumerate(zip(x[-n:], kernel, c["stride"], c["dilation"], strict=True)):
        _check_kernel(c, i, k)
        _not_empty(c, size)
        least = (size - 1) * s - c["padding"][i] - after[i] + span(k, d)
        extra = c["output_padding"][i]
        if wanted is not None:
            within = conj(ge(wanted[i], least), lt(wanted[i], least + s))
            c.require("output_size", within, f"an output of {wanted[i]!r} is asked for, and {least!r} to {least + s - 1!r} can be made", ("output_size", "x"))
            extra = wanted[i] - least
        else:
            most = maximum(s, d)
            c.require("output_padding", lt(extra, most), f"output_padding {extra!r} must be less than stride or dilation, {most!r}", "output_padding")
        if nothing and eq(least + extra, 0) is True:
            raise c.give_up("only some kernels make an output without elements")
        enough = ge(least + extra, 0 if nothing else 1)
        c.require("dilation", disj(ge(d, 1), conj(ge(d, 0), eq(k, 1))), f"dilation must be at least 1, and is {c['dilation']!r}", "dilation")
        c.require("output", enough, f"axis {i} of the output would have {least + extra!r} elements", ("x", "padding"))
        made.append(least + extra)
    if c.given("bias"):
        c.equal("bias", c.shape("bias")[0], per_group * groups, "bias has {a} elements and there are {b} output channels", ("bias", "weight"))
    return Shape((*x[: -n - 1], per_group * groups, *made))


def _wanted_sizes(c: Call, n: int) -> tuple[Dim, ...] | None:
    """The spatial part of `output_size`, which may name the other axes too."""
    sizes = c["output_size"]
    if sizes is None:
        return None
    if isinstance(sizes, TensorType):
        raise c.give_up("the sizes of the output are a tensor")
    rank = c.rank("x")
    c.require("output_size", len(sizes) in (n, rank), f"output_size has {n} or {rank} elements, and here {len(sizes)}", "output_size")
    made: tuple[Dim, ...] | None = sizes[-n:]
    return made


_TRANSPOSED = FLOATS | COMPLEXES | {INT64}


def _conv_transpose(n: int) -> Op:
    return Op(
        f"conv_transpose{n}d",
        inputs=(
            Tensor("x", images(n), _TRANSPOSED),
            Tensor("weight", f"C K {AXES[n].lower()}", _TRANSPOSED),
            Tensor("bias", "B", _TRANSPOSED, optional=True),
        ),
        attributes=(
            Sizes("stride", n, 1, least=1),
            Sizes("padding", n, 0, least=0),
            Sizes("output_padding", n, 0, least=0),
            Int("groups", 1, least=1),
            Sizes("dilation", n, 1),
            Choice("padding_mode", ("zeros",), "zeros"),
            Sizes("padding_end", n, None, least=0, optional=True),
            Sizes("kernel", n, None, optional=True),
            Ints("output_size", None, optional=True, one=False),
        ),
        shape=_transposed_shape,
        dtype=_same,
        codes={"C": "channels"},
        order="channels",
        values=Values("dot"),
        evaluate=convolution_windows.transposed_convolution,
        doc=f"Transposed convolution over {n} spatial axes.",
    )


TRANSPOSED = (_conv_transpose(1), _conv_transpose(2), _conv_transpose(3))


def _tbc_shape(c: Call) -> Shape:
    time = c.dims["T"] + 2 * c["padding"]
    made = places(time, c.dims["k"])
    c.require("kernel", ge(made, 0), f"the kernel covers {c.dims['k']!r} elements of an axis, x has {time!r} with its padding", ("x", "weight"))
    return Shape((made, c.dims["N"], c.dims["M"]))


_TBC = NUMBERS - BOOLS - {COMPLEX32}
CONV_TBC = Op(
    "conv_tbc",
    inputs=(Tensor("x", "T N C", _TBC), Tensor("weight", "k C M", _TBC), Tensor("bias", "M", _TBC)),
    attributes=(Int("padding", 0),),
    shape=_tbc_shape,
    dtype=_same,
    codes={"C": "channels", "M": "bias"},
    order="channels",
    evaluate=convolution_windows.time_convolution,
)


def _grey_dilation_shape(c: Call) -> Shape:
    x, weight = c.shape("x"), c.shape("weight")
    made = [
        ceildiv(size, s) if c["padding"] == "SAME" else places(size, span(k, d), s)
        for size, k, s, d in zip(x[1:3], weight[:2], c["stride"], c["dilation"], strict=True)
    ]
    return Shape((x[0], *made, x[3]))


GREY_DILATION = Op(
    "grey_dilation2d",
    inputs=(Tensor("x", "N H W C"), Tensor("weight", "h w C")),
    attributes=(Sizes("stride", 2, 1, least=1), Sizes("dilation", 2, 1, least=1), Choice("padding", ("SAME", "VALID"))),
    shape=_grey_dilation_shape,
    dtype=Same("x", "weight"),
    codes={"C": "channels"},
    evaluate=convolution_windows.greatest_sum,
    doc="The greatest of x plus the weight in each window, channel by channel, with the channels last.",
)

"""Sliding windows over any number of axes, padded as ONNX pads: convolutions and pools that the operators for one to three axes do not cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.onnx_tensors import length_of
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.inputs import Attribute, Bool, Choice, Float, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.ops.window import must_fit, places, span
from tensorproof.terms.dtypes import FLOATS, INT8, INT64, UINT8
from tensorproof.terms.ints import Dim, ceildiv, ite, product
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import onnx_windows as f
    from tensorproof.catalogue.images.formulas import regions
else:
    f = later("catalogue.frameworks.formulas.onnx_windows")
    regions = later("catalogue.images.formulas.regions")

AUTO_PAD = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


def sliding(*more: Attribute, kernel: bool = True) -> tuple[Attribute, ...]:
    """The attributes of a window. A convolution's weight tells its kernel."""
    return (
        Ints("kernel", least=1, per_axis=1) if kernel else Ints("kernel", None, optional=True, per_axis=1),
        Ints("stride", None, least=1, optional=True, per_axis=1),
        Ints("padding", None, least=0, optional=True, per_axis=2),
        Ints("dilation", None, least=1, optional=True, per_axis=1),
        Choice("auto_pad", AUTO_PAD, "NOTSET"),
        *((Bool("ceil_mode", False),) if kernel else (Int("groups", 1, least=1),)),
        *more,
    )


def each(c: Call, name: str, n: int, otherwise: int) -> tuple[Dim, ...]:
    """One number for each of `n` axes."""
    value = c[name]
    if value is None:
        return (otherwise,) * n
    c.require(name, len(value) == n, f"{name} must have {n} numbers, and has {len(value)}", (name, "x"))
    made: tuple[Dim, ...] = value
    return made


def sides(c: Call, n: int) -> list[tuple[Dim, Dim]]:
    """The padding before and after each axis: `padding` holds all that stands before, then all that stands after."""
    pads = each(c, "padding", 2 * n, 0)
    twice = c.given("padding") and c["auto_pad"] not in (None, "NOTSET")
    c.require("padding", not twice, "padding is given twice, by pads and by auto_pad", ("padding", "auto_pad"))
    return list(zip(pads[:n], pads[n:], strict=True))


def rounded_up(size: Dim, before: Dim, after: Dim, reach: Dim, stride: Dim) -> Dim:
    """As `places`, rounded up, less one window where the last would start behind the input and the padding before it."""
    found = ceildiv(size + before + after - reach, stride) + 1
    if ge(reach, after + stride) is True:
        return found
    return found - ite(ge((found - 1) * stride, size + before), 1, 0)


def slid(c: Call, sizes: Sequence[Dim], kernel: Sequence[Dim]) -> list[Dim]:
    """How many windows there are along each axis."""
    n = len(sizes)
    c.require("kernel", len(kernel) == n, f"the kernel has {len(kernel)} axes and x {n} spatial ones", ("kernel", "x"))
    stride, dilation, pads = each(c, "stride", n, 1), each(c, "dilation", n, 1), sides(c, n)
    made: list[Dim] = []
    for size, k, s, d, (before, after) in zip(sizes, kernel, stride, dilation, pads, strict=True):
        if c["auto_pad"] in ("SAME_UPPER", "SAME_LOWER"):
            made.append(ceildiv(size, s))
            continue
        before, after = (0, 0) if c["auto_pad"] == "VALID" else (before, after)
        reach = span(k, d)
        must_fit(c, size + before + after, reach)
        made.append(rounded_up(size, before, after, reach, s) if c["ceil_mode"] else places(size + before + after, reach, s))
    return made


def channels_fit(c: Call) -> None:
    (_, channels, *_), (out, per_group, *_), groups = c.shape("x"), c.shape("weight"), c["groups"]
    c.equal(
        "channels",
        channels,
        per_group * groups,
        f"x has {{a}} channels and weight {c.shape('weight')!r} with group={groups!r} takes {{b}}",
        ("x", "weight"),
    )
    c.require("groups", eq(out % groups, 0), f"{out!r} output channels do not divide into {groups!r} groups", ("weight", "groups"))


def kernel_fits(c: Call, kernel: tuple[Dim, ...]) -> None:
    """The weight's kernel is not empty, and is the one that is said."""
    for k in kernel:
        c.require("kernel", ge(k, 1), f"a kernel has at least one element along each axis, and is {kernel!r}", "weight")
    for a, b in zip(kernel, each(c, "kernel", len(kernel), 1) if c.given("kernel") else ()):
        c.equal("kernel", a, b, "the weight's kernel is {a} and kernel_shape says {b}", ("weight", "kernel"))


def convolved(c: Call) -> Shape:
    x, weight = c.shape("x"), c.shape("weight")
    c.require("rank", len(x) == len(weight), f"x {x!r} and weight {weight!r} must have the same number of dimensions", ("x", "weight"))
    channels_fit(c)
    kernel = tuple(weight[2:])
    kernel_fits(c, kernel)
    return Shape((x[0], weight[0], *slid(c, x[2:], kernel)))


_IMAGE, _WEIGHT = Tensor("x", "N C X ...", FLOATS), Tensor("weight", "M K x ...", FLOATS, draw="M C x ...")
_BIAS = Tensor("bias", "M", FLOATS, optional=True, default=None)
CONV = Op(
    "conv_any",
    (_IMAGE, _WEIGHT, _BIAS),
    sliding(kernel=False),
    convolved,
    Same("x", "weight", "bias"),
    codes={"M": "bias"},
    doc="Convolution over any number of axes.",
    evaluate=f.convolution,
)


def deformed(c: Call) -> Shape:
    """Offsets and masks are given for every output position, for every place in the kernel."""
    made, groups = convolved(c), c["offset_groups"]
    kernel: Dim = product(c.shape("weight")[2:])
    n = len(made) - 2
    for name, count in (("offset", n * kernel * groups), ("mask", kernel * groups)):
        if c.given(name):
            given = c.shape(name)
            c.require("rank", len(given) == len(made), f"{name} {given!r} must have the rank of x", (name, "x"))
            for a, b in zip(given, (made[0], count, *made[2:])):
                c.require(name, eq(a, b), f"{name} is {given!r} and must be {(made[0], count, *made[2:])!r}", (name, "x", "weight"))
    return made


DEFORM_CONV = Op(
    "deform_conv",
    (
        Tensor("x", "N C X ...", FLOATS, draw="N C Y X"),
        Tensor("weight", "M K x ...", FLOATS, draw="M C y x"),
        Tensor("offset", "...", FLOATS, draw="N 2*y*x Y-y+1 X-x+1"),
        _BIAS,
        Tensor("mask", "...", FLOATS, optional=True, default=None, draw="N y*x Y-y+1 X-x+1"),
    ),
    sliding(Int("offset_groups", 1, least=1), kernel=False),
    deformed,
    Same("x", "weight", "offset", "bias", "mask"),
    codes={"M": "bias"},
    doc="Convolution whose kernel reads at displaced places.",
    evaluate=f.displaced_convolution,
)


def transposed(c: Call) -> Shape:
    x, weight, groups = c.shape("x"), c.shape("weight"), c["groups"]
    c.require("rank", len(x) == len(weight), f"x {x!r} and weight {weight!r} must have the same number of dimensions", ("x", "weight"))
    c.equal("channels", x[1], weight[0], "x has {a} channels and the weight takes {b}", ("x", "weight"))
    c.require("groups", conj(ge(x[1], groups), eq(x[1] % groups, 0)), f"{x[1]!r} channels do not divide into {groups!r} groups", ("x", "groups"))
    out, kernel = weight[1] * groups, tuple(weight[2:])
    if c.given("bias"):
        c.equal("bias", c.shape("bias")[0], out, "bias has {a} elements and there are {b} output channels", ("bias", "weight"))
    n = len(kernel)
    kernel_fits(c, kernel)
    stride, dilation, extra, pads = each(c, "stride", n, 1), each(c, "dilation", n, 1), each(c, "output_padding", n, 0), sides(c, n)
    if c.given("output_size"):
        sizes = c["output_size"]
        c.require("output_size", len(sizes) == n, f"output_shape must have {n} numbers, and has {len(sizes)}", ("output_size", "x"))
        return Shape((x[0], out, *sizes))
    made: list[Dim] = []
    for size, k, s, d, e, (before, after) in zip(x[2:], kernel, stride, dilation, extra, pads, strict=True):
        if c["auto_pad"] in ("SAME_UPPER", "SAME_LOWER"):
            made.append(size * s)
        else:
            before, after = (0, 0) if c["auto_pad"] == "VALID" else (before, after)
            made.append((size - 1) * s + e + span(k, d) - before - after)
        c.require("output", ge(made[-1], 0), f"an axis of the output would have {made[-1]!r} elements", ("x", "padding"))
    return Shape((x[0], out, *made))


CONV_TRANSPOSE = Op(
    "conv_transpose_any",
    (_IMAGE, Tensor("weight", "C K x ...", FLOATS), Tensor("bias", "B", FLOATS, optional=True, default=None)),
    sliding(Ints("output_padding", None, least=0, optional=True, per_axis=1), Ints("output_size", None, least=0, optional=True, per_axis=1), kernel=False),
    transposed,
    Same("x", "weight", "bias"),
    codes={"C": "channels"},
    doc="Transposed convolution over any number of axes, to a size that may be given.",
    evaluate=f.transposed_convolution,
)


def causal_conv(c: Call) -> list[Shape]:
    n, channels, length = (c.dims[name] for name in ("N", "C", "L"))
    c.require("kernel", ge(c.dims["k"], 1), "a kernel has at least one element", "weight")
    return [Shape((n, channels, length)), Shape((n, channels, c.dims["k"] - 1))] if not c.given("state") else _with_state(c)


def _with_state(c: Call) -> list[Shape]:
    c.equal("state", c.dims["S"], c.dims["k"] - 1, "the state holds {a} steps and the kernel needs {b}", ("state", "weight"))
    return [Shape((c.dims["N"], c.dims["C"], c.dims["L"])), Shape((c.dims["N"], c.dims["C"], c.dims["S"]))]


CAUSAL_CONV = Op(
    "causal_conv",
    (
        Tensor("x", "N C L", FLOATS),
        Tensor("weight", "C 1 k", FLOATS),
        Tensor("bias", "C", FLOATS, optional=True, default=None),
        Tensor("state", "N C S", FLOATS, optional=True, default=None),
    ),
    (Choice("activation", ("none", "silu", "swish"), "none"),),
    causal_conv,
    Same("x", "weight", "bias", "state"),
    outputs=(Out("y"), Out("state")),
    doc="Depthwise convolution that looks back only, with the steps before the first one as state.",
    evaluate=f.causal_convolution,
)


# --- pools -------------------------------------------------------------------------------------------------------------------------


def pooled(c: Call) -> Shape:
    x = c.shape("x")
    return Shape((*x[:2], *slid(c, x[2:], c["kernel"])))


_POOLED = Tensor("x", "N C X ...", FLOATS | {INT8, UINT8})
MAX_POOL = Op(
    "max_pool_any",
    (_POOLED,),
    sliding(),
    lambda c: [pooled(c)] * 2,
    Like("x"),
    outputs=(Out("values"), Out("indices", INT64)),
    doc="The greatest number of each window, and where it stands.",
    evaluate=f.max_pool,
)
AVG_POOL = Op("avg_pool_any", (_POOLED,), sliding(Bool("count_include_pad", False)), pooled, Like("x"), doc="The mean of each window.", evaluate=f.mean_pool)
LP_POOL = Op("lp_pool_any", (_POOLED,), sliding(Int("norm", 2)), pooled, Like("x"), doc="The norm of each window.", evaluate=f.norm_pool)


def unpooled(c: Call) -> Shape:
    x, kernel = c.shape("x"), c["kernel"]
    n = len(x) - 2
    c.require("kernel", len(kernel) == n, f"the kernel has {len(kernel)} axes and x {n} spatial ones", ("kernel", "x"))
    indices = c.shape("indices")
    c.require("indices", len(indices) == len(x), f"the indices {indices!r} must have the shape of x {x!r}", ("indices", "x"))
    for a, b in zip(indices, x):
        c.require("indices", eq(a, b), f"the indices {indices!r} must have the shape of x {x!r}", ("indices", "x"))
    size, stride, pads = c["output_size"], each(c, "stride", n, 1), sides(c, n)
    least = Shape((*x[:2], *((m - 1) * s + k - p - q for m, k, s, (p, q) in zip(x[2:], kernel, stride, pads, strict=True))))
    for n_out in least[2:]:
        c.require("output", ge(n_out, 1), f"an axis of the output would have {n_out!r} elements", ("x", "padding"))
    if size is None:
        return least
    count = length_of(c, "output_size")
    c.require("output_size", count in (None, len(x)), f"output_shape must have {len(x)} numbers, and has {count}", ("output_size", "x"))
    if isinstance(size, TensorType):
        return Shape(c.fresh("size") for _ in x)
    for i, (a, b) in enumerate(zip(size, least)):
        c.require(
            "output_size",
            eq(a, b) if i < 2 else ge(a, b),
            f"output_shape {size!r} does not hold what the windows fill, {least!r}",
            ("output_size", "x"),
        )
    return Shape(size)


UNPOOL = Op(
    "max_unpool_any",
    (Tensor("x", "N C X ...", FLOATS), Tensor("indices", "...", frozenset({INT64}), draw="N C X ...")),
    (
        Ints("kernel", least=1, per_axis=1),
        Ints("stride", None, least=1, optional=True, per_axis=1),
        Ints("padding", None, least=0, optional=True, per_axis=2),
        Ints("output_size", None, optional=True, loose=True),
    ),
    unpooled,
    Like("x"),
    doc="Each number put back where a max pool found it.",
    evaluate=f.unpooled,
)


def folded_back(c: Call) -> Shape:
    """Columns of blocks put back into an image of any number of axes."""
    n, rows, columns = (c.dims[name] for name in ("N", "P", "L"))
    image, block = c["output_size"], c["kernel"]
    if isinstance(image, TensorType) or isinstance(block, TensorType):
        count = length_of(c, "output_size")
        if count is None:
            raise c.give_up("the rank of the image is not known")
        return Shape((n, c.fresh("channels"), *((c.fresh("size") for _ in range(count)) if isinstance(image, TensorType) else image)))
    c.require("kernel", len(block) == len(image), f"the block {block!r} must have the rank of the image {image!r}", ("kernel", "output_size"))
    area, axes = product(block), len(image)
    c.require(
        "block",
        conj(ge(area, 1), eq(rows % area, 0)) if area != 0 else False,
        f"{rows!r} rows do not divide into blocks of {area!r}",
        ("x", "kernel"),
    )
    stride, dilation, pads = each(c, "stride", axes, 1), each(c, "dilation", axes, 1), sides(c, axes)
    wanted = product(places(m + p + q, span(k, d), s) for m, k, s, d, (p, q) in zip(image, block, stride, dilation, pads, strict=True))
    c.equal("blocks", columns, wanted, "x has {a} columns and the image holds {b} blocks", ("x", "output_size"))
    return Shape((n, rows // area, *image))


COL2IM = Op(
    "col2im_any",
    (Tensor("x", "N P L"),),
    (
        Ints("output_size", loose=True, shape=True),
        Ints("kernel", loose=True),
        Ints("stride", None, least=1, optional=True, per_axis=1),
        Ints("padding", None, least=0, optional=True, per_axis=2),
        Ints("dilation", None, least=1, optional=True, per_axis=1),
    ),
    folded_back,
    Like("x"),
    doc="Columns of blocks summed into an image.",
    evaluate=f.image_of_columns,
)

_ROIS = Tensor("rois", "R 4", FLOATS, values="regions:N")
ROI_ALIGN = Op(
    "roi_align_indexed",
    (Tensor("x", "N C Y X", FLOATS), _ROIS, Tensor("index", "R", frozenset({INT64}), values="index:N")),
    (
        Int("height", 1, least=0),
        Int("width", 1, least=0),
        Int("sampling_ratio", 0),
        Float("spatial_scale", 1.0),
        Choice("coordinate_transformation_mode", ("half_pixel", "output_half_pixel"), "half_pixel"),
        Choice("mode", ("avg", "max"), "avg"),
    ),
    "R C height width",
    Same("x", "rois"),
    codes={"R": "rois"},
    evaluate=regions.aligned_by_index,
    doc="Regions of images pooled to one size.",
)


def roi_pooled(c: Call) -> Shape:
    size: Any = c["output_size"]
    c.require("output_size", len(size) == 2, f"pooled_shape must have two numbers, and is {size!r}", "output_size")
    return Shape((c.dims["R"], c.dims["C"], *size))


MAX_ROI_POOL = Op(
    "max_roi_pool",
    (Tensor("x", "N C Y X", FLOATS), Tensor("rois", "R 5", FLOATS, values="regions:N")),
    (Ints("output_size", least=1, per_axis=1), Float("spatial_scale", 1.0)),
    roi_pooled,
    Same("x", "rois"),
    evaluate=regions.greatest_of_regions,
    doc="The greatest numbers of regions of images.",
)

"""Detection: regions of interest, suppression of overlapping boxes, deformable convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Same, ToFloat
from tensorproof.ops.inputs import Bool, Choice, Float, Int, Sizes, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.ops.window import must_fit, places, span
from tensorproof.terms.dtypes import ALL_INTS, FLOAT32, FLOATS, INT32, INT64, REALS, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.images.formulas import boxes as vision_boxes
    from tensorproof.catalogue.images.formulas import kept_boxes, regions
else:
    kept_boxes = later("catalogue.images.formulas.kept_boxes")
    regions = later("catalogue.images.formulas.regions")
    vision_boxes = later("catalogue.images.formulas.boxes")


def _kept(c: Call) -> Shape:
    count = c.dims["N"]
    return Shape((c.fresh("kept", 0, count if isinstance(count, int) else None),))


NMS = Op(
    "nms",
    inputs=(Tensor("boxes", "N 4", FLOATS, values="regions:N"), Tensor("scores", "N", FLOATS), Tensor("classes", "N", ALL_INTS, optional=True, default=None)),
    attributes=(Float("threshold", least=0.0),),
    shape=_kept,
    dtype=INT64,
    codes={"N": "scores", "4": "boxes"},
    data_dependent=True,
    evaluate=kept_boxes.uncovered,
    doc="The indices of the boxes that no better one, of the same class, covers.",
)

_REGIONS = (Tensor("x", "N C Y X", FLOATS), Tensor("boxes", "K 5", FLOATS, values="regions:N"))
_POOLED = (Float("scale", 1.0), Sizes("output_size", 2, least=1))

ROI_ALIGN = Op(
    "roi_align",
    inputs=_REGIONS,
    attributes=(*_POOLED, Int("sampling_ratio", -1), Bool("aligned", False)),
    shape="K C *output_size",
    dtype=Same("x", "boxes"),
    codes={"5": "boxes"},
    evaluate=regions.aligned,
    doc="Each region of an image, a row of boxes with the image's number first, resampled to one size.",
)
_WITH_PLACES = (Out("values"), Out("places", INT32))
ROI_POOL = Op(
    "roi_pool", _REGIONS, _POOLED, lambda c: [Shape((c.dims["K"], c.dims["C"], *c["output_size"]))] * 2, Same("x", "boxes"), outputs=_WITH_PLACES,
    codes={"5": "boxes"}, evaluate=regions.pooled, doc="The greatest value of each part of a region, and its place in the image.",
)  # fmt: skip


def _by_position(c: Call) -> list[Shape]:
    channels, (height, width) = c.dims["C"], c["output_size"]
    whole = eq(channels % (height * width), 0)
    c.require("channels", whole, f"{channels!r} channels do not divide into {height!r} x {width!r} positions", ("x", "output_size"))
    return [Shape((c.dims["K"], channels // (height * width), height, width))] * 2


_WITH_CHANNELS = (Out("values"), Out("channels", INT32))
PS_ROI_ALIGN = Op(
    "ps_roi_align", _REGIONS, (*_POOLED, Int("sampling_ratio", -1)), _by_position, Same("x", "boxes"), outputs=_WITH_CHANNELS, codes={"5": "boxes"},
    evaluate=regions.aligned_by_position, doc="As roi_align, each part from the channel that belongs to its position, and the number of that channel.",
)  # fmt: skip
PS_ROI_POOL = Op(
    "ps_roi_pool", _REGIONS, _POOLED, _by_position, Same("x", "boxes"), outputs=_WITH_CHANNELS, codes={"5": "boxes"},
    evaluate=regions.pooled_by_position, doc="The mean of each part of a region, from the channel that belongs to its position, and its number.",
)  # fmt: skip

BOX_AREA = Op(
    "box_area", (Tensor("boxes", "N 4", REALS),), (), "N", dtype=lambda c: _wide(c.dtype("boxes")), codes={"4": "boxes"},
    evaluate=lambda np, a: vision_boxes.area(np, a["boxes"]),
)  # fmt: skip
BOX_IOU = Op(
    "box_iou", (Tensor("boxes", "N 4", REALS, values="regions:N"), Tensor("others", "M 4", REALS, values="regions:M")),
    (Choice("less", ("", "hull", "distance", "distance and sides"), ""), Float("eps", 1e-7)), "N M", dtype=ToFloat("boxes", "others"), codes={"4": "boxes"},
    doc="How much of two boxes is common to both, for every pair; `less`: what is taken off for boxes that lie apart or have other proportions.",
    evaluate=vision_boxes.overlap,
)  # fmt: skip


def _wide(dtype: DType | None) -> DType | None:
    """Areas are taken in at least single precision and 32 bits."""
    if dtype is None or dtype.bits >= 32:
        return dtype
    return FLOAT32 if dtype.is_float else INT32


def _deform_conv_shape(c: Call) -> Shape:
    (out, per_group, *kernel), channels = c.shape("weight"), c.dims["C"]
    c.require("channels", eq(channels % per_group, 0), f"x has {channels!r} channels, which do not divide into groups of {per_group!r}", ("x", "weight"))
    points = kernel[0] * kernel[1]
    c.require("offset", eq(c.dims["O"] % (2 * points), 0), f"offset has {c.dims['O']!r} channels, not a multiple of {2 * points!r}", ("offset", "weight"))
    if c.given("mask"):
        c.equal("mask", 2 * c.shape("mask")[1], c.dims["O"], "twice the mask's channels are {a} and the offset's {b}", ("mask", "offset"))
    made: list[Dim] = []
    for size, k, s, p, d, own in zip(c.shape("x")[2:], kernel, c["stride"], c["padding"], c["dilation"], c.shape("offset")[2:], strict=True):
        must_fit(c, size + 2 * p, span(k, d), "weight")
        made.append(places(size + 2 * p, span(k, d), s))
        c.equal("offset", own, made[-1], "offset has {a} positions along an axis and the output {b}", ("offset", "x"))
    return Shape((c.dims["N"], out, *made))


DEFORM_CONV2D = Op(
    "deform_conv2d",
    inputs=(
        Tensor("x", "N C Y X", FLOATS),
        Tensor("offset", "N O h w", FLOATS, draw="N 2*ky*kx Y-ky+1 X-kx+1"),
        Tensor("weight", "M K ky kx", FLOATS, draw="M C ky kx"),
        Tensor("bias", "M", FLOATS, optional=True),
        Tensor("mask", "N _ h w", FLOATS, optional=True, draw="N ky*kx Y-ky+1 X-kx+1"),
    ),
    attributes=(Sizes("stride", 2, 1, least=1), Sizes("padding", 2, 0, least=0), Sizes("dilation", 2, 1, least=1)),
    shape=_deform_conv_shape,
    dtype=Same("x", "offset", "weight", "bias", "mask"),
    codes={"M": "bias", "N": "batch", "h": "mask", "w": "mask"},
    evaluate=regions.displaced,
)

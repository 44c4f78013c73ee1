"""Images with their channels last: edges, likeness, and the bytes of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Bool, ElementType, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOAT32, FLOATS, UINT8, DType
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.images.formulas import pixels as image_pixels
else:
    image_pixels = later("catalogue.images.formulas.pixels")

SOBEL_EDGES = Op(
    "sobel_edges", (Tensor("x", "N H W C", FLOATS),), (), lambda c: Shape((*c.shape("x"), 2)), Like("x"),
    doc="The slopes of images along their height and their width, by Sobel's filters over mirrored edges.",
    evaluate=image_pixels.sobel,
)  # fmt: skip


def each_pair(c: Call) -> Shape:
    made = c.broadcast(c.lead["x"], c.lead["y"], about=("x", "y"))
    return Shape((*made, *(c.dims[n] - c["filter_size"] + 1 for n in "HW"))) if c["windows"] else made


SSIM = Op(
    "ssim",
    (Tensor("x", "... H W C", NUMERIC), Tensor("y", "... H W C", NUMERIC)),
    (Float("most"), Int("filter_size", 11), Float("filter_sigma", 1.5), Float("k1", 0.01), Float("k2", 0.03), Bool("windows", False)),
    each_pair,
    FLOAT32,
    evaluate=image_pixels.similarity,
    doc="The structural similarity of pairs of images, averaged over their windows unless `windows` are wanted; "
    "`most` is what lies between their least and greatest value.",
)


def decoded(c: Call) -> Shape:
    return Shape((c.fresh("height"), c.fresh("width"), c["channels"] or c.fresh("channels")))


DECODE_IMAGE = Op(
    "decode_image", (Tensor("x", "", frozenset({DType.STRING})),), (Int("channels", 0), ElementType()), decoded, Given("dtype", UINT8), data_dependent=True,
    opaque="file", doc="The image in the bytes of a file.",
)  # fmt: skip
ENCODE_IMAGE = Op(
    "encode_image", (Tensor("x", "... H W C"),), (), any_rank(lambda c: Shape(c.shape("x")[:-3]) if c.shape("x").known else c.shape("x")), DType.STRING,
    opaque="file", doc="The bytes of a file for each image.",
)  # fmt: skip

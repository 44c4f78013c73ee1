"""Images with their channels last: colours, crops, and boxes drawn on them or chosen among many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Anything, Float, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ALL_INTS, FLOAT32, FLOATS, INT32
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.images.formulas import kept_boxes, pixels
else:
    pixels = later("catalogue.images.formulas.pixels")
    kept_boxes = later("catalogue.images.formulas.kept_boxes")

_FACTOR = Tensor("factor", "", FLOATS, scalar=True)
ADJUSTED = tuple(
    Op(name, (Tensor("x", "... H W C", FLOATS), _FACTOR), (), any_rank(same_shape), Like("x"), evaluate=function, doc=doc)
    for name, function, doc in (
        ("adjust_contrast", pixels.contrasted, "(x - mean) · factor + mean, with the mean of each channel of an image."),
        ("adjust_hue", pixels.turned_hue, "RGB images whose hue is turned by the factor, a part of a whole turn."),
        ("adjust_saturation", pixels.saturated, "RGB images whose saturation is multiplied by the factor, and held between 0 and 1."),
    )
)
COLOURS = tuple(
    Op(name, (Tensor("x", "... 3", FLOATS),), (), any_rank(same_shape), Like("x"), codes={"3": "channels"}, evaluate=function, doc=doc)
    for name, function, doc in (
        ("rgb_to_hsv", pixels.rgb_to_hsv, "Hue, saturation and value, between 0 and 1, of red, green and blue."),
        ("hsv_to_rgb", pixels.hsv_to_rgb, "Red, green and blue of hue, saturation and value."),
    )
)


def cropped(c: Call) -> Shape:
    return Shape((c.dims["B"], *c["size"], c.dims["C"]))


CROP_AND_RESIZE = Op(
    "crop_and_resize", (Tensor("x", "N H W C", FLOATS | ALL_INTS), Tensor("boxes", "B 4", FLOATS), Tensor("index", "B", ALL_INTS, values="index:N")),
    (Ints("size"), Anything("method", "bilinear"), Float("extrapolation_value", 0.0)), cropped, FLOAT32, codes={"B": "boxes"},
    doc="The part of an image that each box names, in parts of its height and width, resized; index says which image.",
    evaluate=pixels.crops,
)  # fmt: skip
NON_MAX_SUPPRESSION = Op(
    "non_max_suppression",
    (
        Tensor("boxes", "N 4", FLOATS), Tensor("scores", "N", FLOATS), Tensor("iou", "", FLOATS, optional=True, scalar=True, default=None),
        Tensor("score", "", FLOATS, optional=True, scalar=True, default=None),
    ),
    (Anything("most"),), lambda c: Shape((c.fresh("selected"),)), INT32, codes={"N": "boxes"}, data_dependent=True,
    doc="The places of at most `most` boxes, the best first, of which none overlaps a better one by more than iou or has less than score.",
    evaluate=kept_boxes.best_boxes,
)  # fmt: skip
DRAW_BOXES = Op(
    "draw_boxes", (Tensor("x", "N H W C", FLOATS), Tensor("boxes", "N B 4", FLOATS), Tensor("colours", "_ _", FLOATS, optional=True, default=None)), (),
    same_shape, Like("x"), codes={"N": "batch"}, doc="The images with the outlines of boxes drawn on them, in these colours in turn.",
    evaluate=pixels.outlined,
)  # fmt: skip

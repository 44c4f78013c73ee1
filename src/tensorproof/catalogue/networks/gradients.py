"""Gradients that graphs for training hold as nodes of their own: of windows, normalisations, resizing, padding and slices.

Images have their channels behind the batch, and windows are given in the words of the pools and convolutions that they belong to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.frameworks.tensorflow_arrays import ENDS, MASKS, numbers, somewhere
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.families import same_shape
from tensorproof.ops.inputs import Anything, Bool, Choice, Float, Int, Ints, Pairs, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.networks.formulas import gradient_sums as sums
else:
    sums = later("catalogue.networks.formulas.gradient_sums")

_WINDOW = (Ints("stride"), Anything("padding", 0), Anything("padding_end"))
_KERNEL = Ints("kernel")


@any_rank
def asked_for(c: Call) -> Shape:
    size = numbers(c, "size")
    return somewhere(c) if size is None else Shape(size)


_SIZE = Ints("size", shape=True, loose=True)
MAX_POOL_GRADIENT = Op(
    "max_pool_gradient", (Tensor("x"), Tensor("values"), Tensor("y")), (_KERNEL, *_WINDOW, Bool("ties", False)), any_rank(same_shape), Same("x", "y"),
    doc="The gradient y behind a pool of x that gave `values`, put where the first greatest element of each window stood; with `ties`, wherever an element "
    "equals the value.", evaluate=sums.max_pool_gradient,
)  # fmt: skip
AVG_POOL_GRADIENT = Op(
    "avg_pool_gradient", (Tensor("y"),), (_SIZE, _KERNEL, *_WINDOW, Bool("count_include_pad", True)), asked_for, Like("y"),
    doc="The gradient y behind a mean over windows, spread over images of this size.",
    evaluate=sums.mean_pool_gradient,
)  # fmt: skip
MAX_POOL_POSITIONS = Op(
    "max_pool_positions", (Tensor("x", "N C ..."), Tensor("values")), (_KERNEL, *_WINDOW, Bool("include_batch", False)),
    lambda c: c.shape("values"),
    doc="Where the greatest element of each window stands in an image that is flattened with its channels last; with the images before it counted in.",
    evaluate=sums.max_pool_positions,
)  # fmt: skip


CONV_WEIGHT_GRADIENT = Op(
    "conv_weight_gradient", (Tensor("x", "N C ..."), Tensor("y", "N M ...")), (_SIZE, *_WINDOW, Ints("dilation"), Int("groups", 1)), asked_for, Same("x", "y"),
    doc="The gradient by the weight, which has this size, of a convolution of x behind which the gradient is y.", evaluate=sums.conv_weight_gradient,
)  # fmt: skip
BATCH_NORM_GRADIENT = Op(
    "batch_norm_gradient",
    (
        Tensor("y", "N C ..."), Tensor("x", "N C ..."), Tensor("weight", "C"), Tensor("mean", "C"), Tensor("variance", "C"),
        Tensor("kept", optional=True, default=None),
    ),
    (Float("eps", 1e-4), Bool("training", True)),
    lambda c: [c.shape("y"), c.shape("weight"), c.shape("weight")],
    Same("x", "y"),
    outputs=(Out("x"), Out("weight"), Out("bias")),
    doc="The gradients by x, weight and bias of a batch norm of x behind which the gradient is y.",
    evaluate=sums.batch_norm_gradient,
)  # fmt: skip
RESIZE_GRADIENT = Op(
    "resize_image_gradient", (Tensor("y", "N h w C"), Tensor("x", "...", optional=True, default=None)),
    (_SIZE, Choice("method", ("bilinear", "nearest"), "bilinear"), Bool("align_corners", False), Bool("half_pixel_centers", False)),
    lambda c: Shape((c.dims["N"], *asked_for(c), c.dims["C"])), Like("y"),
    doc="The gradient y behind a resizing of images (channels last) that had this height and width.",
    evaluate=sums.resize_image_gradient,
)  # fmt: skip
MIRROR_PAD_GRADIENT = Op(
    "mirror_pad_gradient", (Tensor("x"),), (Pairs("paddings"), Choice("mode", ("REFLECT", "SYMMETRIC"))),
    lambda c: Shape(n - b - e for n, (b, e) in zip(c.shape("x"), c["paddings"])), Like("x"),
    doc="x without its mirrored edges, which are added to what they mirror.",
    evaluate=sums.mirror_pad_gradient,
)  # fmt: skip
STRIDED_SLICE_GRADIENT = Op(
    "strided_slice_gradient", (Tensor("y"),), (_SIZE, *ENDS, *MASKS), asked_for, Like("y"), doc="Zeros of this size with y put into a slice.",
    evaluate=sums.strided_slice_gradient,
)  # fmt: skip
STRIDED_SLICE_UPDATE = Op(
    "strided_slice_update", (Tensor("x"), Tensor("y")), (*ENDS, *MASKS), any_rank(same_shape), Same("x", "y"), doc="x with y put into a slice.",
    evaluate=sums.strided_slice_update,
)  # fmt: skip

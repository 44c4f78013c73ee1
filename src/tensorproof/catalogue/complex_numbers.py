"""Complex numbers: their parts, how they are made, and views between complex and real tensors."""

from __future__ import annotations

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Real, Same, float_of
from tensorproof.ops.families import NUMERIC, broadcast_shape, same_shape
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import DTypeRule, Op
from tensorproof.terms.dtypes import ANY, COMPLEXES, FLOAT16, FULL_FLOATS, DType
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES


def complexified(*names: str) -> DTypeRule:
    """One float type in, its complex type out."""

    def rule(c: Call) -> DType | None:
        dtype = Same(*names)(c)
        return None if dtype is None else dtype.complexified

    return rule


def angle_type(c: Call) -> DType | None:
    dtype = c.dtype("x")
    return None if dtype is None else float_of(c, dtype.real)


REAL_PART = Op("real", (Tensor("x"),), (), same_shape, Real("x"), aliases="x")
IMAGINARY_PART = Op("imag", (Tensor("x"),), (), same_shape, Real("x"), aliases="x", doc="torch has it for complex numbers only")
ANGLE = Op("angle", (Tensor("x", "...", NUMERIC),), (), same_shape, angle_type)
CONJ = Op("conj", (Tensor("x", "...", ANY),), (), same_shape, Like("x"))
PARTS = FULL_FLOATS | {FLOAT16}
COMPLEX = Op(
    "complex", (Tensor("x", "...", PARTS), Tensor("y", "...", PARTS)), (), broadcast_shape, complexified("x", "y"), doc="x + i·y"
)
POLAR = Op(
    "polar", (Tensor("x", "...", FULL_FLOATS), Tensor("y", "...", FULL_FLOATS)), (), broadcast_shape, complexified("x", "y"),
    doc="a number of length x and angle y",
)  # fmt: skip


@any_rank
def with_parts(c: Call) -> Shape:
    return Shape((*c.shape("x"), 2))


def without_parts(c: Call) -> Shape:
    """The last axis holds the two parts, side by side in memory."""
    *lead, parts = c.shape("x")
    c.require("parts", eq(parts, 2), f"the last axis of x holds the real and the imaginary part, so it must be 2, and is {parts!r}", "x")
    strides = c.tensor("x").strides
    if strides is not None and strides != UNKNOWN_STRIDES and len(strides) == len(lead) + 1:
        c.require("strides", eq(strides[-1], 1), f"the two parts must lie side by side in memory, and the last stride of x is {strides[-1]!r}", "x")
        for stride in strides[:-1]:
            if isinstance(stride, int):
                c.require("strides", stride % 2 == 0, f"all strides of x but the last must be even, and one is {stride}", "x")
    return Shape(lead)


VIEW_AS_REAL = Op("view_as_real", (Tensor("x", "...", COMPLEXES),), (), with_parts, Real("x"), aliases="x")
VIEW_AS_COMPLEX = Op("view_as_complex", (Tensor("x", "... _", PARTS),), (), without_parts, complexified("x"), aliases="x")

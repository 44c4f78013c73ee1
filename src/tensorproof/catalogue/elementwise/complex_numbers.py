"""The parts of complex numbers. How they are made stands in `creation`, their views in `views`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Real, float_of
from tensorproof.ops.evaluation import Arguments, Undefined, numpy
from tensorproof.ops.facts import MOVES
from tensorproof.ops.families import NUMERIC, same_shape
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ANY, DType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def angle_type(c: Call) -> DType | None:
    dtype = c.dtype("x")
    return None if dtype is None else float_of(c, dtype.real)


REAL_PART = Op("real", (Tensor("x"),), (), same_shape, Real("x"), aliases="x", order="apart", evaluate=numpy("real"))
IMAGINARY_PART = Op(
    "imag", (Tensor("x"),), (), same_shape, Real("x"), aliases="x",
    order="apart", doc="torch has it for complex numbers only", evaluate=numpy("imag"),
)  # fmt: skip


def angle_of(np: Numpy, a: Arguments) -> Array:
    """0 or π of real numbers; of -0 libraries give either."""
    x = a["x"]
    if not hasattr(x, "of") and x.dtype.kind == "f" and np.any(np.signbit(x) & (x == 0)):
        raise Undefined
    return np.angle(x)


ANGLE = Op("angle", (Tensor("x", "...", NUMERIC),), (), same_shape, angle_type, evaluate=angle_of)
CONJ = Op("conj", (Tensor("x", "...", ANY),), (), same_shape, Like("x"), aliases="x", values=MOVES, evaluate=numpy("conjugate"))

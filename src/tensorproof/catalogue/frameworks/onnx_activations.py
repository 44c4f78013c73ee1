"""Activations whose constants ONNX leaves open; with the usual constants the rows name the usual operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.element_types import Like
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.families import elementwise, same_shape
from tensorproof.ops.inputs import Axis, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Interval, Op, Values
from tensorproof.terms.dtypes import FLOATS

if TYPE_CHECKING:
    from tensorproof.ops import mathematics
    from tensorproof.ops.arrays import Array, Numpy
else:
    mathematics = later("ops.mathematics")


def hardmax(np: Numpy, a: Arguments) -> Array:
    x, dim = a["x"], a["dim"]
    if not x.shape[dim]:
        return np.zeros(x.shape)
    first = np.expand_dims(np.argmax(x, axis=dim), dim)
    return np.equal(first, np.arange(x.shape[dim]).reshape((-1,) + (1,) * (len(x.shape) - 1 - dim)))


_UNIT = Values("bounded", bounds=Interval(0.0, 1.0))
SWISH = elementwise(
    "swish", FLOATS, Number("alpha", 1.0), dtype=Like("x"), doc="x times the logistic function of alpha x.",
    evaluate=lambda np, a: np.multiply(a["x"], mathematics.sigmoid(np, np.multiply(a["x"], a["alpha"]))),
)  # fmt: skip
HARD_SIGMOID = elementwise(
    "hard_sigmoid",
    FLOATS,
    Number("alpha", 0.2),
    Number("beta", 0.5),
    dtype=Like("x"),
    values=_UNIT,
    doc="alpha x + beta, kept between 0 and 1.",
    evaluate=lambda np, a: np.clip(np.add(np.multiply(a["x"], a["alpha"]), a["beta"]), 0.0, 1.0),
)
HARDMAX = Op(
    "hardmax",
    (Tensor("x", "X ...", FLOATS),),
    (Axis("dim", -1, scalar_ok=False),),
    same_shape,
    Like("x"),
    values=_UNIT,
    doc="1 at the first greatest number along an axis, 0 elsewhere.",
    evaluate=hardmax,
)

"""Activations whose constants ONNX leaves open; with the usual constants the rows name the usual operators."""

from __future__ import annotations

from tensorproof.ops.element_types import Like
from tensorproof.ops.families import elementwise, same_shape
from tensorproof.ops.inputs import Axis, Number, Tensor
from tensorproof.ops.record import Interval, Op, Values
from tensorproof.terms.dtypes import FLOATS

_UNIT = Values("bounded", bounds=Interval(0.0, 1.0))
SWISH = elementwise("swish", FLOATS, Number("alpha", 1.0), dtype=Like("x"), doc="x times the logistic function of alpha x.")
HARD_SIGMOID = elementwise(
    "hard_sigmoid", FLOATS, Number("alpha", 0.2), Number("beta", 0.5), dtype=Like("x"), values=_UNIT, doc="alpha x + beta, kept between 0 and 1."
)
SCALED_ELU = elementwise(
    "scaled_elu", FLOATS, Number("alpha", 1.67326), Number("gamma", 1.0507), dtype=Like("x"), doc="gamma times the exponential linear unit."
)
CONTINUOUS_ELU = elementwise(
    "continuous_elu", FLOATS, Number("alpha", 1.0), dtype=Like("x"), doc="The continuously differentiable exponential linear unit."
)
HARDMAX = Op(
    "hardmax",
    (Tensor("x", "X ...", FLOATS),),
    (Axis("dim", -1, scalar_ok=False),),
    same_shape,
    Like("x"),
    values=_UNIT,
    doc="1 at the first greatest number along an axis, 0 elsewhere.",
)

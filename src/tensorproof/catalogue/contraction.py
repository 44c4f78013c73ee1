"""Contractions: matmul and its relatives, linear layers, einsum."""

from __future__ import annotations

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Same
from tensorproof.ops.inputs import Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import NUMBERS
from tensorproof.terms.shapes import Shape


def matmul_shape(c: Call) -> Shape:
    x, y = c.shape("x"), c.shape("y")
    lead = c.broadcast(x[:-2], y[:-2], about=("x", "y"), code="batch")
    rows = (c.dims["N"],) if len(x) > 1 else ()
    columns = (c.dims["M"],) if len(y) > 1 else ()
    return Shape((*lead, *rows, *columns))


MATMUL = Op(
    "matmul",
    inputs=(Tensor("x", "... N K | K", NUMBERS), Tensor("y", "... K M | K", NUMBERS)),
    dtype=Same("x", "y"),
    shape=matmul_shape,
    codes={"K": "inner"},
)
LINEAR = Op(
    "linear",
    inputs=(Tensor("x", "... K", NUMBERS), Tensor("weight", "M K | K", NUMBERS), Tensor("bias", "M | ", NUMBERS, optional=True)),
    dtype=Same("x", "weight", "bias"),
    shape=lambda c: (*c.lead["x"], *((c.dims["M"],) if c.rank("weight") == 2 else ())),
    codes={"K": "features", "M": "bias"},
)

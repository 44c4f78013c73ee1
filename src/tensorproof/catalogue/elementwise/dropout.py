"""Dropout: elements, channels, and the variants that keep mean and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.inputs import Anything, Bool, Float, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import BOOL, FLOATS, FULL_COMPLEXES, DType
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.elementwise.formulas import made_numbers
    from tensorproof.ops.arrays import Array, Numpy
else:
    made_numbers = later("catalogue.elementwise.formulas.made_numbers")

ATTRIBUTES = (Float("p", 0.5, least=0.0, most=1.0), Bool("training", True))


def dropped_type(c: Call) -> DType | None:
    """Only a dropout that scales what it keeps needs floats."""
    dtype = c.dtype("x")
    if c["training"] and c["p"] not in (0, 1) and dtype is not None and dtype not in FLOATS and c.shape("x").numel != 0:
        raise c.refuse("dtype", f"{c.name} does not take element type {dtype!r} in training", "x")
    return dtype


@any_rank
def by_element(c: Call) -> Shape:
    """Where nothing is dropped, x itself is given back."""
    shape: Shape = c.shape("x")
    c.copied = bool(c["training"]) and c["p"] != 0 and shape.numel != 0
    return shape


def by_channel(c: Call) -> Shape:
    """Whole channels, the second axis, are dropped."""
    shape: Shape = by_element(c)
    if c["training"] and c["p"] not in (0, 1):
        c.require("rank", disj(len(shape) >= 2, eq(shape.numel, 0)), f"{c.name} drops channels, so x must have rank 2 or more, and is {shape!r}", "x")
    return shape


DROPOUT = Op(
    "dropout", (Tensor("x"),), (*ATTRIBUTES, Anything("mask")), by_element, dropped_type, random=True, aliases="x", view="itself",
    order="like", doc="`mask`: the shape of what is drawn, which broadcasts over x",
    evaluate=made_numbers.dropout,
)  # fmt: skip
ALPHA_DROPOUT = Op(
    "alpha_dropout", (Tensor("x"),), ATTRIBUTES, by_element, dropped_type, random=True, aliases="x", view="itself", order="like",
    doc="keeps mean and variance",
    evaluate=made_numbers.alpha_dropout,
)  # fmt: skip
FEATURE_DROPOUT = Op(
    "feature_dropout", (Tensor("x"),), ATTRIBUTES, by_channel, dropped_type, random=True, aliases="x", view="itself", order="like",
    doc="drops whole channels",
    evaluate=made_numbers.dropout,
)  # fmt: skip
FEATURE_ALPHA_DROPOUT = Op(
    "feature_alpha_dropout", (Tensor("x"),), ATTRIBUTES, by_channel, dropped_type, random=True, aliases="x", view="itself", evaluate=made_numbers.alpha_dropout,
)  # fmt: skip


def with_mask(c: Call) -> list[Any]:
    """Only training needs floats. The mask of an empty tensor is an empty tensor like it."""
    x, p = c.tensor("x"), c["p"]
    if c["training"] is not False and x.shape.numel != 0:
        if x.dtype is not None and x.dtype not in FLOATS | FULL_COMPLEXES:
            raise c.refuse("dtype", f"{c.name} does not take element type {x.dtype!r} in training", "x")
        if isinstance(p, (int, float)):
            c.require("p", 0 <= p <= 1, f"p must lie between 0 and 1, and is {p}", "p")
    return [x.shape, x if x.shape.numel == 0 else x.shape]


def _kept(np: Numpy, a: Arguments) -> Array:
    """What is kept: everything outside of training."""
    x = a["x"]
    if a["training"] is False or a["p"] in (0, 1):
        return np.full_like(x, a["training"] is False or a["p"] == 0)
    return made_numbers.undecided(np, x)


NATIVE_DROPOUT = Op(
    "native_dropout", (Tensor("x"),), (Float("p"), Bool("training", optional=True)), with_mask, Like("x"),
    outputs=(Out("result"), Out("mask", BOOL)), random=True,
    evaluate=lambda np, a: (made_numbers.dropout(np, a), _kept(np, a)),
)  # fmt: skip

"""Sparse tensors, the basics: how they are made, what they hold, and products with dense matrices.

A sparse tensor is a `TensorType` whose `layout` is not "strided"; the number of elements it holds is known only where it was given.
"""

from __future__ import annotations

from typing import Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.inputs import Choice, ElementType, Int, Ints, Number, Tensor
from tensorproof.ops.record import Op
from tensorproof.ops.storage import true_count, whole
from tensorproof.terms.dtypes import FLOATS_OR_COMPLEX, INDEX, INTS, NUMBERS
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

X = Tensor("x", "...", NUMBERS)
FORMATS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


@any_rank
def to_sparse_rule(c: Call) -> TensorType:
    x = c.tensor("x")
    if c["format"] != "sparse_coo":
        c.require("rank", ge(x.shape.rank, 2), f"{c['format']} needs two axes, and x is {x.shape!r}", "x")
    return x.but(layout=c["format"], contents=None, strides=None)


@any_rank
def to_dense_rule(c: Call) -> TensorType:
    x = c.tensor("x")
    return x.but(layout="strided", strides=None, dtype=c["dtype"] or x.dtype)


TO_SPARSE = Op("to_sparse", (X,), (Choice("format", FORMATS, "sparse_coo"), Int("sparse_dim", None, optional=True)), to_sparse_rule)
TO_DENSE = Op("to_dense", (X,), (ElementType(),), to_dense_rule)
COALESCE = Op("coalesce", (X,), (), any_rank(lambda c: c.tensor("x")), doc="Entries of one place are added up.")


def coo_rule(c: Call) -> TensorType:
    index, values, size = c.shape("index"), c.shape("value"), c["size"]
    axes, count = index[0], index[1]
    if len(values):
        c.equal("values", values[0], count, "there are {a} values and {b} places", ("value", "index"))
    if size is None:
        if type(axes) is not int:
            raise c.give_up("the number of axes is not known")
        held = c.tensor("index")
        n = held.shape[1]
        lead: list[Any] = []
        for i in range(axes):
            row = (held.contents or ())[i * n : (i + 1) * n] if whole(held.contents) and type(n) is int else ()
            lead.append(max(row) + 1 if row else 0 if n == 0 else c.fresh("size", 1))
        size = (*lead, *values[1:])
    else:
        c.require(
            "rank",
            eq(axes + max(0, len(values) - 1), len(size)),
            f"{axes!r} rows of places and values {values!r} do not make {tuple(size)!r}",
            ("index", "value", "size"),
        )
        tail = size[len(size) - len(values) + 1 :] if len(values) > 1 else ()
        c.require(
            "values",
            conj(*(eq(a, b) for a, b in zip(values[1:], tail))),
            f"values of {values!r} do not fit into {tuple(size)!r}",
            ("value", "size"),
        )
    return TensorType(Shape(size), c["dtype"] or c.dtype("value"), layout="sparse_coo")


SPARSE_COO = Op(
    "sparse_coo_tensor",
    (Tensor("index", "D N", INTS, values="index:size"), Tensor("value")),
    (Ints("size", None, least=0, optional=True, shape=True), ElementType()),
    coo_rule,
    doc="A sparse tensor from places (a column for each) and values.",
)


def compressed_rule(c: Call) -> TensorType:
    size = c["size"]
    if size is None:
        size = (c.shape("starts")[-1] - 1, c.fresh("columns"))
    c.equal("values", c.shape("places")[-1], c.shape("value")[0], "there are {a} places and {b} values", ("places", "value"))
    return TensorType(Shape(size), c["dtype"] or c.dtype("value"), layout=c["format"])


SPARSE_COMPRESSED = Op(
    "sparse_compressed_tensor",
    (Tensor("starts", "... N", INDEX), Tensor("places", "... M", INDEX), Tensor("value")),
    (Ints("size", None, least=0, optional=True, shape=True), ElementType(), Choice("format", FORMATS[1:], "sparse_csr")),
    compressed_rule,
)


def held_rule(c: Call) -> TensorType:
    x, part = c.tensor("x"), c["part"]
    c.require("layout", x.layout != "strided", f"only a sparse tensor has {part}", "x")
    if x.layout != "sparse_coo":
        raise c.give_up(f"{part} of {x.layout} are not followed")
    n = true_count(c, x.but(contents=None))
    return TensorType(Shape((len(x.shape), n)) if part == "indices" else Shape((n,)), c.dtype("x") if part == "values" else INTS_INDEX)


INTS_INDEX = next(d for d in INDEX if d.bits == 64)
HELD = Op("sparse_part", (X,), (Choice("part", ("indices", "values")),), held_rule, data_dependent=True)

# --- products -----------------------------------------------------------------------------------------------------------------------

SPARSE_MM = Op(
    "sparse_mm",
    (Tensor("x", "N K", FLOATS_OR_COMPLEX), Tensor("y", "K M", FLOATS_OR_COMPLEX)),
    (Choice("reduce", ("sum", "mean", "amax", "amin", "prod", None), None),),
    lambda c: TensorType(
        Shape((c.dims["N"], c.dims["M"])),
        Same("x", "y")(c),
        layout=c.tensor("y").layout if c.tensor("x").layout != "strided" else "strided",
    ),
    codes={"K": "inner"},
    doc="A sparse matrix times a matrix.",
)
SAMPLED_ADDMM = Op(
    "sampled_addmm",
    (Tensor("x", "... N M", FLOATS_OR_COMPLEX), Tensor("y", "... N K", FLOATS_OR_COMPLEX), Tensor("z", "... K M", FLOATS_OR_COMPLEX)),
    (Number("beta", 1.0), Number("alpha", 1.0)),
    lambda c: c.tensor("x"),
    Same("x", "y", "z"),
    codes={"K": "inner"},
)
SPARSE_MASK = Op(
    "sparse_mask", (X, Tensor("mask")), (), lambda c: c.tensor("x").but(layout=c.tensor("mask").layout, contents=None), Like("x")
)

"""Sparse tensors, the basics: how they are made, what they hold, and products with dense matrices.

A sparse tensor is a `TensorType` whose `layout` is not "strided"; the number of elements it holds is known only where it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.elementwise.creation import STORED
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Same
from tensorproof.ops.inputs import Choice, ElementType, Int, Ints, Number, Sizes, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import true_count, whole
from tensorproof.terms.dtypes import FLOATS_OR_COMPLEX, INDEX
from tensorproof.terms.ints import maximum, minimum
from tensorproof.terms.predicates import conj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import sparse_products
    from tensorproof.ops import moves as array_moves
else:
    sparse_products = later("catalogue.arrays.formulas.sparse_products")
    array_moves = later("ops.moves")

X = Tensor("x", "...", STORED)
SPARSE = Tensor("x", "...", STORED, values="layout:sparse_coo")
FORMATS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


@any_rank
def to_sparse_rule(c: Call) -> TensorType:
    x = c.tensor("x")
    if c["format"] != "sparse_coo":
        c.require("rank", ge(x.shape.rank, 2), f"{c['format']} needs two axes, and x is {x.shape!r}", "x")
    if c["blocksize"] is not None and x.shape.known and len(x.shape) >= 2:
        for n, block in zip(x.shape[-2:], c["blocksize"]):
            c.require("blocksize", eq(n % block, 0), f"an axis of size {n!r} does not divide into blocks of {block!r}", ("blocksize", "x"))
    if c["sparse_dim"] is not None:
        inside = conj(le(minimum(1, x.shape.rank), c["sparse_dim"]), le(c["sparse_dim"], x.shape.rank))
        c.require("sparse_dim", inside, f"sparse_dim {c['sparse_dim']!r} is not between 0 and the rank of {x.shape!r}", ("sparse_dim", "x"))
    return x.but(layout=c["format"], contents=None, strides=None)


@any_rank
def to_dense_rule(c: Call) -> TensorType:
    x = c.tensor("x")
    return x.but(layout="strided", strides=None, dtype=c["dtype"] or x.dtype)


TO_SPARSE = Op(
    "to_sparse",
    (X,),
    (Choice("format", FORMATS, "sparse_coo"), Int("sparse_dim", None, optional=True), Sizes("blocksize", 2, None, least=1, optional=True, one=False)),
    to_sparse_rule,
    evaluate=array_moves.same,
)
TO_DENSE = Op("to_dense", (X,), (ElementType(),), to_dense_rule, evaluate=array_moves.same)


@any_rank
def sparse_only(c: Call) -> TensorType:
    x = c.tensor("x")
    c.require("layout", x.layout != "strided", f"{c.name} takes a sparse tensor", "x")
    return x


COALESCE = Op("coalesce", (SPARSE,), (), sparse_only, doc="Entries of one place are added up.", evaluate=array_moves.same)


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
    (Tensor("index", "D N", values="index:size"), Tensor("value")),
    (Ints("size", None, least=0, optional=True, shape=True), ElementType()),
    coo_rule,
    doc="A sparse tensor from places (a column for each) and values.",
    evaluate=sparse_products.from_places,
)


def compressed_rule(c: Call) -> TensorType:
    """Without a size it is that of the places: as many rows as starts, columns up to the last that occurs, times the size of the blocks."""
    starts, places, values = c.shape("starts"), c.tensor("places"), c.shape("value")
    if c["size"] is None:
        c.require("rank", len(starts) > 0 and len(places.shape) > 0, "starts and places must have rank 1 or more", ("starts", "places"))
    batch, blocks = max(0, len(places.shape) - 1), c["format"] in ("sparse_bsr", "sparse_bsc")
    least = batch + (2 if blocks else 0)
    c.require("rank", c["size"] is not None or len(values) > least, f"values must have more than {least} axes, and are {values!r}", ("value", "places"))
    size = c["size"]
    if size is None:
        c.require("dtype", places.dtype is None or places.dtype in INDEX, f"places must be int32 or int64, and are {places.dtype!r}", "places")
        across = max(places.contents) + 1 if whole(places.contents) and places.contents else c.fresh("across")
        pair = [maximum(starts[-1] - 1, 0), across]
        if c["format"] in ("sparse_csc", "sparse_bsc"):
            pair.reverse()
        if blocks:
            pair = [n * block if block != 0 else c.fresh("nothing") for n, block in zip(pair, values[batch + 1 :])]
        size = (*starts[:-1], *pair, *values[least + 1 :])
    return TensorType(Shape(size), c["dtype"] or c.dtype("value"), layout=c["format"])


SPARSE_COMPRESSED = Op(
    "sparse_compressed_tensor",
    (Tensor("starts"), Tensor("places"), Tensor("value")),
    (Ints("size", None, least=0, optional=True, shape=True), ElementType(), Choice("format", FORMATS[1:], "sparse_csr")),
    compressed_rule,
    evaluate=sparse_products.from_starts,
)


def held_rule(c: Call) -> TensorType:
    x, part = c.tensor("x"), c["part"]
    c.require("layout", x.layout != "strided", f"only a sparse tensor has {part}", "x")
    if x.layout != "sparse_coo":
        raise c.give_up(f"{part} of {x.layout} are not followed")
    n = true_count(c, x.but(contents=None))
    return TensorType(Shape((len(x.shape), n)) if part == "indices" else Shape((n,)), c.dtype("x") if part == "values" else INTS_INDEX)


INTS_INDEX = next(d for d in INDEX if d.bits == 64)
HELD = Op("sparse_part", (SPARSE,), (Choice("part", ("indices", "values")),), held_rule, data_dependent=True, opaque="form")

# --- products -----------------------------------------------------------------------------------------------------------------------


def sparse_mm_rule(c: Call) -> TensorType:
    x, y = c.tensor("x"), c.tensor("y")
    c.require("layout", c["reduce"] is None or x.layout == "sparse_csr", "a reduction is for matrices in the format sparse_csr", ("x", "reduce"))
    return TensorType(Shape((c.dims["N"], c.dims["M"])), Same("x", "y")(c), layout=y.layout if x.layout != "strided" else "strided")


def sampled_rule(c: Call) -> TensorType:
    for other in ("y", "z"):
        same = len(c.lead["x"]) == len(c.lead[other]) and conj(*(eq(a, b) for a, b in zip(c.lead["x"], c.lead[other])))
        c.require("batch", same, f"the leading axes are {c.lead['x']!r} in x and {c.lead[other]!r} in {other}; they must be equal", ("x", other))
    made: TensorType = sparse_only(c)
    return made


SPARSE_MM = Op(
    "sparse_mm",
    (Tensor("x", "N K", FLOATS_OR_COMPLEX), Tensor("y", "K M", FLOATS_OR_COMPLEX)),
    (Choice("reduce", ("sum", "mean", "amax", "amin", "prod", None), None),),
    sparse_mm_rule,
    codes={"K": "inner"},
    doc="A sparse matrix times a matrix.",
    evaluate=sparse_products.product,
)
SAMPLED_ADDMM = Op(
    "sampled_addmm",
    (
        Tensor("x", "... N M", FLOATS_OR_COMPLEX, values="layout:sparse_csr"),
        Tensor("y", "... N K", FLOATS_OR_COMPLEX),
        Tensor("z", "... K M", FLOATS_OR_COMPLEX),
    ),
    (Number("beta", 1.0), Number("alpha", 1.0)),
    sampled_rule,
    Same("x", "y", "z"),
    codes={"K": "inner"},
    evaluate=sparse_products.sampled,
)


def sparse_mask_rule(c: Call) -> TensorType:
    x, mask = c.tensor("x"), c.tensor("mask")
    c.require("layout", mask.layout != "strided", "the mask must be a sparse tensor", "mask")
    same = len(x.shape) == len(mask.shape) and conj(*(eq(a, b) for a, b in zip(x.shape, mask.shape)))
    c.require("size", same, f"x is {x.shape!r} and the mask {mask.shape!r}", ("x", "mask"))
    return x.but(layout=mask.layout, contents=None)


SPARSE_MASK = Op(
    "sparse_mask", (X, Tensor("mask", values="layout:sparse_coo")), (), sparse_mask_rule,
    evaluate=lambda np, a: np.where(a["mask"] != 0, a["x"], 0),
)  # fmt: skip

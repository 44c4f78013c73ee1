"""Embeddings: rows of a table looked up by index, and bags of rows summed, averaged or maximised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Same, promoted
from tensorproof.ops.inputs import Bool, Choice, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import ALL_INTS, ANY, FLOAT64, FLOATS, INDEX, NUMBERS
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import looked_up
else:
    looked_up = later("catalogue.algebra.formulas.looked_up")


def in_table(c: Call, rows: Dim, used: int | None = None) -> None:
    """Indices whose values are known, or the first `used` of them, lie below the number of rows."""
    values = (c.contents("index") or ())[:used]
    plain = [value for value in values if isinstance(value, int)]
    for value in values:
        inside = conj(ge(value, 0), lt(value, rows))
        reach = f"go up to {max(plain)}" if isinstance(value, int) and value >= 0 else f"hold {value!r}"
        c.require("index", inside, f"indices {reach}, weight has {rows!r} rows", ("index", "weight"))


def table_checked(c: Call, used: int | None = None) -> tuple[Dim, Dim]:
    """What every lookup needs; the number of rows and their length."""
    rows, length = c.shape("weight")
    padding = c["padding_idx"]
    if padding is not None:
        inside = conj(ge(padding, 0 - rows), lt(padding, rows))
        if c.op.name == "embedding":  # 0 is taken for an empty table too
            inside = disj(eq(padding, 0), inside)
        c.require("padding_idx", inside, f"padding_idx = {padding!r} is out of range for {rows!r} embeddings", ("padding_idx", "weight"))
    weight = c.dtype("weight")
    if c["max_norm"] is not None and weight is not None and not (weight.is_float or weight.is_complex):
        raise c.refuse("dtype", f"max_norm needs embeddings of a float type, and they are {weight!r}", "weight")
    in_table(c, rows, used)
    return rows, length


def renorm_shape(c: Call) -> Shape:
    in_table(c, c.dims["V"])
    return c.shape("x")


TABLE = (Int("padding_idx", None, optional=True), Float("max_norm", None, optional=True), Float("norm_type", 2.0))
EMBEDDING = Op(
    "embedding",
    inputs=(Tensor("index", "...", ALL_INTS, values="index:V"), Tensor("weight", "V D", ANY)),
    attributes=TABLE,
    shape=any_rank(lambda c: Shape((*c.shape("index"), table_checked(c)[1]))),
    dtype=Like("weight"),
    order="compact",
    evaluate=looked_up.embedding,
)
EMBEDDING_RENORM = Op(
    "embedding_renorm",
    inputs=(Tensor("x", "V D", FLOATS), Tensor("index", "...", INDEX, values="index:V")),
    attributes=(Float("max_norm"), Float("norm_type", 2.0)),
    shape=renorm_shape,
    dtype=Like("x"),
    writes=("x",),
    evaluate=looked_up.embedding_renorm,
)


def backward_shape(c: Call) -> Shape:
    """The gradient of the table, from that of the rows taken."""
    rows, taken = c.shape("x")[:-1], c.shape("index")
    message = f"x {c.shape('x')!r} must hold a row for each index of {taken!r}"
    c.require("index", len(rows) == len(taken) and conj(*(eq(a, b) for a, b in zip(rows, taken))), message, ("x", "index"))
    in_table(c, c["num_weights"])
    return Shape((c["num_weights"], c.shape("x")[-1]))


EMBEDDING_BACKWARD = Op(
    "embedding_dense_backward",
    inputs=(Tensor("x", "... D", NUMBERS), Tensor("index", "...", INDEX, values="index")),
    attributes=(Int("num_weights", least=0), Int("padding_idx", -1), Bool("scale_grad_by_freq", False)),
    shape=backward_shape,
    dtype=Like("x"),
    evaluate=looked_up.embedding_backward,
)


def bags(c: Call) -> Dim:
    """The number of bags, with what offsets need."""
    index = c.shape("index")
    if len(index) == 2 and c.op.name == "embedding_bag":
        c.require("offsets", not c.given("offsets"), "index of rank 2 holds bags of one length, so offsets must not be given", ("offsets", "index"))
        c.require("empty", ge(index[1], 1), "the bags of index have length 0", "index")
        made: Dim = index[0]
        return made
    c.require("offsets", c.given("offsets"), "index of rank 1 needs offsets, which say where each bag begins", "offsets")
    count: Dim = c.shape("offsets")[0]
    if c["include_last_offset"]:
        c.require("offsets", ge(count, 1), "with include_last_offset there must be at least one offset", "offsets")
        count = count - 1
    starts = c.contents("offsets")
    if c.shape("offsets")[0] == 0 and eq(index[0], 0) is not True:
        raise c.give_up("torch reads memory it does not own when there are indices and no bag")
    if starts:
        c.require("offsets", eq(starts[0], 0), f"the first bag must begin at 0, and begins at {starts[0]!r}", "offsets")
        if (c["mode"] == "max" or count == 0) and c["include_last_offset"] and eq(starts[-1], index[0]) is not True:
            raise c.give_up("torch reads memory it does not own when indices are left over")
        c.require("offsets", le(starts[-1], index[0]), f"the last offset {starts[-1]!r} is more than the {index[0]!r} indices", ("offsets", "index"))
    return count


def bag_shape(c: Call) -> Shape:
    mode = c["mode"]
    for name in ("scale_grad_by_freq", "sparse") if c.op.name == "embedding_bag" else ():
        c.require("mode", mode != "max" or not c[name], f"mode 'max' does not go with {name}", ("mode", name))
    if c.given("per_sample_weights"):
        weights, index = c.shape("per_sample_weights"), c.shape("index")
        c.require("mode", mode == "sum", f"per_sample_weights go with mode 'sum' only, and mode is {mode!r}", ("mode", "per_sample_weights"))
        message = f"per_sample_weights must have the shape {index!r} of index, and have {weights!r}"
        c.require("per_sample_weights", len(weights) == len(index), message, ("per_sample_weights", "index"))
        c.require("per_sample_weights", conj(*(eq(a, b) for a, b in zip(weights, index))), message, ("per_sample_weights", "index"))
    return Shape((bags(c), table_checked(c, used_indices(c))[1]))


def used_indices(c: Call) -> int | None:
    """The number of indices that torch looks at; None: all. On a CPU only fast sums leave those behind the last offset alone."""
    starts = c.contents("offsets") if c.given("offsets") and c["include_last_offset"] else None
    slow = c.dtype("weight") is FLOAT64 or c["padding_idx"] is not None or c["max_norm"] is not None
    if not starts or (slow and (c.tensor("weight").device or "cpu") == "cpu"):
        return None
    return starts[-1] if isinstance(starts[-1], int) else None


BAG_INPUTS = (
    Tensor("index", "N S | S", INDEX, values="index:V"), Tensor("weight", "V D", FLOATS), Tensor("offsets", "B", INDEX, optional=True, values="index"),
    Tensor("per_sample_weights", "...", FLOATS, optional=True),
)  # fmt: skip
BAG_ATTRIBUTES = (
    *TABLE, Choice("mode", ("sum", "mean", "max"), "mean"), Bool("include_last_offset", False), Bool("scale_grad_by_freq", False), Bool("sparse", False),
)  # fmt: skip
EMBEDDING_BAG = Op(
    "embedding_bag",
    BAG_INPUTS,
    BAG_ATTRIBUTES,
    bag_shape,
    Same("weight", "per_sample_weights"),
    order="compact",
    evaluate=looked_up.embedding_bag,
)


def bag_forward_shape(c: Call) -> list[Shape | TensorType]:
    shape, indices = bag_shape(c), c.shape("index")[0]
    summed = c["mode"] == "sum"
    owners: Dim = c.fresh("offset2bag") if summed else indices  # empty where a fast kernel sums
    sizes = c.shape("offsets") if summed and not c["trained"] else Shape(shape[:1])
    whole = TensorType(sizes, promoted(c, ("index", "offsets")))
    return [shape, whole.but(shape=Shape((owners,))), whole, whole.but(shape=shape) if c["mode"] == "max" else whole]


EMBEDDING_BAG_FORWARD = Op(
    "embedding_bag_forward",
    inputs=(Tensor("index", "S | S _", INDEX, values="index:V"), BAG_INPUTS[1], Tensor("offsets", "B", INDEX, values="index"), BAG_INPUTS[3]),
    attributes=(*BAG_ATTRIBUTES, Bool("trained", False)),
    outputs=(Out("output"), Out("offset2bag"), Out("bag_size"), Out("max_indices")),
    shape=bag_forward_shape,
    dtype=Same("weight", "per_sample_weights"),
    data_dependent=True,
    evaluate=looked_up.embedding_bag_and_places,
)

"""Indexing operators of TensorFlow that torch has not: whole index vectors, stitches, segments, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.frameworks.tensorflow_arrays import INDICES, X, agreed, numbers, somewhere
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.facts import MOVES, selects
from tensorproof.ops.inputs import Anything, Bool, Choice, ElementType, Int, Ints, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ALL_INTS, INT32
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import tensorflow_places
else:
    tensorflow_places = later("catalogue.frameworks.formulas.tensorflow_places")


_POLICY = Anything("bad_indices_policy")


def _inside(c: Call, target: Shape, batch: int = 0) -> None:
    """Index vectors that are known must lie inside, where the framework looks at them."""
    index = c.tensor("index")
    depth = index.shape[-1]
    held = [at for at in index.contents or () if type(at) is int]
    if not c.option("checks_positions") or c["bad_indices_policy"] == "IGNORE" or type(depth) is not int or not held or len(held) != len(index.contents or ()):
        return
    for place in range(depth):
        n, column = target[batch + place], held[place::depth]
        for at in sorted({min(column), max(column)}):
            c.require("range", conj(le(0, at), lt(at, n)), f"index {at} is out of range for axis {batch + place} of size {n!r}", ("index",))


@any_rank
def gather_nd(c: Call) -> Shape:
    x, index, batch = c.shape("x"), c.shape("index"), c["batch_dims"]
    if not index.known or not x.known:
        return somewhere(c)
    c.require("rank", len(index) >= 1, "the indices need at least one axis", "index")
    if type(index[-1]) is not int:
        return somewhere(c)
    c.require("depth", index[-1] <= len(x) - batch, f"indices of {index[-1]} numbers do not fit x {x!r}", ("index", "x"))
    for a, b in zip(x[:batch], index[:batch]):
        c.require("batch", eq(a, b), f"the batch axes are {a!r} and {b!r}, and must be equal", ("x", "index"))
    _inside(c, x, batch)
    return Shape((*index[:-1], *x[batch + index[-1] :]))


GATHER_ND = Op(
    "gather_nd",
    (X, INDICES),
    (Int("batch_dims", 0, least=0), _POLICY),
    gather_nd,
    Like("x"),
    values=selects("index"),
    doc="Slices named by whole index vectors.",
    evaluate=tensorflow_places.gather_nd,
)


def _scattered(c: Call, target: Shape) -> Shape:
    """States that updates have the shape index[:-1] + target[depth:]."""
    index, updates = c.shape("index"), c.shape("y")
    if not (index.known and updates.known and target.known):
        return target
    c.require("rank", len(index) >= 1 and len(target) >= 1, "the indices and the target need at least one axis", ("index",))
    if type(index[-1]) is not int:
        return target
    c.require("depth", index[-1] <= len(target), f"indices of {index[-1]} numbers do not fit the target {target!r}", ("index",))
    wanted = Shape((*index[:-1], *target[index[-1] :]))
    c.require("updates", len(updates) == len(wanted), f"the updates {updates!r} must have the shape {wanted!r}", ("y", "index"))
    for a, b in zip(updates, wanted):
        c.require("updates", eq(a, b), f"the updates {updates!r} must have the shape {wanted!r}", ("y", "index"))
    _inside(c, target)
    return target


@any_rank
def scatter_nd(c: Call) -> Shape:
    size = numbers(c, "size")
    for n in size or ():
        c.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", "size")
    if size is None:
        return somewhere(c)
    if c.shape("index").known and c.shape("y").known:
        c.require("rank", len(c.shape("y")) >= 1, "the updates need at least one axis", "y")
        nothing = conj(eq(c.shape("index").numel, 0), eq(c.shape("y").numel, 0))
        c.require("empty", disj(ge(Shape(size).numel, 1), nothing), f"there is nowhere to put updates in the shape {tuple(size)!r}", ("size", "y"))
    return _scattered(c, Shape(size))


SCATTER_ND = Op(
    "scatter_nd",
    (INDICES, Tensor("y")),
    (Ints("size", shape=True, loose=True, one=False), _POLICY),
    scatter_nd,
    Like("y"),
    doc="Updates put into a tensor of zeros.",
    evaluate=tensorflow_places.scatter_nd,
)
TENSOR_SCATTER = Op(
    "tensor_scatter",
    (X, INDICES, Tensor("y")),
    (Choice("reduction", ("update", "add", "sub", "mul", "max", "min"), "update"), _POLICY),
    any_rank(lambda c: _scattered(c, c.shape("x"))),
    Same("x", "y"),
    doc="x with updates put, added, taken away or held against.",
    evaluate=tensorflow_places.tensor_scatter,
)


@any_rank
def dynamic_stitch(c: Call) -> TensorType:
    """Rows of the tensors in `ys` at the places in `xs`; the result is as long as the greatest place needs."""
    xs, ys = c["xs"], c["ys"]
    c.require("count", len(xs) == len(ys), f"{len(xs)} index tensors go with {len(ys)} tensors", ("xs", "ys"))
    tails: list[Shape] = []
    for index, data in zip(xs, ys):
        if index.shape.known and data.shape.known:
            c.require(
                "rank",
                len(data.shape) >= len(index.shape),
                f"data {data.shape!r} has fewer axes than its indices {index.shape!r}",
                ("xs", "ys"),
            )
            for a, b in zip(index.shape, data.shape):
                c.require("shape", eq(a, b), f"data {data.shape!r} must begin with the shape of its indices {index.shape!r}", ("xs", "ys"))
            tails.append(Shape(data.shape[len(index.shape) :]))
    dtype = next((y.dtype for y in ys if y.dtype is not None), None)
    if not tails:
        return TensorType(somewhere(c), dtype, framework="tf")
    tail = agreed(c, tails, ("ys",))
    held = [x.contents for x in xs if x.contents is not None]
    if len(held) < len(xs) or not all(type(v) is int for h in held for v in h):
        return TensorType(Shape((c.fresh("stitched"), *tail)), dtype, framework="tf")
    length = max((v for h in held for v in h), default=-1) + 1
    contents = None
    if not tail and all(y.contents is not None for y in ys) and length == len({v for h in held for v in h}):
        place = {at: value for h, y in zip(held, ys) for at, value in zip(h, y.contents or ())}
        contents = tuple(place[i] for i in range(length))
    return TensorType(Shape((length, *tail)), dtype, contents=contents, framework="tf")


DYNAMIC_STITCH = Op(
    "dynamic_stitch",
    (Tensors("xs", "...", frozenset({INT32})), Tensors("ys")),
    (),
    dynamic_stitch,
    doc="Tensors merged by the places of their rows.",
    evaluate=tensorflow_places.dynamic_stitch,
)


@any_rank
def dynamic_partition(c: Call) -> list[Shape]:
    x, index = c.shape("x"), c.shape("index")
    if not x.known or not index.known:
        return [somewhere(c)] * c["count"]
    c.require("rank", len(x) >= len(index), f"x {x!r} has fewer axes than the partitions {index!r}", ("x", "index"))
    for a, b in zip(index, x):
        c.require("shape", eq(a, b), f"x {x!r} must begin with the shape of the partitions {index!r}", ("x", "index"))
    return [Shape((c.fresh("part"), *x[len(index) :])) for _ in range(c["count"])]


DYNAMIC_PARTITION = Op(
    "dynamic_partition", (X, Tensor("index", "...", frozenset({INT32}))), (Int("count", least=1),), dynamic_partition, Like("x"), counted=True,
    data_dependent=True, values=selects("index"),
    evaluate=tensorflow_places.dynamic_partition,
)  # fmt: skip


def one_hot(c: Call) -> Shape:
    x, depth, axis = c.shape("x"), c["depth"], c["dim"]
    c.require("axis", -1 <= axis <= len(x), f"axis {axis} is out of range for a result of {len(x) + 1} axes", ("dim", "x"))
    n = c.fresh("depth") if isinstance(depth, TensorType) else depth
    c.require("depth", ge(n, 0), f"the depth must not be negative, and is {n!r}", "depth")
    at = len(x) if axis == -1 else axis
    return Shape((*x[:at], n, *x[at:]))


ONE_HOT = Op(
    "one_hot_axis", (Tensor("x", "...", ALL_INTS),),
    (Int("depth", loose=True), Anything("on"), Anything("off"), Int("dim", -1), ElementType()), one_hot, Given("dtype"),
    doc="A new axis that is `on` at the place that x names and `off` elsewhere.",
    evaluate=tensorflow_places.one_hot_axis,
)  # fmt: skip

# --- segments and blocks ---------------------------------------------------------------------------------------------------------


@any_rank
def segment(c: Call) -> Shape:
    x, index = c.shape("x"), c.shape("index")
    if not x.known:
        return somewhere(c)
    c.require("rank", len(x) >= 1, "x needs at least one axis", "x")
    if index.known:
        c.require("rank", len(index) == 1, f"segment numbers are a vector, and have shape {index!r}", "index")
        if c["sparse"] is None:
            c.require("segments", eq(index[0], x[0]), f"{index[0]!r} segment numbers go with {x[0]!r} rows", ("index", "x"))
    return Shape((c.fresh("segments") if c["count"] is None else c["count"], *x[1:]))


REDUCTION = Choice("reduction", ("sum", "prod", "mean", "max", "min", "sqrt_n"), "sum")
SEGMENT = Op(
    "segment", (X, INDICES), (Int("count", None, optional=True), Bool("sparse", None, optional=True), REDUCTION), segment, Like("x"), data_dependent=True,
    doc="Rows reduced by sorted segment numbers.",
    evaluate=tensorflow_places.segment,
)  # fmt: skip


@any_rank
def unsorted_segment(c: Call) -> Shape:
    x, index, count = c.shape("x"), c.shape("index"), c["count"]
    n = c.fresh("segments") if isinstance(count, TensorType) else count
    c.require("count", ge(n, 0), f"the number of segments must not be negative, and is {n!r}", "count")
    if not x.known or not index.known:
        return somewhere(c)
    c.require("rank", len(index) <= len(x), f"segment numbers {index!r} have more axes than x {x!r}", ("index", "x"))
    for a, b in zip(index, x):
        c.require("segments", eq(a, b), f"x {x!r} must begin with the shape of the segment numbers {index!r}", ("index", "x"))
    return Shape((n, *x[len(index) :]))


UNSORTED_SEGMENT = Op(
    "unsorted_segment", (X, INDICES), (Int("count", loose=True), REDUCTION), unsorted_segment, Like("x"), evaluate=tensorflow_places.unsorted_segment
)


def _multiples(c: Call, size: Dim, block: Dim) -> Dim:
    c.require("block", eq(size % block, 0), f"an axis of size {size!r} does not divide into blocks of {block!r}", ("x", "block"))
    return size // block


SPACE_TO_DEPTH = Op(
    "space_to_depth", (Tensor("x", "N H W C"),), (Int("block", least=2),), dtype=Like("x"),
    shape=lambda c: Shape((c.dims["N"], _multiples(c, c.dims["H"], c["block"]), _multiples(c, c.dims["W"], c["block"]), c.dims["C"] * c["block"] * c["block"])),
    values=MOVES,
    evaluate=tensorflow_places.space_to_depth,
)  # fmt: skip
DEPTH_TO_SPACE = Op(
    "depth_to_space", (Tensor("x", "N H W C"),), (Int("block", least=2),), dtype=Like("x"),
    shape=lambda c: Shape((c.dims["N"], c.dims["H"] * c["block"], c.dims["W"] * c["block"], _multiples(c, c.dims["C"], c["block"] * c["block"]))), values=MOVES,
    evaluate=tensorflow_places.depth_to_space,
)  # fmt: skip

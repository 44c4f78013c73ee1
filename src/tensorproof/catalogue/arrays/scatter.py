"""Writing into parts of a tensor: scatter, index_add and their relatives. All return the whole tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.indexing import check_positions, same_rank
from tensorproof.catalogue.arrays.parts import as_strided_rule, diagonal_rule, select_rule, slice_rule
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.facts import mixes
from tensorproof.ops.inputs import Axis, Bool, Choice, Int, Ints, Number, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.record import Evaluate, Op
from tensorproof.ops.storage import cast, known, positions, true_count, whole
from tensorproof.terms.dtypes import BOOL, FULL_COMPLEXES, INDEX, INT64, NUMBERS, REALS, REALS_OR_BOOL, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, disj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import row_major
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import written_places
    from tensorproof.catalogue.arrays.formulas import written_places as made
else:
    written_places = later("catalogue.arrays.formulas.written_places")
    made = makers("catalogue.arrays.formulas.written_places")

LONG = frozenset({INT64})
REDUCED = REALS_OR_BOOL | FULL_COMPLEXES


def reducible(c: Call) -> None:
    """Complex numbers have no order, truth values no mean."""
    dtype, reduce = c.dtype("x"), c["reduce"]
    wrong = dtype is not None and ((dtype.is_complex and reduce in ("amax", "amin", "max", "min")) or (dtype is BOOL and reduce == "mean"))
    c.require("dtype", not wrong, f"{reduce} is not defined for {dtype!r}", ("x", "reduce"))


def one_type(c: Call, *names: str) -> None:
    kinds = dict.fromkeys(c.dtype(n) for n in names if not c.tensor(n).weak and c.dtype(n) is not None)
    c.require("dtype", len(kinds) <= 1, f"{' and '.join(names)} must have the same dtype, and have {' and '.join(map(repr, kinds))}", names)


def scatter_shape(c: Call) -> Shape:
    x, index, dim = c.shape("x"), c.shape("index"), c["dim"]
    source = c["source"]
    reducible(c)
    if index.numel == 0:
        return x
    if source is not None and not source.weak:
        one_type(c, "x", "source")
        same_rank(c, "x", "index", "source")
        for i, (n, m) in enumerate(zip(index or (1,), source.shape or (1,))):
            c.require("source", le(n, m), f"axis {i} of the index is {n!r}, more than the {m!r} of the source", ("index", "source"))
    else:
        same_rank(c, "x", "index")
    for i, (n, m) in enumerate(zip(index or (1,), x or (1,))):
        if i != dim:
            c.require("size", le(n, m), f"axis {i} of the index is {n!r}, more than the {m!r} of x", ("index", "x"))
    check_positions(c, c.tensor("index"), x[dim] if len(x) else 1, ("index", "x"), least=0)
    return x


def scatter_contents(c: Call) -> tuple[Any, ...] | None:
    x, index, dim, source = c.tensor("x"), c.tensor("index"), c["dim"], c["source"]
    if x.contents is None or not known(index) or not whole(index.contents) or c["reduce"] is not None or not len(x.shape) or source.contents is None:
        return None
    put = cast(source.contents, x.dtype)
    if put is None or not x.shape.concrete:
        return None
    steps: Any = row_major(x.shape)
    made = list(x.contents)
    base = positions(index.shape, [0 if i == dim else s for i, s in enumerate(steps)])
    read = [0] * len(base) if source.weak else positions(index.shape, row_major(source.shape))  # type: ignore[arg-type]
    for p, k, q in zip(base, index.contents or (), read):
        made[p + k * steps[dim]] = put[q]
    return tuple(made)


SCATTER = Op(
    "scatter",
    (Tensor("x", "...", NUMBERS), Tensor("index", "...", INDEX, values="index:dim"), Tensor("source", "...", NUMBERS, scalar=True, held=True)),
    (Axis("dim"), Choice("reduce", ("add", "multiply"), None, optional=True)),
    scatter_shape,
    Like("x"),
    fold=scatter_contents,
    gradient="x<index source<index,source? index-",
    doc="Each element of the source is written to the position that the index names along one axis.",
    order="rows",
    evaluate=made.scatter(),
)
SCATTER_ADD = Op(
    "scatter_add",
    (Tensor("x", "...", NUMBERS), Tensor("index", "...", INDEX, values="index:dim"), Tensor("source", "...", NUMBERS)),
    (Axis("dim"),),
    scatter_shape,
    Like("x"),
    gradient="x< source<index,source? index-",
    order="rows",
    evaluate=made.scatter("add"),
)
SCATTER_REDUCE = Op(
    "scatter_reduce",
    (Tensor("x", "...", REDUCED), Tensor("index", "...", INDEX, values="index:dim"), Tensor("source", "...", REDUCED)),
    (Axis("dim"), Choice("reduce", ("sum", "prod", "mean", "amax", "amin", "max", "min")), Bool("include_self", True)),
    scatter_shape,
    Like("x"),
    order="rows",
    evaluate=made.scatter(),
)

# --- whole slices -----------------------------------------------------------------------------------------------------------------


def index_count(c: Call) -> Dim:
    index = c.tensor("index")
    c.require("rank", len(index.shape) <= 1, f"the index must be a vector, and is {index.shape!r}", "index")
    n = c.shape("x")[c["dim"]] if c.rank("x") else 1
    if c.op.name != "index_add" or eq(c.shape("x").numel, 0) is not True:  # nothing is added to nothing, wherever
        check_positions(c, index, n, ("index", "x"), least=0)
    return index.shape.numel


def index_write_shape(c: Call) -> Shape:
    x, source, dim = c.shape("x"), c.shape("source"), c["dim"]
    n = index_count(c)
    reducible(c)
    one_type(c, "x", "source")
    loose = c.op.name == "index_copy" and len(x) <= 1 and len(source) <= 1  # it takes numbers for vectors of one
    c.require(
        "rank",
        len(x) == len(source) or loose,
        f"the source is {source!r} and x is {x!r}: the ranks differ",
        ("source", "x"),
    )
    given = source[dim] if len(source) else 1
    c.require("index", eq(given, n), f"the index names {n!r} positions and the source has {given!r}", ("index", "source"))
    for i, (a, b) in enumerate(zip(source, x)):
        if i != dim:
            c.equal("size", a, b, f"axis {i} of the source is {{a}} and of x {{b}}", ("source", "x"))
    return x


def index_writer(name: str, dtypes: frozenset[DType], index: frozenset[DType], *attributes: Any, evaluate: Evaluate, doc: str = "", gradient: str = "") -> Op:
    inputs = (Tensor("x", "...", dtypes), Tensor("index", "...", index, values="index:dim"), Tensor("source", "...", dtypes))
    return Op(name, inputs, (Axis("dim"), *attributes), index_write_shape, Like("x"), evaluate=evaluate, order="rows", doc=doc, gradient=gradient)


INDEX_ADD = index_writer(
    "index_add",
    NUMBERS,
    INDEX,
    Number("alpha", 1),
    doc="Slices of the source are added to the positions that the index names.",
    evaluate=written_places.index_add,
    gradient="x< source<index,source? index-",
)
INDEX_COPY = index_writer(
    "index_copy",
    NUMBERS,
    LONG,
    doc="Slices of the source are written to the positions that the index names.",
    evaluate=written_places.index_copy,
    gradient="x<index source<index,source? index-",
)
INDEX_REDUCE = index_writer(
    "index_reduce", REALS, INDEX, Choice("reduce", ("prod", "mean", "amax", "amin")), Bool("include_self", True),
    evaluate=written_places.index_reduce,
)  # fmt: skip


def index_fill_shape(c: Call) -> Shape:
    index_count(c)
    value = c["value"]
    if isinstance(value, TensorType):
        mixed = value.dtype is not None and value.dtype.is_complex and c.dtype("x") is not None and not c.tensor("x").dtype.is_complex  # type: ignore[union-attr]
        c.require("dtype", not mixed, f"complex numbers do not fit into {c.dtype('x')!r}", ("value", "x"))
        c.require("value", len(value.shape) == 0, f"the value must be one number, and has shape {value.shape!r}", "value")
    return c.shape("x")


INDEX_FILL = Op(
    "index_fill",
    (Tensor("x", "...", NUMBERS), Tensor("index", "...", LONG, values="place:dim"), Tensor("value", "...", scalar=True, held=True)),
    (Axis("dim"),),
    index_fill_shape, Like("x"), overlaps=True,
    order="copied", evaluate=written_places.index_fill,
)  # fmt: skip


def put_shape(c: Call) -> Shape:
    one_type(c, "x", "source")
    n, m = c.shape("index").numel, c.shape("source").numel
    c.require("source", eq(n, m), f"the index names {n!r} positions and the source has {m!r} elements", ("index", "source"))
    count = c.shape("x").numel
    c.require("empty", disj(ge(count, 1), eq(n, 0)), "nothing can be put into a tensor without elements", ("x", "index"))
    check_positions(c, c.tensor("index"), count, ("index", "x"))
    return c.shape("x")


PUT = Op(
    "put",
    (Tensor("x", "...", NUMBERS), Tensor("index", "...", LONG, values="place:numel"), Tensor("source", "...", NUMBERS)),
    (Bool("accumulate", False),),
    put_shape,
    Like("x"),
    evaluate=written_places.put,
)


def masked_scatter_shape(c: Call) -> Shape:
    x, mask, source = c.tensor("x"), c.tensor("mask"), c.tensor("source")
    one_type(c, "x", "source")
    shape = c.broadcast(x.shape, mask.shape, about=("x", "mask"))
    if mask.shape == shape:
        n, m = true_count(c, mask), source.shape.numel
        c.require("source", ge(m, n), f"the mask has {n!r} true elements and the source only {m!r} elements", ("mask", "source"))
    return shape


MASKED_SCATTER = Op(
    "masked_scatter",
    (Tensor("x", "...", NUMBERS), Tensor("mask", "...", frozenset({BOOL})), Tensor("source", "...", NUMBERS)),
    (),
    masked_scatter_shape,
    Like("x"),
    order="rows",
    evaluate=written_places.masked_scatter,
)

# --- views, written ---------------------------------------------------------------------------------------------------------------


def region_writer(name: str, rule: Any, choose: Any, *attributes: Any) -> Op:
    """x with one of its views overwritten by the source, which must have the view's shape."""

    def shape(c: Call) -> Shape:
        region, source = rule(c).shape, c.shape("source")
        holds = len(region) == len(source) and conj(*(eq(a, b) for a, b in zip(source, region)))
        c.require("source", holds, f"the source is {source!r} and the part it is written to {region!r}", ("source", "x"))
        return c.shape("x")

    return Op(name, (Tensor("x"), Tensor("source")), attributes, shape, Like("x"), evaluate=made.region(choose), values=mixes("x source"))


SELECT_SCATTER = region_writer("select_scatter", select_rule, written_places.select_part, Axis("dim"), Int("index"))
SLICE_SCATTER = region_writer(
    "slice_scatter", slice_rule, written_places.slice_part, Axis("dim", 0), Int("start", None, optional=True), Int("end", None, optional=True), Int("step", 1)
)
DIAGONAL_SCATTER = region_writer("diagonal_scatter", diagonal_rule, written_places.diagonal_part, Int("offset", 0), Axis("dim1", 0), Axis("dim2", 1))
AS_STRIDED_SCATTER = region_writer(
    "as_strided_scatter", as_strided_rule, written_places.strided,
    Ints("size", least=0, shape=True), Ints("stride", least=0), Int("offset", None, least=0, optional=True),
)  # fmt: skip

"""Sorting and what rests on it: top-k, the k-th value, distinct elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.evaluation import Arguments, Undefined
from tensorproof.ops.facts import MOVES, SELECTS, orders, places
from tensorproof.ops.families import NUMERIC, reduced_shape, replaced, same_shape
from tensorproof.ops.inputs import Anything, Axis, Bool, Int, Tensor
from tensorproof.ops.later import later, makers
from tensorproof.ops.lines import Lined, along
from tensorproof.ops.record import Formula, Op, Out, Values
from tensorproof.ops.storage import cast, copied_strides, settled
from tensorproof.terms.dtypes import ALL_INTS, BOOLS, FLOATS, INT64, REALS, DType
from tensorproof.terms.ints import Dim, Term, bounds
from tensorproof.terms.predicates import conj, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.reductions.formulas import order_statistics
    from tensorproof.catalogue.reductions.formulas import order_statistics as made
    from tensorproof.ops.arrays import Array, Moved, Numpy
else:
    order_statistics = later("catalogue.reductions.formulas.order_statistics")
    made = makers("catalogue.reductions.formulas.order_statistics")

STORED = NUMERIC | frozenset(d for d in DType if d.is_float)
SORTED = ALL_INTS | FLOATS | BOOLS
ANY_X = Tensor("x", "...", STORED)
PAIR = (Out("values", values=SELECTS), Out("indices", INT64, values=places("dim")))


def ranked(c: Call, take: int | None = None, least_first: bool = True) -> tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]:
    """Sorted contents and where they stood, of small tensors of distinct known numbers."""
    x = c.tensor("x")
    if x.contents is None or any(isinstance(v, (Term, complex)) for v in x.contents):
        return None, None

    def order(line: list[Any]) -> list[int]:
        return sorted(range(len(line)), key=lambda i: line[i], reverse=not least_first)[:take]

    values = along(x, c["dim"], lambda line: [line[i] for i in order(line)])
    distinct = along(x, c["dim"], lambda line: [len(set(line)) == len(line)])
    places = along(x, c["dim"], order) if distinct is not None and all(distinct) else None
    return values, places


ORDERED = Tensor("x", "...", frozenset(d for d in STORED if not d.is_complex))
sorted_type = Lined(SORTED, Like("x"))


def _pair(c: Call, shape: Shape, found: tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]) -> list[Any]:
    sorted_type(c)
    x = c.tensor("x")
    strides = None if c.op.order == "rows" else copied_strides(x, bool(c.option("absolute_strides")))
    x = x.but(shape=shape, strides=strides, weak=False)
    places = INT64 if c.prescribed is None else c.prescribed.dtypes[-1]
    return [x.but(contents=found[0]), x.but(contents=found[1], dtype=places)]


SORT = Op(
    "sort",
    inputs=(ORDERED,),
    attributes=(Axis("dim", -1), Bool("descending", False)),
    shape=lambda c: _pair(c, c.shape("x"), ranked(c, least_first=not c["descending"])),
    dtype=Like("x"),
    outputs=(Out("values", values=MOVES), Out("indices", INT64, values=orders("dim"))),
    doc="The elements in order along an axis, and where they stood.",
    evaluate=order_statistics.sort,
)
ARGSORT = Op(
    "argsort", (ORDERED,), (Axis("dim", -1), Bool("descending", False)), same_shape, Lined(SORTED, lambda _: INT64),
    fold=lambda c: ranked(c, least_first=not c["descending"])[1], values=orders("dim"), doc="Where the elements stand in order along an axis.",
    order="copied", evaluate=order_statistics.argsort,
)  # fmt: skip


def numpy_partition(function: str) -> Formula:
    def evaluate(np: Numpy, a: Arguments) -> Array:
        if not a["x"].shape or np.max(np.asarray(a["kth"]), initial=0) >= a["x"].shape[a["dim"]]:
            raise Undefined("the order beyond the elements")
        if hasattr(a["x"], "of") and function == "argpartition":
            raise Undefined("the order within the parts")
        parted: Moved = getattr(np, function)
        return parted(np.asarray(a["x"]), a["kth"], axis=a["dim"])

    return evaluate


PARTITIONS = tuple(
    Op(name, (ORDERED,), (Anything("kth"), Axis("dim", -1)), same_shape, rule, evaluate=evaluate, values=values, doc=doc)
    for name, rule, evaluate, values, doc in (
        (
            "partition", Like("x"), numpy_partition("partition"), Values("convex"),
            "The element kth where it stands in order along an axis, the lesser ones before it.",
        ),
        ("argpartition", INT64, numpy_partition("argpartition"), Values("places", over="x", by="dim"), "Where the elements of a partition stand."),
    )
)  # fmt: skip


def chosen(c: Call, least: int) -> Dim:
    """The size of the axis, with k held against it."""
    size: Dim = c.shape("x")[c["dim"]] if c.rank("x") else 1
    k = c["k"]
    c.require("k", conj(ge(k, least), le(k, size)), f"k = {k!r} must lie between {least} and the axis's size {size!r}", ("k", "x"))
    made: Dim = k
    return made


def topk_shape(c: Call) -> list[Any]:
    k = chosen(c, 0)
    shape = replaced(c.shape("x"), c["dim"], k) if c.rank("x") else Shape()
    exact = isinstance(k, int) and c["sorted"]
    return _pair(c, shape, ranked(c, k, least_first=not c["largest"]) if exact else (None, None))  # type: ignore[arg-type]


TOPK = Op(
    "topk", (ANY_X,), (Int("k"), Axis("dim", -1), Bool("largest", True), Bool("sorted", True)), topk_shape, Like("x"), outputs=PAIR,
    doc="The k greatest (or least) elements along an axis, and where they stood.",
    order="rows", evaluate=order_statistics.topk,
)  # fmt: skip


def kthvalue_shape(c: Call) -> list[Shape]:
    chosen(c, 1)
    return [reduced_shape(c)] * 2


KTHVALUE = Op(
    "kthvalue", (ANY_X,), (Int("k"), Axis("dim", -1), Bool("keepdim", False)), kthvalue_shape, Lined(REALS, Like("x")), outputs=PAIR,
    doc="The k-th least element along an axis, and where it stood.",
    order="rows", evaluate=order_statistics.kthvalue,
)  # fmt: skip


def distinct_shape(c: Call) -> list[Any]:
    """The number of distinct elements, or slices, is for the data to tell; it is at least 1 where there are any."""
    x, dim = c.shape("x"), c["dim"]
    if dim is not None and not c["empty_slices"]:
        for i, size in enumerate(x):
            c.require("empty", i == dim or ge(size, 1), f"axis {i} has size 0, so there are no slices to compare", ("x", "dim"))
    plain = c.op.name == "unique" and dim is None and c.prescribed is None
    if plain and not c["as_met"] and not c["return_index"] and not c["return_inverse"] and (whole := _elements(c)) is not None:
        return _counted(c, whole)
    found = _count(c, x.numel if dim is None else x[dim])
    shapes: list[Any] = [Shape((found,)) if dim is None else replaced(x, dim, found)]
    if c["return_index"]:
        shapes.append(Shape((found,)))
    if c["return_inverse"]:
        shapes.append(x if dim is None else Shape((x[dim],)))
    if c["return_counts"]:
        shapes.append(Shape((found,)))
    return shapes


def _elements(c: Call) -> tuple[Any, ...] | None:
    """The elements where they are known one by one."""
    x = c.tensor("x")
    found = x.contents if x.contents is not None else settled(x, float)
    return None if found is None or any(isinstance(v, Term) or v != v for v in found) else found


def _counted(c: Call, elements: tuple[Any, ...]) -> list[TensorType]:
    """The distinct elements in order, and how often each stands."""
    values = sorted(set(elements))
    x = c.tensor("x").but(shape=Shape((len(values),)), strides=None, weak=False)
    counts = [x.but(contents=tuple(map(elements.count, values)), dtype=INT64)] if c["return_counts"] else []
    return [x.but(contents=cast(tuple(values), x.dtype)), *counts]


def _count(c: Call, among: Dim) -> Dim:
    contents = _elements(c)
    if contents is not None and c["dim"] is None:
        if c.op.name == "unique":
            return len(set(contents))
        return sum(1 for i, v in enumerate(contents) if i == 0 or v != contents[i - 1])
    lo, hi = bounds(among)
    facts = c.tensor("x").facts
    if c["dim"] is None and c.op.name == "unique" and facts is not None and (span := facts.span or facts.limit) is not None:
        width = bounds(span[1] - span[0])[1]
        hi = width if hi is None or (width is not None and width < hi) else hi
    least = 1 if lo else 0
    return least if least == hi else c.fresh("distinct", least, hi)


def _distinct(name: str, doc: str) -> Op:
    return Op(
        name, (ANY_X,),
        (
            Bool("return_inverse", False), Bool("return_counts", False), Bool("sorted", True),
            Axis("dim", None, optional=True, scalar_ok=False), Bool("return_index", False), Bool("empty_slices", False), Bool("as_met", False),
        ),
        distinct_shape, Like("x"),
        outputs=(
            Out("values", values=Values("joins", over="x")), Out("index", INT64, "return_index", values=places("dim")),
            Out("inverse", INT64, "return_inverse", values=Values("places", over="x", by="dim", every=True, end="result")),
            Out("counts", INT64, "return_counts"),
        ),
        data_dependent=True, evaluate=made.distinct(name == "unique_consecutive"), doc=doc,
    )  # fmt: skip


UNIQUE = _distinct("unique", "The distinct elements, or slices along an axis; `as_met`: in the order in which they first stand.")
UNIQUE_CONSECUTIVE = _distinct("unique_consecutive", "The first of each run of equal elements, or slices along an axis.")

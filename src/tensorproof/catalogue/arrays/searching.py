"""Where elements are: masks, the places of what is not zero, sorted search, one-hot codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.indexing import X, check_positions
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.facts import selects
from tensorproof.ops.inputs import Anything, Bool, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import NON_NEGATIVE, Interval, Op, Values
from tensorproof.ops.storage import small, true_count, whole
from tensorproof.terms.dtypes import BOOL, INT32, INT64, REALS, REALS_OR_BOOL, DType
from tensorproof.terms.ints import bounds, product
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.promotion import Operand
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import row_major
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import written_places
else:
    written_places = later("catalogue.arrays.formulas.written_places")


def masked_select_shape(c: Call) -> Shape:
    x, mask = c.tensor("x"), c.tensor("mask")
    shape = c.broadcast(x.shape, mask.shape, about=("x", "mask"))
    if shape == mask.shape:
        return Shape((true_count(c, mask),))
    if whole(mask.contents) and mask.contents and mask.shape.concrete:  # every element stands for equally many
        return Shape((true_count(c, mask) * (shape.numel // len(mask.contents)),))
    return Shape((c.fresh("nnz", 0, bounds(shape.numel)[1]),))


MASKED_SELECT = Op(
    "masked_select", (X, Tensor("mask", "...", frozenset({BOOL}))), (), masked_select_shape, Like("x"), data_dependent=True,
    values=selects("mask"),
    evaluate=written_places.mask_select,
)  # fmt: skip


def nonzero_rule(c: Call) -> TensorType:
    x = c.tensor("x")
    count = true_count(c, x)
    contents = None
    if whole(x.contents) and x.shape.concrete:
        steps: Any = row_major(x.shape)
        contents = tuple((i // s) % n for i, v in enumerate(x.contents or ()) if v for s, n in zip(steps, x.shape))
    return TensorType(Shape((count, len(x.shape))), INT64, contents=contents, strides=UNKNOWN_STRIDES)


NONZERO = Op(
    "nonzero",
    (X,),
    (),
    nonzero_rule,
    data_dependent=True,
    values=Values("bounded", bounds=NON_NEGATIVE, over="x"),
    doc="The coordinates of the elements that are not zero, a row for each.",
    evaluate=lambda np, a: np.argwhere(np.asarray(a["x"])).reshape(-1, len(a["x"].shape)) if a["x"].shape else np.zeros((int(np.asarray(a["x"]) != 0), 0)),
)
NONZERO_STATIC = Op(
    "nonzero_static", (X,), (Int("size", least=0), Int("fill_value", -1)), lambda c: Shape((c["size"], c.rank("x"))), INT64,
    evaluate=written_places.nonzero_static,
)  # fmt: skip


def _compared(c: Call, x: TensorType, y: TensorType) -> None:
    """With `typed_kernels` the common type of both decides, unless there is nothing to search for."""
    if not c.option("typed_kernels") or x.dtype is None or y.dtype is None:
        return
    common = c.common_type([Operand(x.dtype, x.weak, not len(x.shape)), Operand(y.dtype, y.weak, not len(y.shape))])
    message = f"{c.name} does not compare elements of the types {x.dtype!r} and {y.dtype!r}"
    c.require("dtype", disj(common in REALS, eq(y.shape.numel, 0)), message, ("x", "y"))


def searchsorted_shape(c: Call) -> Shape:
    x, y, sorter = c.tensor("x"), c.tensor("y"), c["sorter"]
    c.require("rank", len(x.shape) > 0, "the sorted sequence must have at least one axis", "x")
    _compared(c, x, y)
    if not y.weak:
        if len(x.shape) > 1 or len(y.shape) == 0:
            c.require(
                "rank",
                len(x.shape) == 1 or len(x.shape) == len(y.shape),
                f"{x.shape!r} and {y.shape!r} must agree but for the last axis",
                ("x", "y"),
            )
        if len(x.shape) > 1:
            for a, b in zip(x.shape[:-1], y.shape[:-1]):
                c.equal("batch", a, b, "the leading axes are {a} and {b} and must agree", ("x", "y"))
    else:
        c.require("rank", len(x.shape) == 1, f"a number is searched in a vector, and the sequence is {x.shape!r}", ("x", "y"))
    if sorter is not None:
        c.require("sorter", sorter.shape == x.shape, f"the sorter is {sorter.shape!r} and the sequence {x.shape!r}", ("sorter", "x"))
        c.require("sorter", c.prescribed is not None or sorter.dtype in (None, INT64), f"the sorter must be int64, and is {sorter.dtype!r}", "sorter")
    c.require("side", not (c["right"] and c["side"] == "left"), "right=True and side='left' contradict each other", ("right", "side"))
    c.require("side", c["side"] in (None, "left", "right"), f"side must be 'left' or 'right', and is {c['side']!r}", "side")
    return y.shape


SEARCHSORTED = Op(
    "searchsorted",
    (Tensor("x", "...", REALS_OR_BOOL), Tensor("y", "...", REALS_OR_BOOL, scalar=True), Tensor("sorter", optional=True, default=None)),
    (Bool("int32", False), Bool("right", False), Anything("side")),
    searchsorted_shape,
    lambda c: INT32 if c["int32"] else INT64,
    values=Values("places", over="x", by=-1, high=1, bounds=NON_NEGATIVE),
    doc="Where values would be put into a sorted sequence.",
    evaluate=written_places.searchsorted,
)


def one_hot_shape(c: Call) -> Shape:
    x, n = c.tensor("x"), c["classes"]
    if n == -1:
        c.require("empty", ge(x.shape.numel, 1), "the number of classes cannot be inferred from a tensor without elements", ("x", "classes"))
        n = max(x.contents) + 1 if whole(x.contents) and x.contents else c.fresh("classes", 1)
    else:
        c.require("classes", ge(n, 1), f"the number of classes must be positive, and is {n!r}", "classes")
    check_positions(c, x, n, ("x", "classes"), least=0)
    return Shape((*x.shape, n))


def one_hot_contents(c: Call) -> tuple[Any, ...] | None:
    x, n = c.tensor("x"), c["classes"]
    if not whole(x.contents) or not x.contents:
        return None
    n = max(x.contents) + 1 if n == -1 else n
    return tuple(int(k == i) for k in x.contents for i in range(n)) if small((len(x.contents), n)) else None


ONE_HOT = Op(
    "one_hot", (Tensor("x", "...", frozenset({INT64}), values="index:classes"),), (Int("classes", -1),), one_hot_shape, INT64,
    values=Values("bounded", bounds=Interval(0.0, 1.0)),
    fold=one_hot_contents, data_dependent=True,
    order="compact", evaluate=written_places.one_hot,
)  # fmt: skip


def unravel_shapes(c: Call) -> list[Any]:
    sizes = c["size"]
    check_positions(c, c.tensor("x"), product(sizes), ("x", "size"))
    dtype = INT64 if c.prescribed is None else c.prescribed.dtypes[0]
    return [TensorType(c.shape("x"), dtype, strides=UNKNOWN_STRIDES)] * len(sizes)


UNRAVEL = Op(
    "unravel_index",
    (Tensor("x", "...", frozenset(d for d in DType if d.is_integer), values="flat:size"),),
    (Ints("size"),),
    unravel_shapes,
    INT64,
    counted=True,
    values=Values("bounded", bounds=NON_NEGATIVE, over="size"),
    evaluate=written_places.unravel,
)

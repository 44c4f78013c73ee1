"""Array operators of TensorFlow that torch has not: shapes as tensors, slices by masks, blocks, segments, stitches.

TensorFlow infers shapes where ranks and sizes are partly unknown. These rules do the same: an unknown vector of known length gives
as many unknown axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.facts import CUTS, MOVES
from tensorproof.ops.inputs import Anything, ElementType, Int, Ints, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.ops.storage import Axes, span, view
from tensorproof.terms.dtypes import INDEX, INT32
from tensorproof.terms.ints import Dim, Term, maximum, upper
from tensorproof.terms.predicates import conj, eq, ge, le, lt, ne
from tensorproof.terms.shapes import Shape, broadcast, unknown_shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.frameworks.formulas import tensorflow_places
else:
    tensorflow_places = later("catalogue.frameworks.formulas.tensorflow_places")

X = Tensor("x")
INDICES = Tensor("index", "...", INDEX)
OUT_TYPE = ElementType("dtype", INT32, dtypes=INDEX)


def somewhere(c: Call, name: str = "out") -> Shape:
    """A shape of unknown rank."""
    c.session.made += 1
    return unknown_shape(f"{name}{c.session.site}#{c.session.made}")


def agreed(c: Call, shapes: list[Shape], about: tuple[str, ...], code: str = "shape") -> Shape:
    """One shape that all of these are: ranks and sizes must agree, and whatever one of them knows is known of all."""
    known_ones = [s for s in shapes if s.known]
    if not known_ones:
        return shapes[0]
    made = list(known_ones[0])
    for other in known_ones[1:]:
        if other is known_ones[0] or other == known_ones[0]:
            continue
        c.require(code, len(other) == len(made), f"shapes {known_ones[0]!r} and {other!r} must agree, and have different ranks", about)
        for i, (a, b) in enumerate(zip(made, other)):
            c.require(code, eq(a, b), f"shapes {known_ones[0]!r} and {other!r} must agree, and differ in axis {i}", about)
            made[i] = b if isinstance(a, Term) else a
    return Shape(made)


def numbers(c: Call, name: str, what: str = "size") -> tuple[Any, ...] | None:
    """The whole numbers of a vector; unknown ones are fresh symbols, and None says that even their count is not known."""
    value = c[name]
    if not isinstance(value, TensorType):
        made: tuple[Any, ...] | None = value
        return made
    if value.contents is not None:
        return value.contents
    if not value.shape.known:
        return None
    c.require("rank", len(value.shape) == 1, f"{name} must be a vector, and has shape {value.shape!r}", name)
    if type(value.shape[0]) is not int:
        return None
    return tuple(c.fresh(f"{name}.{what}") for _ in range(value.shape[0]))


# --- shapes as tensors -----------------------------------------------------------------------------------------------------------


def _dims(x: TensorType) -> tuple[Dim, ...] | None:
    return tuple(x.shape) if x.shape.known else None


def shape_of(c: Call) -> TensorType:
    shape = c.shape("x")
    return TensorType(Shape((shape.rank,)), c["dtype"], contents=_dims(c.tensor("x")), framework="tf")


SHAPE_OF = Op(
    "shape_of", (X,), (OUT_TYPE,), any_rank(shape_of), doc="The sizes of the axes, as a vector.",
    evaluate=lambda np, a: np.array(a["x"].shape, np.int64),
)  # fmt: skip
SHAPES_OF = Op(
    "shapes_of", (Tensors("xs"),), (OUT_TYPE,), counted=True,
    shape=any_rank(lambda c: [TensorType(Shape((x.shape.rank,)), c["dtype"], contents=_dims(x), framework="tf") for x in c["xs"]]),
    evaluate=lambda np, a: tuple(np.array(x.shape, np.int64) for x in a["xs"]),
)  # fmt: skip
SIZE_OF = Op(
    "size_of", (X,), (OUT_TYPE,), any_rank(lambda c: Shape()), Given(), fold=lambda c: (c.shape("x").numel,) if c.shape("x").known else None,
    doc="The number of elements, as a tensor.",
    evaluate=lambda np, a: np.array(a["x"].size),
)  # fmt: skip
RANK_OF = Op(
    "rank_of", (X,), (), any_rank(lambda c: Shape()), INT32, fold=lambda c: (len(c.shape("x")),) if c.shape("x").known else None,
    doc="The number of axes, as a tensor.",
    evaluate=lambda np, a: np.array(len(a["x"].shape)),
)  # fmt: skip
ENSURE_SHAPE = Op(
    "ensure_shape", (X,), (Anything("size"),),
    any_rank(lambda c: c.tensor("x").but(shape=agreed(c, [c.shape("x"), c["size"]], ("x", "size")))),
    values=MOVES, doc="x, which must have this shape; None in it stands for any size.",
    evaluate=lambda np, a: a["x"],
)  # fmt: skip


def broadcast_args(c: Call) -> TensorType:
    x, y = c.tensor("x"), c.tensor("y")
    for name in ("x", "y"):
        c.require("rank", len(c.shape(name)) == 1, f"a shape is a vector, and {name} has shape {c.shape(name)!r}", name)
    length = maximum(x.shape[0], y.shape[0])
    contents = None
    if x.contents is not None and y.contents is not None:
        stated = lambda holds, a, b: c.require("broadcast", holds, f"sizes {a!r} and {b!r} do not broadcast", ("x", "y"))
        contents = tuple(broadcast([Shape(x.contents), Shape(y.contents)], stated))
    return TensorType(Shape((length,)), x.dtype or y.dtype, contents=contents, framework="tf")


PAIR = (Tensor("x", "N", INDEX), Tensor("y", "M", INDEX))
BROADCAST_ARGS = Op(
    "broadcast_args", PAIR, (), broadcast_args, doc="The shape to which two shapes broadcast.",
    evaluate=lambda np, a: np.array(np.broadcast_shapes(np.asarray(a["x"]).tolist(), np.asarray(a["y"]).tolist()), np.int64),
)  # fmt: skip
BROADCAST_GRADIENT_ARGS = Op(
    "broadcast_gradient_args", PAIR, (), lambda c: [Shape((c.fresh("axes"),)), Shape((c.fresh("axes"),))], Same("x", "y"),
    outputs=(Out("r0"), Out("r1")), data_dependent=True, doc="The axes over which the gradients of a broadcast are summed.",
    evaluate=tensorflow_places.gradient_axes,
)  # fmt: skip


def concat_offset(c: Call) -> list[TensorType]:
    xs: tuple[TensorType, ...] = c["xs"]
    shape = agreed(c, [x.shape for x in xs], ("xs",))
    if shape.known:
        c.require("rank", len(shape) == 1, f"shapes are vectors, and one is {shape!r}", "xs")
    made: list[TensorType] = []
    at: Dim = 0
    for x in xs:
        contents = None
        if type(c["dim"]) is int and x.contents is not None and at is not None:
            contents = tuple(at if i == c["dim"] % len(x.contents) else 0 for i in range(len(x.contents)))
            at = at + x.contents[c["dim"]]
        made.append(TensorType(shape, x.dtype, contents=contents, framework="tf"))
    return made


CONCAT_OFFSET = Op(
    "concat_offset", (Tensors("xs", "N", INDEX),), (Int("dim", loose=True),), concat_offset, counted=True, evaluate=tensorflow_places.concat_offset
)


def inverted(c: Call) -> tuple[Any, ...] | None:
    held = c.contents("x")
    return tuple(held.index(i) for i in range(len(held))) if held is not None and sorted(map(repr, held)) == sorted(map(repr, range(len(held)))) else None


INVERT_PERMUTATION = Op(
    "invert_permutation", (Tensor("x", "N", INDEX),), (), "N", Like("x"), fold=inverted,
    evaluate=lambda np, a: np.argsort(np.asarray(a["x"])),
)  # fmt: skip

# --- slices ------------------------------------------------------------------------------------------------------------------------


def _bit(mask: int, i: int) -> bool:
    return bool(mask >> i & 1)


def _plan(c: Call, rank: int, count: int) -> list[tuple[str, int, int]]:
    """What each position of the sparse specification does: (kind, position, axis)."""
    ellipses = [i for i in range(count) if _bit(c["ellipsis_mask"], i)]
    c.require(
        "ellipsis",
        len(ellipses) <= 1 and (c["ellipsis_mask"] < 0 or c["ellipsis_mask"].bit_count() <= 1),
        "a slice has at most one ellipsis",
        "ellipsis_mask",
    )
    new = sum(1 for i in range(count) if _bit(c["new_axis_mask"], i) and i not in ellipses)
    used = count - new - len(ellipses)
    c.require("rank", used <= rank, f"{used} axes are sliced and x has {rank}", ("x", "begin"))
    plan: list[tuple[str, int, int]] = []
    axis = 0
    for i in range(count):
        if i in ellipses:
            plan.extend(("all", i, axis + k) for k in range(rank - used))
            axis += rank - used
        elif _bit(c["new_axis_mask"], i):
            plan.append(("new", i, -1))
        else:
            plan.append(("drop" if _bit(c["shrink_axis_mask"], i) else "part", i, axis))
            axis += 1
    return plan + [("all", -1, k) for k in range(axis, rank)]


def _ends(c: Call, name: str) -> tuple[Any, ...] | None:
    """The numbers of begin, end or strides; None for each that is not known, None in place of all when their count is not."""
    value = c[name]
    if isinstance(value, TensorType):
        if value.contents is not None:
            return value.contents
        if value.shape.known:
            c.require("rank", len(value.shape) == 1, f"{name} must be a vector, and has shape {value.shape!r}", name)
        return (None,) * value.shape[0] if value.shape.known and type(value.shape[0]) is int else None
    return tuple(None if isinstance(v, TensorType) else v for v in value)


@any_rank
def strided_slice(c: Call) -> TensorType:
    x, ends = c.tensor("x"), [_ends(c, name) for name in ("begin", "end", "strides")]
    counts = {len(e) for e in ends if e is not None}
    c.require("ends", len(counts) <= 1, f"begin, end and strides must be of one length, and have {sorted(counts)}", ("begin", "end", "strides"))
    if not x.shape.known or not counts:
        return x.but(shape=somewhere(c, "slice"), contents=None, strides=None)
    count = counts.pop()
    begin, end, strides = (e if e is not None else (None,) * count for e in ends)
    plan = _plan(c, len(x.shape), count)
    for stride in (strides[i] for kind, i, _ in plan if kind in ("part", "drop")):
        c.require("stride", stride is None or ne(stride, 0), "the stride of a slice must not be 0", "strides")
    fixed = {i: _position(c, x.shape[axis], begin[i], strides[i]) for kind, i, axis in plan if kind == "drop"}

    def change(axes: Axes) -> tuple[Axes, Dim]:
        made: Axes = []
        offset: Dim = 0
        for kind, i, axis in plan:
            if kind == "new":
                made.append((1, 1))
            elif kind == "all":
                made.append(axes[axis])
            elif kind == "drop":
                offset = offset + fixed[i] * axes[axis][1]
            else:
                first, length = _range(c, axes[axis][0], i, begin[i], end[i], strides[i])
                step = strides[i]
                made.append((length, axes[axis][1] * (1 if step is None else step)))
                offset = offset + first * axes[axis][1]
        return made, offset

    return view(x.but(strides=None), change).but(strides=None)


def _position(c: Call, size: Dim, at: Any, stride: Any) -> Dim:
    c.require("stride", stride is None or gt_zero(stride), f"one position is taken with a positive stride, not {stride!r}", "strides")
    if at is None:
        return c.fresh("position")
    c.require("range", conj(le(-size, at), lt(at, size)), f"position {at!r} is out of range for an axis of size {size!r}", ("begin", "x"))
    made: Dim = at + size if lt(at, 0) is True else at
    return made


def gt_zero(value: Any) -> Any:
    return ge(value, 1)


def _range(c: Call, size: Dim, i: int, begin: Any, end: Any, stride: Any) -> tuple[Dim, Dim]:
    open_begin, open_end = _bit(c["begin_mask"], i), _bit(c["end_mask"], i)
    if type(stride) is not int or (begin is None and not open_begin) or (end is None and not open_end):
        return c.fresh("first"), c.fresh("length", 0, None if upper(size) == float("inf") else int(upper(size)))
    return span(size, None if open_begin else begin, None if open_end else end, stride)


MASKS = tuple(Int(f"{name}_mask", 0) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis"))
ENDS = tuple(Ints(name, loose=True, one=False) for name in ("begin", "end", "strides"))
STRIDED_SLICE = Op(
    "strided_slice",
    (X,),
    (*ENDS, *MASKS),
    strided_slice,
    Like("x"),
    values=CUTS,
    doc="Slices, new axes and single positions, by vectors and bit masks.",
    evaluate=tensorflow_places.strided_slice,
)


@any_rank
def slice_shape(c: Call) -> TensorType:
    """A block from `begin` of `size` elements, -1 for the rest."""
    x, begin, size = c.tensor("x"), _ends(c, "begin"), _ends(c, "size")
    rank = len(x.shape) if x.shape.known else len(begin) if begin is not None else len(size) if size is not None else None
    if rank is None:
        return x.but(shape=somewhere(c), contents=None)
    for name, value in (("begin", begin), ("size", size)):
        c.require("rank", value is None or len(value) == rank, f"{name} must have one number for each of the {rank} axes", (name, "x"))
    axes = tuple(x.shape) if x.shape.known else tuple(c.fresh("axis") for _ in range(rank))
    plan: list[tuple[Dim, Dim]] = []
    for n, b, s in zip(axes, begin or (None,) * rank, size or (None,) * rank, strict=True):
        if s is None or (b is None and s == -1):
            plan.append((c.fresh("first"), c.fresh("length")))
            continue
        first = c.fresh("first") if b is None else b
        length = n - first if s == -1 else s
        if b is not None:
            c.require("begin", conj(ge(b, 0), le(b, n)), f"a slice cannot begin at {b!r} in an axis of size {n!r}", ("begin", "x"))
            c.require(
                "size",
                conj(ge(length, 0), le(b + length, n)),
                f"{s!r} elements from {b!r} on go beyond an axis of size {n!r}",
                ("size", "x"),
            )
        plan.append((first, length))

    def change(old: Axes) -> tuple[Axes, Dim]:
        return [(length, step) for (_, length), (_, step) in zip(plan, old)], sum((first * step for (first, _), (_, step) in zip(plan, old)), 0)

    if not x.shape.known:
        return x.but(shape=Shape(length for _, length in plan), contents=None)
    return view(x.but(strides=None), change).but(strides=None)


BLOCK = Op(
    "block_slice",
    (X,),
    (Ints("begin", loose=True, one=False), Ints("size", loose=True, one=False)),
    slice_shape,
    Like("x"),
    values=CUTS,
    doc="The block of `size` elements from `begin` on.",
    evaluate=tensorflow_places.block_slice,
)

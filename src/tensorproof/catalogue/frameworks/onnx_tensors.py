"""Array operators as ONNX has them: shapes as tensors, many axes at once, slices, padding, gathering, resizing.

Vectors of whole numbers (axes, sizes, pads) may be inputs whose contents are not known: where their length is, the result keeps its rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.views import resolved, shown_as
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.facts import CUTS, MOVES
from tensorproof.ops.families import replaced, same_shape
from tensorproof.ops.inputs import Anything, Bool, Choice, ElementType, Float, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import known, positions, sliced, small, span
from tensorproof.terms.dtypes import ALL_INTS, FLOATS, INT64
from tensorproof.terms.ints import product
from tensorproof.terms.predicates import conj, disj, eq, ge, le
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.strides import row_major
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import memory as memory_formulas
    from tensorproof.catalogue.frameworks.formulas import onnx_moves as moves
else:
    memory_formulas = later("catalogue.arrays.formulas.memory")
    moves = later("catalogue.frameworks.formulas.onnx_moves")

X = Tensor("x")


def ints(c: Call, name: str) -> tuple[Any, ...] | None:
    """The whole numbers of an argument; None where their contents are not known."""
    value = c[name]
    return value.contents if isinstance(value, TensorType) else value


def length_of(c: Call, name: str) -> int | None:
    """How many numbers an argument holds, where that is known."""
    value = c[name]
    if not isinstance(value, TensorType):
        return None if value is None else len(value)
    if not value.shape.known:
        return None
    c.require("rank", len(value.shape) <= 1, f"{name} must be a vector, and has shape {value.shape!r}", name)
    count = value.shape.numel
    return count if isinstance(count, int) else None


def somewhere(c: Call, rank: int | None = None) -> Shape:
    """A shape of this rank whose sizes are not known; without a rank, not even that is."""
    if rank is not None:
        return Shape(c.fresh("size") for _ in range(rank))
    c.session.made += 1
    return unknown_shape(f"{c.op.name}{c.session.site}#{c.session.made}")


def axis_in(c: Call, value: object, rank: int, about: str = "dim") -> int:
    """A non-negative axis of a tensor of that rank."""
    if not isinstance(value, int):
        raise c.give_up(f"{about} is not a known number")
    c.require("axis", -rank <= value < rank, f"{about} = {value} is out of range: the tensor has {rank} dimensions", about)
    return value % rank


def axes_in(c: Call, values: tuple[Any, ...], rank: int, about: str = "dim") -> tuple[int, ...]:
    made = tuple(axis_in(c, value, rank, about) for value in values)
    c.require("axis", len(set(made)) == len(made), f"{about} names an axis twice: {values!r}", about)
    return made


# --- shapes as tensors -----------------------------------------------------------------------------------------------------------


@any_rank
def shape_part(c: Call) -> TensorType:
    shape, start, end = c.shape("x"), c["start"], c["end"]
    if not shape.known:
        whole = start == 0 and end is None
        return TensorType(Shape((shape.rank if whole else c.fresh("rank"),)), INT64)
    sizes = tuple(shape)[slice(*(_clamped(at, len(shape)) for at in (start, len(shape) if end is None else end)))]
    return TensorType(Shape((len(sizes),)), INT64, contents=sizes)


def _clamped(at: int, rank: int) -> int:
    return max(0, min(rank, at + rank if at < 0 else at))


SHAPE_PART = Op(
    "shape_part",
    (X,),
    (Int("start", 0), Int("end", None, optional=True)),
    shape_part,
    INT64,
    evaluate=moves.sizes_of,
    doc="The sizes of the axes from start to end, as a vector.",
)


@any_rank
def reshaped(c: Call) -> TensorType:
    x, size = c.tensor("x"), ints(c, "size")
    if size is None:
        return x.but(shape=somewhere(c, length_of(c, "size")), contents=None)
    if not c["allowzero"] and any(n == 0 for n in size if isinstance(n, int)):
        if not x.shape.known:
            return x.but(shape=somewhere(c, len(size)), contents=None)
        last = max(i for i, n in enumerate(size) if n == 0)
        c.require("size", last < len(x.shape), f"0 at place {last} of {tuple(size)!r} copies an axis that x {x.shape!r} does not have", ("size", "x"))
        return shown_as(c, x, _with_copies(c, x.shape, size), False)
    c.require("size", not (c["allowzero"] and 0 in size and -1 in size), f"with allowzero, 0 and -1 exclude each other in {tuple(size)!r}", "size")
    return shown_as(c, x, resolved(c, size, x.shape.numel), False)


def _with_copies(c: Call, shape: Shape, size: tuple[Any, ...]) -> Shape:
    """0 copies an axis of x; what is copied divides out before -1 is resolved, so that an empty axis does not matter."""
    copied = [i for i, n in enumerate(size) if n == 0]
    rest = product(n for i, n in enumerate(shape) if i not in copied)
    made = iter(resolved(c, tuple(n for i, n in enumerate(size) if i not in copied), rest))
    return Shape(shape[i] if i in copied else next(made) for i in range(len(size)))


RESHAPE_COPYING = Op(
    "reshape_copying",
    (X,),
    (Ints("size", shape=True, loose=True, one=False), Bool("allowzero", False)),
    reshaped,
    Like("x"),
    values=MOVES,
    evaluate=moves.reshaped,
    doc="Another shape of the same elements; -1 is what is left, 0 copies the axis of x at its place, unless zeros are allowed.",
)


def expanded(c: Call) -> TensorType:
    x, size = c.tensor("x"), ints(c, "size")
    if size is None:
        count = length_of(c, "size")
        return x.but(shape=somewhere(c, None if count is None else max(count, len(x.shape))), contents=None)
    for n in size:
        c.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", "size")
    made = c.broadcast(x.shape, Shape(size), about=("x", "size"))
    contents = None
    if known(x) and small(made):
        plain: tuple[Any, ...] = row_major(x.shape)
        steps = [0] * (len(made) - len(plain)) + [0 if n == 1 else step for n, step in zip(x.shape, plain)]
        contents = tuple(x.contents[p] for p in positions(made, steps))  # type: ignore[index]
    return x.but(shape=made, contents=contents)


EXPAND_BOTH = Op(
    "expand_both",
    (X,),
    (Ints("size", shape=True, loose=True, one=False),),
    expanded,
    Like("x"),
    values=MOVES,
    evaluate=moves.broadcast,
    doc="x broadcast against a shape; either may grow.",
)


def tiled(c: Call) -> TensorType:
    x, times = c.tensor("x"), ints(c, "times")
    if times is None:
        return x.but(shape=somewhere(c, len(x.shape)), contents=None)
    c.require("times", len(times) == len(x.shape), f"{len(times)} repeats are given for the {len(x.shape)} axes of x", ("times", "x"))
    for n in times:
        c.require("times", ge(n, 0), f"an axis cannot be repeated {n!r} times", "times")
    made = Shape(n * t for n, t in zip(x.shape, times))
    contents = None
    if known(x) and small(made):
        found = [0]
        for n, t, step in zip(x.shape, times, row_major(x.shape)):
            found = [p + i % n * step for p in found for i in range(n * t)]
        contents = tuple(x.contents[p] for p in found)  # type: ignore[index]
    return x.but(shape=made, contents=contents)


TILE = Op("tile_all", (X,), (Ints("times", loose=True, one=False),), tiled, Like("x"), values=MOVES, evaluate=moves.tiled, doc="Every axis repeated.")


# --- slices and padding ------------------------------------------------------------------------------------------------------------


def slices(c: Call) -> TensorType:
    x, starts, ends, axes, steps = c.tensor("x"), *(ints(c, name) for name in ("starts", "ends", "dim", "steps"))
    counts = {n for n in (length_of(c, name) for name in ("starts", "ends", "dim", "steps")) if n is not None}
    c.require("ends", len(counts) <= 1, f"starts, ends, axes and steps must be of one length, and have {sorted(counts)}", ("starts", "ends"))
    if (c.given("dim") and axes is None) or not counts:
        return x.but(shape=somewhere(c, len(x.shape)), contents=None)
    count = counts.pop()
    c.require("axis", count <= len(x.shape), f"{count} axes are sliced and x {x.shape!r} has {len(x.shape)}", ("starts", "x"))
    places = axes_in(c, axes if axes is not None else tuple(range(count)), len(x.shape))
    made = x
    for i, axis in enumerate(places):
        step = 1 if not c.given("steps") else None if steps is None else steps[i]
        c.require("step", step != 0, "the step of a slice must not be 0", "steps")
        if starts is None or ends is None or type(step) is not int:
            size = made.shape[axis]
            made = made.but(shape=replaced(made.shape, axis, c.fresh("slice", 0, size if isinstance(size, int) else None)), contents=None)
            continue
        first, length = span(made.shape[axis], starts[i], _open_end(ends[i], step), step)
        made = sliced(made, axis, first, length, step)
    return made.but(strides=None)


def _open_end(end: object, step: int) -> Any:
    """An end beyond any size (INT64_MAX, INT64_MIN) is an open one."""
    far = 1 << 30
    return None if isinstance(end, int) and ((step > 0 and end >= far) or (step < 0 and end <= -far)) else end


_PARTS = (Ints("starts", loose=True, one=False), Ints("ends", loose=True, one=False))
SLICE_AXES = Op(
    "slice_axes",
    (X,),
    (*_PARTS, Ints("dim", None, optional=True, loose=True), Ints("steps", None, optional=True, loose=True)),
    slices,
    Like("x"),
    values=CUTS,
    evaluate=moves.sliced,
    doc="Slices along several axes; ends beyond the axis are cut, as in Python.",
)


def padded(c: Call) -> Shape:
    x, pads, axes = c.shape("x"), ints(c, "padding"), ints(c, "dim")
    if pads is None or (c.given("dim") and axes is None):
        return somewhere(c, len(x))
    c.require("mode", c["mode"] != "wrap" or not c["older"], "padding that wraps is younger than this opset", "mode")
    places = axes_in(c, axes, len(x)) if axes is not None else tuple(range(len(x)))
    c.require(
        "padding",
        len(pads) == 2 * len(places),
        f"{2 * len(places)} numbers of padding are wanted for {len(places)} axes, and there are {len(pads)}",
        ("padding", "x"),
    )
    made = list(x)
    for i, axis in enumerate(places):
        before, after = pads[i], pads[i + len(places)]
        if c["mode"] != "constant":
            something = disj(ge(x[axis], 1), conj(le(before, 0), le(after, 0)))
            c.require("empty", something, f"an empty axis has nothing to be padded with by {before!r} and {after!r}", ("padding", "x"))
        made[axis] = x[axis] + before + after
        c.require("padding", ge(made[axis], 0), f"padding of {before!r} and {after!r} leaves nothing of axis {axis} of size {x[axis]!r}", ("padding", "x"))
    return Shape(made)


_MODES = ("constant", "reflect", "edge", "wrap")
PAD_AXES = Op(
    "pad_axes",
    (X, Tensor("value", " | 1", optional=True, default=None)),
    (
        Ints("padding", loose=True, one=False),
        Ints("dim", None, optional=True, loose=True),
        Choice("mode", _MODES, "constant"),
        Bool("older", False),
        Float("filling", 0.0),
    ),
    padded,
    Same("x", "value"),
    evaluate=moves.padded,
    doc="Padding before all axes, then after all of them; negative padding cuts.",
)


def cropped(c: Call) -> Shape:
    x, size, axes = c.shape("x"), ints(c, "size"), c["dim"]
    places = axes_in(c, axes, len(x)) if axes is not None else tuple(range(len(x)))
    count = length_of(c, "size")
    c.require("size", count in (None, len(places)), f"{count} sizes are given for {len(places)} axes", ("size", "x"))
    made = list(x)
    for i, axis in enumerate(places):
        made[axis] = c.fresh("size") if size is None else size[i]
        c.require("size", ge(made[axis], 0), f"a size cannot be negative, and is {made[axis]!r}", "size")
    return Shape(made)


CENTER_CROP_PAD = Op(
    "center_crop_pad",
    (X,),
    (Ints("size", shape=True, loose=True, one=False), Ints("dim", None, optional=True)),
    cropped,
    Like("x"),
    evaluate=moves.centred,
    doc="Axes cut or padded on both sides to these sizes.",
)


# --- made of numbers ---------------------------------------------------------------------------------------------------------------


TRILU = Op(
    "trilu",
    (Tensor("x", "... N M"), Tensor("k", "", frozenset({INT64}), optional=True, default=None)),
    (Bool("upper", True),),
    same_shape,
    Like("x"),
    evaluate=moves.triangle,
    doc="The upper or lower triangle of matrices.",
)
EYE_LIKE = Op(
    "eye_like",
    (Tensor("x", "N M"),),
    (Int("k", 0), ElementType("dtype")),
    "N M",
    Given("dtype", Like("x")),
    evaluate=lambda np, a: np.eye(a["x"].shape[0], a["x"].shape[1], a["k"]),
    doc="Ones on a diagonal.",
)


def bit_cast_shape(c: Call) -> Shape:
    x, dtype = c.tensor("x"), c["dtype"]
    if x.dtype is not None and dtype is not None:
        c.require("width", x.dtype.bits == dtype.bits, f"{x.dtype!r} has {x.dtype.bits} bits and {dtype!r} {dtype.bits}", ("x", "dtype"))
    return x.shape


BIT_CAST = Op(
    "bit_cast",
    (X,),
    (ElementType("dtype", optional=False),),
    any_rank(bit_cast_shape),
    Given("dtype"),
    evaluate=memory_formulas.same_bits,
    doc="The same bits as another element type of the same width.",
)
SHRINK = Op(
    "shrink",
    (Tensor("x", "...", ALL_INTS | FLOATS),),
    (Anything("lambd"), Anything("bias")),
    same_shape,
    Like("x"),
    evaluate=moves.shrunk,
    doc="Numbers drawn towards zero by `bias`, and zero between -lambd and lambd.",
)
PRELU_BROADCAST_TYPES = FLOATS | frozenset({d for d in ALL_INTS if d.bits >= 32})


def slope_shape(c: Call) -> Shape:
    x, slope = c.shape("x"), c.shape("slope")
    c.require("rank", len(slope) <= len(x), f"the slope {slope!r} does not broadcast into x {x!r}", ("slope", "x"))
    for a, b in zip(reversed(slope), reversed(x)):
        c.require("broadcast", disj(eq(a, b), eq(a, 1)), f"the slope {slope!r} does not broadcast into x {x!r}", ("slope", "x"))
    return x


PRELU = Op(
    "prelu_broadcast",
    (Tensor("x", "...", PRELU_BROADCAST_TYPES), Tensor("slope", "...", PRELU_BROADCAST_TYPES)),
    (),
    slope_shape,
    Same("x", "slope"),
    evaluate=moves.sloped,
    doc="Negative numbers times a slope that broadcasts into x.",
)

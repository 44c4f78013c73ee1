"""Elements copied into another arrangement: repeats, flips, rolls, diagonals, memory order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.views import plain_axis
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Summed
from tensorproof.ops.evaluation import Arguments, plain
from tensorproof.ops.facts import CUTS, MOVES
from tensorproof.ops.families import replaced, same_shape
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Int, Ints, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.ones import kept
from tensorproof.ops.ones import on_diagonal as on_diagonal_filled
from tensorproof.ops.record import Op
from tensorproof.ops.storage import copied_strides, is_compact, known, positions, small, steps_of, strides_of_format, view, whole
from tensorproof.terms.dtypes import BOOL, INDEX
from tensorproof.terms.ints import Dim, absolute, maximum
from tensorproof.terms.predicates import disj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import channels_last, row_major, strides_or_none
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import memory as memory_formulas
    from tensorproof.ops import moves as array_moves
    from tensorproof.ops.arrays import Array, Numpy
else:
    memory_formulas = later("catalogue.arrays.formulas.memory")
    array_moves = later("ops.moves")

X = Tensor("x")


def gathered(x: TensorType, shape: Shape, places: Any) -> TensorType:
    """A copy; `places()` lists the flat positions where the contents come from."""
    contents = tuple(x.contents[p] for p in places()) if x.contents is not None and known(x) and small(shape) else None
    return x.but(shape=shape, contents=contents, strides=None, weak=False)


@any_rank
def contiguous_rule(c: Call) -> TensorType:
    x, memory = c.tensor("x"), c["memory"]
    if str(memory).removeprefix("torch.") == "preserve_format":
        return x
    if memory is None or not x.shape.known:
        c.copied = not is_compact(x) and x.strides != UNKNOWN_STRIDES and x.shape.concrete
        return x if is_compact(x) else x.but(strides=None)
    word = str(memory).removeprefix("torch.")
    rank = {"channels_last": 4, "channels_last_3d": 5}.get(word)
    c.require("rank", rank is None or len(x.shape) == rank, f"memory format {word} needs rank {rank}, and x is {x.shape!r}", ("memory", "x"))
    return x.but(strides=_in_format(x, word == "contiguous_format"))


def _in_format(x: TensorType, rows: bool) -> tuple[Dim, ...] | None:
    """What already lies in the format asked for stays as it is, with the steps that axes of size 1 have."""
    steps, wanted = steps_of(x), row_major(x.shape) if rows else channels_last(x.shape)
    if steps is None:
        return None if rows else UNKNOWN_STRIDES if any(type(n) is not int or n == 1 for n in x.shape[1:]) else wanted
    return x.strides if all(a == b or n == 1 for a, b, n in zip(steps, wanted, x.shape)) else strides_or_none(x.shape, wanted)


CONTIGUOUS = Op(
    "contiguous", (X,), (Anything("memory"),), contiguous_rule, aliases="x", view="itself", values=MOVES, doc="The same tensor in row-major memory.",
    evaluate=array_moves.same,
)  # fmt: skip
COPY = Op(
    "copy",
    (X,),
    (),
    any_rank(lambda c: c.tensor("x").but(strides=None, weak=False)),
    values=MOVES,
    doc="The same elements in memory of their own.",
    evaluate=array_moves.same,
)


def repeat_rule(c: Call) -> TensorType:
    x, times = c.tensor("x"), c["times"]
    new = len(times) - len(x.shape)
    c.require("rank", new >= 0, f"{len(times)} repeats are too few for {x.shape!r}", ("times", "x"))
    for n in times:
        c.require("times", ge(n, 0), f"a number of repeats cannot be negative, and they are {tuple(times)!r}", "times")
    whole_shape = Shape((*[1] * new, *x.shape))

    def places() -> list[Any]:
        found: list[Any] = [0]
        for size, n, step in zip(whole_shape, times, row_major(whole_shape)):
            found = [p + i * step for p in found for _ in range(n) for i in range(size)]
        return found

    return gathered(x, Shape(a * b for a, b in zip(whole_shape, times)), places)


REPEAT = Op(
    "repeat", (X,), (Ints("times"),), repeat_rule, values=MOVES, doc="The whole tensor several times along each axis.",
    evaluate=lambda np, a: np.tile(a["x"], a["times"]),
)  # fmt: skip


def repeat_interleave_rule(c: Call) -> TensorType:
    x, times, size = c.tensor("x"), c["times"], c["size"]
    if c["dim"] is None:
        x = x.but(shape=Shape((x.shape.numel,)))
        dim = 0
    else:
        dim = c["dim"]
        c.require("axis", len(x.shape) > 0, f"x has no axis {dim}", ("dim", "x"))
    n = x.shape[dim] if len(x.shape) else 1
    counts: tuple[Any, ...] | None = None
    if isinstance(times, TensorType):
        c.require(
            "dtype",
            times.dtype is None or (times.dtype.is_integer and times.dtype.bits >= 32),
            f"repeats must be int32 or int64, and are {times.dtype!r}",
            "times",
        )
        c.require("rank", len(times.shape) <= 1, f"repeats must be a vector, and are {times.shape!r}", "times")
        if len(times.shape):
            c.require(
                "repeats",
                disj(eq(times.shape[0], n), eq(times.shape[0], 1)),
                f"there are {times.shape[0]!r} repeats for an axis of size {n!r}",
                ("times", "x"),
            )
        counts = times.contents
        if counts is not None and len(counts) == 1 and type(n) is int:
            counts = counts * n
    else:
        c.require("times", ge(times, 0), f"a number of repeats cannot be negative, and is {times!r}", "times")
        counts = (times,) * n if type(n) is int else None
    for one in counts[:64] if counts else ():
        c.require("times", ge(one, 0), f"a number of repeats cannot be negative, and is {one!r}", "times")
    total = sum(counts) if counts is not None else n * times if not isinstance(times, TensorType) else size if size is not None else c.fresh("repeats")
    if size is not None and n != 0:  # torch returns at once where there is nothing to repeat
        c.require("output_size", eq(size, total), f"the repeats make {total!r} and output_size is {size!r}", ("times", "size"))
    if not len(x.shape):
        return x.but(shape=Shape((total,)), contents=None, strides=None)

    def places() -> list[int]:
        steps: tuple[Any, ...] = row_major(x.shape)
        at = [i for i, k in enumerate(counts or ()) for _ in range(k)]
        before, after = positions(x.shape[:dim], steps[:dim]), positions(x.shape[dim + 1 :], steps[dim + 1 :])
        return [p + i * steps[dim] + q for p in before for i in at for q in after]

    shape = replaced(x.shape, dim, total)
    return gathered(x, shape, places) if counts is not None and whole(counts) else x.but(shape=shape, contents=None, strides=None)


REPEAT_INTERLEAVE = Op(
    "repeat_interleave",
    (X,),
    (Anything("times"), Axis("dim", None, optional=True), Int("size", None, optional=True)),
    repeat_interleave_rule,
    values=CUTS,
    doc="Every position of an axis several times.",
    evaluate=array_moves.interleaved,
)


def flip_rule(c: Call) -> TensorType:
    x, dims = c.tensor("x"), c["dim"]
    turned = range(len(x.shape)) if dims is None else dims

    def change(axes: list[tuple[Dim, Dim]]) -> tuple[list[tuple[Dim, Dim]], Dim]:
        made = [(n, -s) if i in turned else (n, s) for i, (n, s) in enumerate(axes)]
        return made, sum((n - 1) * s for i, (n, s) in enumerate(axes) if i in turned) if all(n != 0 for n, _ in axes) else 0

    return view(x, change).but(strides=copied_strides(x, bool(c.option("absolute_strides"))))


FLIP = Op(
    "flip", (X,), (Axes("dim", None),), flip_rule, values=MOVES, doc="Axes in reverse order.",
    evaluate=lambda np, a: np.flip(a["x"], None if a["dim"] is None else tuple(a["dim"])) if a["x"].ndim else a["x"],
)  # fmt: skip
FLIP_FLAGGED = Op(
    "flip_flagged", (X, Tensor("flags", "_", frozenset({BOOL}))), (), any_rank(same_shape), Like("x"), values=MOVES,
    doc="The axes whose flag is set in reverse order.", evaluate=lambda np, a: np.flip(a["x"], tuple(np.nonzero(plain(np, a["flags"]))[0])),
)  # fmt: skip


def roll_shape(c: Call) -> Shape:
    shifts, dims, x = c["shifts"], c["dim"], c.shape("x")
    c.require("shifts", len(shifts) > 0, "at least one shift is needed", "shifts")
    if dims:
        c.require("rank", len(x) > 0, "a tensor without axes cannot be rolled along one", ("x", "dim"))
        c.require("shifts", len(shifts) == len(dims), f"{len(shifts)} shifts are given for {len(dims)} axes", ("shifts", "dim"))
    else:
        c.require("shifts", len(shifts) == 1, f"without axes there is one shift, and {len(shifts)} are given", ("shifts", "dim"))
    return x


def roll_contents(c: Call) -> tuple[Any, ...] | None:
    x, dims, shifts = c.tensor("x"), c["dim"], c["shifts"]
    if x.contents is None or not known(x) or not whole(shifts) or not x.contents:
        return None
    if not dims:
        k = -shifts[0] % len(x.contents)
        return x.contents[k:] + x.contents[:k]
    found = [0]
    moves: dict[int, int] = {}
    for d, k in zip(dims, shifts):
        moves[d] = moves.get(d, 0) + k
    for i, (n, step) in enumerate(zip(x.shape, row_major(x.shape))):
        found = [p + ((j - moves.get(i, 0)) % n) * step for p in found for j in range(n)]
    return tuple(x.contents[p] for p in found)


ROLL = Op(
    "roll",
    (X,),
    (Ints("shifts"), Axes("dim", None, unique=False)),
    roll_shape,
    Like("x"),
    fold=roll_contents,
    values=MOVES,
    doc="Elements moved round along axes.",
    order="rows",
    evaluate=array_moves.rolled,
)


def rot90_rule(c: Call) -> TensorType:
    return c.tensor("x").but(shape=rot90_shape(c), contents=None, strides=UNKNOWN_STRIDES)


def rot90_shape(c: Call) -> Shape:
    x, k, dims = c.shape("x"), c["k"], c["dim"]
    c.require("axes", len(dims) == 2, f"a rotation needs two axes, and {len(dims)} are named", "dim")
    c.require("rank", len(x) >= 2, f"a rotation needs two axes, and x is {x!r}", "x")
    a, b = plain_axis(c, dims[0], len(x)), plain_axis(c, dims[1], len(x))
    c.require("axes", a != b, f"the two axes must differ, and both are {a}", "dim")
    if k % 2 == 0:
        return x
    turned = list(x)
    turned[a], turned[b] = turned[b], turned[a]
    return Shape(turned)


ROT90 = Op(
    "rot90", (X,), (Int("k", 1), Ints("dim", (0, 1))), rot90_rule, values=MOVES, doc="Turned by a quarter, k times.",
    evaluate=lambda np, a: np.rot90(a["x"], a["k"], a["dim"]),
)  # fmt: skip

# --- diagonals ---------------------------------------------------------------------------------------------------------------------


def diag_embed_shape(c: Call) -> Shape:
    x, offset = c.shape("x"), c["offset"]
    c.require("rank", len(x) >= 1, "x must have at least one axis", "x")
    rank = len(x) + 1
    a, b = plain_axis(c, c["dim1"], rank, "dim1"), plain_axis(c, c["dim2"], rank, "dim2")
    c.require("axis", a != b, f"the two axes of a diagonal must differ, and both are {a}", ("dim1", "dim2"))
    rest = iter(x[:-1])
    side = x[-1] + absolute(offset)
    return Shape(side if i in (a, b) else next(rest) for i in range(rank))


def diag_embed_contents(c: Call) -> tuple[Any, ...] | None:
    x, offset = c.tensor("x"), c["offset"]
    if x.contents is None or len(x.shape) != 1 or not known(x) or (c["dim1"], c["dim2"]) != (-2, -1) or x.dtype is None:
        return None
    side = len(x.contents) + abs(offset)
    if not small((side, side)):
        return None
    zero = False if x.dtype.kind == "b" else 0.0 if x.dtype.is_float else 0
    return tuple(x.contents[min(i, j)] if j - i == offset else zero for i in range(side) for j in range(side))


ROLL_BY = Op(
    "roll_by", (X, Tensor("shifts", "_ | ", INDEX), Tensor("dim", "_ | ", INDEX)), (), any_rank(same_shape), Like("x"),
    values=MOVES, doc="Elements moved round along axes; shifts and axes are tensors.",
    evaluate=lambda np, a: np.roll(a["x"], tuple(np.atleast_1d(plain(np, a["shifts"]))), tuple(np.atleast_1d(plain(np, a["dim"])))),
)  # fmt: skip
DIAG_EMBED = Op(
    "diag_embed", (X,), (Int("offset", 0), Int("dim1", -2), Int("dim2", -1)), diag_embed_shape, Like("x"),
    fold=diag_embed_contents, ones=kept, doc="The last axis laid on a diagonal of a new matrix.",
    evaluate=array_moves.on_diagonal,
)  # fmt: skip


def filled_diagonal(c: Call) -> TensorType:
    x = c.tensor("x")
    c.require("rank", len(x.shape) >= 2, f"a diagonal needs two axes, and x is {x.shape!r}", "x")
    for n in x.shape[1:] if len(x.shape) > 2 else ():
        c.require("size", eq(n, x.shape[0]), f"beyond two axes all sizes must be equal, and x is {x.shape!r}", "x")
    return x.but(contents=None)


def diagonal_written(np: Numpy, a: Arguments) -> Array:
    """The diagonal goes through every (width + 1)-th element; without `wrap` it ends at the least size."""
    shape = a["x"].shape
    at = np.arange(a["x"].size).reshape(shape)
    step = sum(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    inside = True if a["wrap"] and len(shape) == 2 else at < step * min(shape)
    return np.where((at % step == 0) & inside, a["value"], a["x"])


FILL_DIAGONAL = Op(
    "fill_diagonal",
    (Tensor("x", draw="_ _ | N N N"),),
    (Number("value", held=True), Bool("wrap", False)),
    filled_diagonal,
    Like("x"),
    ones=on_diagonal_filled,
    evaluate=diagonal_written,
    overlaps=True,
    doc="x with one number on its main diagonal; `wrap`: again below in tall matrices.",
)


def resize_rule(c: Call) -> TensorType:
    x, shape = c.tensor("x"), Shape(c["size"])
    return x.but(shape=shape, contents=None, strides=strides_of_format(shape, c["memory"]) if x.strides is None else UNKNOWN_STRIDES)


RESIZE = Op(
    "resize", (X,), (Ints("size", least=0, shape=True), Anything("memory")), resize_rule, writes=("x",), evaluate=memory_formulas.resized, overlaps=True
)
SUM_TO_SIZE = Op(
    "sum_to_size",
    (X,),
    (Ints("size", shape=True),),
    lambda c: sum_to_shape(c),
    lambda c: c.dtype("x") if c["size"] and c.shape("x") == tuple(c["size"]) else Summed("x")(c),
    aliases="x",
    view="",
    doc="Summed over the axes that broadcasting would repeat.",
    evaluate=array_moves.summed_to,
)


def sum_to_shape(c: Call) -> Shape:
    x, size = c.shape("x"), c["size"]
    c.require("rank", len(size) <= len(x), f"{x!r} cannot be summed to more axes: {tuple(size)!r}", ("x", "size"))
    for n, m in zip(x[len(x) - len(size) :], size):
        c.require("size", disj(eq(n, m), eq(m, 1)), f"an axis of size {n!r} cannot be summed to {m!r}", ("x", "size"))
    return Shape(size)


def unfold_rule(c: Call) -> TensorType:
    x, dim, size, step = c.tensor("x"), c["dim"], c["size"], c["step"]
    n = x.shape[dim] if len(x.shape) else 1
    c.require("window", c["short"] or le(size, n), f"a window of {size!r} is larger than the axis of size {n!r}", ("size", "x"))
    count = maximum(0, (n - size) // step + 1) if c["short"] else (n - size) // step + 1

    def change(axes: list[tuple[Dim, Dim]]) -> tuple[list[tuple[Dim, Dim]], Dim]:
        if not axes:
            return [(size, 1)], 0
        stride = axes[dim][1]
        return [*axes[:dim], (count, stride * step), *axes[dim + 1 :], (size, stride)], 0

    return view(x, change)


UNFOLD = Op(
    "windows",
    (X,),
    (Axis("dim"), Int("size", least=0), Int("step", least=1), Bool("short", False)),
    unfold_rule,
    Like("x"),
    aliases="x",
    values=CUTS,
    doc="Every stretch of an axis, as a new last axis; `short`: an axis that is too short has none.",
    evaluate=array_moves.windowed,
)

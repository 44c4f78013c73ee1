"""Views: other shapes and orders of the same elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like
from tensorproof.ops.evaluation import numpy
from tensorproof.ops.facts import MOVES, RESHAPES
from tensorproof.ops.inputs import Axes, Axis, Bool, ElementType, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import reshaped, steps_of, view
from tensorproof.terms.dtypes import COMPLEXES, FLOAT16, FLOAT32, FLOAT64
from tensorproof.terms.ints import Dim, Origin, Term, ite, lower, product, upper
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.shapes import Segment, Shape, unknown_shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import memory as memory_formulas
    from tensorproof.ops import moves as array_moves
else:
    memory_formulas = later("catalogue.arrays.formulas.memory")
    array_moves = later("ops.moves")

X = Tensor("x")


def plain_axis(c: Call, value: object, rank: int, about: str = "dim") -> int:
    """A non-negative axis of a tensor of that rank."""
    if not isinstance(value, int):
        raise c.give_up(f"{about} is not a known number")
    reach = max(rank, 1)
    if not -reach <= value < reach:
        raise c.refuse("axis", f"{about} = {value} is out of range: the tensor has {rank} dimensions", (about, "x"))
    return value + reach if value < 0 else value


def of_unknown_rank(c: Call) -> TensorType:
    """x in a shape that is unknown."""
    return c.tensor("x").but(shape=unknown_shape(repr(c.fresh(c.op.name)), Origin.UNMODELLED), strides=UNKNOWN_STRIDES, contents=None)


# --- another shape -----------------------------------------------------------------------------------------------------------


def resolved(c: Call, size: Sequence[Any], numel: Dim, about: Sequence[str] = ("x", "size")) -> Shape:
    """The sizes, with -1 replaced by what is left, holding `numel` elements."""
    free = [i for i, n in enumerate(size) if n == -1]
    c.require("size", len(free) <= 1, f"only one size can be -1, and the shape is {tuple(size)!r}", "size")
    for n in size:
        c.require("size", n == -1 or ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", "size")
    rest = product(n for n in size if n != -1)
    if not free:
        c.require("numel", eq(numel, rest), f"{about[0]} has {numel!r} elements, the shape {tuple(size)!r} has {rest!r}", about)
        return Shape(size)
    c.require("numel", rest != 0, f"-1 in {tuple(size)!r} can be any size, since the others make no elements", "size")
    c.require("numel", eq(numel % rest, 0), f"{about[0]} has {numel!r} elements, which {rest!r} does not divide: the shape is {tuple(size)!r}", about)
    return Shape(numel // rest if n == -1 else n for n in size)


def only_splits(old: Shape, new: Shape) -> bool:
    """Whether each axis becomes one or several, so that every order of memory will do."""
    if not old.known or not new.known:
        return False
    rest = [n for n in new if n != 1]
    for size in old:
        if size == 1:
            continue
        total: Dim = 1
        while rest and total != size:
            total = total * rest.pop(0)
        if total != size:
            return False
    return not rest


def shown_as(c: Call, x: TensorType, shape: Shape, strict: bool) -> TensorType:
    """x in another shape of as many elements. Strict: without a copy."""
    strides, holds = reshaped(x, shape) if x.shape.known else (None if x.strides is None else UNKNOWN_STRIDES, True)
    if strict and strides == UNKNOWN_STRIDES and c.option("strict_views") and not only_splits(x.shape, shape):
        raise c.give_up("it is not known how the tensor lies in memory, and a view may need another order")
    if strict:
        c.require("strides", holds, f"x is not contiguous, so view({shape!r}) cannot be made: it has shape {x.shape!r} and strides {x.strides!r}", "x")
    elif holds is not True:
        c.copied = holds is False
        strides = None if holds is False else UNKNOWN_STRIDES
    return x.but(shape=shape, strides=strides, weak=False, contents=x.contents if shape.concrete else None)


@any_rank
def reshape_rule(c: Call) -> TensorType:
    x, size = c.tensor("x"), c["size"]
    if isinstance(size, TensorType):
        raise c.give_up("the sizes are not known")
    return shown_as(c, x, resolved(c, size, x.shape.numel), c["strict"])


@any_rank
def flatten_rule(c: Call) -> TensorType:
    x, first, last = c.tensor("x"), c["start"], c["end"]
    if not x.shape.known:
        if last != -1 or first < 0 or not Shape(x.shape[:first]).known or len(x.shape) <= first:
            return of_unknown_rank(c)
        return shown_as(c, x, Shape((*x.shape[:first], Shape(x.shape[first:]).numel)), False)
    c.require("axes", first <= last, f"start_dim {first} comes after end_dim {last}", ("start", "end"))
    joined = product(x.shape[first : last + 1])
    return shown_as(c, x, Shape((*x.shape[:first], joined, *x.shape[last + 1 :])), False)


def unflatten_rule(c: Call) -> TensorType:
    x, dim, size = c.tensor("x"), c["dim"], c["size"]
    c.require("size", len(size) > 0, "the sizes of unflatten must not be empty", "size")
    c.require("axis", len(x.shape) > 0, "a tensor without axes cannot be unflattened", "x")
    return shown_as(c, x, Shape((*x.shape[:dim], *resolved(c, size, x.shape[dim]), *x.shape[dim + 1 :])), True)


RESHAPE = Op(
    "reshape",
    (X,),
    (Ints("size", shape=True), Bool("strict", False)),
    reshape_rule,
    Like("x"),
    aliases="x",
    view="compact",
    values=RESHAPES,
    doc="The same elements in another shape; strict: no copy.",
    evaluate=lambda np, a: np.reshape(a["x"], tuple(a["size"])),
)
FLATTEN = Op(
    "flatten", (X,), (Axis("start", 0), Axis("end", -1)), flatten_rule, Like("x"), aliases="x", view="compact",
    evaluate=array_moves.flattened, values=RESHAPES,
)  # fmt: skip
UNFLATTEN = Op(
    "unflatten", (X,), (Axis("dim"), Ints("size", shape=True)), unflatten_rule, Like("x"), aliases="x",
    evaluate=lambda np, a: np.reshape(a["x"], (*a["x"].shape[: a["dim"]], *a["size"], *a["x"].shape[a["dim"] + 1 :])), values=RESHAPES,
)  # fmt: skip


def view_dtype_rule(c: Call) -> TensorType:
    x, dtype = c.tensor("x"), c["dtype"]
    if x.dtype is None:
        raise c.give_up("the element type is not known")
    shape, old, new = x.shape, x.dtype.bits, dtype.bits
    if old != new:
        c.require("rank", len(shape) > 0, f"a tensor without axes cannot be seen as {dtype!r} of another width", "x")
        if new > old:
            c.require(
                "width",
                eq(shape[-1] % (new // old), 0),
                f"the last axis {shape[-1]!r} does not divide into elements of {dtype!r}",
                ("x", "dtype"),
            )
        shape = Shape((*shape[:-1], shape[-1] * old // new))
        steps = steps_of(x)
        c.require("strides", steps is None or shape[-1] == 1 or steps[-1] == 1, "the last axis must be contiguous", "x")
    return x.but(
        shape=shape,
        dtype=dtype,
        contents=x.contents if dtype is x.dtype else None,
        strides=None if x.strides is None else x.strides if old == new else UNKNOWN_STRIDES,
    )


VIEW_DTYPE = Op(
    "view_dtype",
    (X,),
    (ElementType(optional=False),),
    view_dtype_rule,
    lambda c: c["dtype"],
    aliases="x",
    doc="The same bits as another element type.",
    evaluate=memory_formulas.same_bits,
)


def view_as_complex_rule(c: Call) -> TensorType:
    x = c.tensor("x")
    c.require("rank", len(x.shape) > 0, "x must have at least one axis", "x")
    c.require("parts", eq(x.shape[-1], 2), f"the last axis must hold the two parts, and has size {x.shape[-1]!r}", "x")
    return x.but(
        shape=Shape(x.shape[:-1]),
        dtype=None if x.dtype is None else x.dtype.complexified,
        contents=None,
        strides=None if x.strides is None else UNKNOWN_STRIDES,
    )


VIEW_AS_COMPLEX = Op(
    "view_as_complex",
    (Tensor("x", "...", frozenset({FLOAT16, FLOAT32, FLOAT64})),),
    (),
    view_as_complex_rule,
    aliases="x",
    evaluate=memory_formulas.parts_joined,
)
VIEW_AS_REAL = Op(
    "view_as_real",
    (Tensor("x", "...", COMPLEXES),),
    shape=lambda c: Shape((*c.shape("x"), 2)),
    dtype=lambda c: None if c.dtype("x") is None else c.tensor("x").dtype.real,  # type: ignore[union-attr]
    aliases="x",
    evaluate=lambda np, a: np.stack([np.real(a["x"]), np.imag(a["x"])], -1),
)

# --- another order -----------------------------------------------------------------------------------------------------------


def ordered(x: TensorType, order: Sequence[int]) -> TensorType:
    return view(x, lambda axes: ([axes[i] for i in order], 0))


def permute_rule(c: Call) -> TensorType:
    x, order = c.tensor("x"), c["dim"]
    c.require("axes", len(order) == len(x.shape), f"{len(order)} axes are named and x has {len(x.shape)}: {x.shape!r}", ("dim", "x"))
    return ordered(x, order)


def transpose_rule(c: Call) -> TensorType:
    x, a, b = c.tensor("x"), c["dim0"], c["dim1"]
    if isinstance(a, Term) or isinstance(b, Term):
        raise c.give_up("the axis is not a known number")
    order = list(range(len(x.shape)))
    if order:
        order[a], order[b] = b, a
    return ordered(x, order)


def movedim_rule(c: Call) -> TensorType:
    x, source, target = c.tensor("x"), c["source"], c["target"]
    c.require("axes", len(source) == len(target), f"{len(source)} axes move to {len(target)} places", ("source", "target"))
    rest = iter([i for i in range(len(x.shape)) if i not in source])
    places = dict(zip(target, source))
    return ordered(x, [places[i] if i in places else next(rest) for i in range(len(x.shape))])


def matrix_transpose(c: Call) -> TensorType:
    x = c.tensor("x")
    n = len(x.shape)
    return ordered(x, [*range(n - 2), n - 1, n - 2])


def conjugate_transpose(c: Call) -> TensorType:
    made = matrix_transpose(c)
    return made.but(contents=None) if made.dtype is None or made.dtype.is_complex else made


PERMUTE = Op(
    "permute", (X,), (Axes("dim", optional=False),), permute_rule, Like("x"), aliases="x", values=MOVES, doc="The axes in another order.",
    evaluate=lambda np, a: np.transpose(a["x"], a["dim"]),
)  # fmt: skip
TRANSPOSE = Op(
    "transpose", (X,), (Axis("dim0"), Axis("dim1")), transpose_rule, Like("x"), aliases="x", values=MOVES, doc="Two axes change places.",
    evaluate=lambda np, a: np.swapaxes(a["x"], a["dim0"], a["dim1"]) if a["x"].ndim else a["x"],
)  # fmt: skip
MOVEDIM = Op(
    "movedim", (X,), (Axes("source", optional=False), Axes("target", optional=False)), movedim_rule, Like("x"), aliases="x",
    evaluate=lambda np, a: np.moveaxis(a["x"], a["source"], a["target"]) if a["x"].ndim else a["x"], values=MOVES,
)  # fmt: skip
T = Op(
    "t",
    (Tensor("x", " | N | N M"),),
    (),
    lambda c: ordered(c.tensor("x"), range(c.rank("x"))[::-1]),
    Like("x"),
    aliases="x",
    values=MOVES,
    doc="A matrix transposed.",
    evaluate=numpy("transpose"),
)
REVERSED_AXES = Op(
    "reversed_axes", (X,), (), lambda c: ordered(c.tensor("x"), range(c.rank("x"))[::-1]), Like("x"), aliases="x", values=MOVES, evaluate=numpy("transpose"),
)  # fmt: skip
MATRIX_TRANSPOSE = Op(
    "matrix_transpose",
    (Tensor("x", "... N M"),),
    (),
    matrix_transpose,
    Like("x"),
    aliases="x",
    values=MOVES,
    doc="The last two axes change places.",
    evaluate=lambda np, a: np.swapaxes(a["x"], -1, -2),
)
ADJOINT = Op(
    "adjoint", (Tensor("x", "... N M"),), (), conjugate_transpose, Like("x"), aliases="x",
    evaluate=lambda np, a: np.conj(np.swapaxes(a["x"], -1, -2)), values=MOVES,
)  # fmt: skip

# --- axes of size one -----------------------------------------------------------------------------------------------------------


def without_ones(c: Call, shape: Shape, among: Sequence[int]) -> list[int | Segment]:
    """The axes that stay when those of size 1 go; an axis that may be 1 becomes a segment of rank 0 or 1."""
    kept: list[int | Segment] = []
    for i, size in enumerate(shape):
        if i not in among or lower(size) > 1 or upper(size) < 1:
            kept.append(i)
        elif type(size) is Term:
            gone = eq(size, 1)
            kept.append(i if gone is False else Segment(f"squeezed {size!r}", ite(gone, 0, 1), size))
        elif size != 1:
            kept.append(i)
    return kept


def squeeze_rule(c: Call) -> TensorType:
    x, dims = c.tensor("x"), c["dim"]
    if x.layout != "strided":
        raise c.give_up("x is sparse")
    kept = without_ones(c, x.shape, range(len(x.shape)) if dims is None else dims)
    if any(isinstance(k, Segment) for k in kept):
        return x.but(shape=Shape(k if isinstance(k, Segment) else x.shape[k] for k in kept), contents=None, strides=UNKNOWN_STRIDES)
    return view(x, lambda axes: ([axes[k] for k in kept if isinstance(k, int)], 0))


@any_rank
def unsqueeze_rule(c: Call) -> TensorType:
    x, dim = c.tensor("x"), c["dim"]
    if not x.shape.known:
        at = dim if dim >= 0 else len(x.shape) + 1 + dim
        passed = x.shape[:at] if dim >= 0 else x.shape[at:]
        if not Shape(passed).known or not 0 <= at <= len(x.shape):
            return of_unknown_rank(c)
        return x.but(shape=Shape((*x.shape[:at], 1, *x.shape[at:])), strides=UNKNOWN_STRIDES, contents=None)
    return view(c.tensor("x"), lambda axes: ([*axes[:dim], (1, _covered(axes, dim)), *axes[dim:]], 0))


def _covered(axes: list[tuple[Dim, Dim]], dim: int) -> Dim:
    return axes[dim][0] * axes[dim][1] if dim < len(axes) else 1


def atleast_rule(c: Call) -> TensorType:
    x, rank = c.tensor("x"), c["least"]
    missing = rank - len(x.shape)
    after = 1 if rank == 3 and len(x.shape) in (1, 2) else 0
    before = max(0, missing - after) if missing > 0 else 0
    return view(x, lambda axes: ([*[(1, 1)] * before, *axes, *[(1, 1)] * (after if missing > 0 else 0)], 0))


SQUEEZE = Op(
    "squeeze", (X,), (Axes("dim", None),), squeeze_rule, Like("x"), aliases="x", values=RESHAPES, doc="Without axes of size 1.",
    evaluate=array_moves.squeezed,
)  # fmt: skip
UNSQUEEZE = Op(
    "unsqueeze", (X,), (Axis("dim", extra=1),), unsqueeze_rule, Like("x"), aliases="x", values=RESHAPES, doc="With a new axis of size 1.",
    evaluate=lambda np, a: np.expand_dims(a["x"], a["dim"]),
)  # fmt: skip
ATLEAST = Op(
    "atleast", (X,), (Int("least"),), atleast_rule, Like("x"), aliases="x", values=MOVES, doc="With axes of size 1 added up to a rank.",
    evaluate=lambda np, a: getattr(np, f"atleast_{a['least']}d")(a["x"]),
)  # fmt: skip


def expand_rule(c: Call) -> TensorType:
    x, size = c.tensor("x"), c["size"]
    new = len(size) - len(x.shape)
    c.require("rank", new >= 0, f"{x.shape!r} cannot be expanded to fewer axes: {tuple(size)!r}", ("x", "size"))
    shape: list[Dim] = []
    for i, n in enumerate(size):
        if n == -1:
            c.require("size", i >= new, f"-1 cannot stand for a new leading axis in {tuple(size)!r}", "size")
            n = x.shape[i - new]
        if not any(other == 0 for other in size):  # torch does not look at the others then
            c.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {tuple(size)!r}", "size")
        if i >= new:
            a = x.shape[i - new]
            c.require("broadcast", disj(eq(a, n), eq(a, 1)), f"axis {i - new} of size {a!r} cannot be expanded to {n!r}", ("x", "size"))
        shape.append(n)

    def change(axes: list[tuple[Dim, Dim]]) -> tuple[list[tuple[Dim, Dim]], Dim]:
        steps = [0 if a != n else step for (a, step), n in zip(axes, shape[new:])]
        return list(zip(shape, [0] * new + steps)), 0

    made = view(x, change)
    unsure = any(type(a) is Term and a != n for a, n in zip(x.shape, shape[new:]))
    return made.but(strides=UNKNOWN_STRIDES) if unsure else made


EXPAND = Op(
    "expand", (X,), (Ints("size", shape=True),), expand_rule, Like("x"), aliases="x", values=MOVES, doc="Axes of size 1 repeated without a copy.",
    evaluate=array_moves.expanded,
)  # fmt: skip

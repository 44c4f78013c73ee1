"""Joining and taking apart: cat, stack, split and their relatives."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, pairwise
from math import factorial
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.views import plain_axis
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import Like, Promote
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.facts import CUTS, JOINS, moves
from tensorproof.ops.families import replaced
from tensorproof.ops.inputs import Anything, Axis, Bool, Choice, Int, Ints, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.statements import SameSize, Side
from tensorproof.ops.storage import cast, known, selected, sliced, span
from tensorproof.terms.ints import Dim, Origin, Term, ceildiv, ite, lower, product
from tensorproof.terms.predicates import conj, disj, eq, ge, lt
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType

if TYPE_CHECKING:
    from tensorproof.ops import moves as array_moves
    from tensorproof.ops.arrays import Array, Numpy
else:
    array_moves = later("ops.moves")

XS = Tensors("xs")


def joined(xs: tuple[TensorType, ...], dim: int, dtype: Any) -> tuple[Any, ...] | None:
    """The contents of tensors put one behind the other along an axis."""
    if not all(known(x) for x in xs):
        return None
    outer = int(product(xs[0].shape[:dim]))  # type: ignore[arg-type]
    made: list[Any] = []
    for i in range(outer):
        for x in xs:
            held = cast(x.contents, dtype)
            if held is None:
                return None
            step = len(held) // outer if outer else 0
            made.extend(held[i * step : (i + 1) * step])
    return tuple(made)


def _cat(c: Call) -> tuple[tuple[TensorType, ...], Dim]:
    """The tensors that count, and the axis. Some libraries pass over empty vectors of shape (0,)."""
    xs: tuple[TensorType, ...] = c["xs"]
    real = tuple(x for x in xs if x.shape != (0,)) if c.option("skips_empty_vectors") else xs
    real = real or xs[:1]
    dim = c["dim"]
    c.require("rank", all(len(x.shape) > 0 for x in real), "a tensor without axes cannot be joined to others", "xs")
    return real, dim if isinstance(dim, Term) else plain_axis(c, dim, len(real[0].shape))


def _along_some_axis(c: Call, xs: tuple[TensorType, ...], dim: Term) -> Shape:
    """The shape of tensors that are joined along an axis that is a symbol: every other axis must be equal."""
    first = xs[0].shape
    c.require("rank", all(len(x.shape) == len(first) for x in xs), "tensors to be joined must have the same number of dimensions", "xs")
    c.require("axis", conj(ge(dim, -len(first)), lt(dim, len(first))), f"dim must be one of the {len(first)} axes", "dim")
    sizes: list[Dim] = []
    for axis in range(len(first)):
        here = disj(eq(dim, axis), eq(dim, axis - len(first)))
        for x in xs[1:]:
            c.require("size", disj(here, eq(x.shape[axis], first[axis])), f"axis {axis} must be equal in all tensors, unless they are joined along it", "xs")
        sizes.append(ite(here, sum((x.shape[axis] for x in xs[1:]), first[axis]), first[axis]))
    return Shape(sizes)


def cat_shape(c: Call) -> Shape:
    xs, dim = _cat(c)
    if isinstance(dim, Term):
        return _along_some_axis(c, xs, dim)
    first = xs[0].shape
    total: Dim = first[dim]
    for i, x in enumerate(xs[1:], 1):
        c.require("rank", len(x.shape) == len(first), f"xs[{i}] has shape {x.shape!r}, xs[0] has {first!r}: they must have the same number of axes", "xs")
        for axis, (a, b) in enumerate(zip(x.shape, first)):
            if axis != dim:
                sides = Side("xs[0]", b, axis - len(first), len(first)), Side(f"xs[{i}]", a, axis - len(first), len(first))
                c.equal("size", a, b, SameSize("", *sides, f"only axis {dim} may differ"), "xs")
        total = total + x.shape[dim]
    return replaced(first, dim, total)


def cat_contents(c: Call) -> tuple[Any, ...] | None:
    xs, dim = _cat(c)
    return None if isinstance(dim, Term) else joined(xs, dim, Promote("xs")(c))


@any_rank
def stack_shape(c: Call) -> Shape:
    xs, dim = c["xs"], c["dim"]
    first = xs[0].shape
    if not all(x.shape.known for x in xs):
        if dim not in (0, -1) or any(x.shape != first for x in xs):
            return unknown_shape(repr(c.fresh("stack")), Origin.UNMODELLED)
        return Shape((len(xs), *first) if dim == 0 else (*first, len(xs)))
    for i, x in enumerate(xs[1:], 1):
        c.require("rank", len(x.shape) == len(first), f"xs[{i}] has shape {x.shape!r}, xs[0] has {first!r}: they must be equal", "xs")
        for axis, (a, b) in enumerate(zip(x.shape, first)):
            sides = Side("xs[0]", b, axis - len(first), len(first)), Side(f"xs[{i}]", a, axis - len(first), len(first))
            c.equal("size", a, b, SameSize("", *sides, "tensors that are stacked must have equal shapes"), "xs")
    return Shape((*first[:dim], len(xs), *first[dim:]))


CAT = Op(
    "cat",
    (XS,),
    (Anything("dim", 0),),
    cat_shape,
    Promote("xs"),
    fold=cat_contents,
    values=JOINS,
    order="joined",
    doc="Tensors one behind the other along an axis.",
    evaluate=array_moves.concatenated,
)
STACK = Op(
    "stack", (XS,), (Axis("dim", 0, of="xs", extra=1),), stack_shape, Promote("xs"),
    fold=lambda c: joined(c["xs"], c["dim"], Promote("xs")(c)), values=JOINS, order="stacked", doc="Equal tensors along a new axis.",
    evaluate=lambda np, a: np.stack(a["xs"], a["dim"]),
)  # fmt: skip


ANY_NUMBER = replace(XS, least=0)
"""Tensors, or none at all."""


def block_diag_shape(c: Call) -> Shape:
    if not c["xs"]:
        return Shape((1, 0))
    rows: Dim = 0
    columns: Dim = 0
    for x in c["xs"]:
        c.require("rank", len(x.shape) <= 2, f"a block has at most two axes, and one is {x.shape!r}", "xs")
        n, m = (1,) * (2 - len(x.shape)) + tuple(x.shape)
        rows, columns = rows + n, columns + m
    return Shape((rows, columns))


def on_blocks(np: Numpy, a: Arguments) -> Array:
    blocks = [x if x.ndim == 2 else np.reshape(x, (1, x.size)) for x in a["xs"]] or [np.zeros((1, 0))]
    width, at = sum(x.shape[1] for x in blocks), 0
    rows: list[Any] = []
    for x in blocks:
        rows.append(np.pad(x, [(0, 0), (at, width - at - x.shape[1])]))
        at += x.shape[1]
    return np.concatenate(rows)


BLOCK_DIAG = Op(
    "block_diag", (ANY_NUMBER,), (), block_diag_shape, lambda c: Promote("xs")(c) if c["xs"] else c.session.default_float, order="compact", evaluate=on_blocks
)

# --- grids ---------------------------------------------------------------------------------------------------------------------


def meshgrid_shapes(c: Call) -> list[Any]:
    xs: tuple[TensorType, ...] = c["xs"]
    kinds = dict.fromkeys(x.dtype for x in xs)
    shown = " and ".join(map(repr, kinds))
    c.require("dtype", len(kinds) == 1 or bool(c.option("mixed_types")), f"the axes must have the same dtype, and have {shown}", "xs")
    sizes: list[Dim] = []
    for x in xs:
        c.require("rank", len(x.shape) <= 1, f"the axes of a grid are vectors, and one is {x.shape!r}", "xs")
        sizes.append(x.shape[0] if len(x.shape) else 1)
    if c["indexing"] == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return [x.but(shape=Shape(sizes), contents=None, strides=None if len(xs) == 1 else UNKNOWN_STRIDES, weak=False) for x in xs]


MESHGRID = Op(
    "meshgrid", (XS,), (Choice("indexing", ("ij", "xy"), "ij"),), meshgrid_shapes, counted=True, aliases="xs", values=moves("xs"), doc="Coordinates of a grid.",
    evaluate=lambda np, a: tuple(np.meshgrid(*a["xs"], indexing=a["indexing"])),
)  # fmt: skip


def cartesian_shape(c: Call) -> Shape:
    xs: tuple[TensorType, ...] = c["xs"]
    c.require("dtype", len({x.dtype for x in xs}) == 1, f"the vectors must have the same dtype, and have {[x.dtype for x in xs]}", "xs")
    for x in xs:
        c.require("rank", len(x.shape) == 1, f"only vectors are combined, and one is {x.shape!r}", "xs")
    return xs[0].shape if len(xs) == 1 else Shape((product(x.shape[0] for x in xs), len(xs)))


def combinations_shape(c: Call) -> Shape:
    (n,), r = c.shape("x"), c["r"]
    if r == 0:
        return Shape((0,))
    chosen = product(n + i for i in range(r)) if c["replacement"] else product(n - i for i in range(r))
    return Shape((chosen // factorial(r), r))


def every_choice(np: Numpy, a: Arguments) -> Array:
    """One element of each vector, in each row."""
    xs = a["xs"]
    if len(xs) == 1:
        return xs[0]
    sizes = [x.shape[0] for x in xs]
    columns = [np.ravel(np.broadcast_to(np.reshape(x, (-1, *[1] * (len(xs) - 1 - i))), sizes)) for i, x in enumerate(xs)]
    return np.stack(columns, -1)


def every_group(np: Numpy, a: Arguments) -> Array:
    if a["r"] == 0:
        return a["x"][:0]
    chosen = (combinations_with_replacement if a["replacement"] else combinations)(range(a["x"].shape[0]), a["r"])
    return np.take(a["x"], np.asarray(list(chosen), np.int64).reshape(-1, a["r"]))


CARTESIAN_PROD = Op("cartesian_prod", (XS,), (), cartesian_shape, lambda c: c["xs"][0].dtype, aliases="xs", view="", evaluate=every_choice, values=JOINS)
COMBINATIONS = Op(
    "combinations", (Tensor("x", "N"),), (Int("r", 2, least=0), Bool("replacement", False)), combinations_shape, Like("x"), evaluate=every_group, values=CUTS
)


def broadcast_shapes(c: Call) -> list[Any]:
    shape = c.broadcast(*(x.shape for x in c["xs"]), about="xs")
    return [x if x.shape == shape else x.but(shape=shape, contents=None, strides=UNKNOWN_STRIDES) for x in c["xs"]]


BROADCAST_TENSORS = Op(
    "broadcast_tensors", (ANY_NUMBER,), (), broadcast_shapes, counted=True, aliases="xs",
    evaluate=lambda np, a: tuple(np.broadcast_to(x, np.broadcast_shapes(*(y.shape for y in a["xs"]))) for x in a["xs"]), values=moves("xs"),
)  # fmt: skip

# --- taking apart -----------------------------------------------------------------------------------------------------------------


def pieces(x: TensorType, dim: int, sizes: list[Dim]) -> list[TensorType]:
    made: list[TensorType] = []
    at: Dim = 0
    for size in sizes:
        made.append(sliced(x, dim, at, size))
        at = at + size
    return made


def counted(c: Call, n: Dim) -> int:
    if type(n) is not int:
        raise c.give_up(f"the number of parts, {n!r}, is not known")
    return n


def has_axis(c: Call, x: TensorType) -> None:
    c.require("rank", len(x.shape) > 0, "a tensor without axes cannot be split", "x")


def split_rule(c: Call) -> list[TensorType]:
    x, dim, size = c.tensor("x"), c["dim"], c["size"]
    has_axis(c, x)
    n = x.shape[dim]
    c.require("size", ge(size, 0), f"the size of a part cannot be negative, and is {size!r}", "size")
    if size == 0:
        c.require("size", eq(n, 0), f"parts of size 0 do not make up an axis of size {n!r}", ("size", "x"))
        return [x]
    count = counted(c, ceildiv(n, size))
    return [x] if count == 0 else pieces(x, dim, [*[size] * (count - 1), n - size * (count - 1)])


def split_sizes_rule(c: Call) -> list[TensorType]:
    x, dim, sizes = c.tensor("x"), c["dim"], c["sizes"]
    has_axis(c, x)
    n, total = x.shape[dim], sum(sizes)
    for size in sizes:
        c.require("size", ge(size, 0), f"the size of a part cannot be negative, and is {size!r}", "sizes")
    c.require("sizes", eq(total, n), f"the parts {tuple(sizes)!r} make {total!r} and the axis has size {n!r}", ("sizes", "x"))
    return pieces(x, dim, list(sizes))


def chunk_rule(c: Call) -> list[TensorType]:
    x, dim, n = c.tensor("x"), c["dim"], c["chunks"]
    has_axis(c, x)
    axis = x.shape[dim]
    c.require("chunks", ge(n, 1), f"the number of parts must be at least 1, and is {n!r}", "chunks")
    n = counted(c, n)
    size = ceildiv(axis, n)
    if axis == 0:
        return pieces(x, dim, [0] * n)
    count = n if size * n == axis or (n == 2 and lower(axis) >= 2) else counted(c, ceildiv(axis, size))
    return pieces(x, dim, [*[size] * (count - 1), axis - size * (count - 1)])


def tensor_split_rule(c: Call) -> list[TensorType]:
    x, dim, at = c.tensor("x"), c["dim"], c["at"]
    has_axis(c, x)
    n = x.shape[dim]
    if isinstance(at, (int, Term)):
        c.require("sections", ge(at, 1), f"the number of parts must be at least 1, and is {at!r}", "at")
        count = counted(c, at)
        return pieces(x, dim, [(n + count - 1 - i) // count for i in range(count)])
    if isinstance(at, TensorType):
        raise c.give_up("the places of the cuts are not known")
    if not isinstance(at, (tuple, list)):
        raise c.refuse("at", f"a number of parts or a list of places is wanted, not {at!r}", "at")
    ends = [0, *at, n]
    made: list[TensorType] = []
    for start, stop in pairwise(ends):
        first, length = span(n, start, stop, 1)
        made.append(sliced(x, dim, first, length))
    return made


def unbind_rule(c: Call) -> list[TensorType]:
    x, dim = c.tensor("x"), c["dim"]
    c.require("rank", len(x.shape) > 0, "a tensor without axes cannot be taken apart", "x")
    return [selected(c, x, dim, i) for i in range(counted(c, x.shape[dim]))]


X = Tensor("x")
SPLIT = Op(
    "split",
    (X,),
    (Int("size"), Axis("dim", 0)),
    split_rule,
    counted=True,
    aliases="x",
    view="each",
    values=CUTS,
    doc="Parts of one size; the last may be smaller.",
    evaluate=array_moves.in_parts,
)
SPLIT_SIZES = Op(
    "split_sizes",
    (X,),
    (Ints("sizes"), Axis("dim", 0)),
    split_sizes_rule,
    counted=True,
    aliases="x",
    view="each",
    values=CUTS,
    doc="Parts of given sizes.",
    evaluate=array_moves.in_sizes,
)
CHUNK = Op(
    "chunk", (X,), (Int("chunks"), Axis("dim", 0)), chunk_rule, counted=True, aliases="x", view="each", values=CUTS, doc="At most so many parts of one size.",
    evaluate=array_moves.in_chunks,
)  # fmt: skip
TENSOR_SPLIT = Op(
    "tensor_split",
    (X,),
    (Anything("at"), Axis("dim", 0)),
    tensor_split_rule,
    counted=True,
    aliases="x",
    values=CUTS,
    doc="Parts as equal as can be, or cut at given places.",
    evaluate=array_moves.in_stretches,
)
UNBIND = Op(
    "unbind", (X,), (Axis("dim", 0),), unbind_rule, counted=True, aliases="x", view="each", values=CUTS, doc="Every position of an axis.",
    evaluate=lambda np, a: tuple(a["x"][array_moves.at_axis(a["dim"], i)] for i in range(a["x"].shape[a["dim"]])),
)  # fmt: skip

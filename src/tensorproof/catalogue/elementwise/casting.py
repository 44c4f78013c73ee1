"""Casts, copies and fills: what changes a tensor's element type, place or contents and leaves its shape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.contents import wrapped
from tensorproof.ops.element_types import Given, Like, Promote
from tensorproof.ops.facts import FILLED, MOVES, moves
from tensorproof.ops.inputs import Anything, Bool, ElementType, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import cast, format_strides, settled
from tensorproof.terms.dtypes import ALL_INTS, BFLOAT16, BOOL, BOOLS, COMPLEXES, FULL_COMPLEXES, REALS_OR_BOOL, DType
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.ops import moves as array_moves
else:
    array_moves = later("ops.moves")

X = (Tensor("x"),)
SAME = Like("x")
FORMATS = {"channels_last": 4, "channels_last_3d": 5}


def cast_contents(contents: tuple[Any, ...] | None, source: DType | None, target: DType | None) -> tuple[Any, ...] | None:
    """What is left of exact contents after a cast."""
    if contents is None or source is None or target is None or source is target:
        return contents if source is target else None
    if source.kind in "biu" and (target.is_integer or target is BOOL):
        made = tuple(wrapped(int(v) if isinstance(v, bool) else v, target) for v in contents)
        return None if None in made else made
    if source.is_float and target.is_integer and all(isinstance(v, (int, float)) and math.isfinite(v) for v in contents):
        return tuple(wrapped(int(v), target) for v in contents)
    return None


def _strides(c: Call, x: TensorType, dtype: DType | None) -> tuple[Dim, ...] | None:
    """A copy keeps the order of memory where x is dense; the same tensor keeps its strides."""
    if c["compact"]:
        return None
    return format_strides(x, c["memory_format"], c["copy"] or dtype is not x.dtype)


@any_rank
def moved(c: Call) -> TensorType:
    """The tensor with another element type or device, in the memory format asked for."""
    x = c.tensor("x")
    dtype = c["dtype"] if c["dtype"] is not None else x.dtype
    rank = FORMATS.get(str(c["memory_format"]).removeprefix("torch."))
    if rank is not None:
        c.require("rank", eq(x.shape.rank, rank), f"{c['memory_format']} is a format of tensors of rank {rank}, and x is {x.shape!r}", "x")
    contents = cast_contents(x.contents, x.dtype, dtype)
    if contents is None and dtype is not None and dtype.is_integer and x.facts is not None and x.facts.rows is not None:
        contents = cast(settled(x, math.trunc), dtype)
    device = c["device"] if isinstance(c["device"], str) else x.device
    c.copied = bool(c["copy"]) or (dtype is not x.dtype and dtype is not None)
    kept = x.requires_grad and dtype is not None and (dtype.is_float or dtype.is_complex)
    return x.but(dtype=dtype, contents=contents, device=device, strides=_strides(c, x, dtype), weak=False, requires_grad=kept)


CAST = Op(
    "cast", X, (ElementType("dtype"), Anything("device"), Anything("memory_format"), Bool("compact", False), Bool("copy", False)), moved, Given("dtype", SAME),
    values=MOVES, aliases="x", view="itself", doc="`compact`: the result is contiguous in memory",
    evaluate=array_moves.same,
)  # fmt: skip
IDENTITY = Op("identity", X, (), any_rank(lambda c: c.tensor("x").but(weak=False)), SAME, values=MOVES, aliases="x", view="itself", evaluate=array_moves.same)
QUESTION = Op(
    "question", X, (), any_rank(lambda c: ()), opaque="type", doc="Something asked of a tensor: a number or a word is given, and no tensor is computed."
)
DETACH = Op(
    "detach", X, (), any_rank(lambda c: c.tensor("x").but(requires_grad=False)), SAME, values=MOVES, aliases="x", gradient="x-", evaluate=array_moves.same,
)  # fmt: skip


@any_rank
def marked(c: Call) -> TensorType:
    """Only floats and complex numbers have gradients."""
    x = c.tensor("x")
    if c["on"] and x.dtype is not None and not (x.dtype.is_float or x.dtype.is_complex):
        raise c.refuse("dtype", f"only floats and complex numbers have gradients, and x is {x.dtype!r}", "x")
    return x.but(requires_grad=c["on"])


REQUIRES_GRAD = Op("requires_grad", X, (Bool("on", True),), marked, SAME, aliases="x", view="itself", writes=("x",), evaluate=array_moves.same, values=MOVES)


def fits_into(c: Call, shape: Shape, into: Shape, about: tuple[str, ...]) -> None:
    """`shape` broadcasts to `into` and not beyond."""
    c.require("rank", len(shape) <= len(into), f"{shape!r} does not broadcast into {into!r}", about)
    for a, b in zip(reversed(shape), reversed(into)):
        c.require("broadcast", disj(eq(a, b), eq(a, 1)), f"{shape!r} does not broadcast into {into!r}: {a!r} is neither 1 nor {b!r}", about)


def copied(c: Call) -> TensorType:
    x, y = c.tensor("x"), c.tensor("y")
    fits_into(c, y.shape, x.shape, ("y", "x"))
    known = y.contents if tuple(x.shape) == tuple(y.shape) else None
    return x.but(contents=cast_contents(known, y.dtype, x.dtype))


COPY_INTO = Op(
    "copy_into", (Tensor("x"), Tensor("y")), (), copied, SAME, writes=("x",), values=moves("y"), doc="y written into x, with x's element type",
    gradient="x- y<",
    evaluate=lambda np, a: np.broadcast_to(a["y"], a["x"].shape),
)  # fmt: skip


def check_value(c: Call) -> None:
    """A fill value is one number of a kind that the element type holds."""
    value = c["value"]
    dtype = c.dtype("x")
    if isinstance(value, TensorType):
        c.require("value", eq(value.shape.rank, 0), f"the value must be one number, and is a tensor {value.shape!r}", "value")
        imaginary = value.dtype is not None and value.dtype.is_complex
    else:
        imaginary = isinstance(value, complex)
        if isinstance(value, float) and not math.isfinite(value) and dtype is not None and dtype.is_integer:
            raise c.refuse("value", f"{value} does not fit element type {dtype!r}", "value")
    if imaginary and dtype is not None and not dtype.is_complex and dtype is not BOOL:
        raise c.refuse("value", f"a complex value does not fit element type {dtype!r}", "value")


def masked(c: Call) -> Shape:
    check_value(c)
    return c.broadcast(c.shape("x"), c.shape("mask"), about=("x", "mask"))


MASKED_FILL = Op(
    "masked_fill",
    (Tensor("x", "...", REALS_OR_BOOL | COMPLEXES), Tensor("mask", "...", BOOLS)),
    (Number("value", held=True),),
    masked,
    SAME,
    values=FILLED,
    overlaps=True,
    order="rows",
    evaluate=lambda np, a: np.where(a["mask"], a["value"], a["x"]),
)


def as_array(c: Call) -> TensorType:
    """NumPy's view of a tensor on the CPU that no gradient passes through."""
    x = c.tensor("x")
    if x.dtype is not None and x.dtype not in NUMPY_HAS:
        raise c.refuse("dtype", f"NumPy has no element type {x.dtype!r}", "x")
    if not c["force"]:
        c.require("grad", not (x.requires_grad and c.session.recording), "x requires grad: call detach() first", "x")
        c.require("device", (x.device or "cpu") == "cpu", f"x is on {x.device}: bring it to the CPU first", "x")
    return x.but(requires_grad=False, device="cpu")


NUMPY_HAS = frozenset(REALS_OR_BOOL | FULL_COMPLEXES | ALL_INTS) - {BFLOAT16}
NUMPY = Op("numpy", X, (Bool("force", False),), as_array, SAME, values=MOVES, aliases="x", evaluate=array_moves.same)
RESULT_TYPE = Op("result_type", (Tensor("x", scalar=True), Tensor("y", scalar=True)), (), lambda c: (), Promote("x", "y"), opaque="type")

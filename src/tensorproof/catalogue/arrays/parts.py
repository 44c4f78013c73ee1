"""Parts of a tensor as views of it: one index, a slice, a diagonal, any strides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.arrays.views import X
from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.facts import CUTS
from tensorproof.ops.inputs import Anything, Axis, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.storage import from_end, positions, selected, sliced, small, span, view
from tensorproof.terms.dtypes import INT64
from tensorproof.terms.ints import Dim, maximum, minimum
from tensorproof.terms.predicates import conj, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.strides import strides_or_none
from tensorproof.terms.tensor import Start, TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import memory as memory_formulas
    from tensorproof.ops import moves as array_moves
else:
    memory_formulas = later("catalogue.arrays.formulas.memory")
    array_moves = later("ops.moves")


def no_scalar(c: Call) -> None:
    c.require("rank", c.rank("x") > 0, f"{c.name} needs at least one axis", "x")


def select_rule(c: Call) -> TensorType:
    no_scalar(c)
    if isinstance(c["index"], TensorType):
        raise c.give_up("the position is not known")
    return selected(c, c.tensor("x"), c["dim"], c["index"])


def slice_rule(c: Call) -> TensorType:
    no_scalar(c)
    x, dim, step = c.tensor("x"), c["dim"], c["step"]
    c.require("step", ge(step, 1), f"the step of a slice must be positive, and is {step!r}", "step")
    first, length = span(x.shape[dim], c["start"], c["end"], step)
    return sliced(x, dim, first, length, step)


def narrow_rule(c: Call) -> TensorType:
    no_scalar(c)
    x, dim, start, length = c.tensor("x"), c["dim"], c["start"], c["length"]
    if isinstance(start, TensorType):
        c.require("start", len(start.shape) == 0 and (start.dtype is None or start.dtype.is_integer), "start must be one whole number", "start")
        start = start.contents[0] if start.contents is not None else c.fresh("start")
    n = x.shape[dim]
    c.require("start", conj(le(-n, start), le(start, n)), f"start {start!r} is out of range for an axis of size {n!r}", ("start", "x"))
    first = from_end(start, n)
    c.require("length", ge(length, 0), f"length must not be negative, and is {length!r}", "length")
    c.require("length", le(first + length, n), f"start {start!r} and length {length!r} go beyond the axis of size {n!r}", ("start", "length", "x"))
    return sliced(x, dim, first, length)


SELECT = Op(
    "select", (X,), (Axis("dim"), Int("index")), select_rule, Like("x"), aliases="x", values=CUTS, doc="One position of an axis, which goes.",
    evaluate=lambda np, a: a["x"][array_moves.at_axis(a["dim"], a["index"])],
)  # fmt: skip
SLICE = Op(
    "slice",
    (X,),
    (Axis("dim", 0), Int("start", None, optional=True), Int("end", None, optional=True), Int("step", 1)),
    slice_rule,
    Like("x"),
    aliases="x",
    evaluate=lambda np, a: a["x"][array_moves.at_axis(a["dim"], slice(a["start"], a["end"], a["step"]))],
    values=CUTS,
)
NARROW = Op(
    "narrow",
    (X,),
    (Axis("dim"), Anything("start", like=(Tensor("start", "", frozenset({INT64}), values="index"),)), Int("length")),
    narrow_rule,
    Like("x"),
    aliases="x",
    values=CUTS,
    doc="A stretch of one axis.",
    evaluate=array_moves.narrowed,
)


def diagonal_rule(c: Call) -> TensorType:
    x, offset, a, b = c.tensor("x"), c["offset"], c["dim1"], c["dim2"]
    c.require("rank", len(x.shape) >= 2, f"a diagonal needs two axes, and x is {x.shape!r}", "x")
    c.require("axis", a != b, f"the two axes of a diagonal must differ, and both are {a}", ("dim1", "dim2"))
    down, right = maximum(0, -offset), maximum(0, offset)
    size = maximum(0, minimum(x.shape[a] - down, x.shape[b] - right))

    def change(axes: list[tuple[Dim, Dim]]) -> tuple[list[tuple[Dim, Dim]], Dim]:
        step = axes[a][1] + axes[b][1]
        rest = [axis for i, axis in enumerate(axes) if i not in (a, b)]
        return [*rest, (size, step)], down * axes[a][1] + right * axes[b][1] if size != 0 else 0

    return view(x, change)


DIAGONAL = Op(
    "diagonal", (X,), (Int("offset", 0), Axis("dim1", 0), Axis("dim2", 1)), diagonal_rule, Like("x"), aliases="x",
    evaluate=lambda np, a: np.diagonal(a["x"], a["offset"], a["dim1"], a["dim2"]), values=CUTS,
)  # fmt: skip


def as_strided_rule(c: Call) -> TensorType:
    x, size, stride, offset = c.tensor("x"), c["size"], c["stride"], c["offset"]
    c.require("stride", len(size) == len(stride), f"size has {len(size)} axes and stride {len(stride)}", ("size", "stride"))
    shape = Shape(size)
    contents = None
    if x.contents is not None and x.strides is None and offset is None and small(shape) and Shape(stride).concrete:
        at = positions(size, stride)
        contents = tuple(x.contents[p] for p in at) if all(p < len(x.contents) for p in at) else None
    return x.but(shape=shape, strides=strides_or_none(shape, stride), contents=contents, start=x.start if offset is None else Start(None))


AS_STRIDED = Op(
    "as_strided",
    (X,),
    (Ints("size", least=0, shape=True), Ints("stride", least=0), Int("offset", None, least=0, optional=True)),
    as_strided_rule,
    Like("x"),
    aliases="x",
    values=CUTS,
    evaluate=memory_formulas.strided,
)

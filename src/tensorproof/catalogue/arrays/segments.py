"""Reductions of runs of rows, whose lengths or bounds are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.inputs import Axis, Bool, Choice, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOATS, INDEX
from tensorproof.terms.predicates import eq, ge
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.arrays.formulas import written_places
else:
    written_places = later("catalogue.arrays.formulas.written_places")

REDUCTIONS = ("sum", "prod", "mean", "max", "min", "amax", "amin")


def segment_reduce_shape(c: Call) -> Shape:
    x, axis = c.shape("x"), c["dim"]
    name = "offsets" if c.given("offsets") else "lengths"
    if not c.given(name):
        raise c.refuse("segments", "neither lengths nor offsets of the segments are given", ("lengths", "offsets"))
    runs = c.shape(name)
    c.require("axis", axis == len(runs) - 1, f"axis {axis} must be the last axis of {name}, whose shape is {runs!r}", ("dim", name))
    for i, (a, b) in enumerate(zip(runs[:-1], x)):
        c.require("size", eq(a, b), f"axis {i} of {name} is {a!r}, and that of x is {b!r}", (name, "x"))
    count = runs[-1]
    if name == "offsets":
        c.require("segments", ge(count, 1), "offsets must hold at least the start of the first segment", name)
        count = count - 1
    contents = c.contents(name)
    if name == "lengths" and contents is not None and len(runs) == 1:
        for one in contents:
            c.require("lengths", ge(one, 0), f"a length of a segment is {one!r}, and must not be negative", name)
        if not c["unsafe"]:
            c.require("lengths", eq(sum(contents), x[axis]), f"the lengths add up to {sum(contents)!r}, and axis {axis} of x has {x[axis]!r}", (name, "x"))
    return Shape((*x[:axis], count, *x[axis + 1 :]))


SEGMENT_REDUCE = Op(
    "segment_reduce",
    inputs=(
        Tensor("x", "... _", FLOATS, draw="S ..."), Tensor("lengths", "...", INDEX, optional=True, default=None, values="ones", draw="S"),
        Tensor("offsets", "...", INDEX, optional=True, default=None, values="ones", draw="S"),
    ),
    attributes=(Choice("reduce", REDUCTIONS), Axis("dim", 0), Bool("unsafe", False), Number("initial", None, optional=True)),
    shape=segment_reduce_shape,
    dtype=Like("x"),
    doc="Runs of neighbours along an axis, each reduced to one.",
    evaluate=written_places.segments,
)  # fmt: skip

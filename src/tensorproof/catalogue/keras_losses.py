"""Losses as Keras has them: one number a sample, then a reduction; a last axis of size 1 comes and goes so that ranks agree."""

from __future__ import annotations

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import ToFloat
from tensorproof.ops.inputs import Bool, Choice, Int, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ALL_INTS, BOOLS, FLOATS, FULL_COMPLEXES, DTypes
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape

REAL: DTypes = FLOATS | ALL_INTS | BOOLS | FULL_COMPLEXES
REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None)


def _one(shape: Shape) -> bool:
    return len(shape) > 0 and isinstance(shape[-1], int) and shape[-1] == 1


def same_rank(x: Shape, y: Shape) -> tuple[Shape, Shape]:
    """Ranks that differ by one are made equal by an axis of size 1 at the end."""
    if len(x) == len(y) + 1 and _one(x):
        return (x, Shape((*y, 1))) if len(y) == 1 else (Shape(x[:-1]), y)
    if len(y) == len(x) + 1 and _one(y):
        return (Shape((*x, 1)), y) if len(x) == 1 else (x, Shape(y[:-1]))
    return x, y


def _without(c: Call, shape: Shape, axis: int) -> Shape:
    c.require("rank", -len(shape) <= axis < len(shape), f"axis {axis} is out of range for a loss over {shape!r}", ("x", "axis"))
    at = axis % len(shape)
    return Shape((*shape[:at], *shape[at + 1 :]))


def _each(c: Call) -> Shape:
    """One loss a sample."""
    target, x = c.shape("target"), c.shape("x")
    if c["squeezes"]:
        target, x = same_rank(target, x)
    about = ("target", "x")
    match c["form"]:
        case "broadcast":
            return _without(c, c.broadcast(target, x, about=about, code="shape"), c["axis"])
        case "equal":
            message = f"y_true is {target!r} and y_pred {x!r}: they must have one shape"
            c.require("shape", len(target) == len(x), message, about)
            for a, b in zip(target, x):
                c.require("shape", eq(a, b), message, about)
            return _without(c, x, c["axis"])
        case "sparse":
            if len(target) == len(x) and _one(target):
                target = Shape(target[:-1])
            rest = _without(c, x, c["axis"])
            message = f"y_true is {target!r} and y_pred {x!r}: y_true must lack the axis of classes, and only it"
            c.require("shape", len(target) == len(rest), message, about)
            for a, b in zip(target, rest):
                c.require("shape", eq(a, b), message, about)
            return rest
        case _:
            c.broadcast(target, x, about=about, code="shape")
            return Shape()


def _loss(c: Call) -> Shape:
    losses = _each(c)
    if c.given("weight"):
        losses, weight = same_rank(losses, c.shape("weight"))
        losses = c.broadcast(losses, weight, about=("x", "weight"), code="weight")
    return losses if c["reduction"] in ("none", None) else Shape()


SAMPLE_LOSS = Op(
    "sample_loss",
    inputs=(Tensor("target", "...", REAL), Tensor("x", "...", REAL), Tensor("weight", "...", REAL, optional=True)),
    attributes=(
        Choice("form", ("broadcast", "equal", "sparse", "whole"), "broadcast"), Int("axis", -1), Bool("squeezes", True),
        Choice("reduction", REDUCTIONS, None),
    ),
    shape=_loss,
    dtype=ToFloat("x"),
    doc="A loss of y_pred (x) against y_true (target), weighted and reduced.",
)

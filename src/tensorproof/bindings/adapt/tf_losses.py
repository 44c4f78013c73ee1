"""Losses of `tf.nn` and of `tf.losses` of version 1."""

from __future__ import annotations

from tensorproof.bindings.adapt import graphdef
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, modern, same_types, somewhere, tensor
from tensorproof.bindings.adapt.tf_convolutions import needed
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axis, Choice, Tensor
from tensorproof.terms.dtypes import FLOAT32, INDEX, DType
from tensorproof.terms.ints import product
from tensorproof.terms.predicates import disj, eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@takes(Tensor("x", "... C"), Tensor("target", "... C"), Axis("dim", -1, optional=True))
def softmax_cross_entropy(a: Arguments, run: Run) -> TensorType:
    """One loss for each row of classes."""
    run.require("axis", a.get("dim") is None or a.get("dim_old") is None, "give the axis once", ("dim",))
    a = needed(run, a, "x", "target")
    x, target = a["x"], a["target"]
    at_least(run, x, 1)
    at_least(run, target, 1, "target")
    if not x.shape.known or not target.shape.known:
        return anew(x, somewhere(run))
    dim = -1 if a.get("dim") is None else a["dim"]
    run.require(
        "axis",
        isinstance(dim, int) and dim >= -1,
        f"the classes stand on the last axis (-1) or on one counted from the front, not on {dim!r}",
        ("dim",),
    )
    sides = [(v.shape, axis(run, dim, len(v.shape))) for v in (x, target)]
    tables = [Shape((product(n for i, n in enumerate(s) if i != at), s[at])) for s, at in sides]
    rows = run("add", x=anew(x, tables[0]).but(dtype=None), y=anew(x, tables[1]).but(dtype=None)).shape[0]
    run.require("rows", eq(rows, tables[0][0]), f"logits {x.shape!r} and labels {target.shape!r} do not go together", ("x", "target"))
    return anew(x, [n for i, n in enumerate(x.shape) if i != sides[0][1]])


@takes(Tensor("x", "... C"), Tensor("target", "...", INDEX))
def sparse_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "target")
    x, target = a["x"], a["target"]
    at_least(run, x, 1)
    if not x.shape.known or not target.shape.known:
        return anew(x, target.shape)
    run.require(
        "rank",
        len(target.shape) == len(x.shape) - 1,
        f"labels {target.shape!r} must have one axis less than the logits {x.shape!r}",
        ("target", "x"),
    )
    for m, n in zip(target.shape, x.shape):
        run.require("batch", eq(m, n), f"labels {target.shape!r} do not go with logits {x.shape!r}", ("target", "x"))
    return anew(x, target.shape)


def _alike(run: Run, a: Arguments, x: str = "x", y: str = "target") -> Shape:
    """The one shape that two tensors must have."""
    return graphdef.merged(run, [a[x].shape, a[y].shape], (x, y))


def _broadcast_rows(run: Run, a: Arguments) -> Shape:
    """The shape of a loss of tf.losses: its two tensors must have one when the graph is built, and a batch of one that is fed broadcasts in the run."""
    first, second = a["x"].shape, a["target"].shape
    if first.known and second.known and len(first) == len(second) > 0 and type(first[0]) is int and type(second[0]) is int and 1 in (first[0], second[0]):
        rows = max(first[0], second[0])
        first, second = Shape((rows, *first[1:])), Shape((rows, *second[1:]))
    return graphdef.merged(run, [first, second], ("x", "target"))


@takes(Tensor("x"), Tensor("target"))
def sigmoid_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "target")
    same_types(run, a, "x", "target")
    return anew(a["x"], _alike(run, a))


@takes(Tensor("x"), Tensor("target"), Tensor("weight", "", scalar=True))
def weighted_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "target")
    same_types(run, a, "x", "target")
    made = anew(a["x"], _alike(run, a))
    return run("mul", x=made, y=a["weight"]) if a.get("weight") is not None else made


_REDUCTION = ("none", "weighted_mean", "weighted_sum", "weighted_sum_by_nonzero_weights", "weighted_sum_over_batch_size")


def _reduced(run: Run, a: Arguments, losses: Shape, dtype: DType | None) -> TensorType:
    """The losses, weighted, and summed to one number unless `reduction` says "none"."""
    weight = a.get("weight")
    if isinstance(weight, TensorType) and weight.shape.known and losses.known and len(weight.shape):
        run.require(
            "weights",
            len(weight.shape) == len(losses),
            f"weights {weight.shape!r} must be a scalar or have the rank of the losses {losses!r}",
            ("weight",),
        )
        for m, n in zip(weight.shape, losses):
            run.require(
                "weights",
                disj(eq(m, 1), eq(m, n)),
                f"weights {weight.shape!r} do not broadcast over the losses {losses!r}",
                ("weight", "x"),
            )
    return tensor(losses if str(a.get("reduction")).lower() == "none" else (), dtype)


_LOSS = (
    Choice("reduction", _REDUCTION, "weighted_sum_by_nonzero_weights"),
    Anything("weight"),
    Anything("scope"),
    Anything("loss_collection"),
)


@takes(Tensor("x", "N C"), Tensor("target", "N C"), *_LOSS)
def losses_softmax(a: Arguments, run: Run) -> TensorType:
    shape = _broadcast_rows(run, a)
    return _reduced(run, a, Shape(shape[:-1]) if shape.known else shape, a["x"].dtype)


@takes(Tensor("x", "... C"), Tensor("target", "...", INDEX), *_LOSS)
def losses_sparse(a: Arguments, run: Run) -> TensorType:
    x, target = a["x"], a["target"]
    if x.shape.known and target.shape.known and len(target.shape) == len(x.shape):
        run.require(
            "labels",
            eq(target.shape[-1], 1),
            f"labels {target.shape!r} must have one axis less than the logits {x.shape!r}",
            ("target", "x"),
        )
        target = anew(target, target.shape[:-1])
    return _reduced(run, a, sparse_cross_entropy({"x": x, "target": target}, run).shape, x.dtype)


@takes(Tensor("x"), Tensor("target"), *_LOSS)
def losses_same(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, _broadcast_rows(run, a), FLOAT32)


@takes(Tensor("x"), Tensor("target"), *_LOSS)
def losses_sigmoid(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, _broadcast_rows(run, a), a["x"].dtype)


@takes(Tensor("x"), Tensor("target"), Axis("dim", None, optional=True), *_LOSS)
def losses_cosine(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    shape = _alike(run, a)
    if a.get("dim") is None:
        raise run.refuse("axis", "the axis of the cosine must be given", ("dim",))
    if shape.known:
        at = axis(run, a["dim"], len(shape))
        shape = Shape(1 if i == at else n for i, n in enumerate(shape))
    return _reduced(run, a, shape, FLOAT32)


@takes(Tensor("x"), *_LOSS)
def losses_weighted(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, a["x"].shape, a["x"].dtype)

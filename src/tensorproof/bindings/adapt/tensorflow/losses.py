"""Losses of `tf.nn` and of `tf.losses` of version 1."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import elementwise as graphdef
from tensorproof.bindings.adapt.tensorflow.convolutions import needed
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, of_type, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, axis, broadcast_of, known_axis, somewhere, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import FLOAT32, Shape, TensorType, disj, eq, product


def softmax_cross_entropy(a: Arguments, run: Run) -> TensorType:
    """One loss for each row of classes."""
    run.require("cross_entropy/axis", a.get("dim") is None or a.get("dim_old") is None, "give the axis once", ("dim",))
    a = needed(run, a, "x", "target")
    x, target = a["x"], a["target"]
    for name in ("x", "target"):
        if a[name].shape.known:
            sentence = f"{name} must have rank 1 or more, and has shape {a[name].shape!r}"
            run.require("cross_entropy/rank", len(a[name].shape) >= 1, sentence, (name,))
    dim = -1 if a.get("dim") is None else a["dim"]
    if not x.shape.known or not target.shape.known:
        return _soft(run, x, target, dim, x.shape, somewhere(run))
    message = f"the classes stand on the last axis (-1) or on one counted from the front, not on {dim!r}"
    run.require("cross_entropy/axis", isinstance(dim, int) and dim >= -1, message, ("dim",))
    alike = dim == -1 or len(x.shape) == len(target.shape)
    run.require("cross_entropy/rank", alike, f"logits {x.shape!r} and labels {target.shape!r} must have the same rank where an axis is named", ("x", "target"))
    sides = [(v.shape, known_axis(run, dim, len(v.shape))) for v in (x, target)]
    tables = [Shape((product(n for i, n in enumerate(s) if i != at), s[at])) for s, at in sides]
    joint = broadcast_of(run, tables, ("x", "target"), "add/broadcast")
    sentence = f"logits {x.shape!r} and labels {target.shape!r} do not go together"
    run.require("cross_entropy/rows", eq(joint[0], tables[0][0]), sentence, ("x", "target"))
    at = sides[0][1]
    rows = Shape(n for i, n in enumerate(x.shape) if i != at)
    if len(x.shape) == len(target.shape) and all(eq(m, n) is not False for m, n in zip(x.shape, target.shape)):
        return _soft(run, x, target, at, x.shape, rows)
    first, second = (_table(run, v, place, table) for v, (_, place), table in zip((x, target), sides, tables))
    return with_shape(run, "reshape", _soft(run, first, second, 1, joint, Shape((joint[0],))), rows, size=tuple(rows))


def _table(run: Run, x: TensorType, at: int, table: Shape) -> TensorType:
    """x as a matrix with the classes in its columns."""
    if at != len(x.shape) - 1:
        x = run("permute", x=x, dim=(*(i for i in range(len(x.shape)) if i != at), at))
    return with_shape(run, "reshape", x, table, size=tuple(table))


def _soft(run: Run, x: TensorType, target: TensorType, dim: int, joint: Shape, rows: Shape) -> TensorType:
    """-Σ target · log_softmax(x) along an axis."""
    logs = with_shape(run, "log_softmax", x, x.shape, dim=dim)
    terms: TensorType = run.shaped("mul", joint, x.dtype, x=of_type(run, target, x.dtype), y=logs)
    total = with_shape(run, "sum", terms, rows, dim=(dim,), keepdim=False)
    return run.typed("neg", x.dtype, x=total)


def sparse_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "target")
    x, target = a["x"], a["target"]
    at_least(run, x, 1)
    if x.shape.known and target.shape.known:
        run.require(
            "rank", len(target.shape) == len(x.shape) - 1, f"labels {target.shape!r} must have one axis less than the logits {x.shape!r}", ("target", "x")
        )
        for m, n in zip(target.shape, x.shape):
            run.require("batch", eq(m, n), f"labels {target.shape!r} do not go with logits {x.shape!r}", ("target", "x"))
    if x.shape.known and len(x.shape) > 2:
        last = len(x.shape) - 1
        x = run("permute", x=x, dim=(0, last, *range(1, last)))
    return run.shaped("cross_entropy", target.shape, x.dtype, x=x, target=target, reduction="none")


def _alike(run: Run, a: Arguments, x: str = "x", y: str = "target") -> Shape:
    """The one shape that two tensors must have."""
    return graphdef.merged(run, [a[x].shape, a[y].shape], (x, y))


def _broadcast_rows(run: Run, a: Arguments, code: str = "") -> Shape:
    """The shape of a loss of tf.losses: its two tensors must have one when the graph is built, and a batch of one that is fed broadcasts in the run."""
    first, second = a["x"].shape, a["target"].shape
    known = run.session.rerun and first.known and second.known and len(first) == len(second) > 0
    if known and type(first[0]) is int and type(second[0]) is int and 1 in (first[0], second[0]):
        rows = max(first[0], second[0])
        first, second = Shape((rows, *first[1:])), Shape((rows, *second[1:]))
    return graphdef.merged(run, [first, second], ("x", "target"), code or f"{run.row.op}/shape")


def sigmoid_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "target")
    kind = same_types(run, a, "x", "target")
    return run.shaped("binary_cross_entropy_with_logits", _alike(run, a), kind, x=a["x"], target=a["target"], reduction="none")


def log_poisson(a: Arguments, run: Run) -> TensorType:
    """exp(x) - target · x; with `compute_full_loss`, Stirling's approximation of log(target!) is added."""
    kind = same_types(run, a, "x", "target")
    full = bool(a.get("compute_full_loss"))
    return run.shaped("poisson_nll_loss", _alike(run, a), kind, x=a["x"], target=a["target"], reduction="none", log_input=True, full=full)


def weighted_cross_entropy(a: Arguments, run: Run) -> TensorType:
    a = needed(run, a, "x", "target")
    kind = same_types(run, a, "x", "target", *(("weight",) if isinstance(a.get("weight"), TensorType) else ()))
    shape, weight = _alike(run, a), a.get("weight")
    if isinstance(weight, TensorType):
        shape = broadcast_of(run, [shape, weight.shape], ("x", "weight"), "mul/broadcast")
    given = {"x": a["x"], "target": a["target"], "pos_weight": weight, "reduction": "none"}
    return run.shaped("binary_cross_entropy_with_logits", shape, kind, **given)


def _weights_fit(run: Run, weight: Value, losses: Shape) -> None:
    if isinstance(weight, TensorType) and weight.shape.known and losses.known and len(weight.shape):
        run.require(
            "weights", len(weight.shape) == len(losses), f"weights {weight.shape!r} must be a scalar or have the rank of the losses {losses!r}", ("weight",)
        )
        for m, n in zip(weight.shape, losses):
            run.require("weights", disj(eq(m, 1), eq(m, n)), f"weights {weight.shape!r} do not broadcast over the losses {losses!r}", ("weight", "x"))


def _reduced(run: Run, a: Arguments, losses: TensorType) -> TensorType:
    """The losses, weighted, and summed or averaged to one number unless `reduction` says "none": as float32, whatever their element type is."""
    made: TensorType = of_type(run, _reduced_single(run, a, of_type(run, losses, FLOAT32)), losses.dtype)
    return made


def _reduced_single(run: Run, a: Arguments, losses: TensorType) -> TensorType:
    weight, word, kind = a.get("weight"), str(a.get("reduction")).lower(), losses.dtype
    _weights_fit(run, weight, losses.shape)
    weight = 1.0 if weight is None else of_type(run, weight, kind)
    weighted: TensorType = run.shaped("mul", losses.shape, kind, x=losses, y=weight)
    if word == "none":
        return weighted
    total = with_shape(run, "sum", weighted, (), dim=None, keepdim=False)
    if word in ("sum", "weighted_sum"):
        return total
    return run.typed("div_no_nan", kind, x=total, y=_count(run, losses, weight, word))


def _count(run: Run, losses: TensorType, weight: Value, word: str) -> TensorType:
    """By what the sum of the losses is divided: their number, the sum of their weights, or the number of weights that are not 0."""
    kind = losses.dtype
    if word.endswith("over_batch_size"):
        return run("cast", x=run("size_of", x=losses), dtype=kind)
    each: TensorType = run.shaped("mul", losses.shape, kind, x=run.typed("full_like", kind, x=losses, value=1), y=weight)
    if word == "weighted_mean":
        return with_shape(run, "sum", each, (), dim=None, keepdim=False)
    counted = run.shaped("count_nonzero", Shape(), kind, x=each, dim=None, keepdim=False, dtype=kind)
    return counted


def _smoothed(run: Run, a: Arguments, share: Any) -> TensorType:
    """Labels drawn towards a share by `label_smoothing`."""
    target: TensorType = of_type(run, a["target"], a["x"].dtype)
    rate = a.get("label_smoothing") or 0
    if not isinstance(rate, (int, float)) or rate == 0:
        return target
    scaled = run.typed("mul", target.dtype, x=target, y=1 - rate)
    return run.typed("add", target.dtype, x=scaled, y=rate * share)


def losses_softmax(a: Arguments, run: Run) -> TensorType:
    shape, x = _broadcast_rows(run, a, "cross_entropy/shape"), a["x"]
    classes = shape[-1] if shape.known and type(shape[-1]) is int and shape[-1] else None
    target = of_type(run, a["target"], x.dtype) if classes is None else _smoothed(run, a, 1 / classes)
    return _reduced(run, a, _soft(run, x, target, -1, shape, Shape(shape[:-1]) if shape.known else shape))


def losses_sparse(a: Arguments, run: Run) -> TensorType:
    x, target = a["x"], a["target"]
    if x.shape.known and target.shape.known and len(target.shape) == len(x.shape):
        run.require("labels", eq(target.shape[-1], 1), f"labels {target.shape!r} must have one axis less than the logits {x.shape!r}", ("target", "x"))
        target = with_shape(run, "squeeze", target, target.shape[:-1], dim=(len(target.shape) - 1,))
    if x.shape.known and target.shape.known and len(x.shape) == len(target.shape) + 2 and eq(x.shape[-1], 1) is True:
        x = with_shape(run, "squeeze", x, x.shape[:-1], dim=(len(x.shape) - 1,))
    return _reduced(run, a, sparse_cross_entropy({"x": x, "target": target}, run))


def _both(run: Run, a: Arguments) -> tuple[TensorType, TensorType, Shape]:
    """Predictions and labels as float32, and the shape of their losses."""
    shape = _broadcast_rows(run, a)
    return of_type(run, a["x"], FLOAT32), of_type(run, a["target"], FLOAT32), shape


def losses_same(a: Arguments, run: Run) -> TensorType:
    """A loss of the difference, element by element."""
    x, target, shape = _both(run, a)
    losses: TensorType = run.shaped(run.row.op, shape, FLOAT32, x=x, target=target, reduction="none", delta=a.get("delta", 1.0))
    return _reduced(run, a, losses)


def losses_log(a: Arguments, run: Run) -> TensorType:
    """-target · log(x + ε) - (1 - target) · log(1 - x + ε)"""
    x, target, shape = _both(run, a)
    small = a.get("epsilon", 1e-07)
    hit = run.typed("log", FLOAT32, x=run.typed("add", FLOAT32, x=x, y=small))
    miss = run.typed("log", FLOAT32, x=run.typed("add", FLOAT32, x=run.typed("sub", FLOAT32, x=1.0, y=x), y=small))
    first = run.shaped("mul", shape, FLOAT32, x=target, y=hit)
    second = run.shaped("mul", shape, FLOAT32, x=run.typed("sub", FLOAT32, x=1.0, y=target), y=miss)
    return _reduced(run, a, run.typed("neg", FLOAT32, x=run.typed("add", FLOAT32, x=first, y=second)))


def losses_hinge(a: Arguments, run: Run) -> TensorType:
    """relu(1 - (2 · target - 1) · x)"""
    x, target, shape = _both(run, a)
    signs = run.typed("sub", FLOAT32, x=run.typed("mul", FLOAT32, x=target, y=2.0), y=1.0)
    margin = run.typed("sub", FLOAT32, x=1.0, y=run.shaped("mul", shape, FLOAT32, x=signs, y=x))
    return _reduced(run, a, run.typed("relu", FLOAT32, x=margin))


def losses_sigmoid(a: Arguments, run: Run) -> TensorType:
    shape, x = _broadcast_rows(run, a), a["x"]
    target = _smoothed(run, a, 0.5)
    x, target = (v if not v.shape.concrete or v.shape == shape else with_shape(run, "expand", v, shape, size=tuple(shape)) for v in (x, target))
    losses: TensorType = run.shaped(run.row.op, shape, x.dtype, x=x, target=target, reduction="none")
    return _reduced(run, a, losses)


def losses_cosine(a: Arguments, run: Run) -> TensorType:
    """1 - Σ x · target along an axis."""
    a = modern(a)
    shape = graphdef.merged(run, [a["x"].shape, a["target"].shape], ("x", "target"), "cosine_similarity/shape")
    if a.get("dim") is None:
        raise run.refuse("cosine_similarity/axis", "the axis of the cosine must be given", ("dim",))
    kept = shape
    if shape.known:
        at = axis(run, a["dim"], len(shape))
        kept = Shape(1 if i == at else n for i, n in enumerate(shape))
    x, target = of_type(run, a["x"], FLOAT32), of_type(run, a["target"], FLOAT32)
    terms: TensorType = run.shaped("mul", shape, FLOAT32, x=x, y=target)
    cosine = with_shape(run, "sum", terms, kept, dim=(a["dim"],), keepdim=True)
    return _reduced(run, a, run.typed("sub", FLOAT32, x=1.0, y=cosine))


def losses_weighted(a: Arguments, run: Run) -> TensorType:
    return _reduced(run, a, a["x"])

"""keras.losses: the functions give one loss a sample, the classes cast to their element type, weigh and reduce.

What must fit is checked here, under the code of losses of one sample; a loss is then composed of operators as Keras composes it, clipping included.
"""

from __future__ import annotations

import math
from typing import Any

from tensorproof.bindings.adapt.keras.cross_entropy import EPSILON, binary, categorical, one_hot_categorical, smoothed, sparse_target
from tensorproof.bindings.adapt.keras.ops import as_float, asked
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, in_type, takes
from tensorproof.ops.inputs import Choice, Float, Int, Tensor
from tensorproof.terms import BOOL, FLOAT32, FLOATS, INT32, INT64, DType, Shape, TensorType, broadcast, eq

_FLOATS = (Tensor("target", "... C", FLOATS, values="unit"), Tensor("x", "... C", FLOATS, values="unit"))
_SPARSE = (Tensor("target", "...", frozenset({INT32, INT64}), values="index"), Tensor("x", "... C", FLOATS, values="unit"))
_REDUCTION = Choice("reduction", ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None), "sum_over_batch_size", optional=True)
_AXIS = Int("axis", -1, least=-1, most=-1)
_SMOOTHING = Float("label_smoothing", 0.0, least=0.0, most=1.0)
_PLAIN = (*_FLOATS, _REDUCTION)


class Loss(Steps):
    """One loss: prediction and target in one element type, and what its call asks for."""

    def __init__(self, a: dict[str, Value], run: Run) -> None:
        x, target = tensor(a["x"]), tensor(a["target"])
        self.whole = "_module" in a
        dtype = asked({"dtype": a.get("dtype")}, FLOAT32) if self.whole else x.dtype
        super().__init__(run, dtype)
        self.a = a
        self.x, self.target = self.converted(x), self.converted(target)
        axis: Any = a.get("axis")
        self.axis: int = -1 if axis is None else axis

    def converted(self, x: TensorType) -> TensorType:
        return x if self.dtype is None or x.dtype is None else in_type(x, self.dtype, self.run.session, self.run.name)

    def typed(self, op: str, *dtypes: DType | None, **arguments: Value) -> TensorType:
        """A mean is of floats."""
        return super().typed(op, *((as_float(self.dtype),) if op == "mean" else dtypes), **arguments)

    def require(self, code: str, holds: Value, message: str, about: tuple[str, ...] = ("target", "x")) -> None:
        self.run.require(f"sample_loss/{code}", holds, message, about)

    def same_rank(self) -> None:
        """Ranks that differ by one are made equal by an axis of size 1 at the end."""
        self.target, self.x = aligned(self.run, self.target, self.x)

    def broadcasting(self) -> Shape:
        return _broadcast(self, self.target.shape, self.x.shape, "shape", ("target", "x"))

    def equal(self) -> None:
        target, x = self.target.shape, self.x.shape
        message = f"y_true is {target!r} and y_pred {x!r}: they must have the same shape"
        self.require("shape", len(target) == len(x), message)
        for a, b in zip(target, x):
            self.require("shape", eq(a, b), message)

    def has_axis(self, shape: Shape) -> None:
        rank = len(shape)
        self.require("rank", -rank <= self.axis < rank, f"axis {self.axis} is out of range for a loss over {shape!r}", ("x", "axis"))

    def over_axis(self, op: str, x: Value) -> TensorType:
        return self(op, x, dim=self.axis)

    def masked(self, mask: TensorType, weight: Value) -> TensorType:
        """The weights of the losses of which some do not count; a mean is over those that do."""
        run = self.run
        counted = run("cast", x=mask, dtype=self.dtype)
        if self.a["reduction"] in ("mean", "sum_over_batch_size"):
            share = self("div_no_nan", mask.shape.numel, run.typed("sum", self.dtype, x=counted))
            counted = run.typed("where", self.dtype, condition=mask, x=share, y=0)
        if not isinstance(weight, TensorType):
            return counted
        counted, weight = aligned(run, counted, self.converted(weight))
        return self("mul", weight, counted)

    def spelled(self, **own: Value) -> TensorType:
        """The loss that the row's formula computes, reduced; `own` are further arguments."""
        with self.settled():
            return self.reduced(self.formula({**self.a, "x": self.x, "target": self.target, "axis": self.axis, **own}))

    def reduced(self, losses: TensorType, mask: TensorType | None = None) -> TensorType:
        """Weighted and reduced, where it is a class that computes the loss."""
        if not self.whole:
            return losses
        run, weight, reduction = self.run, self.a.get("weight"), self.a["reduction"]
        weight = weight if mask is None else self.masked(mask, weight)
        if isinstance(weight, TensorType):
            losses, weight = aligned(run, losses, self.converted(weight))
            _broadcast(self, losses.shape, weight.shape, "weight", ("x", "weight"))
            losses = self("mul", losses, weight)
        if reduction in ("none", None) or not len(losses.shape) or tuple(losses.shape) == (0,):
            return losses
        if reduction == "sum":
            return run.typed("sum", self.dtype, x=losses)
        if reduction == "mean_with_sample_weight" and isinstance(weight, TensorType):
            return self("div_no_nan", run.typed("sum", self.dtype, x=losses), run.typed("sum", self.dtype, x=weight))
        return run.typed("mean", self.dtype, x=losses)


def _broadcast(loss: Loss, a: Shape, b: Shape, code: str, about: tuple[str, ...]) -> Shape:
    def stated(holds: Value, n: Value, m: Value) -> None:
        loss.require(code, holds, f"sizes {n!r} and {m!r} do not broadcast: they must be equal, or one of them 1", about)

    return broadcast([a, b], stated)


def _one(shape: Shape) -> bool:
    return len(shape) > 0 and isinstance(shape[-1], int) and shape[-1] == 1


def same_rank(x: Shape, y: Shape) -> tuple[Shape, Shape]:
    """Shapes whose ranks differ by one, made equal by an axis of size 1 at the end."""
    if len(x) == len(y) + 1 and _one(x):
        return (x, Shape((*y, 1))) if len(y) == 1 else (Shape(x[:-1]), y)
    if len(y) == len(x) + 1 and _one(y):
        return (Shape((*x, 1)), y) if len(x) == 1 else (x, Shape(y[:-1]))
    return x, y


def aligned(run: Run, x: TensorType, y: TensorType) -> tuple[TensorType, TensorType]:
    """Two tensors whose ranks differ by one, made equal by an axis of size 1 at the end."""
    made = [
        t if len(shape) == len(t.shape) else run("unsqueeze" if len(shape) > len(t.shape) else "squeeze", x=t, dim=-1)
        for t, shape in zip((x, y), same_rank(x.shape, y.shape))
    ]
    return made[0], made[1]


def _paired(a: dict[str, Value], run: Run) -> Loss:
    """Ranks made equal, shapes broadcast."""
    loss = Loss(a, run)
    loss.same_rank()
    loss.has_axis(loss.broadcasting())
    return loss


def _given(a: dict[str, Value], run: Run) -> Loss:
    """The ranks as they are, shapes broadcast."""
    loss = Loss(a, run)
    if loss.whole:
        loss.same_rank()
    loss.has_axis(loss.broadcasting())
    return loss


def _equal(a: dict[str, Value], run: Run) -> Loss:
    loss = Loss(a, run)
    if loss.whole:
        loss.same_rank()
    loss.equal()
    loss.has_axis(loss.x.shape)
    return loss


@takes(*_PLAIN, _AXIS)
def paired(a: dict[str, Value], run: Run) -> TensorType:
    """The row's formula, of ranks made equal."""
    return _paired(a, run).spelled()


@takes(*_PLAIN)
def given(a: dict[str, Value], run: Run) -> TensorType:
    """The row's formula, of the ranks as they are."""
    return _given(a, run).spelled()


@takes(*_PLAIN)
def of_sums(a: dict[str, Value], run: Run) -> TensorType:
    """The row's formula, in which sums are over the axes that are named, or all."""
    loss = Loss(a, run)
    if loss.whole:
        loss.same_rank()
    loss.broadcasting()
    return loss.spelled(axis=a.get("axis"))


@takes(*_PLAIN)
def hinge(a: dict[str, Value], run: Run) -> TensorType:
    """The row's formula, of labels of -1 and 1."""
    loss = _given(a, run)
    with loss.settled():
        labels = _hinge_labels(loss)
    return loss.spelled(labels=labels)


@takes(*_PLAIN, Float("delta", 1.0))
def huber(a: dict[str, Value], run: Run) -> TensorType:
    m = _paired(a, run)
    delta = a["delta"]
    with m.settled():
        error = m("sub", m.x, m.target)
        size = m("abs", error)
        inner = m("mul", m("square", error), 0.5)
        outer = m("sub", m("mul", size, delta), 0.5 * delta * delta if isinstance(delta, (int, float)) else delta)
        near = run.typed("le", BOOL, x=size, y=delta)
        return m.reduced(m.over_axis("mean", run.typed("where", m.dtype, condition=near, x=inner, y=outer)))


@takes(*_PLAIN)
def log_cosh(a: dict[str, Value], run: Run) -> TensorType:
    m = _paired(a, run)
    with m.settled():
        error = m("sub", m.x, m.target)
        curve = m("sub", m("add", error, m("softplus", m("mul", error, -2), threshold=40.0)), math.log(2))
        return m.reduced(m.over_axis("mean", curve))


def _hinge_labels(m: Loss) -> TensorType:
    """Labels of 0 and 1 become -1 and 1."""
    run = m.run
    binary_ = run.typed("logical_or", BOOL, x=run.typed("eq", BOOL, x=m.target, y=0), y=run.typed("eq", BOOL, x=m.target, y=1))
    turned = m("sub", m("mul", m.target, 2), 1)
    return run.typed("where", m.dtype, condition=run.typed("all", BOOL, x=binary_), x=turned, y=m.target)


@takes(*_PLAIN)
def kl_divergence(a: dict[str, Value], run: Run) -> TensorType:
    m = _given(a, run)
    with m.settled():
        target, x = (m("clamp", v, low=EPSILON, high=1) for v in (m.target, m.x))
        return m.reduced(m.over_axis("sum", m("mul", target, m("log", m("div", target, x)))))


@takes(*_PLAIN, _AXIS)
def categorical_focal(a: dict[str, Value], run: Run) -> TensorType:
    m = _given(a, run)
    with m.settled():
        target = smoothed(m, m.target, a["label_smoothing"], m.target.shape[-1])
        x = m("softmax", m.x, dim=m.axis) if a["from_logits"] else m.x
        share = m("div", x, run.typed("sum", m.dtype, x=x, dim=m.axis, keepdim=True))
        share = m("clamp", share, low=EPSILON, high=1 - EPSILON)
        entropy = m("mul", m("neg", target), m("log", share))
        factor = m("mul", m("pow", m("sub", 1, share), a["gamma"]), a["alpha"])
        return m.reduced(m.over_axis("sum", m("mul", factor, entropy)))


@takes(*_PLAIN, _SMOOTHING, _AXIS)
def binary_crossentropy(a: dict[str, Value], run: Run) -> TensorType:
    m = _equal(a, run)
    with m.settled():
        target = smoothed(m, m.target, a["label_smoothing"], 2)
        return m.reduced(m.over_axis("mean", binary(m, target, m.x, a["from_logits"])))


@takes(*_PLAIN, _SMOOTHING, _AXIS)
def binary_focal(a: dict[str, Any], run: Run) -> TensorType:
    m = _equal(a, run)
    with m.settled():
        target = smoothed(m, m.target, a["label_smoothing"], 2)
        x = m("sigmoid", m.x) if a["from_logits"] else m.x
        entropy = binary(m, target, x, False)
        other, rest = m("sub", 1, target), m("sub", 1, x)
        right = m("add", m("mul", target, x), m("mul", other, rest))
        made = m("mul", m("pow", m("sub", 1, right), a["gamma"]), entropy)
        if a["apply_class_balancing"]:
            made = m("mul", m("add", m("mul", target, a["alpha"]), m("mul", other, 1 - a["alpha"])), made)
        return m.reduced(m.over_axis("mean", made))


@takes(*_PLAIN, _SMOOTHING, _AXIS)
def categorical_crossentropy(a: dict[str, Any], run: Run) -> TensorType:
    m = _equal(a, run)
    with m.settled():
        target = smoothed(m, m.target, a["label_smoothing"], m.target.shape[-1])
        return m.reduced(one_hot_categorical(m, target, m.x, a["from_logits"], m.axis))


@takes(*_SPARSE, _REDUCTION, Int("ignore_class", None, optional=True), _AXIS)
def sparse_categorical_crossentropy(a: dict[str, Any], run: Run) -> TensorType:
    x, target = tensor(a["x"]), tensor(a["target"])
    m = Loss({**a, "target": x}, run)
    if m.whole:
        target, m.x = aligned(run, m.converted(target), m.x)
    target = sparse_target(run, target, m.x.shape)
    m.has_axis(m.x.shape)
    at = m.axis % len(m.x.shape)
    rest = Shape((*m.x.shape[:at], *m.x.shape[at + 1 :]))
    message = f"y_true is {target.shape!r} and y_pred {m.x.shape!r}: y_true must lack the axis of classes, and only it"
    m.require("shape", len(target.shape) == len(rest), message)
    for n, k in zip(target.shape, rest):
        m.require("shape", eq(n, k), message)
    with m.settled():
        ignored = a["ignore_class"]
        if ignored is None:
            return m.reduced(categorical(m, target, m.x, a["from_logits"], m.axis))
        valid = run.typed("ne", BOOL, x=target, y=ignored)
        target = run.typed("where", target.dtype, condition=valid, x=target, y=0)
        kept = run.typed("where", m.dtype, condition=run("unsqueeze", x=valid, dim=m.axis), x=m.x, y=0)
        made = categorical(m, target, kept, a["from_logits"], m.axis)
        return m.reduced(run.typed("where", m.dtype, condition=valid, x=made, y=0), valid)


def _sums(a: dict[str, Value], run: Run) -> tuple[Loss, Any]:
    m = Loss(a, run)
    if m.whole:
        m.same_rank()
    m.broadcasting()
    return m, lambda v: run.typed("sum", m.dtype, x=v, dim=a.get("axis"))


@takes(*_PLAIN)
def tversky(a: dict[str, Value], run: Run) -> TensorType:
    m, total = _sums(a, run)
    with m.settled():
        common = total(m("mul", m.target, m.x))
        extra = total(m("mul", m("sub", 1, m.x), m.target))
        missed = total(m("mul", m.x, m("sub", 1, m.target)))
        under = m("add", m("add", common, m("mul", extra, a["alpha"])), m("mul", missed, a["beta"]))
        return m.reduced(m("sub", 1, m("div", common, m("add", under, EPSILON))))

"""Cross entropies as Keras composes them of operators: probabilities are clipped before their logarithm is taken."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, in_type
from tensorproof.terms import INT64, Shape, TensorType

EPSILON = 1e-07
"""Keras's default fuzz factor."""


def smoothed(m: Steps, target: TensorType, smoothing: Any, classes: Any) -> TensorType:
    """Labels drawn towards an equal share of each class."""
    if not smoothing:
        return target
    share = smoothing / classes if isinstance(classes, int) else m("div", smoothing, classes)
    return m("add", m("mul", target, 1 - smoothing), share)


def binary(m: Steps, target: TensorType, x: TensorType, from_logits: Value) -> TensorType:
    """One entropy for each element."""
    if from_logits:
        return m("binary_cross_entropy_with_logits", x, target=target, reduction="none")
    share = m("clamp", x, low=EPSILON, high=1 - EPSILON)
    right = m("mul", target, m("log", share))
    wrong = m("mul", m("sub", 1, target), m("log", m("sub", 1, share)))
    return m("neg", m("add", right, wrong))


def one_hot_categorical(m: Steps, target: TensorType, x: TensorType, from_logits: Value, axis: int) -> TensorType:
    """Targets are shares of the classes along an axis."""
    if from_logits:
        logs = m("log_softmax", x, dim=axis)
    else:
        share = m("div", x, m("sum", x, dim=axis, keepdim=True))
        logs = m("log", m("clamp", share, low=EPSILON, high=1 - EPSILON))
    return m("neg", m("sum", m("mul", target, logs), dim=axis))


def categorical(m: Steps, target: TensorType, x: TensorType, from_logits: Value, axis: int = -1) -> TensorType:
    """Targets are the numbers of classes."""
    run = m.run
    scores = x if from_logits else m("log", m("clamp", x, low=EPSILON, high=1 - EPSILON))
    logs = m("log_softmax", scores, dim=axis)
    index = run("unsqueeze", x=in_type(target, INT64, run.session, run.name), dim=axis)
    return m("neg", run("squeeze", x=run("gather", x=logs, index=index, dim=axis), dim=axis))


def sparse_target(run: Run, target: TensorType, scores: Shape) -> TensorType:
    """The numbers of classes without a last axis of size 1."""
    alone = len(target.shape) == len(scores) and len(target.shape) > 0 and isinstance(target.shape[-1], int) and target.shape[-1] == 1
    return run("squeeze", x=target, dim=-1) if alone else target

"""What the losses over classes compute: the reference functions of `loss_sequence`, with NumPy. A class is chosen by comparison, so that bounds of it serve."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.loss import settle
from tensorproof.ops.evaluation import Arguments, Undefined
from tensorproof.ops.mathematics import beside, log_softmax

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def along(np: Numpy, values: Array, rank: int, axis: int) -> Array:
    """A vector that lies along one axis of so many."""
    return values.reshape((-1,) + (1,) * (rank - 1 - axis))


def is_class(np: Numpy, target: Array, classes: int, axis: int) -> Array:
    """Where a class of the target stands along the axis of classes."""
    return np.equal(np.expand_dims(target, axis), along(np, np.arange(classes), len(target.shape) + 1, axis))


def likelihood(np: Numpy, a: Arguments, x: Array, smoothing: float = 0.0) -> tuple[Array, Array]:
    """The losses at class indices, settled, and the total weight."""
    axis = min(1, len(x.shape) - 1)
    classes = x.shape[axis]
    target = a["target"].reshape((*x.shape[:1], *x.shape[2:]) if len(x.shape) > 1 else ())
    weight = np.ones(classes) if a["weight"] is None else a["weight"]
    weight = along(np, weight, len(x.shape), axis)
    ignored, here = np.equal(target, a["ignore_index"]), is_class(np, target, classes, axis)
    each = np.where(ignored, 0.0, np.sum(np.where(here, np.broadcast_to(weight, x.shape), 0.0), axis=axis))
    chosen = np.sum(np.where(here, x, 0.0), axis=axis)
    if hasattr(here, "of") and classes:  # one class is chosen
        chosen = np.minimum(np.maximum(chosen, np.min(x, axis=axis)), np.max(x, axis=axis))
    losses = np.where(ignored, 0.0, np.negative(np.multiply(each, chosen)))
    total = np.sum(each)
    if smoothing:
        spread = np.where(ignored, 0.0, np.negative(np.sum(np.multiply(x, weight), axis=axis)))
        losses = np.add(np.multiply(1.0 - smoothing, losses), np.multiply(smoothing / max(classes, 1), spread))
    if a["reduction"] == "mean":
        mean = np.true_divide(np.sum(losses), total)
        apart = hasattr(mean, "of") and chosen.size and (a["weight"] is None or not smoothing)
        if apart and np.all(getattr(some := _counts(np, a), "lo", some)):
            mean = beside(np, _between(np, chosen, x, smoothing, axis), np.sum(losses))
        return mean, total
    return settle(np, a, losses), total


def _between(np: Numpy, chosen: Any, x: Array, smoothing: float, axis: int) -> Array:
    """The mean over targets that count lies between the least and the greatest loss of one."""
    each = np.negative(chosen)
    if smoothing:
        each = np.add(np.multiply(1.0 - smoothing, each), np.multiply(smoothing, np.negative(np.mean(x, axis=axis))))
    return np.min(each).of("either", np.max(each))


def counts_some(np: Numpy, a: Arguments) -> Array:
    """Whether the mean is over some target: with all of them ignored, or of weight 0, it is 0 / 0."""
    x, target = a["x"], a["target"]
    if a["reduction"] != "mean" or (x.shape == target.shape and target.dtype.kind == "f"):
        return np.ones((), bool)
    some = _counts(np, a)
    return some if a["weight"] is None else np.logical_or(some, np.greater(likelihood(np, a, np.zeros(x.shape))[1], 0.0))


def _counts(np: Numpy, a: Arguments) -> Array:
    """Whether some target is not ignored, and all weights are positive."""
    some = np.any(np.not_equal(a["target"], a["ignore_index"]))
    return some if a["weight"] is None else np.logical_and(some, np.greater(np.min(a["weight"]), 0.0))


def negative_likelihood(np: Numpy, a: Arguments) -> Array:
    return likelihood(np, a, a["x"])[0]


def negative_likelihood_and_weight(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """The total weight is 0 where the losses stay apart."""
    loss, total = likelihood(np, a, a["x"])
    return loss, np.zeros(()) if a["reduction"] == "none" and len(a["x"].shape) > 1 else total


def cross_entropy(np: Numpy, a: Arguments) -> Array:
    """Of classes, or of shares of classes."""
    x, target, smoothing = a["x"], a["target"], a["label_smoothing"] or 0.0
    axis = min(1, len(x.shape) - 1)
    logs = log_softmax(np, x, axis)
    if x.shape != target.shape or target.dtype.kind != "f":
        return likelihood(np, a, logs, smoothing)[0]
    classes = x.shape[axis]
    if smoothing:
        target = np.add(np.multiply(target, 1.0 - smoothing), smoothing / max(classes, 1))
    if a["weight"] is not None:
        target = np.multiply(target, along(np, a["weight"], len(x.shape), axis))
    losses = np.negative(np.sum(np.multiply(logs, target), axis=axis))
    if a["reduction"] == "mean":
        return np.true_divide(np.sum(losses), x.size / max(classes, 1))
    return settle(np, a, losses)


def multi_margin(np: Numpy, a: Arguments) -> Array:
    """How far the other classes come within the margin of the class chosen."""
    x, shape = a["x"], a["target"].shape
    if not x.size:
        raise Undefined  # torch leaves the loss of nothing unset
    x = x.reshape((-1, x.shape[-1] if x.shape else 1))
    classes = x.shape[1]
    here = is_class(np, a["target"].reshape(-1), classes, 1)
    chosen = np.sum(np.where(here, x, 0.0), axis=1, keepdims=True)
    within = np.maximum(np.add(np.subtract(a["margin"], chosen), x), 0.0)
    within = np.square(within) if a["p"] == 2 else within
    if a["weight"] is not None:
        within = np.multiply(within, np.sum(np.where(here, a["weight"].reshape(1, -1), 0.0), axis=1, keepdims=True))
    losses = np.true_divide(np.sum(np.where(here, 0.0, within), axis=1), classes)
    return settle(np, a, losses.reshape(shape))


def multilabel_margin(np: Numpy, a: Arguments) -> Array:
    return multilabel_margin_and_places(np, a)[0]


def multilabel_margin_and_places(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """Labels up to the first -1 count; each is compared with every class that is not a label."""
    x, target = a["x"], a["target"]
    classes = x.shape[-1] if x.shape else 1
    scores, labels = x.reshape((-1, classes)), target.reshape((-1, classes))
    counts = np.minimum.accumulate(np.greater_equal(labels, 0), axis=1)
    here = np.logical_and(is_class(np, labels, classes, 2), np.expand_dims(counts, 2))
    labelled = np.any(here, axis=1)
    losses: Array | float = 0.0
    for k in range(classes):
        chosen = np.sum(np.where(here[:, k], scores, 0.0), axis=1, keepdims=True)
        within = np.where(labelled, 0.0, np.maximum(np.add(np.subtract(1.0, chosen), scores), 0.0))
        losses = np.add(losses, np.where(counts[:, k], np.sum(within, axis=1), 0.0))
    return settle(np, a, np.true_divide(losses, classes).reshape(x.shape[:-1])), labelled.reshape(target.shape)


def adaptive_likelihood(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """A class of a cluster is as likely as its cluster in the head and the class within the cluster."""
    x = a["x"] if len(a["x"].shape) == 2 else np.expand_dims(a["x"], 0)
    target, ends = a["target"].reshape(-1), [*a["cutoffs"], a["classes"]]
    scores = np.matmul(x, np.swapaxes(a["weight"], 0, 1))
    head = log_softmax(np, scores if a["bias"] is None else np.add(scores, a["bias"]), 1)
    made = np.sum(np.where(is_class(np, target, ends[0], 1), head[:, : ends[0]], 0.0), axis=1)
    for i, (low, high) in enumerate(pairwise(ends)):
        inner = np.matmul(np.matmul(x, np.swapaxes(a["tails"][2 * i], 0, 1)), np.swapaxes(a["tails"][2 * i + 1], 0, 1))
        likely = np.add(np.expand_dims(head[:, ends[0] + i], 1), log_softmax(np, inner, 1))
        here = is_class(np, np.subtract(target, low), high - low, 1)
        made = np.add(made, np.sum(np.where(here, likely, 0.0), axis=1))
    return made.reshape(a["target"].shape), np.negative(np.mean(made))

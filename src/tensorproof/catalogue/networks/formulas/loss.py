"""What the losses compute: the reference functions of `loss`, with NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.mathematics import curve, log_sigmoid, norm, x_log_x

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def settle(np: Numpy, a: Arguments, losses: Array) -> Array:
    """The losses, their sum or their mean."""
    match a["reduction"]:
        case "none":
            return losses
        case "sum":
            return np.sum(losses)
        case _:
            return np.mean(losses)


def weighted(np: Numpy, a: Arguments, losses: Array) -> Array:
    """Losses times weights; the mean is over the sum of the weights."""
    weight = a.get("weight")
    if weight is None:
        return settle(np, a, losses)
    losses = np.multiply(losses, weight)
    return np.true_divide(np.sum(losses), np.sum(weight)) if a["reduction"] == "mean" else settle(np, a, losses)


def squared_error(np: Numpy, a: Arguments) -> Array:
    return weighted(np, a, np.square(np.subtract(a["x"], a["target"])))


def absolute_error(np: Numpy, a: Arguments) -> Array:
    return weighted(np, a, np.absolute(np.subtract(a["x"], a["target"])))


def huber(np: Numpy, a: Arguments) -> Array:
    delta = a["delta"]
    losses = curve(np, lambda d: np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), np.add(np.absolute(np.subtract(a["x"], a["target"])), 0.0))
    return settle(np, a, losses if a["weight"] is None else np.multiply(losses, a["weight"]))


def smooth_error(np: Numpy, a: Arguments) -> Array:
    beta, distance = a["beta"], np.absolute(np.subtract(a["x"], a["target"]))
    if beta == 0:
        return settle(np, a, distance)
    return settle(np, a, curve(np, lambda d: np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), distance))


def divergence(np: Numpy, a: Arguments) -> Array:
    x, target = a["x"], a["target"]
    if a["log_target"]:
        losses = np.multiply(np.exp(target), np.subtract(target, x))
    else:
        losses = np.subtract(x_log_x(np, target), np.multiply(target, x))
    if a["reduction"] == "batchmean":
        return np.true_divide(np.sum(losses), x.shape[0]) if x.shape else np.sum(losses)
    return settle(np, a, losses)


def poisson(np: Numpy, a: Arguments) -> Array:
    """With `full`, Stirling's approximation of the factorial of targets above 1 is added."""
    x, target = a["x"], a["target"]
    if a["log_input"]:
        losses = np.subtract(np.exp(x), np.multiply(target, x))
    else:
        losses = np.subtract(x, np.multiply(target, np.log(np.add(x, a["eps"]))))
    if a["full"]:
        above = np.maximum(target, 1.0)
        factorial = np.add(np.subtract(np.multiply(above, np.log(above)), above), np.multiply(0.5, np.log(np.multiply(2 * math.pi, above))))
        losses = np.add(losses, np.where(np.less_equal(target, 1), 0.0, factorial))
    return settle(np, a, losses)


def gaussian(np: Numpy, a: Arguments) -> Array:
    x, var = a["x"], a["var"]
    if len(var.shape) < len(x.shape):
        var = np.expand_dims(var, -1)
    var = np.maximum(var, a["eps"])
    losses = np.multiply(0.5, np.add(np.log(var), np.true_divide(np.square(np.subtract(x, a["target"])), var)))
    return settle(np, a, np.add(losses, 0.5 * math.log(2 * math.pi)) if a["full"] else losses)


def hinge(np: Numpy, a: Arguments) -> Array:
    """A target that is neither 1 nor -1 counts for both. Whole numbers are whole numbers apart from the margin."""
    x, target = a["x"], a["target"]
    apart = np.subtract(a["margin"], x)
    apart = apart.astype(np.int64) if x.dtype.kind == "i" else apart
    apart = np.where(np.not_equal(target, 1), np.maximum(apart, 0), 0)
    return settle(np, a, np.add(apart, np.where(np.not_equal(target, -1), x, 0)))


def soft_margin(np: Numpy, a: Arguments) -> Array:
    return settle(np, a, np.log1p(np.exp(np.negative(np.multiply(a["target"], a["x"])))))


def cross_entropy_of_two(np: Numpy, a: Arguments) -> Array:
    """Logarithms are kept above -100."""
    x, target = a["x"], a["target"]
    held, failed = np.maximum(np.log(x), -100.0), np.maximum(np.log1p(np.negative(x)), -100.0)
    losses = np.negative(np.add(np.multiply(target, held), np.multiply(np.subtract(1.0, target), failed)))
    return settle(np, a, losses if a["weight"] is None else np.multiply(losses, a["weight"]))


def cross_entropy_of_two_logits(np: Numpy, a: Arguments) -> Array:
    x, target = a["x"], a["target"]
    held = log_sigmoid(np, x)
    if a["pos_weight"] is not None:
        held = np.multiply(held, np.add(np.multiply(np.subtract(a["pos_weight"], 1.0), target), 1.0))
        losses = np.subtract(np.multiply(np.subtract(1.0, target), x), held)
    elif target.dtype.kind == "c":
        losses = np.subtract(np.multiply(np.subtract(1.0, target), x), held)
    else:  # the same with each x once: target · softplus(-x) + (1 - target) · softplus(x)
        losses = np.negative(np.add(np.multiply(target, held), np.multiply(np.subtract(1.0, target), log_sigmoid(np, np.negative(x)))))
    return settle(np, a, losses if a["weight"] is None else np.multiply(losses, a["weight"]))


def soft_margin_of_labels(np: Numpy, a: Arguments) -> Array:
    x, target = a["x"], a["target"]
    losses = np.add(np.multiply(target, log_sigmoid(np, x)), np.multiply(np.subtract(1, target), log_sigmoid(np, np.negative(x))))
    losses = np.negative(losses) if a["weight"] is None else np.multiply(np.negative(losses), a["weight"])
    at = len(x.shape) - 1
    return settle(np, a, np.true_divide(np.sum(losses, axis=at), x.shape[at]))


def cosine(np: Numpy, a: Arguments) -> Array:
    x, y, target = a["x"], a["y"], a["target"]
    sizes = np.multiply(np.add(np.sum(np.square(x), axis=-1), 1e-12), np.add(np.sum(np.square(y), axis=-1), 1e-12))
    angle = np.true_divide(np.sum(np.multiply(x, y), axis=-1), np.sqrt(sizes))
    if x.shape[-1] == y.shape[-1]:
        angle = np.clip(angle, -1.0, 1.0)
    alike = np.where(np.equal(target, 1), np.subtract(1.0, angle), 0.0)
    return settle(np, a, np.add(alike, np.where(np.equal(target, -1), np.maximum(np.subtract(angle, a["margin"]), 0.0), 0.0)))


def ranking(np: Numpy, a: Arguments) -> Array:
    return settle(np, a, np.maximum(np.subtract(a["margin"], np.multiply(a["target"], np.subtract(a["x"], a["y"]))), 0))


def triplet(np: Numpy, a: Arguments) -> Array:
    def distance(x: Any, y: Any) -> Any:
        return norm(np, np.add(np.subtract(x, y), a["eps"]), a["p"], axis=-1)

    far = distance(a["anchor"], a["negative"])
    if a["swap"]:
        far = np.minimum(far, distance(a["positive"], a["negative"]))
    near = distance(a["anchor"], a["positive"])
    return settle(np, a, np.maximum(np.add(np.subtract(near, far), a["margin"]), 0.0))

"""What the normalisations compute: the reference functions of `normalisation`, with NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, axes
from tensorproof.ops.mathematics import beside, in_type_of_results, label_of, norm

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def small(a: Arguments) -> float:
    """What is added where no eps is given: that of the element type in which a library computes."""
    return (2.0**-52 if label_of(a) == "float64" else 2.0**-23) if a["eps"] is None else a["eps"]


def standard(np: Numpy, x: Array, axis: tuple[int, ...], eps: float, unit: float, constant: bool = False) -> tuple[Array, Array, Array]:
    """x with mean 0 and variance 1 along axes, the mean, and what it was multiplied by. No element is further than sqrt(n - 1) from 0, but for rounding by
    `unit`: the products with x and with the mean may be rounded before one is taken off the other, and a variance that is gathered in one pass may miss
    an element that differs from the others in its last place. `constant`: with eps = 0, numbers that are all the same become 0 in some libraries."""
    mean = np.mean(x, axis=axis, keepdims=True)
    variance = np.add(np.var(x, axis=axis, keepdims=True), eps)
    factor = np.true_divide(1.0, np.sqrt(variance))
    if constant and not eps:
        factor = _of_spread(np, variance, factor)
    made = np.multiply(np.subtract(x, mean), factor)
    if eps:  # without it a variance that is too small for its type leaves nothing to divide by
        most = math.sqrt(max(0, math.prod(x.shape[i] for i in axis) - 1)) + 1e-9
        furthest = np.add(most, np.multiply(8 * unit, np.multiply(np.absolute(x), factor)))
        made = np.minimum(np.maximum(made, np.negative(furthest)), furthest)
    squares = np.sum(np.square(x), axis=axis, keepdims=True)
    return beside(np, made, squares), mean, beside(np, factor, squares)


def unit_of(a: Arguments) -> float:
    """Half a unit in the last place of 1 in the type that libraries normalise in: single precision at least."""
    return 2.0**-53 if label_of(a) == "float64" else 2.0**-24


def _of_spread(np: Numpy, variance: Array, factor: Array) -> Array:
    """The factor, which is not determined where there is no variance; it may be 0 then."""
    if hasattr(factor, "of"):
        return np.where(np.equal(variance, 0), factor.of("either", np.zeros(factor.shape)), factor)
    if np.any(variance == 0):
        raise Undefined("numbers that are all the same become 0 or nan")
    return factor


def has_spread(np: Numpy, a: Arguments, axis: tuple[int, ...]) -> Array:
    """Whether the variance along axes, with eps, is above 0: a variance is never below it."""
    if small(a) > 0:
        return np.ones((), bool)
    return np.greater(np.add(np.var(a["x"], axis=axis, keepdims=True), small(a)), 0.0)


def batch_has_spread(np: Numpy, a: Arguments) -> Array:
    """In training numbers that are all the same become 0; else the variance that is given counts."""
    if a["training"] or not a["x"].size:
        return np.ones((), bool)
    return np.greater(np.add(a["running_var"], a["eps"]).reshape(by_channel(a["x"])), 0.0)


def layer_has_spread(np: Numpy, a: Arguments) -> Array:
    rank, count = len(a["x"].shape), len(a["normalized_shape"])
    return has_spread(np, a, tuple(range(rank - count, rank)))


def layer_has_size(np: Numpy, a: Arguments) -> Array:
    """Whether the mean square along the last axes, with eps, is above 0."""
    if small(a) > 0:
        return np.ones((), bool)
    rank, count = len(a["x"].shape), len(a["normalized_shape"])
    squares = np.mean(np.square(a["x"]), axis=tuple(range(rank - count, rank)), keepdims=True)
    return np.greater(np.add(squares, small(a)), 0.0)


def scaled(np: Numpy, x: Array, weight: Array, bias: Array, shape: tuple[int, ...]) -> Array:
    """x times a weight plus a bias, which take this shape."""
    if weight is not None:
        x = np.multiply(x, weight.reshape(shape))
    return x if bias is None else np.add(x, bias.reshape(shape))


def by_channel(x: Any) -> tuple[int, ...]:
    """The shape of a vector that lies along the second axis."""
    return (-1,) + (1,) * (len(x.shape) - 2)


def by_statistics(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """x by statistics that are given, and what it was multiplied by."""
    shape = by_channel(a["x"])
    factor = np.true_divide(1.0, np.sqrt(np.add(a["running_var"].reshape(shape), a["eps"])))
    if not hasattr(factor, "of") and np.any(np.isinf(factor)):
        raise Undefined("a variance of 0 leaves nothing to divide by")
    mean = a["running_mean"].reshape(shape)
    made = np.multiply(np.subtract(a["x"], mean), factor)
    if hasattr(made, "of"):  # libraries subtract the mean after it was multiplied, in single precision at least
        error = np.multiply(np.absolute(np.multiply(mean, factor)), 2.0**-48 if label_of(a) == "float64" else 2.0**-20)
        made = np.subtract(made, error).of("either", np.add(made, error))
    return beside(np, beside(np, made, np.multiply(a["x"], factor)), factor), factor


def native_batch_norm(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    x = a["x"]
    if not x.size:
        return x, np.zeros(x.shape[1:2] if a["training"] else 0), np.zeros(x.shape[1:2] if a["training"] else 0)
    if a["training"]:
        made, mean, factor = standard(np, x, (0, *range(2, len(x.shape))), a["eps"], unit_of(a), True)
        mean, factor = mean.reshape(-1), factor.reshape(-1)
        made = _before_scaling(np, made, mean, factor, a)
    else:
        made, factor = by_statistics(np, a)
        made = _before_scaling(np, made, a["running_mean"], factor.reshape(-1), a)
        mean = factor = np.zeros(0)
    return scaled(np, made, a["weight"], a["bias"], by_channel(x)), mean, factor


def _before_scaling(np: Numpy, made: Array, mean: Array, factor: Array, a: Arguments) -> Array:
    """What is made, unless the factor times the weight of its channel, or either times x or the mean, overflows: libraries multiply those first."""
    if a["weight"] is None:
        return made
    both, shape = np.multiply(a["weight"].reshape(-1), factor), by_channel(made)
    return beside(np, beside(np, made, np.multiply(a["x"], both.reshape(shape))), np.multiply(mean.reshape(-1), both).reshape(shape))


def batch_norm(np: Numpy, a: Arguments) -> Array:
    return native_batch_norm(np, a)[0]


def instance_norm(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    if not x.size:
        return x
    if not a["use_input_stats"]:
        return scaled(np, by_statistics(np, a)[0], a["weight"], a["bias"], by_channel(x))
    made, mean, factor = standard(np, x, tuple(range(2, len(x.shape))), a["eps"], unit_of(a), True)
    if a["weight"] is not None:  # libraries multiply the factor with the weight, and x and the mean with both
        both = np.multiply(factor, a["weight"].reshape(by_channel(x)))
        made = beside(np, beside(np, made, np.multiply(x, both)), np.multiply(mean, both))
    return scaled(np, made, a["weight"], a["bias"], by_channel(x))


def grouped(np: Numpy, a: Arguments, batch: int, channels: int) -> tuple[Array, Array, Array]:
    x = a["x"]
    made, mean, factor = standard(np, x.reshape((batch, a["groups"], x.size // max(1, batch * a["groups"]))), (2,), a["eps"], unit_of(a))
    made = made.reshape((batch, channels, x.size // max(1, batch * channels)))
    if a["weight"] is not None:
        product = np.multiply(a["weight"].reshape((a["groups"], channels // a["groups"])), factor)
        made = beside(np, made, product.reshape((batch, channels, 1)))
    made = scaled(np, made, a["weight"], a["bias"], (-1, 1))
    return made.reshape(x.shape), mean.reshape((batch, a["groups"])), factor.reshape((batch, a["groups"]))


def group_norm(np: Numpy, a: Arguments) -> Array:
    return grouped(np, a, *a["x"].shape[:2])[0] if a["x"].size else a["x"]


def native_layer_norm(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    x, shape = a["x"], tuple(a["normalized_shape"])
    last = tuple(range(len(x.shape) - len(shape), len(x.shape)))
    made, mean, factor = standard(np, x, last, small(a), unit_of(a))
    if a["weight"] is not None:
        made = beside(np, made, np.multiply(a["weight"].reshape(shape), factor))
    return scaled(np, made, a["weight"], a["bias"], shape), mean, factor


def layer_norm(np: Numpy, a: Arguments) -> Array:
    return native_layer_norm(np, a)[0]


def fused_rms_norm(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """x by the root of the mean of its squares: no element is further than sqrt(n) from 0."""
    x = a["x"]
    count = min(len(a["normalized_shape"]) or len(x.shape), len(x.shape))
    last = tuple(range(len(x.shape) - count, len(x.shape)))
    mean = np.mean(np.square(x), axis=last, keepdims=True)
    eps = small(a)
    factor = np.true_divide(1.0, np.sqrt(np.add(mean, eps)))
    made = np.multiply(x, factor)
    if eps and x.dtype.kind != "c":
        most = math.sqrt(math.prod(x.shape[i] for i in last)) + 1e-9
        made = np.clip(made, -most, most)
    return (made if a["weight"] is None else np.multiply(made, a["weight"])), factor


def rms_norm(np: Numpy, a: Arguments) -> Array:
    return fused_rms_norm(np, a)[0]


def local_response_norm(np: Numpy, a: Arguments) -> Array:
    """x by a power of the mean of squares of neighbouring channels; those beyond the ends are 0. Whole numbers have a whole mean."""
    x, size = a["x"], a["size"]
    if not x.size:
        return x
    rest = ((0, 0),) * (len(x.shape) - 2)
    before = (size - 1) // 2 if a["odd_behind"] else size // 2
    squares = np.pad(np.square(x), ((0, 0), (before, size - 1 - before), *rest))
    total = sum((squares[:, i : i + x.shape[1]] for i in range(1, size)), squares[:, : x.shape[1]])
    mean = np.floor_divide(total, size) if x.dtype.kind == "i" else np.true_divide(total, size)
    return np.true_divide(x, np.power(np.add(np.multiply(mean, float(a["alpha"])), a["k"]), float(a["beta"])))


def normalize(np: Numpy, a: Arguments) -> Array:
    """x by its norm: no element is further than 1 from 0."""
    x = a["x"]
    made = np.true_divide(x, _length(np, a))
    made = made if x.dtype.kind == "c" or a["p"] <= 0 else np.clip(made, -1.0, 1.0)
    if not a["by_squares"] or not hasattr(made, "of"):
        return made
    return beside(np, made, np.true_divide(1.0, np.sum(np.square(x), axis=axes(a), keepdims=True) if x.shape else np.square(x))) if not _least(np, a) else made


def _least(np: Numpy, a: Arguments) -> float:
    """What the norm is at least taken for, as a library holds it."""
    eps = in_type_of_results(np, a, a["eps"])
    return math.sqrt(eps) if a["by_squares"] else eps


def _length(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    size = norm(np, x, a["p"], axes(a), True) if x.shape else np.absolute(x) if a["p"] else np.not_equal(x, 0)
    return np.maximum(size if x.shape or a["p"] != 2 else np.sqrt(np.square(x)), _least(np, a))


def has_length(np: Numpy, a: Arguments) -> Array:
    """Whether there is something to divide by."""
    return np.greater(_length(np, a), 0.0)


def others(x: Any, dim: int) -> tuple[int, ...]:
    return tuple(i for i in range(len(x.shape)) if i != dim % len(x.shape))


def weight_norm(np: Numpy, a: Arguments) -> Array:
    x, magnitude = a["x"], a["magnitude"]
    ends = a["dim"] in (0, len(x.shape) - 1)
    if ends and magnitude.shape != tuple(n if i == a["dim"] else 1 for i, n in enumerate(x.shape)):
        raise Undefined  # torch looks at no shape here, and reads what lies in memory
    return np.multiply(x, np.true_divide(magnitude, norm(np, x, 2, others(x, a["dim"]), True)))


def norm_except_dim(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    return norm(np, x, a["pow"], None) if a["dim"] == -1 else norm(np, x, a["pow"], others(x, a["dim"]), True)


def renorm(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    size = norm(np, x, a["p"], others(x, a["dim"]), True)
    return np.multiply(x, np.where(np.greater(size, a["most"]), np.true_divide(a["most"], np.add(size, 1e-7)), 1.0))

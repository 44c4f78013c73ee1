"""Functions that NumPy has not, and that several reference functions need: curves, shares of a total, norms. They take bounds as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy, Operand


def label_of(a: Arguments) -> str:
    """The name of the element type of the first result."""
    return a["results"][0].label if a["results"] and a["results"][0] is not None else ""


def in_type_of_results(np: Numpy, a: Arguments, number: float) -> float:
    """A number that a library holds in the element type of the results: what is too small for half precision is 0."""
    return float(np.float16(number)) if label_of(a) == "float16" else number


def beside(np: Numpy, made: Array, other: Operand) -> Array:
    """What is made, unless `other`, which libraries compute on their way, overflows: it may be anything then."""
    return made.of("beside", other) if hasattr(made, "of") else np.add(made, np.multiply(0.0, other))


def curve(
    np: Numpy, function: Callable[[Array], Array], x: Array, turns: Sequence[float] = (), lo: float = -math.inf, hi: float = math.inf, least: float = 0.0
) -> Array:
    """A function of arrays, element by element, that is monotone between its turning points; bounds outside of [lo, hi] are left open. It is a sum of
    numbers of the size `least` at least, so that its error is as large as theirs where they cancel."""
    return x.of("pieces", function, turns, lo, hi, least) if hasattr(x, "of") else function(x)


def mathematical(np: Numpy, function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python's numbers as one of arrays. Where it is not defined, it gives nan; where it overflows, inf."""

    def value(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return np.vectorize(value, otypes=[np.float64])


def softmax(np: Numpy, x: Array, axis: int) -> Array:
    """Exponentials over their sum along an axis."""
    if hasattr(x, "of"):
        return x.of("softmax", axis)
    if not x.size:
        return x
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(np: Numpy, x: Array, axis: int) -> Array:
    """The logarithm of softmax."""
    if hasattr(x, "of"):
        return x.of("log_softmax", axis)
    if not x.size:
        return x
    below = x - np.max(x, axis=axis, keepdims=True)
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=True))


def sigmoid(np: Numpy, x: Array) -> Array:
    """The logistic function."""
    return np.true_divide(1.0, np.add(1.0, np.exp(np.negative(x))))


def log_sigmoid(np: Numpy, x: Array) -> Array:
    return np.negative(np.logaddexp(0.0, np.negative(x)))


def x_log_x(np: Numpy, x: Array) -> Array:
    """x log x, which is 0 at 0."""
    return curve(np, lambda v: np.where(v == 0, 0.0, np.multiply(v, np.log(np.where(v == 0, 1.0, v)))), x, (math.exp(-1),), 0.0)


def norm(np: Numpy, x: Array, p: float, axis: Any, keepdims: bool = False) -> Array:
    """The p-norm of vectors along axes."""
    size = np.absolute(x)
    if math.isinf(p):
        return (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdims)
    if p == 0:
        return np.sum(np.not_equal(size, 0), axis=axis, keepdims=keepdims)
    if p == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    if p == 2:
        return np.sqrt(np.sum(np.square(size), axis=axis, keepdims=keepdims))
    return np.power(np.sum(np.power(size, float(p)), axis=axis, keepdims=keepdims), 1.0 / p)


def either(np: Numpy, x: Array, y: Array) -> Array:
    """A random choice between x and y, or of what lies between: bounds hold both, and a value is not defined."""
    if hasattr(x, "of"):
        return x.of("either", y)
    raise Undefined

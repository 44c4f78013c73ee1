"""Reference functions of pairs that are defined where the plain quotient or product is not, and of neighbours among the numbers of an element type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined
from tensorproof.ops.mathematics import label_of

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _quotient(np: Numpy, x: Array, y: Array) -> Array:
    """x / y, where 0 / 0 does not matter."""
    return y.of("defined_quotient", x) if hasattr(y, "of") else np.true_divide(x, y)


def _product(np: Numpy, x: Array, y: Array) -> Array:
    """x · y, where an infinite number times 0 does not matter."""
    return y.of("defined_product", x) if hasattr(y, "of") else np.multiply(x, y)


def div_no_nan(np: Numpy, a: Arguments) -> Array:
    return np.where(np.equal(a["y"], 0), 0, _quotient(np, a["x"], a["y"]))


def xdivy(np: Numpy, a: Arguments) -> Array:
    return np.where(np.equal(a["x"], 0), 0, _quotient(np, a["x"], a["y"]))


def mul_no_nan(np: Numpy, a: Arguments) -> Array:
    return np.where(np.equal(a["y"], 0), 0, _product(np, a["x"], a["y"]))


def log_of_sum(np: Numpy, a: Arguments) -> Array:
    """log(exp(x) + exp(y))."""
    x, y = a["x"], a["y"]
    if "c" not in (x.dtype.kind, y.dtype.kind):
        return np.logaddexp(x, y)
    return np.log(np.add(np.exp(x), np.exp(y)))


def floor_of_rounded(np: Numpy, a: Arguments) -> Array:
    """The floor of x / y as a number of the element type, which rounding may have lifted to a whole number, or lowered."""
    quotient, label = np.true_divide(a["x"], a["y"]), label_of(a)
    if hasattr(quotient, "of"):
        slack = np.multiply(np.absolute(quotient), _STEPS.get(label, _STEPS["float32"])[0])
        return np.floor(np.subtract(quotient, slack)).of("either", np.floor(np.add(quotient, slack)))
    return np.floor(quotient.astype(label) if label in ("float16", "float32") else quotient)


_STEPS = {"float16": (2.0**-10, 2.0**-24), "bfloat16": (2.0**-7, 2.0**-133), "float32": (2.0**-23, 2.0**-149), "float64": (2.0**-52, 2.0**-1074)}
"""By element type: the step of a number as a part of it, at most, and the least step."""


def neighbour(np: Numpy, a: Arguments) -> Array:
    """The next number of the element type after x, towards y."""
    x, y, label = a["x"], a["y"], label_of(a)
    if hasattr(x, "of") or hasattr(y, "of"):
        part, least = _STEPS[label]
        step = np.add(np.multiply(np.absolute(x), part), least)
        towards = np.where(np.less(x, y), np.add(x, step), np.where(np.greater(x, y), np.subtract(x, step), x))
        return np.where(np.isnan(y), y, towards)
    if label == "bfloat16":
        return _neighbour_of_upper_half(np, x, y)
    return np.nextafter(x.astype(label), y.astype(label))


def _neighbour_of_upper_half(np: Numpy, x: Array, y: Array) -> Array:
    """Of numbers that are the upper half of a float32: their bits, read as whole numbers with a sign, are in the same order."""
    x, y = np.broadcast_arrays(x, y)
    bits = np.atleast_1d(x).astype(np.float32).view(np.uint32).astype(np.int64) >> 16
    at = np.where(bits & 0x8000, -(bits & 0x7FFF), bits) + np.sign(y - x).astype(np.int64)
    moved = np.where(at < 0, -at | 0x8000, at).astype(np.uint32) << np.uint32(16)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x == y, y, moved.view(np.float32).reshape(x.shape)))


def interpolation(np: Numpy, a: Arguments) -> Array:
    """Between x and y by a weight, from the end that is nearer."""
    x, y, weight = a["x"], a["y"], a["weight"]
    apart = np.subtract(y, x)
    near = np.add(x, np.multiply(weight, apart))
    return np.where(np.less(np.absolute(weight), 0.5), near, np.subtract(y, np.multiply(apart, np.subtract(1.0, weight))))


def scaled_by_power(np: Numpy, a: Arguments) -> Array:
    """x · 2 to the y."""
    y = a["y"]
    if y.dtype.kind in "iu" and any(np.any((end < -(2**31)) | (end >= 2**31)) for end in ((y.lo, y.hi) if hasattr(y, "lo") else (y,))):
        raise Undefined("libraries differ in what they make of an exponent of more than 32 bits")
    return np.multiply(a["x"], np.power(2.0, y))

"""Reference functions of quantised arithmetic as ONNX has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.frameworks.formulas.onnx_windows import convolution
from tensorproof.ops.evaluation import Arguments, Undefined, changed

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _spread(np: Numpy, value: Any, a: Arguments) -> Array:
    """A number for all, for each position of an axis, or for each block along it, as x needs it."""
    x, dim, block = a["x"], a["dim"], a["block"]
    if value.size == 1:
        return np.reshape(value, ())
    dim = dim % x.ndim
    if block:
        return np.take(np.repeat(value, block, axis=dim), np.arange(x.shape[dim]), axis=dim)
    return np.reshape(value, [-1 if i == dim else 1 for i in range(x.ndim)])


def dequantised(np: Numpy, a: Arguments) -> Array:
    shifted = a["x"] if a["zero_point"] is None else np.subtract(a["x"], _spread(np, a["zero_point"], a))
    return np.multiply(shifted, _spread(np, a["scale"], a))


def dynamic(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    x = a["x"]
    low, high = np.minimum(np.min(x), 0.0), np.maximum(np.max(x), 0.0)
    scale = np.divide(np.subtract(high, low), 255.0)
    scale = np.where(scale == 0, 1.0, scale)
    zero, steps = np.clip(np.divide(np.negative(low), scale), 0, 255), np.divide(x, scale)
    for one in (zero, steps):
        if not hasattr(one, "of") and np.any(np.absolute(np.subtract(np.absolute(np.subtract(one, np.rint(one))), 0.5)) < 1e-4):
            raise Undefined("a number halfway between two steps falls to either, as it is rounded")
    point = np.rint(zero)
    return np.clip(np.add(np.rint(steps), point), 0, 255), scale, point


def _rows(np: Numpy, value: Array | None, axes: int) -> Array | int:
    """One number, or one for each row or channel, which stands before `axes` axes."""
    if value is None:
        return 0
    return np.reshape(value, ()) if value.size == 1 else np.reshape(value, (-1, *[1] * axes)) if value.ndim == 1 else value


def integer_product(np: Numpy, a: Arguments) -> Array:
    x = np.subtract(a["x"], _rows(np, a["x_zero_point"], 1))
    return np.matmul(x, np.subtract(a["y"], _rows(np, a["y_zero_point"], 0)))


def integer_convolution(np: Numpy, a: Arguments) -> Array:
    x, weight = np.subtract(a["x"], _rows(np, a["x_zero_point"], 0)), a["weight"]
    return convolution(np, changed(a, x=x, weight=np.subtract(weight, _rows(np, a["weight_zero_point"], weight.ndim - 1))))


def _quantised_again(np: Numpy, a: Arguments, real: Array, point: Array | int) -> Array:
    """Rounded, moved by the zero point and kept within the element type of the result."""
    dtype = a["results"][0]
    if dtype is None or dtype.kind not in "iu":
        raise Undefined  # real numbers of eight bits or fewer have roundings of their own
    low, high = (-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1) if dtype.kind == "i" else (0, (1 << dtype.bits) - 1)
    bounds = hasattr(real, "of")
    if not all(np.all(np.abs(end) < 2.0**31) for end in ((real.lo, real.hi) if bounds else (real,))):
        if not bounds:
            raise Undefined("what a number beyond 32 bits becomes as a whole one")
        return real.of("span", real.shape, low, high, False, True)
    return np.clip(np.add(np.rint(real), point), low, high)


def _no_half(np: Numpy, real: Array) -> Array:
    """Numbers to be rounded: to which side one goes that lies in the middle depends on how the scales were rounded."""
    if not hasattr(real, "of") and np.any(np.abs(np.abs(real - np.floor(real)) - 0.5) < 1e-5):
        raise Undefined
    return real


def quantised(np: Numpy, a: Arguments) -> Array:
    point = 0 if a["zero_point"] is None else _spread(np, a["zero_point"], a)
    real = np.divide(a["x"], _spread(np, a["scale"], a))
    made = _quantised_again(np, a, real, point)
    if not hasattr(real, "of"):
        error = np.where(np.abs(real - np.floor(real)) == 0.5, 0.0, _step(a) * np.abs(real))
        if np.any(_quantised_again(np, a, real - error, point) != _quantised_again(np, a, real + error, point)):
            raise Undefined("in the middle between two numbers once the quotient is rounded")
    return made


def _step(a: Arguments) -> float:
    """The step of the coarsest real type among numbers and scales."""
    return max([t.dtype.step for t in (a["tensors"]["x"], a["tensors"]["scale"]) if t.dtype is not None and t.dtype.kind == "f"], default=0.0)


def quantised_product(np: Numpy, a: Arguments) -> Array:
    if "f" in (a["x"].dtype.kind, a["y"].dtype.kind):
        raise Undefined  # the reference implementation of ONNX cuts real operands to whole numbers
    scales = np.multiply(_rows(np, a["x_scale"], 1), _rows(np, a["y_scale"], 0))
    real = np.divide(np.multiply(integer_product(np, a), scales), np.reshape(a["scale"], ()))
    return _quantised_again(np, a, _no_half(np, real), np.reshape(a["zero_point"], ()))


def quantised_convolution(np: Numpy, a: Arguments) -> Array:
    axes = a["weight"].ndim - 2
    made = integer_convolution(np, changed(a, bias=None))
    made = made if a["bias"] is None else np.add(made, np.reshape(a["bias"], (-1, *[1] * axes)))
    scales = np.multiply(np.reshape(a["x_scale"], ()), _rows(np, a["weight_scale"], axes))
    real = np.multiply(made, np.divide(scales, np.reshape(a["scale"], ())))
    return _quantised_again(np, a, _no_half(np, real), np.reshape(a["zero_point"], ()))

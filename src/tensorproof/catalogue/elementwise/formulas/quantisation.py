"""What quantisation computes: the reference functions of `quantisation`, with NumPy. A quantised tensor is the whole numbers that it stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined
from tensorproof.ops.mathematics import label_of

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

RANGES = {"qint8": (-128, 127), "quint8": (0, 255), "qint32": (-(2**31), 2**31 - 1)}


def along(a: Arguments, values: Any) -> Any:
    """One number for each slice along the axis."""
    return values.reshape((-1,) + (1,) * (len(a["x"].shape) - 1 - a["dim"]))


def _whole(zero: Array | int) -> bool:
    """Whether a zero point is a whole number: another is added before rounding."""
    return isinstance(zero, int) or zero.dtype.kind in "bi"


def stored(np: Numpy, x: Array, scale: Array, zero: Array | int, low: float, high: float) -> Array:
    steps = np.true_divide(x, scale)
    return np.clip(np.add(np.rint(steps), zero) if _whole(zero) else np.rint(np.add(steps, zero)), low, high)


def steps_of(a: Arguments) -> tuple[Any, Any]:
    """Scale and zero point, as numbers or as tensors of one element."""
    if a["step"] is None or a["zero"] is None:
        return a["scale"], a["zero_point"]
    return a["step"].reshape(()), a["zero"].reshape(())


def decided(np: Numpy, steps: Array) -> Array:
    """Numbers to be rounded, none of which lies in the middle between two: kernels divide by a scale, or multiply by its rounded reciprocal."""
    if not hasattr(steps, "of") and np.any(np.abs(steps - np.floor(steps) - 0.5) < 1e-5 * np.maximum(1.0, np.abs(steps))):
        raise Undefined("a number in the middle")
    return steps


def _kept(np: Numpy, a: Arguments, scale: Array, zero: Array | int) -> Array:
    """Of a number in the middle between two, or beyond 32 bits, each kernel makes its own."""
    steps = np.true_divide(a["x"], scale)
    if np.any(np.add(_most(np.absolute(steps)), _most(np.absolute(zero))) >= 2.0**31):
        raise Undefined("a number beyond 32 bits")
    decided(np, steps if _whole(zero) else np.add(steps, zero))
    return stored(np, a["x"], scale, zero, *RANGES[label_of(a)])


def per_tensor(np: Numpy, a: Arguments) -> Array:
    """A zero point that is given as a real number loses its fraction."""
    scale, zero = steps_of(a)
    return _kept(np, a, scale, zero if isinstance(zero, int) else np.trunc(zero))


def per_channel(np: Numpy, a: Arguments) -> Array:
    return _kept(np, a, along(a, a["scale"]), along(a, a["zero_point"]))


def dynamic(np: Numpy, a: Arguments) -> Array:
    """With the scale and zero point that the range of x asks for."""
    x = a["x"]
    low, high = RANGES[label_of(a)]
    if a["reduce_range"]:
        low, high = low // 2, high // 2
    if hasattr(x, "of"):
        return x.of("span", x.shape, low, high, False, True)
    least, most = (np.minimum(np.min(x), 0.0), np.maximum(np.max(x), 0.0)) if x.size else (np.zeros(()), np.zeros(()))
    scale = np.true_divide(np.subtract(most, least), high - low)
    if scale == 0:
        scale = np.asarray(0.1)
    below, above = np.subtract(low, np.true_divide(least, scale)), np.subtract(high, np.true_divide(most, scale))
    zero = below if abs(low) + np.absolute(least / scale) < abs(high) + np.absolute(most / scale) else above
    if x.size and np.any(np.abs(np.mod(np.true_divide(x, scale), 1.0) - 0.5) < 1e-3):
        raise Undefined("halfway between two numbers, as the scale is rounded")
    return stored(np, x, scale, np.rint(np.clip(zero, low, high)), low, high)


def restored(np: Numpy, a: Arguments) -> Array:
    if a["x"].dtype.kind != "f":
        raise Undefined  # the scale is with the tensor, and not among the arguments
    return a["x"]


def _faked(np: Numpy, a: Arguments, scale: Array, zero: Array | int) -> Array:
    steps = np.clip(np.true_divide(a["x"], scale), a["low"] - zero - 1, a["high"] - zero + 1)  # beyond these, all are alike
    decided(np, steps if _whole(zero) else np.add(steps, zero))
    made = np.multiply(np.subtract(stored(np, a["x"], scale, zero, a["low"], a["high"]), zero), scale)
    if not hasattr(made, "of"):
        return made
    far = np.greater(np.absolute(np.true_divide(a["x"], scale)), 2.0**30)  # steps that are not whole numbers of the machine fall to the least
    return np.where(far, made.of("either", np.multiply(np.subtract(a["low"], zero), scale)), made)


def fake(np: Numpy, a: Arguments) -> Array:
    return _faked(np, a, *steps_of(a))


def fake_per_channel(np: Numpy, a: Arguments) -> Array:
    return _faked(np, a, along(a, a["scale"]), along(a, a["zero_point"]))


def _least(value: Any) -> Any:
    return value.lo if hasattr(value, "of") else value


def _most(value: object) -> Any:
    return value.hi if hasattr(value, "hi") else value


def nudged(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    """The range moved so that 0 is one of its values, and the step between them."""
    if np.any(_most(a["low"]) >= _least(a["high"])):
        raise Undefined("a range without numbers")
    first, last = (1 if a["narrow"] else 0), 2 ** a["bits"] - 1
    scale = np.true_divide(np.subtract(a["high"], a["low"]), last - first)
    zero = np.clip(np.floor(np.add(np.subtract(first, np.true_divide(a["low"], scale)), 0.5)), first, last)
    return np.multiply(np.subtract(first, zero), scale), np.multiply(np.subtract(last, zero), scale), scale


def fake_range(np: Numpy, a: Arguments) -> Array:
    low, high, scale = nudged(np, a)
    steps = decided(np, np.true_divide(np.subtract(np.clip(a["x"], low, high), low), scale))
    return np.add(np.multiply(np.floor(np.add(steps, 0.5)), scale), low)


def fake_range_gradient(np: Numpy, a: Arguments) -> Array:
    low, high, _ = nudged(np, a)
    return np.where(np.logical_and(np.greater_equal(a["y"], low), np.less_equal(a["y"], high)), a["x"], 0.0)


def there_and_back(np: Numpy, a: Arguments) -> Array:
    x, axis = a["x"], a["axis"]
    least = -(2 ** (a["bits"] - 1)) + bool(a["narrow"]) if a["signed_input"] else 0
    most = 2 ** (a["bits"] - 1) - 1 if a["signed_input"] else 2 ** a["bits"] - 1
    others = None if axis in (None, -1) else tuple(i for i in range(len(x.shape)) if i != axis)
    if a["range_given"]:
        low, high = a["low"], a["high"]
        if others is not None:
            low, high = (v.reshape((-1,) + (1,) * (len(x.shape) - 1 - axis)) for v in (low, high))
    else:
        low, high = np.min(x, axis=others, keepdims=True), np.max(x, axis=others, keepdims=True)
    never = np.finfo(np.float32).max
    by_low = np.where(np.greater(np.multiply(least, low), 0), np.true_divide(least, low), never)
    by_high = np.where(np.greater(np.multiply(most, high), 0), np.true_divide(most, high), never)
    scale = np.minimum(by_low, by_high)
    if np.any(_most(scale) >= never):
        raise Undefined("no number but 0 fits")
    kept = np.clip(x, np.true_divide(least, scale), np.true_divide(most, scale)) if a["range_given"] else x
    steps = decided(np, np.multiply(kept, scale))
    whole = np.rint(steps) if a["round_mode"] == "HALF_TO_EVEN" else np.floor(np.add(steps, 0.5))
    return np.true_divide(np.minimum(whole, most) if a["range_given"] else whole, scale)

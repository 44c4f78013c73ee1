"""Reference functions of spectra as ONNX has them: real and imaginary parts stand in the last axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, ByRounding, Undefined, Undetermined, around, plain, points

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def number(np: Numpy, value: Array | int) -> int:
    """A whole number that may stand in a tensor."""
    return value if isinstance(value, int) else int(plain(np, value))


def _length(np: Numpy, a: Arguments) -> int | None:
    return None if a["length"] is None else number(np, a["length"])


_LONGEST = 256
"""The length of signals up to which bounds are computed by matrices."""


def _angles(np: Numpy, rows: int, columns: int, length: int) -> tuple[Array, Array]:
    """Cosines and sines of the angles between places of a signal and of its spectrum."""
    if length > _LONGEST:
        raise Undetermined
    turns = np.multiply(np.reshape(np.arange(rows), (-1, 1)), np.arange(columns)) % max(length, 1)
    angle = 2 * np.pi * turns / max(length, 1)
    return np.round(np.cos(angle), 15), np.round(np.sin(angle), 15)


def _taken(np: Numpy, x: Array, axis: int, count: int) -> Array:
    """The first elements of an axis, with zeros behind them where there are fewer."""
    x = x[(slice(None),) * axis + (slice(0, count),)]
    return np.pad(x, [(0, count - n if i == axis else 0) for i, n in enumerate(x.shape)])


def _along(np: Numpy, x: Array, weights: Array, axis: int) -> Array:
    return np.moveaxis(np.tensordot(x, weights, ((axis,), (0,))), -1, axis)


def _spectrum(np: Numpy, a: Arguments, x: Array, axis: int, inverse: bool, count: int) -> Array:
    """Real and imaginary parts of the first `count` places of a transform along an axis; those of x stand in its last axis."""
    length = x.shape[axis]
    if not hasattr(x, "of"):
        values = x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1]
        made = (np.fft.ifft if inverse else np.fft.fft)(values, axis=axis)[(slice(None),) * axis + (slice(0, count),)]
        return np.stack([np.real(made), np.imag(made)], -1)
    cosines, sines = _angles(np, length, count, length)
    sines = -sines if inverse else sines
    real = x[..., 0]
    parts = [_along(np, real, cosines, axis), np.negative(_along(np, real, sines, axis))]
    if x.shape[-1] > 1:
        other = x[..., 1]
        parts = [np.add(parts[0], _along(np, other, sines, axis)), np.add(parts[1], _along(np, other, cosines, axis))]
    step = a["results"][0].step if a["results"][0] is not None else 2.0**-23
    error = 8 * step * np.sum(np.absolute(x), axis=(axis, x.ndim - 1), keepdims=True).hi  # parts that cancel leave their rounding
    made = np.stack(parts, -1)
    made = np.add(made, around(np, x, np.zeros(made.shape), np.broadcast_to(error, made.shape)))
    return np.divide(made, length) if inverse and length else made


def _signal(np: Numpy, x: Array, axis: int, length: int) -> Array:
    """The real signal whose spectrum this is the first half of."""
    if not hasattr(x, "of"):
        return np.fft.irfft(x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1], length, axis=axis)
    x = _taken(np, x, axis, length // 2 + 1)
    half = x.shape[axis]
    twice = np.where((np.arange(half) == 0) | (2 * np.arange(half) == length), 1.0, 2.0).reshape((-1, 1))
    cosines, sines = (twice * part for part in _angles(np, half, length, length))
    made = _along(np, x[..., 0], cosines, axis)
    return np.divide(made if x.shape[-1] == 1 else np.subtract(made, _along(np, x[..., 1], sines, axis)), max(length, 1))


def transform(np: Numpy, a: Arguments) -> Array:
    x, dim, length = a["x"], number(np, a["dim"]), _length(np, a)
    axis = dim % x.ndim
    if a["onesided"] and a["inverse"]:
        return np.expand_dims(_signal(np, x, axis, 2 * (x.shape[axis] - 1) if length is None else length), -1)
    x = x if length is None else _taken(np, x, axis, length)
    return _spectrum(np, a, x, axis, bool(a["inverse"]), x.shape[axis] // 2 + 1 if a["onesided"] else x.shape[axis])


def short_time(np: Numpy, a: Arguments) -> Array:
    x, window, step, length = a["x"], a["window"], number(np, a["step"]), _length(np, a)
    if length is None:
        length = window.shape[0] if window is not None else x.shape[1]
    frames = np.stack([x[:, i : i + length] for i in range(0, x.shape[1] - length + 1, step)], 1)
    frames = frames if window is None else np.multiply(frames, np.reshape(window, (-1, 1)))
    return _spectrum(np, a, frames, 2, False, length // 2 + 1 if a["onesided"] else length)


def mel_bands(np: Numpy, a: Arguments) -> Array:
    """Triangles between points that lie evenly on the mel scale, over the bins of a spectrum."""
    bins, length, rate = (number(np, a[name]) for name in ("bins", "length", "rate"))
    rough = any(tensor.dtype is not None and tensor.dtype.bits < 32 for tensor in (a["tensors"]["low"], a["tensors"]["high"]))
    if not 0 <= points(np, a["low"]) <= points(np, a["high"]):
        raise Undefined
    if rough:
        raise ByRounding("in which bin a mark of half precision lies")
    low, high = (2595 * np.log10(1 + points(np, a[name]) / 700) for name in ("low", "high"))
    marks = low + np.arange(bins + 2) * ((high - low) / (bins + 2))
    at = ((length + 1) * (700 * (10 ** (marks / 2595) - 1)) // rate).astype(np.int64)
    made = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        first, middle, last = at[i : i + 3]
        if middle == first:
            made[middle, i] = 1
        else:
            made[np.arange(first, middle + 1), i] = (np.arange(first, middle + 1) - first) / (middle - first)
        if last > middle:
            made[np.arange(middle, last), i] = (last - np.arange(middle, last)) / (last - middle)
    return made


_COSINES = {"hann": (0.5, -0.5, 0.0), "hamming": (25 / 46, -21 / 46, 0.0), "blackman": (0.42, -0.5, 0.08)}


def window(np: Numpy, a: Arguments) -> Array:
    size = number(np, a["size"])
    span = size if a["periodic"] else size - 1
    angle = 2 * np.pi * np.divide(np.arange(size), span)
    p, q, r = _COSINES[a["kind"]]
    return q * np.cos(angle) + r * np.cos(2 * angle) + p

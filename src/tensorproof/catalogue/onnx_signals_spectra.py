"""Reference functions of spectra as ONNX has them: real and imaginary parts stand in the last axis."""

from __future__ import annotations

from typing import Any

from tensorproof.ops.evaluation import Arguments, Undefined, plain, points


def number(np: Any, value: Any) -> Any:
    """A whole number that may stand in a tensor."""
    return int(plain(np, value)) if hasattr(value, "shape") else value


def complex_of(np: Any, x: Any) -> Any:
    return x[..., 0] if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1]


def parts_of(np: Any, x: Any) -> Any:
    return np.stack([np.real(x), np.imag(x)], -1)


def transform(np: Any, a: Arguments) -> Any:
    x, dim, length = a["x"], number(np, a["dim"]), number(np, a["length"])
    axis = dim % x.ndim
    values = complex_of(np, x)
    if a["onesided"] and a["inverse"]:
        return np.expand_dims(np.fft.irfft(values, length, axis=axis), -1)
    made = np.fft.ifft(values, length, axis=axis) if a["inverse"] else np.fft.fft(values, length, axis=axis)
    if a["onesided"]:
        made = np.take(made, np.arange(made.shape[axis] // 2 + 1), axis=axis)
    return parts_of(np, made)


def short_time(np: Any, a: Arguments) -> Any:
    x, window, step, length = a["x"], a["window"], number(np, a["step"]), number(np, a["length"])
    if length is None:
        length = window.shape[0] if window is not None else x.shape[1]
    values = complex_of(np, x)
    frames = np.stack([values[:, i : i + length] for i in range(0, x.shape[1] - length + 1, step)], 1)
    made = np.fft.fft(frames if window is None else frames * window, axis=-1)
    return parts_of(np, made[..., : length // 2 + 1] if a["onesided"] else made)


def mel_bands(np: Any, a: Arguments) -> Any:
    """Triangles between points that lie evenly on the mel scale, over the bins of a spectrum."""
    bins, length, rate = (number(np, a[name]) for name in ("bins", "length", "rate"))
    if not 0 <= points(np, a["low"]) <= points(np, a["high"]):
        raise Undefined
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


def window(np: Any, a: Arguments) -> Any:
    size = number(np, a["size"])
    span = size if a["periodic"] else size - 1
    angle = 2 * np.pi * np.divide(np.arange(size), span)
    p, q, r = _COSINES[a["kind"]]
    return q * np.cos(angle) + r * np.cos(2 * angle) + p

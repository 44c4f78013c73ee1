"""Reference functions of Fourier transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined, named
from tensorproof.ops.record import Formula

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy, Transform

_TURNED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def along_axis(name: str) -> Formula:
    def evaluate(np: Numpy, a: Arguments) -> Array:
        if not a["x"].shape[a["dim"]]:
            raise Undefined("nothing is transformed, and libraries set no elements")
        transform: Transform = getattr(np.fft, name)
        return transform(a["x"], a["n"], a["dim"], a["norm"])

    return evaluate


def along_axes(name: str) -> Formula:
    """`hfftn` and `ihfftn` are the transforms of conjugates, the other way round."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        x, dim = a["x"], a["dim"]
        size: tuple[int, ...] | None = a["size"]
        if dim is None:
            dim = range(x.ndim) if size is None else range(x.ndim - len(size), x.ndim)
        axes: tuple[int, ...] = (dim,) if isinstance(dim, int) else tuple(dim)
        lengths = None if size is None else [x.shape[i] if n == -1 else n for n, i in zip(size, axes)]
        if lengths and size is not None and size[-1] == -1 and name in ("hfftn", "irfftn"):
            lengths[-1] = 2 * (x.shape[axes[-1]] - 1)
        if not axes:
            return x
        if 0 in tuple(a["shapes"][0]):
            return np.zeros(tuple(a["shapes"][0]))
        if name == "hfftn":
            return np.fft.irfftn(np.conj(x), lengths, axes, _TURNED[a["norm"]])
        if name == "ihfftn":
            return np.conj(np.fft.rfftn(x, lengths, axes, _TURNED[a["norm"]]))
        transform: Transform = getattr(np.fft, name)
        return transform(x, lengths, axes, a["norm"])

    return evaluate


def shifting(name: str) -> Formula:
    def evaluate(np: Numpy, a: Arguments) -> Array:
        dim = a["dim"]
        axes = tuple(range(a["x"].ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        made = a["x"]
        for axis in axes:
            n = made.shape[axis]
            made = np.roll(made, n // 2 if name == "fftshift" else -(n // 2), axis)
        return made

    return evaluate


def frequency_list(name: str) -> Formula:
    def evaluate(np: Numpy, a: Arguments) -> Array:
        n, d = a["n"], a["d"]
        half = np.arange(0, int(n / 2) + 1) if name == "rfftfreq" else np.concatenate((np.arange(0, (n - 1) // 2 + 1), np.arange(-(n // 2), 0)))
        return half / np.float64(n * d)

    return evaluate


def overlapped(np: Numpy, a: Arguments) -> Array:
    x, step = a["x"], a["step"]
    frames, length = x.shape[-2:]
    total = (frames - 1) * step + length
    lead = [(0, 0)] * (x.ndim - 2)
    made = np.zeros((*x.shape[:-2], max(total, 0)), x.dtype)
    for i in range(frames):
        made = np.add(made, np.pad(x[..., i, :], [*lead, (i * step, total - length - i * step)]))
    return made


_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _window(np: Numpy, a: Arguments) -> tuple[int, int, Array]:
    """Length of the transform, the step, and the window in the middle of a frame."""
    n = a["n_fft"]
    win = a["win"] if a["win"] is not None else n
    window = a["window"] if a["window"] is not None else np.ones((win,))
    left = (n - win) // 2
    return n, a["hop"] if a["hop"] is not None else n // 4, np.pad(window, (left, n - win - left))


def short_time(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    n, hop, window = _window(np, a)
    if a["center"]:
        widths = [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)]
        x = np.pad(x, widths, mode=_MODES[a["pad_mode"]])
    frames = np.stack([x[..., i : i + n] * window for i in range(0, x.shape[-1] - n + 1, hop)], -1)
    imaginary = "c" in (a["x"].dtype.kind, window.dtype.kind)
    half = a["onesided"] if a["onesided"] is not None else not imaginary
    made = (np.fft.rfft if half else np.fft.fft)(frames, axis=-2, norm="ortho" if a["normalized"] else None)
    return made if a["return_complex"] or (a["return_complex"] is None and imaginary) else np.stack([made.real, made.imag], -1)


def short_time_inverse(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    n, hop, window = _window(np, a)
    norm = "ortho" if a["normalized"] else None
    if a["return_complex"]:
        frames = np.fft.ifft(x, axis=-2, norm=norm)
    else:
        frames = np.fft.irfft(x[..., : n // 2 + 1, :], n, axis=-2, norm=norm)
    steps = np.swapaxes(frames, -1, -2) * window
    total = overlapped(np, named(x=steps, step=hop))
    weight = overlapped(np, named(x=np.broadcast_to(window**2, (x.shape[-1], n)), step=hop))
    start = n // 2 if a["center"] else 0
    end = total.shape[-1] - start if a["length"] is None else start + a["length"]
    made = total[..., start:end] / weight[start:end]
    short = 0 if a["length"] is None else a["length"] - made.shape[-1]
    return np.pad(made, [(0, 0)] * (made.ndim - 1) + [(0, max(short, 0))])

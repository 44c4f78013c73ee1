"""Functions of `tf.signal`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow.shared import COMPLEX_OF, Arguments
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, known_axis, somewhere, vector, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, Dim, Shape, TensorType, eq, ite, maximum


def rfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, x, a.get("size"), x.shape[-1] if x.shape.known else None)
    _no_empty(run, x, n)
    return _half_spectrum(run, x, n)


def _no_empty(run: Run, x: TensorType, n: Dim) -> None:
    """TensorFlow ends the process where it transforms numbers to none."""
    if eq(n, 0) is True and (not x.shape.known or eq(x.shape.numel, 0) is not True):
        raise run.give_up("a transform of no elements")


def _half_spectrum(run: Run, x: TensorType, n: Any) -> TensorType:
    shape = Shape((*x.shape[:-1], ite(eq(n, 0), 0, n // 2 + 1))) if x.shape.known else somewhere(run)
    return run.shaped("rfft", shape, None if x.dtype is None else COMPLEX_OF.get(x.dtype, COMPLEX64), x=x, n=n, dim=-1)


def irfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, x, a.get("size"), maximum(0, 2 * (x.shape[-1] - 1)) if x.shape.known else None)
    if n == 0:
        raise run.give_up("a transform of no elements")
    shape = Shape((*x.shape[:-1], n)) if x.shape.known else somewhere(run)
    return run.shaped("irfft", shape, FLOAT64 if x.dtype is COMPLEX128 else FLOAT32, x=x, n=n, dim=-1)


def _length(run: Run, x: TensorType, given: Any, otherwise: Any) -> Dim:
    size = vector(run, given, "size")
    if size is None:
        return run.fresh("length") if given is not None or otherwise is None else otherwise
    run.require("size", len(size) == 1, f"the length of the transform is a vector of 1, not of {len(size)}", ("size",))
    return run.fresh("length") if size[0] is None else size[0]


def _periodic(n: Value, wanted: bool) -> bool:
    """TensorFlow's windows of an odd length are symmetric, also where a periodic one is asked for."""
    return wanted and (type(n) is not int or n % 2 == 0)


def window(a: Arguments, run: Run) -> TensorType:
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", dtype.is_float, f"a window is of floats, not of {dtype!r}", ("dtype",))
    n, beta = a["n"], a.get("beta", 12.0)
    return run.typed("window", dtype, n=n, dtype=dtype, beta=beta, periodic=_periodic(n, bool(a.get("periodic"))), **run.row.fixed)


def frame(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return with_shape(run, "windows", x, somewhere(run), dim=a["dim"], size=a["length"], step=a["step"])
    at = known_axis(run, a["dim"], len(x.shape))
    n, length, step = x.shape[at], a["length"], a["step"]
    run.require("dtype", not a.get("pad_end") or x.dtype is not BOOL, "truth values are not padded with numbers", ("x", "pad_end"))
    count = -(-n // step) if a.get("pad_end") else maximum(0, 1 + (n - length) // step)
    if a.get("pad_end"):
        after = maximum(0, (count - 1) * step + length - n)
        sides = (*(0, 0) * (len(x.shape) - 1 - at), 0, after)
        x = with_shape(run, "pad", x, (*x.shape[:at], n + after, *x.shape[at + 1 :]), padding=sides, mode="constant", value=a.get("pad_value", 0))
    frames = with_shape(run, "windows", x, (*x.shape[:at], count, *x.shape[at + 1 :], length), dim=at, size=length, step=step, short=True)
    if at == len(x.shape) - 1:
        return frames
    order = (*range(at + 1), len(x.shape), *range(at + 1, len(x.shape)))
    return run("permute", x=frames, dim=order)


def stft(a: Arguments, run: Run) -> TensorType:
    framed = frame({**a, "dim": -1}, run)
    n = a.get("size")
    if n is None:
        if type(a["length"]) is not int:
            raise run.give_up("the next power of two of an unknown length")
        n = 1 << max(0, (a["length"] - 1).bit_length())
    window, kind = a.get("window_fn"), a["x"].dtype
    if window is not None:  # what a function of the program gives is not known
        hann, length = window == "hann", a["length"]
        if hann:
            taper = run.typed("window", kind, n=length, dtype=kind, kind="hann", periodic=_periodic(length, True))
        else:
            taper = run.typed("empty", kind, size=(length,))
        framed = with_shape(run, "mul", framed, framed.shape, y=taper)
    return _half_spectrum(run, framed, n)


def overlap_and_add(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return with_shape(run, "overlap_and_add", x, somewhere(run), step=a["step"])
    if x.dtype is not None and x.dtype.kind not in "iufc":
        raise run.give_up("frames that are not numbers")
    return run.typed("overlap_and_add", x.dtype, x=x, step=a["step"])

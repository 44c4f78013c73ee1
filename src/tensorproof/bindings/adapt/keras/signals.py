"""Fourier transforms and sequences of `keras.ops`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.ops import Maths
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms import FLOAT32, TensorType, eq, ge


def extract_sequences(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if len(x.shape) < 1:
        raise run.refuse("rank", "a number has no sequences", ("x",))
    if a["length"] == 0:
        raise run.give_up("sequences of no elements")
    run.require("length", ge(a["length"], 1), f"a sequence has at least one element, and not {a['length']!r}", ("length",))
    if isinstance(a["step"], int) and a["step"] < 0:
        raise run.give_up("a stride that goes back")
    run.require("step", ge(a["step"], 1), f"the stride is at least 1, and not {a['step']!r}", ("step",))
    with Maths(run, x.dtype).settled():
        return run.typed("windows", x.dtype, x=x, dim=-1, size=a["length"], step=a["step"], short=True)


def _parts(run: Run, pair: Value) -> TensorType:
    """Complex numbers are given as their two parts."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(p, TensorType) for p in pair):
        raise run.refuse("parts", "complex numbers are a pair of real and imaginary parts", ("pair",))
    x, y = pair
    for n, m in zip(x.shape, y.shape):
        run.require("parts", eq(n, m), f"the parts have shapes {x.shape!r} and {y.shape!r}", ("pair",))
    run.require("parts", len(x.shape) == len(y.shape), f"the parts have shapes {x.shape!r} and {y.shape!r}", ("pair",))
    with Maths(run, x.dtype).settled():
        made: TensorType = run.typed("complex", None if x.dtype is None else x.dtype.complexified, x=x, y=y)
    return made


def _pair(run: Run, made: TensorType) -> tuple[TensorType, TensorType]:
    real = None if made.dtype is None else made.dtype.real
    return (run.typed("real", real, x=made), run.typed("imag", real, x=made))


def fft(a: dict[str, Value], run: Run) -> Value:
    x = _parts(run, a["pair"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "one axis is transformed, and there is none", ("pair",))
    return _pair(run, run.typed("fft", x.dtype, x=x))


def fft2(a: dict[str, Value], run: Run) -> Value:
    x = _parts(run, a["pair"])
    if len(x.shape) < 2:
        raise run.refuse("rank", f"two axes are transformed, and this is {x.shape!r}", ("pair",))
    return _pair(run, run.typed(run.row.op, x.dtype, x=x, dim=(-2, -1)))


def rfft(a: dict[str, Value], run: Run) -> Value:
    return _pair(run, run("rfft", x=a["x"], n=a["n"]))


def irfft(a: dict[str, Value], run: Run) -> TensorType:
    return run("irfft", x=_parts(run, a["pair"]), n=a["n"])


def complex_view(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "the parts stand on the last axis, and there is none", ("x",))
    run.require("parts", eq(x.shape[-1], 2), f"the last axis holds two parts, and has {x.shape[-1]!r} elements", ("x",))
    return run("view_as_complex", x=x if x.dtype is FLOAT32 else run("cast", x=x, dtype=FLOAT32))


def real_view(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    return run.typed("view_as_real", x.dtype.real if x.dtype is not None and x.dtype.is_complex else None, x=x)

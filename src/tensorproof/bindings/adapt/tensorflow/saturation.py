"""Casts that saturate, as TensorFlow has them: what lies beyond the numbers of the element type becomes the nearest of them."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow.shared import Arguments
from tensorproof.bindings.call import Run
from tensorproof.terms import INT64, DType, TensorType

_FLOATS = {"float16": (65504.0, 11), "bfloat16": (3.3895313892515355e38, 8), "float32": (3.4028234663852886e38, 24), "float64": (1.7976931348623157e308, 53)}
"""The greatest number, and the bits of precision."""


def _ends(dtype: DType) -> tuple[Any, Any]:
    if dtype.kind in "iu":
        return (0, 2**dtype.bits - 1) if dtype.kind == "u" else (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1)
    most = _FLOATS[dtype.label][0]
    return -most, most


def limits(source: DType, target: DType, exact: bool = False) -> tuple[Any, Any]:
    """The least and the greatest number that both types hold. They are computed in floats: the greatest of int64 overflows, to the least or in the cast."""
    (a, b), (c, d) = _ends(source), _ends(target)
    low, high = max(a, c), min(b, d)
    if not source.is_float:
        return int(low), int(low if source is INT64 and high == b and not (exact and target.kind in "iu") else high)
    if target is INT64:
        return low, float(high)
    bits = target.bits - (target.kind == "i")
    precision = _FLOATS[source.label][1]
    return low, min(high, 2**bits - 2 ** (bits - precision)) if target.kind in "iu" and bits > precision else high


def saturated(run: Run, x: TensorType, dtype: DType, exact: bool = False) -> TensorType:
    """`exact`: the limits of whole numbers are not computed in floats."""
    source = x.dtype
    if source is not None and source.is_complex:
        x = run.typed("real", source.real, x=x)
        source = x.dtype
    if source is not None and all(d.kind in "iu" or d.label in _FLOATS for d in (source, dtype)):
        low, high = limits(source, dtype, exact)
        x = run.typed("clamp", source, x=x, low=low, high=high)
    return run("cast", x=x, dtype=dtype)


def saturate_cast(a: Arguments, run: Run) -> TensorType:
    return saturated(run, a["x"], a["dtype"])

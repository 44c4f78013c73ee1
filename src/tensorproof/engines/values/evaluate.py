"""Evaluates applied operators on arrays, by the reference functions in their declarations. NumPy is imported here, when something is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

_NARROW = {"bfloat16": 16, "float8_e4m3fn": 20, "float8_e5m2": 21}
"""Element types that NumPy does not have, with the number of low bits of a float32 that they drop."""


class NotEvaluated(Exception):
    """An operator without a reference function, or a tensor whose values are not given."""


def evaluate(applied: Sequence[Applied], given: Mapping[int, Any]) -> dict[int, Any]:
    """The values of all results, by the identity of their tensors; `given` holds those of the inputs."""
    import numpy as np

    values: dict[int, Any] = dict(given)
    with np.errstate(all="ignore"):
        for one in applied:
            if one.op.evaluate is None:
                raise NotEvaluated(one.op.name)
            arguments = {name: _value(np, value, values) for name, value in one.arguments.items()}
            made = one.op.evaluate(np, arguments)
            for result, value in zip(one.results, (made,) if len(one.results) == 1 and not isinstance(made, tuple) else made):
                values[id(result)] = typed(np, value, result.dtype)
    return values


def _value(np: Any, value: Any, values: Mapping[int, Any]) -> Any:
    if isinstance(value, TensorType):
        known = values.get(id(value))
        if known is None and value.contents is not None and all(isinstance(n, (bool, int, float, complex)) for n in value.contents):
            known = value.contents[0] if value.weak else contents_of(np, value)
        if known is None:
            raise NotEvaluated("an input without values")
        return wide(np, known)
    if isinstance(value, tuple):
        return tuple(_value(np, v, values) for v in value)
    return value


def wide(np: Any, value: Any) -> Any:
    """The same numbers in the widest type of their kind: what an operator computes is rounded once, at its end."""
    kind = getattr(value, "dtype", None)
    if kind is None or kind.kind in "bOSU" or kind == np.uint64:
        return value
    return value.astype({"f": np.float64, "c": np.complex128}.get(kind.kind, np.int64))


def contents_of(np: Any, tensor: TensorType) -> Any:
    """The array of a tensor whose contents are known."""
    return typed(np, np.array(tensor.contents).reshape([int(n) for n in tensor.shape]), tensor.dtype)


def typed(np: Any, value: Any, dtype: DType | None) -> Any:
    """An array of that element type; types that NumPy does not have are float32, rounded."""
    if dtype is None or dtype.label in ("string", "variant", "resource"):
        return np.asarray(value)
    if dtype.label in _NARROW:
        return _rounded(np, np.asarray(value).astype(np.float32), _NARROW[dtype.label])
    label = "complex64" if dtype.label == "complex32" else dtype.label.removeprefix("q") if dtype.kind == "q" else dtype.label
    return np.asarray(value).astype(label)


def _rounded(np: Any, value: Any, bits: int) -> Any:
    """A float32 array to the nearest number with `bits` low bits of the mantissa zero, ties to even."""
    whole = np.atleast_1d(value).view(np.uint32)
    half = np.uint32((1 << (bits - 1)) - 1)
    odd = (whole >> np.uint32(bits)) & np.uint32(1)
    kept = (whole + half + odd) & np.uint32(0xFFFFFFFF << bits & 0xFFFFFFFF)
    return np.where(np.isfinite(value), kept.view(np.float32).reshape(np.shape(value)), value)

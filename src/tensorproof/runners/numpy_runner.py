"""Runs generated calls on the real NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tensorproof.runners.observed import Observed, Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

_HAS = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"}


_ABOUT_DATA = ("monotonically", "Singular matrix", "sum to zero", "not positive definite", "did not converge")
"""Refusals that speak of the elements, which are drawn blindly."""


class Absent(Exception):
    """An element type that NumPy does not have."""


def _dtype(dtype: DType) -> np.dtype[Any]:
    if dtype.label not in _HAS:
        raise Absent(f"NumPy has no element type {dtype!r}")
    return np.dtype(dtype.label)


def tensor(t: TensorType) -> NDArray[Any]:
    """A real array of that shape and type: the known contents, else numbers between 0 and 1 (whole types: zeros)."""
    assert t.dtype is not None
    shape, dtype = tuple(t.shape), _dtype(t.dtype)
    if t.contents is not None and len(t.contents) == t.shape.numel:
        return np.array(list(t.contents), dtype=dtype).reshape(shape)
    if t.dtype.is_integer or t.dtype.kind == "b":
        return np.zeros(shape, dtype)
    return np.random.default_rng(0).random(shape).astype(dtype)


def real(value: object) -> Any:
    """Our abstract arguments as NumPy's own."""
    match value:
        case TensorType():
            return tensor(value)
        case DType():
            return _dtype(value)
        case tuple() | list():
            return type(value)(real(v) for v in value)
        case dict():
            return {k: real(v) for k, v in value.items()}
        case _:
            return value


def observed(value: object) -> object:
    """NumPy's results as plain data."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Seen.of(tuple(value.shape), str(value.dtype), value)
    if isinstance(value, (tuple, list)):
        return tuple(observed(v) for v in value)
    if isinstance(value, (bool, int, float)):
        return ((), {bool: "bool", int: "int64", float: "float64"}[type(value)])
    return value


def find(name: str) -> Any:
    """The function of that public name."""
    found: Any = np
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], init: dict[str, Any] | None = None) -> Observed:
    """Call it."""
    np.random.seed(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            arguments, named = real(args), real(kwargs)
        except Absent as absent:
            return Observed(aside=str(absent))
        if name == "numpy.ndarray.reshape" and len(arguments) == 1:
            arguments = (*arguments, ())  # no sizes are written as a tuple
        try:
            function = find(name)
            if not callable(function):
                return Observed(observed(function.__get__(arguments[0])))
            result = function(*arguments, **named)
        except MemoryError:
            return Observed(aside="out of memory")
        except Exception as error:
            if any(words in str(error) for words in _ABOUT_DATA):
                return Observed(aside=f"the contents decide: {error}")
            return Observed(error=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300])
        if result is NotImplemented:
            return Observed(error="NotImplemented")
        if name.rpartition(".")[2].startswith(("__i", "__setitem")) and name.endswith("__"):
            result = arguments[0] if result is None else result
        return Observed(observed(result))

"""Operands that are converted to the element type in which an operator computes: whole numbers lose digits there, and what is too large becomes infinite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import copysign, frexp, inf, isfinite, ldexp
from typing import Any

import numpy as np

from tensorproof.engines.values.boxes import Box, boxed, register
from tensorproof.ops.applied import Applied, parts
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType


def converted(one: Applied, types: Sequence[DType | None], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of an operator with the operands as they are and as they are converted: libraries may do either."""
    asked = one.arguments.get("dtype")
    if isinstance(asked, DType):
        return _in_type(one, asked, arguments) if asked.kind == "f" and asked.step else arguments
    if len(one.op.inputs) < 2 or (one.op.order != "like" and one.op.values.kind != "mixes"):
        return arguments
    if not any(t.weak or (t.dtype is not None and t.dtype.kind in "iu") for t in parts(one).tensors):
        return arguments
    floats = {t for t in types if t is not None and t.kind == "f" and t.step}
    return _met(one, floats, arguments) if floats else arguments


def _in_type(one: Applied, asked: DType, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """With operands in the element type that the call asks for, where that has fewer digits."""
    changed = {}
    for declared in one.op.inputs:
        tensor, value = one.arguments.get(declared.name), arguments.get(declared.name)
        own = tensor.dtype if isinstance(tensor, TensorType) and not tensor.weak else None
        if own is not None and hasattr(value, "of") and (own.kind in "iu" or (own.kind == "f" and not _holds(asked, own))):
            changed[declared.name] = value.of("converted", asked)  # type: ignore[union-attr]
    return {**arguments, **changed} if changed else arguments


def _holds(wide: DType, narrow: DType) -> bool:
    """Whether each number of one element type is one of the other."""
    return wide.step <= narrow.step and wide.greatest >= narrow.greatest and wide.smallest_normal <= narrow.smallest_normal


def _met(one: Applied, floats: set[DType], arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Element by element, with whole numbers and Python numbers in the types of the floats that they meet."""
    changed = {}
    for declared in one.op.inputs:
        tensor, value = one.arguments.get(declared.name), arguments.get(declared.name)
        if not isinstance(tensor, TensorType) or tensor.dtype is None or value is None:
            continue
        if tensor.weak and tensor.contents and isinstance(number := tensor.contents[0], (int, float)):
            near = {nearest(float(number), dtype) for dtype in _types_of_numbers(one, declared is one.op.inputs[0], floats)} - {float(number)}
            for other in near:
                value = (value if hasattr(value, "of") else boxed(value)).of("either", np.float64(other))
            if near:
                changed[declared.name] = value
        elif tensor.dtype.kind in "iu" and hasattr(value, "of") and not tensor.weak:
            for dtype in floats:
                value = value.of("converted", dtype)
            changed[declared.name] = value
    return {**arguments, **changed} if changed else arguments


def _types_of_numbers(one: Applied, first: bool, floats: set[DType]) -> set[DType]:
    """The types that a Python number may take: torch multiplies by one in single precision at least, unless a function has it as its first argument."""
    if _library(one) not in _TORCH or one.op.values.kind != "multiplies" or (first and "__" not in one.spelling):
        return floats
    return {max(dtype, DType.FLOAT32, key=lambda t: t.bits) for dtype in floats}


def nearest_numbers(tensor: TensorType, types: Sequence[DType | None]) -> set[float]:
    """What a Python number becomes in the types of the floats that it meets."""
    numbers = [float(n) for n in tensor.contents or () if isinstance(n, (int, float))]
    return {nearest(n, dtype) for n in numbers for dtype in types if dtype is not None and dtype.kind == "f" and dtype.step}


@lru_cache(maxsize=1024)
def nearest(number: float, dtype: DType) -> float:
    """The number of an element type that is next to a number; 0 where it has not all digits."""
    if not number or not isfinite(number):
        return number
    unit = ldexp(dtype.step, frexp(number)[1] - 1)
    made = round(number / unit) * unit
    return 0.0 if abs(made) < dtype.smallest_normal else copysign(inf, number) if abs(made) > dtype.greatest else made


_TORCH = ("torch", "aten")
_WIDE = (*_TORCH, "numpy", "keras")
"""The libraries that sum numbers of half precision in single precision."""


def sums_fit(one: Applied, dtype: DType | None) -> bool:
    """Whether the sum behind a mean of finite numbers is finite: where single precision holds the sum of numbers of half precision."""
    return dtype is DType.FLOAT16 and _library(one) in _WIDE and not one.spelling.startswith("torch.masked.")


def _library(one: Applied) -> str:
    return one.spelling.partition(".")[0]


def _converted(given: Any, dtype: DType) -> Box:
    x = boxed(given)
    if x.dtype.kind in "iu" and max(-x.lo.min(initial=0.0), x.hi.max(initial=0.0)) * dtype.step <= 2:
        return x
    with np.errstate(all="ignore"):
        near = []
        for side in (x.lo, x.hi):
            unit = np.ldexp(dtype.step, np.frexp(side)[1] - 1)
            rounded = np.where(np.isfinite(side), np.rint(side / unit) * unit, side)
            rounded = np.where(np.abs(side) <= dtype.smallest_normal, 0.0, rounded)
            near.append(np.where(np.abs(rounded) > dtype.greatest, np.copysign(np.inf, side), rounded))
    return Box(np.minimum(x.lo, near[0]), np.maximum(x.hi, near[1]), x.nan, np.float64)


register("converted", _converted)

"""The range of a constant that a file holds, read from its bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorproof.graph import Constant
from tensorproof.terms.dtypes import DType

_KINDS: dict[DType, str] = {
    DType.BOOL: "?",
    DType.UINT8: "<u1",
    DType.UINT16: "<u2",
    DType.UINT32: "<u4",
    DType.UINT64: "<u8",
    DType.INT8: "<i1",
    DType.INT16: "<i2",
    DType.INT32: "<i4",
    DType.INT64: "<i8",
    DType.FLOAT16: "<f2",
    DType.BFLOAT16: "<u2",
    DType.FLOAT32: "<f4",
    DType.FLOAT64: "<f8",
}


def bounds_of(constant: Constant) -> tuple[float, float] | None:
    """The least and the greatest element; None where they cannot be read, or where one of them is no number."""
    elements = _elements(constant)
    if elements is None or not elements.size:
        return None
    lo, hi = float(elements.min()), float(elements.max())
    return None if np.isnan(lo) or np.isnan(hi) else (lo, hi)


def _elements(constant: Constant) -> Any:
    if constant.values is not None:
        return np.asarray(constant.values) if all(isinstance(one, (bool, int, float)) for one in constant.values) else None
    kind = _KINDS.get(constant.dtype) if constant.dtype is not None else None
    data = constant.encoded() if kind is not None else None
    if kind is None or data is None:
        return None
    if not data and constant.size:  # the file that holds them is not there
        return None
    elements = np.frombuffer(data, kind, len(data) // np.dtype(kind).itemsize)[: constant.size]
    return (elements.astype(np.uint32) << 16).view(np.float32) if constant.dtype is DType.BFLOAT16 else elements

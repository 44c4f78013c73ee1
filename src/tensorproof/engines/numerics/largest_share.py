"""Shares of a total: n numbers that sum to 1 have one that is at least 1 / n, so that a sum or a maximum of them is not 0."""

from __future__ import annotations

import math
from typing import Any

from tensorproof.engines.numerics.value import Value
from tensorproof.ops.record import Values
from tensorproof.terms.dtypes import DType

_ULPS = 64.0
"""By how many units in the last place a share may be off."""


def note(fact: Values, arguments: dict[str, Any], value: Value, dtype: DType | None) -> None:
    """Note what some element of shares attains along their axis."""
    axis, rank = arguments.get(fact.by) if isinstance(fact.by, str) else None, value.grid.ndim
    if not isinstance(axis, int) or not rank or not -rank <= axis < rank or not value.grid.shape[axis] or value.marks:
        return
    least = (1.0 - _ULPS * (dtype.step if dtype is not None else 0.0)) / value.grid.shape[axis]
    if least > 0:
        value.attained = (axis % rank,), *((least, 1.0) if fact.shares == "numbers" else (math.log(least), 0.0))

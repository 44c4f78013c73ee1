"""Values that a loop multiplies again and again: they leave the numbers of their type after so many iterations, whatever bounds widening gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tensorproof.engines.numerics.value import Value, limits
from tensorproof.terms.dtypes import DType

TURNS = 4
"""How many iterations are followed one by one."""
LEAST = 1.2
"""By which factor each step must be larger than the one before."""


Turn = Callable[[Sequence[Any]], Sequence[Any]]


def growing(dtypes: Sequence[DType | None], first: Sequence[Any], last: Sequence[Any], most: float, turn: Turn) -> list[int]:
    """Which carried values surely grow until they overflow, within `most` iterations: the smallest of their elements grows by ever larger steps.

    `first` is what the loop begins with, `last` the bounds after widening, and `turn` goes through the body once.
    """
    found = [i for i, (a, b) in enumerate(zip(first, last)) if _size(a) > 0 and isinstance(b, Value) and _reaches(b, dtypes[i])]
    if not found:
        return []
    sizes = [[_size(first[i]) for i in found]]
    now: Sequence[Any] = first
    for _ in range(TURNS):
        now = turn(now)
        sizes.append([_size(now[i]) for i in found])
    return [i for i, column in zip(found, zip(*sizes)) if _steps(column, limits(dtypes[i])[1]) <= most]


def _size(value: object) -> float:
    """The least size of an element; 0 where that is not known."""
    if not isinstance(value, Value) or value.marks or not value.grid.size or value.grid.dtype.kind != "f":
        return 0.0
    box = value.grid.box
    return float(max(box.lo.min(), -box.hi.max(), 0.0))


def _reaches(value: Value, dtype: DType | None) -> bool:
    return max(-value.grid.least, value.grid.most) >= limits(dtype)[1] or not bool(np.isfinite(value.grid.most))


def _steps(sizes: Sequence[float], most: float) -> float:
    """After how many iterations sizes that grow like these are too large; infinite where they do not grow so."""
    steps = [b - a for a, b in pairwise(sizes)]
    if steps[0] <= 0 or any(b < LEAST * a for a, b in pairwise(steps)):
        return math.inf
    return len(sizes) + math.log(most / sizes[-1]) / math.log(steps[-1] / steps[-2])

"""The verdicts of the vectors from one number to another: the unit of work that local processes and other machines get."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.listing import first_broken
from tensorproof.engines.space.parameters import Parameter
from tensorproof.engines.space.shipping import Packed, unpack

Array = Any
Tally = dict[int, tuple[int, int]]
"""For each check (or `VALID`) how many vectors break it first, and the number of the first of them."""
SIZE = 1 << 20


def verdicts_between(parameters: Sequence[Parameter], checks: Sequence[Check], start: int, stop: int) -> Array:
    """For each vector of the range the position of the check that it breaks first, or `VALID`."""
    numbers: Array = np.arange(start, stop)
    columns: dict[Any, Array] = {}
    for p in reversed(parameters):
        numbers, at = np.divmod(numbers, len(p.values))
        columns[p.atom] = np.array(p.numbers, np.int64)[at]
    return np.broadcast_to(first_broken(columns, checks), (stop - start,))


def tally(parameters: Sequence[Parameter], checks: Sequence[Check], start: int, stop: int) -> Tally:
    codes, first, counts = np.unique(verdicts_between(parameters, checks, start, stop), return_index=True, return_counts=True)
    return {int(code): (int(count), start + int(at)) for code, at, count in zip(codes, first, counts)}


def packed_tally(packed: Packed, start: int, stop: int) -> Tally:
    """The same from packed checks, which are unpacked once in each process."""
    parameters, checks = _unpacked(packed)
    return tally(parameters, checks, start, stop)


@lru_cache(maxsize=4)
def _unpacked(packed: Packed) -> tuple[list[Parameter], list[Check]]:
    return unpack(packed)


def added(one: Tally, other: Tally) -> Tally:
    """Two tallies as one."""
    result = dict(one)
    for code, (count, first) in other.items():
        known = result.get(code, (0, first))
        result[code] = (known[0] + count, min(known[1], first))
    return result


def ranges(parameters: Sequence[Parameter], size: int = SIZE) -> list[tuple[int, int]]:
    """The numbers of all vectors in pieces."""
    total = prod(len(p.values) for p in parameters)
    return [(start, min(start + size, total)) for start in range(0, total, size)]

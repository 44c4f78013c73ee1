"""The verdict of every vector, in chunks over the grid.

The grid has an axis for each parameter, the first the slowest. A check is evaluated on the axes of the parameters it stands on, and broadcasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from tensorproof.engines.space.arrays import Evaluation
from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.parameters import Parameter
from tensorproof.terms.ints import Atom

Array = Any
VALID = -1
CHUNK = 1 << 20


def verdicts(parameters: Sequence[Parameter], checks: Sequence[Check], chunk: int = CHUNK) -> Iterator[tuple[int, Array]]:
    """(number of the first vector, for each vector of the chunk the position of the check that it breaks first, or `VALID`)."""
    sizes = [len(p.values) for p in parameters]
    split = len(sizes)
    while split > 0 and prod(sizes[split - 1 :]) <= chunk:
        split -= 1
    inner = prod(sizes[split:])
    columns = {p.atom: _axis(np.array(p.numbers, np.int64), at - split, len(sizes) - split) for at, p in enumerate(parameters) if at >= split}
    for number, leading in enumerate(product(*(p.numbers for p in parameters[:split]))):
        fixed = {p.atom: np.array(value, np.int64) for p, value in zip(parameters, leading)}
        found = first_broken({**columns, **fixed}, checks)
        yield number * inner, np.broadcast_to(found, sizes[split:]).reshape(-1)


def _axis(values: Array, at: int, axes: int) -> Array:
    return values.reshape([-1 if i == at else 1 for i in range(axes)])


def first_broken(columns: dict[Atom, Array], checks: Sequence[Check]) -> Array:
    """The first check that is broken, for arrays of symbols that broadcast together."""
    evaluation = Evaluation(columns)
    found = np.array(VALID, np.int16 if len(checks) < 2**15 else np.int32)
    for at, check in enumerate(checks):
        broken = evaluation.truth(check.broken)
        if broken is False or not np.any(broken):
            continue
        found = np.where((found == VALID) & broken, found.dtype.type(at), found)
        if at % 8 == 7 and not np.any(found == VALID):
            break
    return found


def positions(number: int, sizes: list[int]) -> list[int]:
    """The position of each parameter's value in the vector of a number."""
    found: list[int] = []
    for size in reversed(sizes):
        number, at = divmod(number, size)
        found.append(at)
    return found[::-1]

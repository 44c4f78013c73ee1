"""Numbers that elements reach: computed by the reference function from numbers that the operands reach, element by element."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES, Setting, tensors_in
from tensorproof.engines.values.evaluate import typed
from tensorproof.ops.applied import Applied
from tensorproof.terms.tensor import TensorType

_NOTHING: tuple[tuple[float, ...], frozenset[int]] = (), frozenset()
NEAR = 1e-5
"""A result that is so much smaller than the operands may be another in another library."""


def reached(one: Applied, setting: Setting) -> tuple[tuple[float, ...], frozenset[int]]:
    """Some numbers that elements of the first result have for inputs in range, and these inputs; none where that is not known.

    The operands must not hang together: no input may be behind two of them.
    """
    found = _corners(one, setting)
    if found is None:
        return _NOTHING
    made, size, sources = found
    sure = np.isfinite(made) & ((made == 0) | (np.abs(made) > NEAR * size))
    return (ends(made[sure]), sources) if sure.any() else _NOTHING


def overflows(one: Applied, setting: Setting) -> bool:
    """Whether numbers that the operands reach make one that is not finite."""
    found = _corners(one, setting)
    return found is not None and bool(np.isinf(found[0]).any())


def _corners(one: Applied, setting: Setting) -> tuple[Any, Any, frozenset[int]] | None:
    """The first result at numbers that the operands reach, the greatest operand there, and the inputs that are chosen."""
    if one.op.order != "like" or len(one.results) != 1 or one.op.random or one.op.evaluate is None:
        return None
    tensors = tensors_in(one)
    values = [setting.values[id(t)] for t in tensors]
    if not values or len(values) > 3 or not all(v.points for v in values):
        return None
    sources = frozenset[int]().union(*(v.sources for v in values))
    if len(sources) != sum(len(v.sources) for v in values):
        return None
    if sum(len(v.points) > 1 and v.grid.box.size > 1 for v in values) and len([v for v in values if v.grid.size > 1]) > 1:
        return None
    corners = list(product(*(dict.fromkeys(v.points) for v in values)))
    columns = iter(np.array(corners).T)
    arguments: dict[str, Any] = {name: next(columns) if isinstance(value, TensorType) else value for name, value in one.arguments.items()}
    arguments["tensors"], arguments["results"] = one.arguments, tuple(setting.type_of(r) for r in one.results)
    try:
        made = typed(np, one.op.evaluate(np, arguments), setting.type_of(one.results[0])).astype(np.float64)
    except FAILURES:
        return None
    size = np.abs(np.array(corners)).max(axis=1)
    return (made, size, sources) if made.shape == size.shape else None


def ends(numbers: Any) -> tuple[float, ...]:
    """The least, the greatest and the smallest in size of some numbers."""
    return tuple(sorted({float(numbers.min()), float(numbers.max()), float(numbers[np.abs(numbers).argmin()])}))


def within(lo: float, hi: float) -> tuple[float, ...]:
    """Some numbers of an interval."""
    return tuple(sorted({lo, hi, min(max(0.0, lo), hi)}))

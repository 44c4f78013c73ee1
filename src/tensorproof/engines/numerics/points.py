"""Numbers that elements reach: computed by the reference function from numbers that the operands reach, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES, Points, Setting, tensors_in
from tensorproof.engines.values.evaluate import typed
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.ops.applied import Applied, parts
from tensorproof.terms.tensor import TensorType

_NOTHING: tuple[tuple[float, ...], frozenset[int]] = (), frozenset()
NEAR = 1e-5
"""A result that is so much smaller than the operands may be another in another library."""


def reached(one: Applied, setting: Setting) -> tuple[tuple[float, ...], frozenset[int]]:
    """Some numbers that elements of the first result have for inputs in range, and these inputs; none where that is not known.

    The operands must not hang together: no input may be behind two of them.
    """
    found = _corners(one, setting)
    return found[0] if found is not None else _NOTHING


def overflows(one: Applied, setting: Setting) -> bool:
    """Whether numbers that the operands reach make one that is not finite."""
    found = _corners(one, setting)
    return found is not None and found[1]


def _corners(one: Applied, setting: Setting) -> tuple[tuple[tuple[float, ...], frozenset[int]], bool] | None:
    """What numbers that the operands reach make: those that are sure, with the inputs that are chosen, and whether some are infinite."""
    if one.op.order != "like" or len(one.results) != 1 or one.op.random or one.op.evaluate is None:
        return None
    tensors = tensors_in(one)
    if not tensors or len(tensors) > 3:
        return None
    values = [setting.values[id(t)] for t in tensors]
    for value in values:
        if not value.points:
            return None
    sources = values[0].sources if len(values) == 1 else frozenset[int]().union(*[v.sources for v in values])
    if len(sources) != sum([len(v.sources) for v in values]):
        return None
    if len(values) > 1 and any(len(v.points) > 1 and v.grid.box.lo.size > 1 for v in values) and len([v for v in values if v.grid.size > 1]) > 1:
        return None
    form = parts(one).form
    key = (form, setting.dtype, parts(one).types, *[(t.weak, v.points) for t, v in zip(tensors, values)])
    found = setting.reached.get(key) if form else None
    if found is None:
        found = _made(one, setting, [v.points for v in values])
        if form:
            setting.reached[key] = found
    return None if found == _NO_POINTS else ((found[0], sources) if found[0] else _NOTHING, found[1])


_NO_POINTS: Points = (), False


def _made(one: Applied, setting: Setting, points: Sequence[tuple[float, ...]]) -> Points:
    """The ends of what elements become that have these numbers, where that is sure, and whether some become infinite."""
    corners = list(product(*map(dict.fromkeys, points)))
    columns = iter(np.array(corners).T)
    arguments: dict[str, Any] = {name: next(columns) if isinstance(value, TensorType) else value for name, value in one.arguments.items()}
    arguments["tensors"], arguments["results"] = one.arguments, tuple(setting.type_of(r) for r in one.results)
    assert one.op.evaluate is not None
    try:
        made = np.asarray(typed(NUMPY, one.op.evaluate(NUMPY, arguments), setting.type_of(one.results[0])), np.float64)
    except FAILURES:
        return _NO_POINTS
    size = np.abs(np.array(corners)).max(axis=1)
    if made.shape != size.shape:
        return _NO_POINTS
    sure = np.isfinite(made) & ((made == 0) | (np.abs(made) > NEAR * size))
    return ends(made[sure]) if sure.any() else (), bool(np.isinf(made).any())


def ends(numbers: Any) -> tuple[float, ...]:
    """The least, the greatest and the smallest in size of some numbers."""
    return tuple(sorted({float(numbers.min()), float(numbers.max()), float(numbers[np.abs(numbers).argmin()])}))


def within(lo: float, hi: float) -> tuple[float, ...]:
    """Some numbers of an interval."""
    return tuple(sorted({lo, hi, min(max(0.0, lo), hi)}))

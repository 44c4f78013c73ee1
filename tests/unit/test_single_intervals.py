"""One interval in plain numbers gives what the rules of arrays give."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tensorproof.engines.values.boxes import RULES, settled
from tensorproof.engines.values.rounding import Rounding, computed_in
from tensorproof.engines.values.rules import Box
from tensorproof.terms.dtypes import DType

CURVES = ("exp", "tanh", "log", "sqrt", "log2", "sinh")
ALONE = ("negative", "absolute", "square", *CURVES)
PAIRS = ("add", "subtract", "multiply", "true_divide", "maximum", "minimum", "less", "less_equal", "greater", "greater_equal", "not_equal", "logical_and")
TYPES = (DType.FLOAT64, DType.FLOAT32, DType.FLOAT16)
NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e-30, -1e-40, 5e-324, 3.4e38, -3.4e38, 1e308, 65504.0, 1e5, float("inf"), -float("inf"), 7.0, -3.25)


def _interval(draw: random.Random) -> tuple[float, float]:
    lo, hi = sorted(draw.choice(NUMBERS) if draw.random() < 0.6 else draw.uniform(-10, 10) for _ in range(2))
    return (lo, lo) if draw.random() < 0.2 else (lo, hi)


def _same(one: Box, several: Box, step: float) -> None:
    for side in ("lo", "hi"):
        a, b = np.ravel(getattr(one, side))[0], np.ravel(getattr(several, side))[0]
        assert a == b or abs(a - b) <= step * abs(b), (side, one.lo, one.hi, several.lo, several.hi)
    assert bool(one.nan.any()) == bool(several.nan.any())
    assert one.dtype == several.dtype


def _computed(name: str, dtype: DType, boxes: list[Box], late: bool = False, **kwargs: Any) -> tuple[Box, tuple[bool, bool, bool]]:
    Rounding.late = late
    try:
        with np.errstate(all="ignore"), computed_in([dtype]):
            return settled(name, RULES[name](*boxes, **kwargs)), (Rounding.over, Rounding.lost, Rounding.single)
    finally:
        Rounding.late = False


@pytest.mark.parametrize("name", [*ALONE, *PAIRS])
def test_one_interval_is_bounded_as_several_are(name: str) -> None:
    draw = random.Random(name)
    operands = 1 if name in ALONE else 2
    for _ in range(400):
        ends, dtype, late = [_interval(draw) for _ in range(operands)], draw.choice(TYPES), draw.random() < 0.5
        one, noted = _computed(name, dtype, [Box(np.full((1, 1), lo), np.full((1, 1), hi)) for lo, hi in ends], late)
        several, noted_too = _computed(name, dtype, [Box(np.full((2, 1), lo), np.full((2, 1), hi)) for lo, hi in ends], late)
        assert one.shape == (1, 1)
        _same(one, several, 1e-15 if name in CURVES else 0.0)
        assert noted == noted_too


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_sum_of_one_interval_is_bounded_as_one_of_several(name: str, keepdims: bool) -> None:
    draw = random.Random(name)
    for _ in range(400):
        (lo, hi), dtype, count = _interval(draw), draw.choice(TYPES), draw.choice((1, 2, 7, 1000, 10**6))
        one, noted = _computed(name, dtype, [Box(np.full((1, 1), lo), np.full((1, 1), hi))], axis=1, keepdims=keepdims, weights=np.full((1, 1), float(count)))
        pair = [Box(np.full((2, 1), lo), np.full((2, 1), hi))]
        several, noted_too = _computed(name, dtype, pair, axis=1, keepdims=keepdims, weights=np.full((1, 1), float(count)))
        assert one.ndim == several.ndim
        _same(one, several, 0.0)
        assert noted == noted_too

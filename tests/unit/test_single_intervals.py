"""One interval in plain numbers gives what the rules of arrays give."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tensorproof.engines.numerics.grids.grid import Grid
from tensorproof.engines.numerics.numbers import totals
from tensorproof.engines.values.boxes import RULES, settled
from tensorproof.engines.values.rounding import Rounding, computed_in
from tensorproof.engines.values.rules import Box
from tensorproof.terms.dtypes import DType

assert totals
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


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_one_interval_that_may_be_nan_is_bounded_as_several_are(name: str) -> None:
    draw = random.Random(name)
    for _ in range(200):
        ends, dtype = [(*_interval(draw), draw.random() < 0.3) for _ in range(2)], draw.choice(TYPES)
        one, noted = _computed(name, dtype, [Box(np.full((1, 1), lo), np.full((1, 1), hi), np.full((1, 1), nan)) for lo, hi, nan in ends])
        several, noted_too = _computed(name, dtype, [Box(np.full((2, 1), lo), np.full((2, 1), hi), np.full((2, 1), nan)) for lo, hi, nan in ends])
        _same(one, several, 0.0)
        assert noted == noted_too


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std"])
def test_a_total_of_one_block_is_bounded_as_one_of_several(name: str) -> None:
    draw = random.Random(name)
    for _ in range(300):
        (lo, hi), dtype, nan = _interval(draw), draw.choice(TYPES), draw.random() < 0.2
        n, keepdims, options = draw.choice((1, 2, 7, 1000, 10**6)), draw.random() < 0.5, {"ddof": draw.choice((0, 1))} if name in ("var", "std") else {}
        if any(np.isfinite(end) and not np.isfinite(end * n) for end in (lo, hi)):  # beyond float64 itself, what is nan depends on the order
            continue
        noted, found = [], []
        for rows in (1, 2):
            box = Box(np.full((rows, 1), lo), np.full((rows, 1), hi), np.full((rows, 1), nan))
            with np.errstate(all="ignore"), computed_in([dtype]):
                found.append(getattr(np, name)(Grid((2, n), ((2,) if rows == 1 else (1, 2), (n,)), box), axis=1, keepdims=keepdims, **options))
                noted.append((Rounding.over, Rounding.lost, Rounding.count))
        assert found[0].shape == found[1].shape
        _same(found[0].box, found[1].box, 1e-15)
        assert noted[0] == noted[1]


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


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.label)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "sum", "mean"])
def test_blocks_of_finite_numbers_have_the_bounds_that_they_have_beside_infinite_ones(name: str, dtype: DType) -> None:
    draw = random.Random(f"{name}{dtype.label} blocks")
    finite = [n for n in NUMBERS if np.isfinite(n)]
    for _ in range(200):
        numbers = [draw.choice(finite) if draw.random() < 0.6 else draw.uniform(-10, 10) for _ in range(12)]
        ends = np.sort(np.reshape(numbers, (2, 3, 2)), axis=0)
        alone = [Box(ends[0].copy(), ends[1].copy()) for _ in range(1 if name in ("sum", "mean") else 2)]
        beside = [Box(*(np.concatenate([side, np.full((1, 2), np.inf)]) for side in ends)) for _ in alone]
        options = {"axis": (1,), "weights": np.array([[2.0, 3.0]])} if name in ("sum", "mean") else {}
        few, more = _computed(name, dtype, alone, **options)[0], _computed(name, dtype, beside, **options)[0]
        assert np.array_equal(few.lo, more.lo[:3]), (name, few.lo, more.lo)
        assert np.array_equal(few.hi, more.hi[:3]), (name, few.hi, more.hi)
        assert np.array_equal(few.nan, more.nan[:3])

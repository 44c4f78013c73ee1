"""Bounds at the edges of element types: rounding outwards, overflow, numbers without all digits, and nan."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tensorproof.engines.values.rounding import computed_in
from tensorproof.engines.values.rules import Box
from tensorproof.ops.mathematics import softmax
from tensorproof.terms.dtypes import FLOAT16, FLOAT32, DType

MOST = FLOAT32.greatest


def box(*pairs: tuple[float, float]) -> Box:
    return Box([lo for lo, _ in pairs], [hi for _, hi in pairs])


@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.FLOAT32, DType.FLOAT64])
def test_limits_are_those_of_numpy(dtype: DType) -> None:
    info = np.finfo(dtype.label)
    assert (dtype.greatest, dtype.smallest_normal, dtype.step) == (float(info.max), float(info.smallest_normal), float(info.eps))


def test_a_sum_that_overflows_on_the_way_may_be_infinite() -> None:
    with computed_in([FLOAT32]):
        made = np.mean(box((MOST, MOST), (MOST, MOST)))
        assert made.hi == math.inf and not made.nan
        assert np.sum(box((MOST, MOST), (MOST, MOST), (-MOST, -MOST), (-MOST, -MOST))).nan


def test_rounding_grows_with_the_summands_and_not_with_the_sum() -> None:
    with computed_in([FLOAT32]):
        made = np.sum(box((1e8, 1e8), (-1e8, -1e8), (0.1, 0.1)))
    assert made.lo < 0.0 < made.hi


def test_whole_numbers_stay_exact() -> None:
    with computed_in([FLOAT16]):
        made = np.sum(box((3.0, 3.0), (4.0, 4.0)))
    assert made.lo == made.hi == 7.0


def test_a_product_may_overflow_before_it_meets_zero() -> None:
    with computed_in([FLOAT32]):
        assert np.prod(box((MOST, MOST), (MOST, MOST), (0.0, 0.0))).nan


def test_shares_of_large_numbers() -> None:
    with computed_in([FLOAT32]):
        made = softmax(np, box((-MOST, -MOST), (-MOST, -MOST), (-MOST, -MOST)), 0)
    assert (made.lo <= 1 / 3).all() and (made.hi >= 1 / 3).all() and (made.hi < 0.34).all()


def test_zero_under_an_odd_power_may_be_negative() -> None:
    with computed_in([FLOAT32]):
        made = np.power(box((0.0, 0.0)), -1)
    assert made.lo == -math.inf and made.hi == math.inf


def test_a_small_negative_quotient_is_below_zero() -> None:
    made = np.floor_divide(box((5e-324, 5e-324)), box((-1e308, -1e308)))
    assert made.lo <= -1.0


def test_the_middle_of_the_smallest_interval_is_not_lost() -> None:
    made = np.matmul(box((-5e-324, 0.0)), box((-1.7e308, -1.7e308)))
    assert made.lo <= 0.0 and made.hi >= 8e-16

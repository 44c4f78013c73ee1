"""Bounds at the edges of element types: rounding outwards, overflow, numbers without all digits, and nan."""

from __future__ import annotations

import math
from typing import Any

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


def test_a_sum_whose_partial_sums_overflow_may_be_infinite() -> None:
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


def test_softmax_of_large_numbers() -> None:
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


FIRST, LAST = -(2**63), 2**63 - 1


def within(made: Box, value: int) -> bool:
    return bool(made.lo <= value <= made.hi)


def test_whole_numbers_at_the_ends_of_their_type_are_moved_as_they_are() -> None:
    made = Box([FIRST, LAST], [FIRST, LAST], False, np.int64)[::-1]
    assert (made.lo <= [LAST, FIRST]).all() and (made.hi >= [LAST, FIRST]).all() and (made.hi - made.lo <= 1024).all()


@pytest.mark.parametrize("x", [FIRST, LAST, 2**53 + 1, -(2**62) - 1])
@pytest.mark.parametrize("y", [FIRST, LAST, 2**53 + 3, -1, 1, 2])
def test_whole_numbers_wrap_around(x: int, y: int) -> None:
    a, b = np.array([x]), np.array([y])
    for function in (np.add, np.subtract, np.multiply, np.floor_divide, np.dot, np.outer, lambda p, q: np.sum(np.concatenate([p, q]))):
        made, exact = function(Box(a, a, False, np.int64), Box(b, b, False, np.int64)), function(a, b)
        assert within(made, int(np.ravel(exact)[0])), (function, x, y)


@pytest.mark.parametrize("x", [FIRST, LAST, FIRST + 1])
def test_the_least_whole_number_has_no_opposite(x: int) -> None:
    for function in (np.negative, np.absolute, np.square):
        assert within(function(Box([x], [x], False, np.int64)), int(function(np.array([x]))[0]))


def test_sums_of_large_whole_numbers_allow_for_the_rounding_of_their_bounds() -> None:
    made = np.sum(Box(*[[LAST, FIRST, 3]] * 2, False, np.int64))
    assert within(made, 2) and made.hi - made.lo < 2**20


@pytest.mark.parametrize("triangle, offset", [(np.tril, -1), (np.triu, 1)])
def test_a_triangle_of_one_element_is_cleared_at_both_ends(triangle: Any, offset: int) -> None:
    made = triangle(Box([[-3.0]], [[-1.0]]), offset)
    assert made.lo == made.hi == 0.0


def test_factors_of_numbers_whose_squares_overflow_may_be_nan() -> None:
    with computed_in([FLOAT32]):
        assert all(part.nan.all() for part in np.linalg.qr(Box([[1e20], [1.0]], [[1e20], [1.0]])))
        assert not any(part.nan.any() for part in np.linalg.qr(Box([[1e10], [1.0]], [[1e10], [1.0]])))

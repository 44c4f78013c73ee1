"""Bounds of a variable after writes into rows that are not known hold what the writes give for every choice of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorproof.catalogue.frameworks.tensorflow_control import SCATTER_ROWS
from tensorproof.engines.numerics.grids.grid import Box
from tensorproof.terms.dtypes import FLOAT32


def written(x: Any, index: Any, y: Any, reduction: str) -> Any:
    assert SCATTER_ROWS.evaluate is not None
    return SCATTER_ROWS.evaluate(np, {"x": x, "index": index, "y": y, "reduction": reduction, "results": (FLOAT32,), "tensors": {}})


@pytest.mark.parametrize("reduction", ["update", "add", "sub", "max", "min"])
@pytest.mark.parametrize("least", [-2.0, 0.0])
def test_every_choice_of_rows_is_within_the_bounds(reduction: str, least: float) -> None:
    random: Any = np.random.RandomState(1)
    rows = Box(np.zeros(4, np.int64), np.full(4, 4))
    bounds = written(Box(np.full((5, 2), least), np.full((5, 2), 3.0)), rows, Box(np.full((4, 2), least), np.ones((4, 2))), reduction)
    for _ in range(200):
        x, y = random.uniform(least, 3.0, (5, 2)), random.uniform(least, 1.0, (4, 2))
        made = written(x, random.randint(0, 5, 4), y, reduction)
        assert (bounds.lo <= made).all() and (made <= bounds.hi).all()


def test_sums_of_what_is_not_negative_are_not_negative() -> None:
    bounds = written(Box(np.zeros((5, 2)), np.ones((5, 2))), Box(np.zeros(4, np.int64), np.full(4, 4)), Box(np.zeros((4, 2)), np.ones((4, 2))), "add")
    assert (bounds.lo >= 0).all() and (bounds.hi >= 5).all()

"""Bounds of what is written to places that are known by their bounds only: they hold for all places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorproof.bindings.call import call
from tensorproof.engines.values.bounds import bounds
from tensorproof.engines.values.evaluate import evaluate
from tensorproof.engines.values.rules import Box
from tensorproof.terms.dtypes import FLOAT32, INT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

ROWS, COUNT = 4, 5


def tensor(*shape: int, dtype: Any = FLOAT32) -> TensorType:
    return TensorType(Shape(shape), dtype)


def held(name: str, given: dict[str, tuple[TensorType, Any]], index: TensorType, **words: Any) -> None:
    """The values for random places lie within the bounds for all of them."""
    random = np.random.default_rng(0)
    outcome = call(name, (), {**{key: one for key, (one, _) in given.items()}, **words})
    assert outcome.refused is None and outcome.unknown is None, outcome
    arrays = {id(one): array for one, array in given.values()}
    shape = tuple(index.shape)
    wide = {**arrays, id(index): Box(np.zeros(shape), np.full(shape, ROWS - 1.0), False, np.int32)}
    box = bounds(outcome.applied, wide)[id(outcome.outputs)]
    for _ in range(200):
        made = evaluate(outcome.applied, {**arrays, id(index): random.integers(0, ROWS, shape).astype(np.int32)})[id(outcome.outputs)]
        assert (made >= box.lo).all() and (made <= box.hi).all(), (name, made, box.lo, box.hi)
    assert np.isfinite(box.lo).all() and np.isfinite(box.hi).all()


def numbers(*shape: int) -> Any:
    return np.random.default_rng(1).uniform(-3, 3, shape).astype(np.float32)


@pytest.mark.parametrize("name", ["Update", "Add", "Sub", "Max", "Min"])
def test_rows_of_a_tensor(name: str) -> None:
    index = tensor(COUNT, 1, dtype=INT32)
    given = {"tensor": (tensor(ROWS, 2), numbers(ROWS, 2)), "updates": (tensor(COUNT, 2), numbers(COUNT, 2)), "indices": (index, None)}
    held(f"graphdef.TensorScatter{name}", given, index)


def test_segments() -> None:
    index = tensor(COUNT, dtype=INT32)
    held("tf.math.unsorted_segment_sum", {"data": (tensor(COUNT, 2), numbers(COUNT, 2)), "segment_ids": (index, None)}, index, num_segments=ROWS)


def test_a_new_tensor() -> None:
    index = tensor(COUNT, 1, dtype=INT32)
    held("tf.scatter_nd", {"indices": (index, None), "updates": (tensor(COUNT, 2), numbers(COUNT, 2))}, index, shape=[ROWS, 2])

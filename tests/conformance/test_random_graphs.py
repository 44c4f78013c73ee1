"""Values of random graphs, computed by torch, lie within the bounds of the analysis."""

from __future__ import annotations

import pytest

from tensorproof.engines.numerics.analysis import Settings
from tests.conformance.random_graphs import violations

DTYPES = ("float32", "float64", "float16", "bfloat16")


@pytest.mark.parametrize("seed", [*range(8), 367, 1091, 2798, 2830, 5280])
def test_values_lie_within_the_bounds(seed: int) -> None:
    assert violations(seed, DTYPES[seed % 4]) == []


@pytest.mark.slow
@pytest.mark.parametrize("tensors", ["smash", "partition"])
def test_values_of_many_graphs_lie_within_the_bounds(tensors: str) -> None:
    found = [line for seed in range(100, 600) for line in violations(seed, DTYPES[seed % 4], settings=Settings(tensors=tensors))]
    assert found == []

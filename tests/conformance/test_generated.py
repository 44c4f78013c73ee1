"""Generated calls against the real libraries: a seeded share of the spellings always, all of them when asked for (`-m slow`)."""

from __future__ import annotations

from random import Random

import pytest

from tests.conformance import conform

SHARE, CALLS, SEED = 60, 3, 20240
MOST_GAPS = 0.01
"""Of all spellings, over all frameworks."""


def disagreements(framework: str, names: list[str], count: int, seed: int) -> list[str]:
    """Each disagreement outside the known gaps, in one line."""
    records = conform.conform(names, count, seed)
    assert sorted(r["name"] for r in records) == sorted(names), framework
    return [f"{kind}: {call}: {words}" for r in records if not conform.is_known(r["name"]) for kind, call, words in r["wrong"]]


def installed(framework: str) -> None:
    pytest.importorskip({"tf": "tensorflow", "graphdef": "tensorflow", "aten": "torch", "onnx": "onnx"}.get(framework, framework))


@pytest.mark.parametrize("framework", sorted(conform.RUNNER))
def test_a_share_of_the_spellings_agrees_with_the_library(framework: str) -> None:
    installed(framework)
    names = conform.spellings(framework, [])
    chosen = Random(SEED).sample(names, min(SHARE, len(names)))
    assert disagreements(framework, chosen, CALLS, seed=0) == []


@pytest.mark.slow
@pytest.mark.parametrize("framework", sorted(conform.RUNNER))
def test_every_spelling_agrees_with_the_library(framework: str) -> None:
    installed(framework)
    assert disagreements(framework, conform.spellings(framework, []), count=10, seed=0) == []


def test_known_gaps_are_few_and_each_tells_why() -> None:
    names = {name for framework in conform.RUNNER for name in conform.spellings(framework, [])}
    gaps = conform.known_gaps()
    assert set(gaps) <= names, "a gap without a spelling"
    assert all(len(reason) > 20 for reason in gaps.values())
    assert len(gaps) <= MOST_GAPS * len(names)

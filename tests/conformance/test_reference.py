"""Reference functions of operators against the real libraries: a sample in every run, all of them as a slow test."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorflow")

from tensorproof.catalogue import find
from tensorproof.catalogue.where import WHERE
from tests.conformance.left_aside import NOT_COMPARED
from tests.conformance.reference import run, spellings


def evaluated() -> list[str]:
    return [name for name in WHERE if name not in NOT_COMPARED and (op := find(name)) is not None and op.evaluate is not None]


def held(names: list[str], count: int, seed: int) -> None:
    known = spellings()
    records = list(run({name: known.get(name, []) for name in names}, count, seed))
    assert [(r["op"], r["wrong"][:2]) for r in records if r["wrong"]] == []
    assert [(r["op"], r["outside"][:2]) for r in records if r.get("outside")] == []


PLAIN = ("elementwise", "arithmetic", "comparison", "casting", "views", "layout", "joining")


def test_a_sample() -> None:
    held([name for name in evaluated() if WHERE[name] in PLAIN][::4], 4, 0)


def test_layers_with_weights_and_calls_in_arguments() -> None:
    held(["adaptive_log_softmax_with_loss", "pad_packed_sequence", "int_repr"], 4, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_all(seed: int) -> None:
    held(evaluated(), 20, seed)

"""ONNX's own node tests, and generated calls against its shape inference and its reference evaluator. Needs `onnx`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from onnx_shapes import cases, try_case
from tensorproof.bindings.rows import names
from tests.conformance.conform import conform, is_known

NOT_GENERATED = {"Constant", "Einsum", "TfIdfVectorizer", "Optional", "ImageDecoder", "Col2Im", "ConcatFromSequence", "SplitToSequence"}
"""Calls that hang on words or numbers which the generator does not find, and sequences; the node tests cover them."""


def test_node_tests_of_onnx_are_known_and_none_is_contradicted() -> None:
    verdicts: Counter[str] = Counter()
    wrong: list[str] = []
    for case in cases():
        verdict, words, _, _ = try_case(case)
        verdicts[verdict] += 1
        if verdict in ("different", "refused"):
            wrong.append(f"{case.name}: {verdict}: {words}")
    assert not wrong, "\n".join(wrong)
    assert verdicts["known"] / verdicts.total() > 0.96, verdicts


@pytest.fixture(scope="module")
def records() -> dict[str, dict[str, Any]]:
    """Every spelling tried, in a child process that may die."""
    return {record["name"]: record for record in conform(names("onnx"), count=10, seed=0)}


@pytest.mark.parametrize("name", names("onnx"))
def test_generated_calls_agree_with_onnx(name: str, records: dict[str, dict[str, Any]]) -> None:
    record, short = records[name], name.removeprefix("onnx.")
    assert not record["wrong"] or is_known(name), "\n".join(f"{kind}: {call}\n   {words}" for kind, call, words in record["wrong"])
    assert record["valid"] >= 5 or short in NOT_GENERATED or short.startswith("Sequence"), f"only {record['valid']} calls of {name} could be tried"

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
from tests.conformance.conform import conform

_STATES = {"bias", "cx", "directions", "gates", "hidden", "hidden_size", "hx", "input", "lengths", "peephole", "rank"}
_SCALES = {f"{side}{what}" for side in ("", "x_", "y_", "weight_") for what in ("scale", "zero_point")}
_WINDOW = {"bias", "kernel", "padding", "rank", "stride"}
NOT_CHECKED_BY_ONNX = {
    "AffineGrid": {"size"},
    "ArgMax": {"rank"},
    "ArgMin": {"rank"},
    "Attention": {"batch"},
    "AveragePool": _WINDOW,
    "BatchNormalization": {"rank"},
    "Conv": _WINDOW,
    "ConvInteger": _WINDOW | _SCALES,
    "ConvTranspose": _WINDOW,
    "DeformConv": {"mask"},
    "GRU": _STATES,
    "GatherND": {"batch"},
    "GlobalAveragePool": {"rank"},
    "GroupNormalization": {"rank"},
    "InstanceNormalization": {"rank"},
    "LRN": {"rank", "size"},
    "LSTM": _STATES,
    "LayerNormalization": {"axis", "rank"},
    "LpNormalization": {"p"},
    "LpPool": _WINDOW,
    "MatMulInteger": _SCALES,
    "MaxPool": _WINDOW,
    "MaxUnpool": _WINDOW | {"indices"},
    "MelWeightMatrix": {"length", "rank", "rate"},
    "Mod": {"fmod"},
    "NonMaxSuppression": {"batch", "boxes", "rank", "size"},
    "Pad": {"rank", "size"},
    "QLinearConv": _WINDOW | _SCALES,
    "QLinearMatMul": _SCALES,
    "QuantizeLinear": _SCALES,
    "RMSNormalization": {"axis"},
    "RNN": _STATES,
    "Resize": {"rank"},
    "ReverseSequence": {"axis", "batch", "batch_dim", "time_dim"},
    "RotaryEmbedding": {"n"},
    "STFT": {"length", "rank", "step"},
    "Scatter": {"axis", "rank", "size", "updates"},
    "ScatterElements": {"axis", "rank", "updates"},
    "ScatterND": {"depth", "rank", "updates"},
    "Slice": {"axis"},
    "SoftmaxCrossEntropyLoss": {"classes", "rank"},
    "Squeeze": {"axis"},
}
"""Requirements that the standard's text states and neither shape inference nor the evaluator looks at (a kernel that overhangs would give
an empty result, which they accept)."""
NOT_GENERATED = {"Constant", "Einsum", "TfIdfVectorizer", "Optional", "ImageDecoder", "Col2Im", "ConcatFromSequence", "SplitToSequence"}
"""Calls that hang on words or numbers which the generator does not find, and sequences; the node tests cover them."""


def test_node_tests_of_onnx_are_known_and_none_is_told_otherwise() -> None:
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
    lax = NOT_CHECKED_BY_ONNX.get(short, set[str]())
    wrong = [w for w in record["wrong"] if w[0] != "accepts" or w[2].partition(":")[0].rpartition("/")[2] not in lax]
    assert not wrong, "\n".join(f"{kind}: {call}\n   {words}" for kind, call, words in wrong)
    assert record["valid"] >= 5 or short in NOT_GENERATED or short.startswith("Sequence"), f"only {record['valid']} calls of {name} could be tried"

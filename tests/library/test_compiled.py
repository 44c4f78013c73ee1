"""Rules that trace, script and compile."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.equivalence.api import chosen
from tensorproof.equivalence.arrays import Raised
from tensorproof.equivalence.campaigns.job import Job, Result, Work
from tensorproof.equivalence.dialects import dialect
from tensorproof.equivalence.drawing import BLOCK, calls
from tensorproof.equivalence.rules import rules


def run(rule: str, *names: str, block: int = 0) -> Result:
    return Work("torch", dialect("torch")).run(Job("k", "torch", names, (rule,), block, 7))


def agree(result: Result, name: str, rule: str) -> bool:
    """Whether the sides agree in as many pairs as a block has calls under the rule."""
    thin = next(r.thin for r in rules() if r.name == rule)
    return result.counts[f"{name}\t{rule}"]["agree"] >= BLOCK // thin


def texts(rule: str, name: str) -> list[tuple[str, str]]:
    by = next(r for r in rules() if r.name == rule)
    assert by.pairs is not None
    return [(pair.about, pair.right) for call in calls(chosen("torch", (name,))[0], 7, 0) for pair in by.pairs(call, dialect("torch"))]


@pytest.mark.parametrize("rule", ["jit-trace", "jit-script", pytest.param("aot-eager", marks=pytest.mark.slow)])
def test_the_library_agrees_with_itself(rule: str) -> None:
    result = run(rule, "torch.add", "torch.Tensor.mul_", "torch.nn.Linear", "torch.stack")
    assert not [f for f in result.findings if f["verdict"] == "finding"]
    assert all(agree(result, name, rule) for name in ("torch.add", "torch.Tensor.mul_", "torch.nn.Linear"))


def test_inputs_are_arguments_captured_and_constant() -> None:
    abouts = {about.partition(" ")[0] for about, _ in texts("aot-eager", "torch.add")}
    assert abouts == {"arguments", "captured", "constant"}


def test_a_wrong_trace_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    trace: Any = torch.jit.trace
    monkeypatch.setattr(torch.jit, "trace", lambda f, inputs, **options: trace(lambda *a: f(*a) + 1, inputs, **options))
    assert [f for f in run("jit-trace", "torch.sin").findings if f["verdict"] == "finding"]


@pytest.mark.slow
def test_a_call_that_cannot_be_compiled_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    exp = torch.exp
    monkeypatch.setattr(torch, "exp", lambda x: exp(x) if x.tolist() is not None else x)  # dynamo does not follow numbers
    result = run("aot-eager", "torch.sin", "torch.exp")
    assert result.counts["torch.sin\taot-eager"]["agree"] == result.counts["torch.sin\taot-eager"]["pairs"]
    assert result.counts["torch.exp\taot-eager"]["agree"] < result.counts["torch.exp\taot-eager"]["pairs"]


def test_batches_are_parted_by_name() -> None:
    from tensorproof.equivalence.batch import run_batch
    from tensorproof.equivalence.rule import Pair, Traced
    from tensorproof.equivalence.running import Runner

    drawn = [call for name in ("torch.sin", "torch.cos") for call in calls(chosen("torch", (name,))[0], 7, 0)]
    entries = [(call, Pair("", "", traced=Traced("{}", "a if a.shape else 1 / 0" if "cos" in call.api.name else "a", ("a",)))) for call in drawn]
    sizes: list[int] = []
    made = run_batch(entries, Runner(dialect("torch")), lambda places: sizes.append(len(places)))
    assert sizes[:2] in ([20, 10], [20])
    assert all(isinstance(result, Raised) == (not call.inputs["a"].shape and "cos" in call.api.name) for (call, _), result in zip(entries, made))


@pytest.mark.slow
def test_export_agrees_and_keeps_weights() -> None:
    result = run("export", "torch.add", "torch.nn.Linear", "torch.stack")
    assert not [f for f in result.findings if f["verdict"] == "finding"]
    assert all(agree(result, name, "export") for name in ("torch.add", "torch.nn.Linear", "torch.stack"))


def test_onnx_says_what_is_missing() -> None:
    from importlib.util import find_spec

    rule = next(r for r in rules() if r.name == "onnx")
    assert bool(rule.ready()) == any(find_spec(name) is None for name in ("onnx", "onnxscript", "onnxruntime"))


@pytest.mark.slow
def test_what_aot_eager_shows_is_not_reported_of_inductor(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    compiler: Any = torch.compile
    monkeypatch.setattr(torch, "compile", lambda f, **options: compiler(lambda *a: [x + 1 for x in f(*a)] if isinstance(f(*a), list) else f(*a) + 1, **options))
    assert [f for f in run("aot-eager", "torch.sin").findings if f["verdict"] == "finding"]
    result = run("inductor", "torch.sin")
    assert not result.findings and result.counts["torch.sin\tinductor"]["earlier"] == result.counts["torch.sin\tinductor"]["pairs"]

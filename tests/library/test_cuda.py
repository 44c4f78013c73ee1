"""The rule CPU = CUDA: what it runs on the device. No GPU is needed."""

from __future__ import annotations

from tensorproof.equivalence.api import chosen
from tensorproof.equivalence.campaigns.job import Job, Work
from tensorproof.equivalence.dialects import dialect
from tensorproof.equivalence.drawing import calls
from tensorproof.equivalence.rule import Pair
from tensorproof.equivalence.rules.cuda import RULE, on_device, rule


def pairs(name: str) -> list[Pair]:
    api = chosen("torch", (name,))[0]
    return [pair for call in calls(api, 7, 0) for pair in on_device("cuda")(call, dialect("torch"))]


def test_inputs_are_moved() -> None:
    assert all('a.to("cuda")' in pair.right and "cuda" not in pair.left for pair in pairs("torch.sin"))


def test_layers_are_moved_and_convolutions_keep_single_precision() -> None:
    assert all('layer.to("cuda")(a.to("cuda"))' in pair.right and "allow_tf32 = False" in pair.setup for pair in pairs("torch.nn.Conv2d"))


def test_tensors_are_created_there() -> None:
    assert all("device='cuda'" in pair.right for pair in pairs("torch.linspace"))


def test_random_numbers_are_not_compared() -> None:
    assert {pair.compare for pair in pairs("torch.rand")} == {pair.compare for pair in pairs("torch.empty")} == {"types"}


def test_questions_about_the_tensor_are_left_out() -> None:
    assert not RULE.applies(chosen("torch", ("torch.Tensor.get_device",))[0])


def test_the_cpu_agrees_with_itself() -> None:
    work = Work("torch", dialect("torch"))
    work.rules["cuda"] = rule("cpu")
    result = work.run(Job("k", "torch", ("torch.cumsum", "torch.nn.LSTM"), ("cuda",), 0, 7))
    assert not result.findings and result.counts["torch.cumsum\tcuda"]["agree"] == 10

"""What is ignored is left out, counted, and does not blind: the rest of the program is checked."""

from __future__ import annotations

from tensorproof.app.check import check_source
from tensorproof.app.program import Program
from tensorproof.app.suppress import leave_out
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.frontends.python.modules.source import parse

THREE = """
import torch
a = torch.zeros(2, 3) @ torch.zeros(2, 3)
b = torch.zeros(3) + torch.zeros(4)
c = torch.zeros(6).view(4, 2)
"""


def _left(text: str, *ignored: str) -> Program:
    program = check_source(parse("program.py", text))
    leave_out(program, lambda code: code not in ignored)
    return program


def test_three_errors_and_two_when_one_is_ignored() -> None:
    assert [d.code for d in _left(THREE).diagnostics] == ["matmul/inner", "add/broadcast", "reshape/numel"]
    program = _left(THREE, "add/broadcast")
    assert [d.code for d in program.diagnostics] == ["matmul/inner", "reshape/numel"]
    assert (program.ignored, program.verdict) == (1, Verdict.INVALID)


def test_a_comment_ignores_one_line() -> None:
    program = _left(THREE.replace("torch.zeros(4)", "torch.zeros(4)  # tensorproof: ignore[add/broadcast]"))
    assert [d.code for d in program.diagnostics] == ["matmul/inner", "reshape/numel"]
    assert program.ignored == 1


def test_what_is_known_behind_an_ignored_error_is_proved() -> None:
    program = _left("import torch\ny = torch.nn.Linear(3, 4)(torch.zeros(2, 5))\ntorch.nn.Linear(4, 1)(y)\n", "linear/features")
    assert (program.verdict, program.paths["valid"], program.ignored) == (Verdict.VALID, 1, 1)


def test_what_is_not_known_behind_an_ignored_error_is_not_proved() -> None:
    program = _left("import torch\ny = torch.zeros(3) + torch.zeros(4)\ntorch.nn.Linear(4, 1)(y)\n", "add/broadcast")
    assert (program.verdict, program.paths["unknown"]) == (Verdict.UNKNOWN, 1)


def test_a_path_that_ended_at_an_ignored_error_is_not_proved() -> None:
    program = _left("import torch\nassert torch.zeros(3).shape == (4,)\ntorch.zeros(2)\n", "python/assert")
    assert program.verdict is Verdict.UNKNOWN

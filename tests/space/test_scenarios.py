"""Which parameters stay symbolic: one analysis decides all of their values."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.program import Options
from tensorproof.app.spaces.report import space
from tensorproof.engines.space.deciding import Deciding
from tensorproof.engines.space.parameters import parameter

SPLIT_HEADS = """
import torch

def build(width, heads, length):
    q, k, v = torch.zeros(2, length, 3 * width).split(width, dim=2)
    q = q.view(2, length, heads, width // heads).transpose(1, 2)
    k = k.view(2, length, heads, width // heads).transpose(1, 2)
    return (q @ k.transpose(-2, -1)) * k.shape[-1] ** -0.5
"""
MERGED_HEADS = """
import torch

def build(width, heads, length):
    x = torch.zeros(2, length, heads, width // heads).transpose(1, 2)
    return x.transpose(1, 2).view(2, length, width)
"""
UNORDERED = """
import torch

def build(width, heads, length):
    return torch.zeros(2, heads, length, width // heads).transpose(1, 2).view(2, length, width)
"""
RAISED = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        if width % heads != 0:
            raise ValueError(f"{heads} heads do not divide {width}")
        self.out = nn.Linear(heads * (width // heads), width)

    def forward(self, x):
        return self.out(x)

def build(width, heads, length):
    assert length > 1, "too short"
    return Attention(width, heads)(torch.zeros(2, length, width))
"""
SQUARED = """
import torch

def build(width, heads, length):
    count = (width // heads) ** 2
    return torch.zeros(2, count, 3) + torch.zeros(1, (width // heads) * (width // heads), 3) * (length - 1) ** -1
"""


@pytest.mark.parametrize("text", [SPLIT_HEADS, MERGED_HEADS, UNORDERED, RAISED, SQUARED], ids=["split", "merged", "unordered", "raised", "squared"])
def test_one_analysis_decides_every_vector(text: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "program.py"
    file.write_text(text, "utf-8")
    parameters = [parameter(line) for line in ("width=2..8:2", "heads=1..4", "length=1..3")]
    found = space(str(file), parameters, Options((), "build"))
    assert (found.analyses, found.unknown) == (1, 0)
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    deciding = Deciding(found.parameters, found.scenarios)
    for values in product(*(p.values for p in parameters)):
        vector = dict(zip([p.name for p in parameters], values))
        assert (deciding.cause(vector) is None) is _runs(names["build"], vector), vector


def _runs(build: Any, vector: dict[str, Any]) -> bool:
    try:
        build(**vector)
    except Exception:
        return False
    return True

"""`check --vary NAME` says what the values that vary must meet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensorproof.cli.main import main

PROGRAM = """
import argparse, torch
from torch import nn
p = argparse.ArgumentParser()
for name, default in (("kernel", 3), ("width", 64), ("heads", 4)):
    p.add_argument("--" + name, type=int, default=default)
a = p.parse_args()
x = nn.Conv2d(3, a.width, a.kernel)(torch.zeros(2, 3, 8, 8)).flatten(2).transpose(1, 2)
y = nn.MultiheadAttention(a.width, a.heads)(x, x, x)[0]
"""


def test_the_region_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM, "utf-8")
    words = ["check", str(file), "--vary", "kernel", "--vary", "width", "--vary", "heads"]
    assert main(words) == 0
    assert "kernel <= 8, heads divides width" in capsys.readouterr().out
    assert main([*words, "--output-format", "json"]) == 0
    (program,) = json.loads(capsys.readouterr().out)["programs"]
    assert {"1 <= kernel", "kernel <= 8", "heads divides width"} <= set(program["region"])
    assert main(["check", str(file)]) == 0
    assert "needs" not in capsys.readouterr().out

"""A parameter without an upper end: the solver finds the vectors of each cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.program import Options
from tensorproof.app.spaces.report import space
from tensorproof.cli.main import main
from tensorproof.engines.space.parameters import parameter

NET = """
import torch
from torch import nn
def build(kernel, size, act):
    x = nn.Conv2d(3, 1, kernel)(torch.zeros(1, 3, size, size))
    x = nn.GELU()(x) if act == "gelu" else nn.ReLU()(x)
    return nn.Linear(16, 2)(x.flatten(1))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(NET, "utf-8")
    return path


@pytest.mark.parametrize("mode", ["bulk", "individual"])
def test_finitely_many_valid_vectors_are_all_found(mode: str, file: Path) -> None:
    found = space(str(file), [parameter("kernel=1..3"), parameter("size=1.."), parameter("act=relu,gelu")], Options((), "build"), mode)
    assert (found.valid, found.more) == (6, False) and found.example is not None and found.example["size"] == found.example["kernel"] + 3
    counts = {group.cause.code: (group.count, group.more) for group in found.groups}
    assert counts["conv2d/kernel"] == (6, False) and counts["linear/features"][1] and found.region[0].startswith("kernel <= size")


def test_every_example_is_true(file: Path) -> None:
    torch = pytest.importorskip("torch")
    found = space(str(file), [parameter("kernel=1.."), parameter("size=2.."), parameter("act=relu,gelu")], Options((), "build"), "bulk")
    names: dict[str, object] = {}
    exec(NET, names)
    build = names["build"]
    assert found.more and found.example is not None and callable(build) and torch.is_tensor(build(**found.example))
    for group in found.groups:
        assert group.more and not group.cause.unknown
        with pytest.raises(RuntimeError):
            build(**group.example)


@pytest.mark.parametrize(
    "words, about",
    [
        (["--param", "size=1.."], "--mode bulk fits"),
        (["--param", "size=1..", "--mode", "bulk", "--list", "all.csv"], "cannot be listed"),
        (["--param", "size=4,9..", "--mode", "bulk"], "a range has two ends"),
        (["--param", "size=..9"], "a range has two ends"),
    ],
)
def test_what_does_not_fit(words: list[str], about: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", "--entry", f"{file}::build", "--param", "kernel=1..3", "--param", "act=relu", *words]) == 2
    printed = capsys.readouterr()
    assert about in printed.err and len(printed.err.strip().splitlines()) == 1

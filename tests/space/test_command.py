"""The command `tensorproof space`: where parameters are bound, what is printed, and what is refused."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from tensorproof.cli.main import main

NET = """
import argparse
import torch
from torch import nn
{constants}
def main(kernel, width):
    x = nn.Conv2d(3, width, kernel)(torch.zeros(1, 3, 8, 8))
    return nn.Linear(4, 2)(x.flatten(2).mean(-1))
{driver}
"""
ARGPARSE = """
p = argparse.ArgumentParser()
p.add_argument("--kernel", type=int, default=3)
p.add_argument("--width", type=int, required=True)
a = p.parse_args()
main(a.kernel, a.width)
"""
BOUND = {
    "argparse": ("", ARGPARSE),
    "constants": ("kernel = 3\nwidth: int = 4", "main(kernel, width)"),
    "dict": ("config = {'model': {'kernel': 3, 'width': 4}}", "main(**config['model'])"),
    "class": ("class Config:\n    kernel = 3\n    width = 4", "main(Config.kernel, Config.width)"),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    kernel: int = 3\n    width: int = 4",
        "c = Config()\nmain(c.kernel, c.width)",
    ),
    "namespace": ("from types import SimpleNamespace\nc = SimpleNamespace(kernel=3, width=4)", "main(c.kernel, c.width)"),
}

WHERE = {
    "argparse": "command-line argument --kernel", "constants": "constant at {file}:5", "dict": "key at {file}:5", "class": "constant at {file}:6",
    "dataclass": "constant at {file}:8", "namespace": "key at {file}:6",
}  # fmt: skip


def _json(capsys: pytest.CaptureFixture[str], words: list[str]) -> tuple[int, dict[str, object]]:
    status = main(["space", *words, "--output-format", "json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out) if status != 2 else {"error": printed.err}


@pytest.mark.parametrize("kind", BOUND)
def test_where_parameters_are_bound(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    constants, driver = BOUND[kind]
    file = tmp_path / "train.py"
    file.write_text(NET.format(constants=constants, driver=driver), "utf-8")
    status, found = _json(capsys, [str(file), "--param", "kernel=1..10", "--param", "width=3..5"])
    results = found["results"]
    assert status == 1 and isinstance(results, dict)
    assert (results["vectors"], results["valid"], results["unknown"]) == (30, 8, 0)
    assert {(c["category"], c["count"]) for c in results["causes"]} == {("illegal shape", 6), ("incompatible shape", 16)}
    assert isinstance(found["bound"], dict) and found["bound"]["kernel"] == WHERE[kind].format(file=file) and "width" in found["bound"]
    assert "kernel <= 8" in results["region"] and "width == 4" in results["region"]


def test_entry_with_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.py"
    file.write_text(
        "from torch import nn\nclass Net(nn.Module):\n    def __init__(self, kernel):\n        super().__init__()\n"
        "        self.conv = nn.Conv2d(3, 4, kernel)\n    def forward(self, x):\n        return self.conv(x)\n",
        "utf-8",
    )
    status, found = _json(capsys, ["--entry", f"{file}::Net", "--param", "kernel=1..5", "--param", "size=1..5", "--input", "x=2,3,size,size"])
    results = found["results"]
    assert status == 1 and isinstance(results, dict) and results["valid"] == 15 and results["region"] == ["kernel <= size"]


def test_a_stride_that_skips_data_is_a_warning_or_with_strict_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.py"
    file.write_text(
        "import torch\nfrom torch import nn\ndef build(kernel, stride):\n"
        "    return nn.MaxPool2d(2, stride)(nn.Conv2d(3, 4, kernel, stride)(torch.zeros(1, 3, 16, 16)))\n",
        "utf-8",
    )
    words = ["--entry", f"{file}::build", "--param", "kernel=1..3", "--param", "stride=1..3"]
    status, found = _json(capsys, words)
    results = found["results"]
    assert status == 0 and isinstance(results, dict) and results["valid"] == 9
    assert {(w["code"], w["category"], w["count"]) for w in results["warnings"]} == {
        ("conv2d/skipped", "improper value", 3), ("max_pool2d/skipped", "improper value", 1)
    }  # fmt: skip
    status, found = _json(capsys, [*words, "--strict"])
    results = found["results"]
    assert status == 1 and isinstance(results, dict) and results["valid"] == 5 and not results["warnings"]
    assert {c["category"] for c in results["causes"]} == {"improper value"}


def test_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "train.py", tmp_path / "out.csv"
    file.write_text(NET.format(constants="kernel = 3\nwidth = 4", driver="main(kernel, width)"), "utf-8")
    assert main(["space", str(file), "--param", "kernel=7..10", "--list", str(out)]) == 1
    assert [tuple(row.values()) for row in csv.DictReader(out.open())] == [
        ("7", "valid", "", ""), ("8", "valid", "", ""), ("9", "invalid", "conv2d/kernel", "illegal shape"), ("10", "invalid", "conv2d/kernel", "illegal shape"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words, about",
    [
        (["train.py"], "needs at least one --param"),
        (["train.py", "--param", "kernal=1..3"], "the closest names are kernel"),
        (["train.py", "--param", "kernel=3..1"], "there is no value"),
        (["train.py", "--param", "kernel=1..3", "--param", "kernel=4"], "given twice"),
        (["missing.py", "--param", "kernel=1..3"], "cannot be read"),
        (["train.py", "--param", "kernel=1..3", "--list", "no/such/folder.csv"], "cannot be written"),
        (["train.py", "--entry", "train.py::nothing", "--param", "kernel=1..3"], "defines no nothing"),
    ],
)
def test_bad_input(words: list[str], about: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(NET.format(constants="kernel = 3\nwidth = 4", driver="main(kernel, width)"), "utf-8")
    assert main(["space", *words]) == 2
    printed = capsys.readouterr()
    assert about in printed.err and not printed.out and len(printed.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "words, about",
    [
        (["--param", "kernel=3,five"], "the parameter kernel has the type int in the program, and 'five' is not one"),
        (["--param", "kernel=1.5,2.5"], "the parameter kernel has the type int in the program, and a real number is not one"),
        (["--param", "kernel=1..3", "--", "--kernel", "5", "--width", "4"], "the parameter kernel also has a value among the program's own arguments"),
        (["--param", "kernel=1..3", "--param", "width=", "--"], "there is no value"),
        (["--param", "kernel=1..3:0"], "the step of a range must be at least 1"),
        (["--param", "kernel=1..9999999999"], "at most 1,000,000 values"),
        (["--param", "kernel=1..3 if width=2"], "which is not another parameter"),
        (["--param", "kernel=1..1000", "--param", "width=1..2000", "--mode", "individual"], "--mode vectorised fits"),
        (["--param", "kernel=1..3", "--engine", "spark", "--master", "spark://127.0.0.1:1"], "cannot be reached"),
        (["--param", "kernel=1..3", "--jobs", "0"], "a number of processes"),
        (["--param", "kernel=1..3", "--plot", "kernel", "--plot-file", "a.png"], "must name two parameters"),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_nothing_is_written(
    words: list[str], about: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if "spark" in words:
        pytest.importorskip("pyspark")
    Path("train.py").write_text(NET.format(constants="", driver=ARGPARSE), "utf-8")
    assert main(["space", "train.py", "--list", "all.csv", *words] if "--" in words or "--plot" not in words else ["space", "train.py", *words]) == 2
    printed = capsys.readouterr()
    assert about in printed.err and not printed.out and len(printed.err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


def _die(*args: object) -> None:
    os._exit(1)


def test_a_process_that_dies_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tensorproof.app.spaces.engines.packed_tally", _die)
    monkeypatch.setattr("tensorproof.app.spaces.engines.ranges", lambda parameters: [(0, 1), (1, 2)])
    Path("train.py").write_text(NET.format(constants="kernel = 3\nwidth = 4", driver="main(kernel, width)"), "utf-8")
    assert main(["space", "train.py", "--param", "kernel=1..3", "--jobs", "2", "--list", "all.csv"]) == 2
    printed = capsys.readouterr()
    assert "ended before its work was done" in printed.err and len(printed.err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


def test_a_key_is_named_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "train.py"
    constants = "config = {'encoder': {'kernel': 3, 'width': 4}, 'decoder': {'kernel': 3, 'width': 4}}"
    file.write_text(NET.format(constants=constants, driver="main(**config['encoder'])\nmain(**config['decoder'])"), "utf-8")
    status, found = _json(capsys, [str(file), "--param", "encoder.kernel=1..10", "--param", "decoder.kernel=7..9"])
    results = found["results"]
    assert status == 1 and isinstance(results, dict) and (results["vectors"], results["valid"]) == (30, 16)
    assert {"encoder.kernel <= 8", "decoder.kernel <= 8"} <= set(results["region"])

"""Spaces in TOML files, and what is written: CSV, Parquet, pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensorproof.cli.main import main

NET = """
from torch import nn
import torch
def build(kernel, size, act, attention=True, heads=1):
    x = nn.Conv2d(3, 6, kernel)(torch.zeros(1, 3, size, size))
    x = nn.GELU()(x) if act == "gelu" else nn.ReLU()(x)
    x = x.flatten(2).transpose(1, 2)
    if attention:
        x = nn.MultiheadAttention(6, heads)(x, x, x)[0]
    return x
"""
SPACE = """
program = "net.py"
entry = "build"
[param]
kernel = "1..6"
act = ["relu", "gelu"]
attention = [true, false]
heads = {values = "1..4", if = "attention=true"}
[default]
size = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET, "utf-8")
    (tmp_path / "space.toml").write_text(SPACE, "utf-8")
    return tmp_path


def test_a_space_in_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(folder / "space.toml"), "--output-format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["results"]
    assert (found["vectors"], found["valid"], found["unknown"]) == (6 * 2 * 5, 5 * 2 * 4, 0)


@pytest.mark.parametrize("mode", ["individual", "bulk"])
def test_modes_of_the_solver_count_alike(mode: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["space", str(folder / "space.toml"), "--mode", mode, "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)["results"]
    main(["space", str(folder / "space.toml"), "--output-format", "json"])
    other = json.loads(capsys.readouterr().out)["results"]
    assert [(c["code"], c["count"]) for c in found["causes"]] == [(c["code"], c["count"]) for c in other["causes"]]
    assert found["valid"] == other["valid"]


def test_the_command_line_replaces_a_parameter(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(folder / "space.toml"), "--param", "kernel=1..5", "--param", "heads=1..3", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]["invalid"] == 0


@pytest.mark.parametrize(
    "text, about",
    [
        ("program = 'net.py'\nparams = {}", "did you mean param?"),
        ("[param]\nkernel = '1..3'", "one program or one model"),
        ("program = 'net.py'\n[param]\nkernel = []", "there is no value"),
        ("program = 'net.py'\n[param]\nkernel = {value = 3}", "a table with values"),
        ("program = 'net.py'\nmode = 'quick'\n[param]\nkernel = 3", "the mode quick is not known"),
        ("program = 3", "program must be a string"),
        ("program = 'net.py'\nframework = 'jax'", "the framework jax is not known"),
        ("program = ", "cannot be read"),
    ],
)
def test_files_that_do_not_fit(text: str, about: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.toml").write_text(text, "utf-8")
    assert main(["space", str(folder / "bad.toml")]) == 2
    assert about in capsys.readouterr().err


def test_parquet_holds_what_csv_holds(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("all.csv", "all.parquet"):
        assert main(["space", str(folder / "space.toml"), "--list", str(folder / name), "-q"]) == 1
    table = parquet.read_table(folder / "all.parquet").to_pylist()
    lines = (folder / "all.csv").read_text("utf-8").splitlines()
    assert [",".join("" if v is None else str(v) for v in row.values()) for row in table] == lines[1:]


def test_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    for name, begins in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.html", b"<!doctype html>")):
        assert main(["space", str(folder / "space.toml"), "--plot", "kernel,heads", "--plot-file", str(folder / name), "-q"]) == 1
        assert (folder / name).read_bytes().startswith(begins)
    assert main(["space", str(folder / "space.toml"), "--plot", "kernel,nothing", "--plot-file", str(folder / "b.png")]) == 2
    assert "must name two parameters" in capsys.readouterr().err
    assert not [p.name for p in folder.iterdir() if p.name.startswith((".", "b."))]


def test_a_space_too_large_for_a_mode(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(folder / "space.toml"), "--mode", "individual", "--param", "kernel=1..900000"]) == 2
    assert "--mode vectorised fits" in capsys.readouterr().err

"""Saved models that cannot be read, and options that do not fit them: one sentence each, exit status 2; among several files, a finding of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.cli.main import main

GRAPH = """node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "shape" value {{ shape {{ dim {{ size: -1 }} dim {{ size: 4 }} }} }} }} }}
node {{ name: "w" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ dim {{ size: {0} }} dim {{ size: 2 }} }} float_val: 1 }} }} }} }}
node {{ name: "y" op: "MatMul" input: "x" input: "w" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
"""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["check", *words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.parametrize("name", ["m.onnx", "m.pb", "m.pbtxt", "m.onnx.gz"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00junk", b"hello world", b"\x1f\x8b\x08broken"])
def test_files_that_hold_no_graph(name: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    status, out, err = run(capsys, str(path))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and str(path) in err


def test_a_missing_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, str(tmp_path / "none.onnx"))
    assert status == 2 and "does not exist" in err


def test_one_of_several_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pb").write_bytes(b"junk")
    (tmp_path / "b.pbtxt").write_text(GRAPH.format(4))
    status, out, _ = run(capsys, str(tmp_path / "a.pb"), str(tmp_path / "b.pbtxt"))
    assert status == 1 and "file/unreadable" in out and "1 path proved" in out


def test_options_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(GRAPH.format(4))
    assert "the graph has no such input; it has x" in run(capsys, str(path), "--input", "z=(2,4)")[2]
    assert "takes no program arguments" in run(capsys, str(path), "--", "--lr", "1")[2]


def test_a_shape_that_the_user_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(GRAPH.format(4))
    assert run(capsys, str(path), "--input", "x=(2,4)")[0] == 0
    status, out, _ = run(capsys, str(path), "--input", "x=(2,5)")
    assert status == 1 and f"{path}:5: node y: error[matmul/inner]" in out and "MatMul(x (2, 5), w (4, 2))" in out


def test_concise_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    path = tmp_path / "m.pbtxt"
    path.write_text(GRAPH.format(3))
    assert run(capsys, str(path), "--output-format", "concise")[1].startswith(f"{path}:5: node y: error[matmul/inner]")
    report = json.loads(run(capsys, str(path), "--output-format", "json")[1])
    assert [(d["node"], d["line"]) for d in report["diagnostics"]] == [("y", 5)]
    assert report["programs"][0]["verdict"] == "invalid"

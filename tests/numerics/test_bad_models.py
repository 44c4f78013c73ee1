"""Saved models that `numerics` cannot work with: one sentence and exit status 2; a node that cannot be understood is listed, and nothing is proved of it."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from tensorproof.cli.main import main

FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'
INPUT = """node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
"""
LOG = f'node {{ name: "y" op: "Log" input: "a" {FLOAT} }}\n'


def run(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> tuple[int, str, str]:
    status = main(["numerics", str(path), *options])
    said = capsys.readouterr()
    return status, said.out, said.err


def refused(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> str:
    status, out, err = run(capsys, path, *options)
    assert status == 2 and out == "" and err.count("\n") == 1
    return err


@pytest.mark.parametrize("name", ["m.pb", "m.pbtxt", "m.meta", "m.onnx", "m.pt2", "m.keras", "m.pbtxt.gz", "m.onnx.gz", "m.keras.gz", "m.pt2.gz"])
@pytest.mark.parametrize("content", [b"", b"hello world", b"\x89PNG\r\n\x1a\n\0\0\0", b"\x1f\x8b\x08broken", b"PK\x03\x04broken"])
def test_foreign_files_are_one_sentence(name: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert str(path) in refused(capsys, path)


def test_a_saved_model_that_is_cut_off_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01\x12\xff\x01abc")
    assert "ends in the middle" in refused(capsys, tmp_path)


@pytest.mark.parametrize("name, packed", [("m.pbtxt", False), ("m.pbtxt.gz", True)])
def test_text_that_is_cut_off_is_one_sentence(name: str, packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = (INPUT + LOG.replace('"a"', '"x"')).encode()
    (tmp_path / name).write_bytes(gzip.compress(data)[:-12] if packed else data[:-9])
    refused(capsys, tmp_path / name)


@pytest.mark.parametrize("name", ["m.keras", "m.pt2"])
def test_an_archive_without_a_model_is_one_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("something.txt", "else")
    refused(capsys, tmp_path / name)


def test_nodes_that_wait_for_each_other_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(INPUT + f'node {{ name: "a" op: "AddV2" input: "x" input: "b" {FLOAT} }}\nnode {{ name: "b" op: "Relu" input: "a" {FLOAT} }}\n' + LOG)
    assert "nodes wait for their own results: a, b, y" in refused(capsys, path)


def test_a_tensor_that_claims_more_than_it_holds_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    held = 'tensor { dtype: DT_FLOAT tensor_shape { dim { size: 536870912 } } tensor_content: "abcd" }'
    path.write_text(f'node {{ name: "a" op: "Const" attr {{ key: "value" value {{ {held} }} }} }}\n' + LOG)
    assert "a constant of 4 bytes where its shape (536870912,) takes 2147483648" in refused(capsys, path)


@pytest.mark.parametrize(
    "node, words",
    [
        ('op: "Frobnicate" input: "x"', "Frobnicate is not known"),
        ('op: "Cast" input: "x" attr { key: "DstT" value { i: 3 } }', "Cast, 1 time"),
        ('op: "ConcatV2" input: "x" input: "x"', "it is refused"),
    ],
)
def test_a_node_that_cannot_be_understood_is_listed(node: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(INPUT + f'node {{ name: "a" {node} }}\n' + LOG)
    status, out, _ = run(capsys, path, "--verbose")
    assert status == 0 and words in out and "0 proved safe · 0 possible · 0 unsafe · 1 not analysed · 1 call not understood" in out


@pytest.mark.parametrize("options, words", [(("--range", "x=2:1"), "the lower end 2 is above"), (("--range", "z=0:1"), "x")])
def test_a_range_that_does_not_fit_is_one_sentence(options: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(INPUT + LOG.replace('"a"', '"x"'))
    assert words in refused(capsys, path, *options)


@pytest.mark.parametrize("given", ["", 'attr { key: "dtype" value { i: 7 } }'])
def test_an_input_without_an_element_type_is_listed(given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(f'node {{ name: "x" op: "Placeholder" {given} }}\n' + LOG.replace('"a"', '"x"'))
    status, out, _ = run(capsys, path)
    assert status == 0 and "Placeholder, 1 time: its attribute dtype is missing, or is not an element type" in out

"""Spaces of saved models: where names are bound, what follows from them, and what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tensorproof.cli.main import main

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NETWORK = {
    "conv1.kernel_size=1..5": (2, 3),
    "conv1.kernel_shape=1..5": (2, 3),
    "/conv1/Conv.kernel_size[0]=1..5": (2, 3),
    "conv1.strides=1..3": (1, 2),
    "conv1.out_channels=1..4": (1, 3),
    "fc.units=0..3": (4, 0),
    "fc.in_features=8,9,10": (1, 2),
    "input.batch=1..4": (4, 0),
    "x.height=4..8": (2, 3),
    "x[2]=4..8": (2, 3),
    "input.channels=2,3": (1, 1),
    "input.format=NCHW,NHWC": (1, 1),
    "input.dtype=float32,float64": (1, 1),
    "pool.kernel_size=1..4": (2, 2),
    "/Flatten.axis=1,2": (1, 1),
}
"""Of a network of one convolution, a pool and a layer that is fully connected: how many values are valid, and how many are not."""


def network(folder: Path) -> Path:
    onnx = pytest.importorskip("onnx")
    np = pytest.importorskip("numpy")
    helper = onnx.helper
    sizes = {"conv1.weight": (2, 3, 3, 3), "conv1.bias": (2,), "fc.weight": (4, 8), "fc.bias": (4,)}
    nodes = [
        helper.make_node("Conv", ["x", "conv1.weight", "conv1.bias"], ["a"], "/conv1/Conv", kernel_shape=[3, 3]),
        helper.make_node("MaxPool", ["a"], ["b"], "/pool/MaxPool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["b"], ["c"], "/Flatten"),
        helper.make_node("Gemm", ["c", "fc.weight", "fc.bias"], ["y"], "/fc/Gemm", transB=1),
    ]
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 3, 6, 6])
    made = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 4])
    weights = [onnx.numpy_helper.from_array(np.zeros(shape, np.float32), name) for name, shape in sizes.items()]
    model = helper.make_model(helper.make_graph(nodes, "g", [given], [made], weights), opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, str(folder / "net.onnx"))
    return folder / "net.onnx"


def answered(capsys: pytest.CaptureFixture[str], path: Path, *parameters: str) -> dict[str, Any]:
    words = [word for one in parameters for word in ("--param", one)]
    assert main(["space", str(path), *words, "--output-format", "json"]) in (0, 1), capsys.readouterr().err
    return json.loads(capsys.readouterr().out)["results"]


@pytest.mark.parametrize(("parameter", "counts"), NETWORK.items(), ids=NETWORK)
def test_names_of_nodes_layers_and_inputs(parameter: str, counts: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(capsys, network(tmp_path), parameter)
    assert (found["valid"], found["invalid"], found["unknown"]) == (*counts, 0)


def test_weights_follow_and_others_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(capsys, network(tmp_path), "conv1.out_channels=2,4", "fc.in_features=8,16", "input.batch=3")
    assert (found["valid"], found["invalid"]) == (2, 2)


def test_a_constant_that_others_read_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["a"], "one"), helper.make_node("Reshape", ["x", "shape"], ["b"], "two")]
    nodes.append(helper.make_node("MatMul", ["a", "b"], ["y"], "product"))
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in (("x", [16]), ("y", None)))
    shape = onnx.numpy_helper.from_array(pytest.importorskip("numpy").array([4, 4]), "shape")
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], [shape]), opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, str(tmp_path / "shared.onnx"))
    found = answered(capsys, tmp_path / "shared.onnx", "one.shape[0]=2,4,8", "one.shape[1]=2,4,8")
    assert (found["valid"], found["invalid"], found["unknown"]) == (1, 8, 0)


def test_the_shape_of_an_input_names_parameters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = network(tmp_path)
    main(["space", str(path), "--param", "size=4..8", "--param", "fc.units=1,2", "--input", "x=2,3,size,size", "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)["results"]
    assert (found["valid"], found["invalid"], found["unknown"]) == (4, 6, 0)


def test_a_hyperparameter_is_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(network(tmp_path)), "--param", "conv1.kernel_size=1,2", "--param", "conv1.kernel=1,2"]) == 2
    assert "conv1.kernel_size and conv1.kernel are one hyperparameter" in capsys.readouterr().err


def test_a_file_names_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network(tmp_path)
    (tmp_path / "space.toml").write_text('model = "net.onnx"\n[param]\n"conv1.kernel_size" = "1..5"\n[default]\n"input.batch" = 2\n', "utf-8")
    found = answered(capsys, tmp_path / "space.toml")
    assert (found["vectors"], found["valid"]) == (5, 2)


WRONG = {
    "conv1.kernel_sise=1,2": "conv1 has no hyperparameter kernel_sise; the closest names are kernel_size",
    "conv2.kernel_size=1,2": "has no node or input with the hyperparameter conv2.kernel_size; the closest names are conv1.kernel_size",
    "kernel=1,2": "has no node or input with the hyperparameter kernel",
    "x[7]=1,2": "the input x has 4 axes, and no x[7]",
    "input.format=NCHW,WCHN": "is not a format",
    "input.dtype=float32,fload": "is not an element type",
    "conv1.kernel_size=1,big": "a whole number is needed",
    "pool.auto_pad=1,2": "the types must fit",
}


@pytest.mark.parametrize(("parameter", "sentence"), WRONG.items(), ids=WRONG)
def test_what_is_not_there_is_refused_in_one_sentence(parameter: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(network(tmp_path)), "--param", parameter]) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_a_model_takes_no_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(network(tmp_path)), "--param", "fc.units=1,2", "--", "--epochs", "3"]) == 2
    assert "takes no program arguments" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("form", ["pt2", "onnx", "graphdef", "savedmodel", "metagraph", "keras"])
def test_verdicts_are_those_of_rebuilt_models(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip({"pt2": "torch", "onnx": "onnxruntime"}.get(form, "tensorflow"))
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from random import Random

    import space_models

    for case in __import__(space_models.FORMATS[form]).CASES:
        if case.format == form:
            found = space_models.measure(case, tmp_path, 20, Random(7), True)
            assert found["right"] == found["vectors"]
    sys.modules.pop(space_models.FORMATS[form], None)

"""Saved models of Keras (`.keras`): what their layers need, at the layer's name, and files that are none."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.check import check
from tensorproof.app.models.files import model_forms
from tensorproof.app.program import Options
from tensorproof.cli.main import main
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.program.form import computed


def layer(name: str, kind: str, config: dict[str, Any], *reads: Any, module: str = "keras.layers", **keywords: Any) -> dict[str, Any]:
    """A layer of a functional model; `reads` are the arguments of its one call."""
    node = {"args": list(reads), "kwargs": keywords}
    return {
        "module": module, "class_name": kind, "config": {"name": name, **config}, "registered_name": None, "name": name,
        "inbound_nodes": [node] if reads else [],
    }  # fmt: skip


def tensor(of: str, node: int = 0, index: int = 0) -> dict[str, Any]:
    return {"class_name": "__keras_tensor__", "config": {"shape": [None], "dtype": "float32", "keras_history": [of, node, index]}}


def source(name: str, *sizes: int | None, dtype: str = "float32") -> dict[str, Any]:
    return layer(name, "InputLayer", {"batch_shape": [None, *sizes], "dtype": dtype})


def functional(layers: list[dict[str, Any]], inputs: Any, outputs: Any) -> dict[str, Any]:
    config = {"name": "net", "layers": layers, "input_layers": inputs, "output_layers": outputs}
    return {"module": "keras.src.models.functional", "class_name": "Functional", "config": config, "registered_name": "Functional"}


def sequential(*layers: dict[str, Any]) -> dict[str, Any]:
    return {"module": "keras", "class_name": "Sequential", "config": {"name": "net", "layers": list(layers)}, "registered_name": None}


def write(path: Path, config: Any) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.15.1"}))
        archive.writestr("config.json", config if isinstance(config, bytes) else json.dumps(config))
    return str(path)


def dense(name: str, units: int, *reads: Any) -> dict[str, Any]:
    zeros = {"module": "keras.initializers", "class_name": "Zeros", "config": {}, "registered_name": None}
    policy = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": None}
    config = {"trainable": True, "dtype": policy, "units": units, "activation": "relu", "bias_initializer": zeros, "quantization_config": None}
    return layer(name, "Dense", config, *reads)


def two_branches(left: int = 8, right: int = 8) -> dict[str, Any]:
    layers = [
        source("a", 4),
        dense("left", left, tensor("a")),
        dense("right", right, tensor("a")),
        layer("sum", "Add", {}, [tensor("left"), tensor("right")]),
    ]
    return functional(layers, [["a", 0, 0]], [["sum", 0, 0]])


def picture(kernel: int = 3, target: int = 18) -> dict[str, Any]:
    conv = {"filters": 2, "kernel_size": [kernel, kernel], "strides": [1, 1], "padding": "valid"}
    return sequential(source("image", 5, 5, 1), layer("conv", "Conv2D", conv), layer("shape", "Reshape", {"target_shape": [target]}), dense("out", 3))


def test_a_model_is_proved_and_a_mismatch_stands_at_its_layer(tmp_path: Path) -> None:
    assert check([write(tmp_path / "a.keras", two_branches())])[0].verdict is Verdict.VALID
    found = check([write(tmp_path / "b.keras", two_branches(right=6))])[0]
    assert found.verdict is Verdict.INVALID
    assert [d.span.node for d in found.diagnostics] == ["sum"]


@pytest.mark.parametrize(("kernel", "target", "node"), [(3, 18, ""), (6, 18, "conv"), (3, 20, "shape")])
def test_layers_one_after_the_other(tmp_path: Path, kernel: int, target: int, node: str) -> None:
    found = check([write(tmp_path / "net.keras", picture(kernel, target))])[0]
    assert [d.span.node for d in found.diagnostics] == ([node] if node else [])
    assert found.verdict is (Verdict.INVALID if node else Verdict.VALID)


def test_nested_models_shared_layers_and_operations(tmp_path: Path) -> None:
    inner = sequential(source("i", 6), dense("d", 3)) | {"name": "inner", "inbound_nodes": [{"args": [tensor("x")], "kwargs": {"mask": None}}]}
    shared = dense("shared", 5, tensor("x"))
    shared["inbound_nodes"].append({"args": [tensor("inner")], "kwargs": {}})
    log = layer("log", "LogSoftmax", {"axis": -1}, tensor("shared", 1), module="keras.src.ops.nn")
    layers = [source("x", 3 * 2), inner, shared, log]
    wrong = check([write(tmp_path / "a.keras", functional(layers, ["x", 0, 0], ["log", 0, 0]))])[0]
    assert [d.span.node for d in wrong.diagnostics] == ["shared"]
    shared["inbound_nodes"][1] = {"args": [tensor("x")], "kwargs": {}}
    assert check([write(tmp_path / "b.keras", functional(layers, ["x", 0, 0], {"p": ["log", 0, 0], "q": ["inner", 0, 0]}))])[0].verdict is Verdict.VALID


def test_an_index_keeps_its_slices(tmp_path: Path) -> None:
    cut = {"class_name": "__slice__", "config": {"start": None, "stop": 2, "step": None}}
    item = layer("item", "GetItem", {}, tensor("x"), [{"class_name": "__ellipsis__", "config": {}}, cut], module="keras.src.ops.numpy")
    layers = [source("x", 6), item, layer("r", "Reshape", {"target_shape": [2, 1]}, tensor("item"))]
    assert check([write(tmp_path / "a.keras", functional(layers, ["x", 0, 0], ["r", 0, 0]))])[0].verdict is Verdict.VALID


def test_classes_of_the_user_are_gaps(tmp_path: Path) -> None:
    own = layer("mine", "Mine", {"width": 3}, tensor("x"), module="my_package.layers") | {"registered_name": "my_package>Mine"}
    found = check([write(tmp_path / "a.keras", functional([source("x", 6), own], ["x", 0, 0], ["mine", 0, 0]))])[0]
    assert found.verdict is Verdict.UNKNOWN
    assert "mine" in {g.span.node for g in found.gaps}
    assert not found.diagnostics
    system = layer("s", "system", {"command": "true"}, tensor("x"), module="os")
    assert check([write(tmp_path / "b.keras", functional([source("x", 6), system], ["x", 0, 0], ["s", 0, 0]))])[0].verdict is Verdict.UNKNOWN
    assert check([write(tmp_path / "c.keras", {"module": "m", "class_name": "Net", "config": {}, "registered_name": "Net"})])[0].verdict is Verdict.UNKNOWN


def test_a_model_that_was_never_built_is_not_proved(tmp_path: Path) -> None:
    assert check([write(tmp_path / "a.keras", sequential(dense("d", 3)))])[0].verdict is Verdict.UNKNOWN


def test_the_form_before_keras_3(tmp_path: Path) -> None:
    d = dense("d", 3) | {"inbound_nodes": [[["x", 0, 0, {}]]]}
    assert check([write(tmp_path / "a.keras", functional([source("x", 6), d], [["x", 0, 0]], [["d", 0, 0]]))])[0].verdict is Verdict.VALID


def test_shapes_that_the_user_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layers = [source("x", None), layer("r", "Reshape", {"target_shape": [2, 3]}, tensor("x"))]
    path = write(tmp_path / "a.keras", functional(layers, ["x", 0, 0], ["r", 0, 0]))
    assert main(["check", path, "--input", "x=4,6"]) == 0
    assert main(["check", path, "--input", "x=4,5"]) == 1
    assert main(["check", path, "--input", "y=4,5"]) == 2
    assert "the model has no such input; it has x" in capsys.readouterr().err


def test_the_program_form_names_layers_and_inputs(tmp_path: Path) -> None:
    log = layer("log", "Log", {}, tensor("sum"), module="keras.src.ops.numpy")
    given = two_branches()
    given["config"]["layers"].append(log)
    given["config"]["output_layers"] = [["log", 0, 0]]
    (form,) = model_forms(write(tmp_path / "a.keras", given), Options())
    found = {one.applied.op.name: one for one in computed(form.records)}
    assert found["log"].span.node == "log"
    assert found["log"].span.path.endswith("a.keras")
    assert ["a"] in form.names.values()


def test_gzipped_models_are_read(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.keras", two_branches())
    packed = tmp_path / "a.keras.gz"
    packed.write_bytes(gzip.compress(Path(plain).read_bytes()))
    assert check([str(packed)])[0].verdict is Verdict.VALID


def broken(change: str) -> Any:
    given = two_branches()
    layers = given["config"]["layers"]
    match change:
        case "not json":
            return b"{"
        case "a list":
            return b"[]"
        case "circle":
            layers[1]["inbound_nodes"][0]["args"] = [tensor("sum")]
        case "missing layer":
            layers[1]["inbound_nodes"][0]["args"] = [tensor("nothing")]
        case "two of a name":
            layers.append(layers[1])
        case "shape":
            layers[0]["config"]["batch_shape"] = ["four"]
        case "no class":
            del layers[1]["class_name"]
        case "config":
            layers[1]["config"] = [1]
        case "output":
            given["config"]["output_layers"] = [["nothing", 0, 0]]
        case "name":
            layers[1]["config"]["a b"] = 1
    return given


@pytest.mark.parametrize("change", ["not json", "a list", "circle", "missing layer", "two of a name", "shape", "no class", "config", "output", "name"])
def test_malformed_models_are_one_sentence(tmp_path: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "net.keras", broken(change))
    assert main(["check", path]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith(f"tensorproof: {path} is not a readable Keras model: it ")
    assert "\n" not in said


def test_an_archive_without_a_configuration_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", b"")
    assert main(["check", str(path)]) == 2
    assert "it holds no config.json." in capsys.readouterr().err


def test_infer_prints_the_contract_of_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "model.keras", two_branches())
    assert main(["infer", path]) == 0
    said = capsys.readouterr().out
    assert said.startswith("model: ") and "(batch, " in said and "→" in said
    assert main(["infer", path, "--input", "missing=2,3"]) == 2

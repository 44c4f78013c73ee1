"""Spaces of saved models of Keras: names of layers and inputs, and values that are analysed one by one."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tensorproof.cli.main import main


def layer(kind: str, **config: Any) -> dict[str, Any]:
    return {"module": "keras.layers", "class_name": kind, "config": config, "registered_name": None}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    layers = [
        layer("InputLayer", batch_shape=[None, 8, 8, 3], dtype="float32", name="image"),
        layer("Conv2D", name="conv", filters=4, kernel_size=[3, 3], strides=[1, 1], padding="valid", data_format="channels_last", groups=1),
        layer("Reshape", name="reshape", target_shape=[36, 4]),
        layer("Dense", name="head", units=5),
    ]
    config = {"module": "keras", "class_name": "Sequential", "config": {"name": "net", "layers": layers}, "registered_name": None}
    path = tmp_path / "net.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
    return path


COUNTS = {
    "conv.kernel_size=1..4": (1, 3),
    "conv.kernel_size[0]=1..4": (1, 3),
    "conv.filters=2,4,6": (1, 2),
    "head.units=1..3": (3, 0),
    "reshape.target_shape[0]=36,-1,18": (2, 1),
    "conv.padding=valid,same": (1, 1),
    "input.height=7..9": (1, 2),
    "image.batch=1..4": (4, 0),
    "image.format=NHWC,NCHW": (1, 1),
    "image.dtype=float32,int32": (1, 1),
}


@pytest.mark.parametrize(("parameter", "counts"), COUNTS.items(), ids=COUNTS)
def test_names_of_layers_and_inputs(parameter: str, counts: tuple[int, int], model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["space", str(model), "--param", parameter, "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)["results"]
    assert (found["valid"], found["invalid"], found["unknown"]) == (*counts, 0)


def test_the_closest_names_are_reported(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["space", str(model), "--param", "conv.kernel=1,2"]) == 2
    assert "conv has no hyperparameter kernel; the closest names are kernel_size" in capsys.readouterr().err

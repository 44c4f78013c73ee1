"""Models as texts, and where the catalogue sees the examples of a batch."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tensorproof.equivalence.api import Api, apis
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.models import CLASSES, SUBJECTS, drawn_model, keras_models, torch_models
from tensorproof.equivalence.models.batches import batch_of
from tensorproof.equivalence.models.preparing import prepared


def call(name: str, *shapes: tuple[int, ...], label: str = "float32", init: dict[str, object] | None = None, **given: object) -> Call:
    api: Api = next(a for a in apis("torch" if name.startswith("torch") else "tensorflow") if a.name == name)
    inputs = {name: Array(label, np.zeros(shape, label)) for name, shape in zip("abc", shapes)}
    return Call(api, tuple(map(Input, inputs)), given, init, inputs)


@pytest.mark.parametrize(
    ("made", "axes", "results"),
    [
        (call("torch.nn.functional.conv2d", (4, 3, 5, 5), (2, 3, 2, 2)), {"a": 0}, 0),
        (call("torch.nn.LSTM", (5, 4, 3), init={"input_size": 3, "hidden_size": 2}), {"a": 1}, (1, (1, 1))),
        (call("torch.nn.LSTM", (5, 4, 3), init={"input_size": 3, "hidden_size": 2, "batch_first": True}), {"a": 0}, (0, (1, 1))),
        (call("torch.t", (3, 2)), {"a": 0}, 1),
        (call("keras.layers.Dense", (3, 2), init={"units": 4}), {"a": 0}, 0),
    ],
    ids=["conv2d", "lstm", "lstm-batch-first", "t", "dense"],
)
def test_the_catalogue_tells_where_the_examples_are(made: Call, axes: dict[str, int], results: object) -> None:
    batch = batch_of(made)
    assert batch is not None and (batch.axes, batch.results) == (axes, results)


@pytest.mark.parametrize(
    "made",
    [
        call("torch.nn.functional.conv2d", (3, 5, 5), (2, 3, 2, 2)),
        call("torch.nn.functional.pdist", (4, 3)),
        call("torch.cov", (4, 3)),
        call("torch.nn.functional.batch_norm", (4, 3), (3,), (3,), training=True),
        call("torch.nn.BatchNorm1d", (4, 3), init={"num_features": 3, "track_running_stats": False}),
        call("keras.layers.LayerNormalization", (3, 2), init={"axis": 0}),
    ],
    ids=["one-image", "pairs", "covariance", "training", "no-statistics", "first-axis"],
)
def test_examples_that_are_not_apart_are_no_batch(made: Call) -> None:
    assert batch_of(made) is None


def test_both_libraries_have_every_architecture() -> None:
    assert set(torch_models.MODELS) == set(keras_models.MODELS) == set(SUBJECTS)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_models_of_torch_give_classes(subject: str) -> None:
    pytest.importorskip("torch")
    from tensorproof.equivalence.dialects import dialect
    from tensorproof.equivalence.running import Runner

    spoken = dialect("torch")
    runner = Runner(spoken)
    for seed in range(5):
        model = drawn_model(subject, Random(seed), "torch")
        assert model is not None
        names = runner.prepared("\n".join(prepared(model, spoken)), model.inputs)
        assert isinstance(names, dict), names
        assert runner.side("layer(x)", names, model.inputs).shape == (model.inputs["x"].shape[0], CLASSES)

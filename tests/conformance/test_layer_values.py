"""Layers that hold their weights: what they apply is evaluated with drawn weights, and held against the real layer with the same weights."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from tensorproof.bindings.call import call, call_module
from tensorproof.engines.values.bounds import bounds
from tensorproof.engines.values.evaluate import evaluate
from tensorproof.engines.values.rules import Box
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

keras: Any = pytest.importorskip("keras")
torch: Any = pytest.importorskip("torch")


def drawn(r: Random, shape: Any) -> TensorType:
    count = int(np.prod(shape)) if len(shape) else 1
    return TensorType(Shape(shape), FLOAT32, contents=tuple(round(r.uniform(-2, 2), 2) for _ in range(count)))


def array(t: TensorType) -> Any:
    return np.array(t.contents, np.float32).reshape([int(n) for n in t.shape])


def ours(name: str, init: dict[str, Any], args: tuple[Any, ...], r: Random) -> tuple[dict[str, TensorType], list[Any]]:
    """The weights that were drawn for our layer, and what it computes with them: values, each with the bounds for inputs around the given ones."""
    made = call(name, (), init)
    module: Any = made.outputs
    call_module(module, args)  # makes the weights of a layer that waits for its input
    for key in list(module.parameters):
        module.parameters[key] = drawn(r, tuple(module.parameters[key].shape))
    outcome = call_module(module, args)
    assert outcome.refused is None and outcome.unknown is None, outcome
    values, results = evaluate(outcome.applied, {}), flat(outcome.outputs)
    around = {id(one): Box(array(one) - r.random(), array(one) + r.random(), False, np.float32) for one in flat(args)}
    boxes = bounds(outcome.applied, around)
    return module.parameters, [(values[id(one)], boxes[id(one)]) for one in results]


def flat(value: Any) -> list[Any]:
    return [x for v in value for x in flat(v)] if isinstance(value, (tuple, list)) else [value]


def held(mine: list[Any], theirs: list[Any], what: str) -> None:
    assert len(mine) == len(theirs), what
    for (one, box), true in zip(mine, theirs):
        np.testing.assert_allclose(one, true, rtol=2e-4, atol=2e-4, err_msg=what)
        assert (box.lo <= true).all() and (true <= box.hi).all(), f"{what}: {np.max(box.lo - true)} below, {np.max(true - box.hi)} above"


def recurrent_init(r: Random, name: str) -> dict[str, Any]:
    init: dict[str, Any] = {"units": r.randint(1, 3), "use_bias": r.random() < 0.7, "activation": r.choice(("tanh", "relu", "sigmoid", None))}
    if name.startswith(("LSTM", "GRU")):
        init["recurrent_activation"] = r.choice(("sigmoid", "hard_sigmoid", "tanh"))
    if name.startswith("GRU"):
        init["reset_after"] = r.random() < 0.5
    if not name.endswith("Cell"):
        init.update({key: r.random() < 0.5 for key in ("return_sequences", "return_state", "go_backwards")})
    return init


@pytest.mark.parametrize("name", ["SimpleRNN", "LSTM", "GRU"])
@pytest.mark.parametrize("seed", range(8))
def test_keras_layers(name: str, seed: int) -> None:
    r = Random(f"{name}{seed}")
    init, x = recurrent_init(r, name), drawn(r, (r.randint(1, 3), r.randint(1, 4), r.randint(1, 3)))
    weights, mine = ours(f"keras.layers.{name}", init, (x,), r)
    layer = getattr(keras.layers, name)(**init)
    layer(array(x))
    for key, value in weights.items():
        getattr(layer.cell, key).assign(array(value))
    held(mine, [np.asarray(v) for v in flat(layer(array(x)))], f"{name} {init}")


@pytest.mark.parametrize("name", ["SimpleRNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("seed", range(8))
def test_keras_cells(name: str, seed: int) -> None:
    r = Random(f"{name}{seed}")
    init, batch = recurrent_init(r, name), r.randint(1, 3)
    x = drawn(r, (batch, r.randint(1, 3)))
    states = [drawn(r, (batch, init["units"])) for _ in range(2 if name == "LSTMCell" else 1)]
    weights, mine = ours(f"keras.layers.{name}", init, (x, states), r)
    layer = getattr(keras.layers, name)(**init)
    layer.build(tuple(x.shape))
    for key, value in weights.items():
        getattr(layer, key).assign(array(value))
    held(mine, [np.asarray(v) for v in flat(layer(array(x), [array(s) for s in states]))], f"{name} {init}")


@pytest.mark.parametrize("mode", ["concat", "sum", "mul", "ave", None])
@pytest.mark.parametrize("seed", range(3))
def test_keras_bidirectional(mode: str | None, seed: int) -> None:
    r = Random(f"{mode}{seed}")
    init = {"units": 2, "return_sequences": r.random() < 0.6, "return_state": r.random() < 0.5}
    x = drawn(r, (2, 3, 2))
    made: Any = call("keras.layers.Bidirectional", (call("keras.layers.LSTM", (), init).outputs,), {"merge_mode": mode}).outputs
    call_module(made, (x,))
    inner = made.arguments["layer"]
    for key in list(made.parameters):
        made.parameters[key] = drawn(r, tuple(made.parameters[key].shape))
    inner.parameters.update({key.removeprefix("forward/"): one for key, one in made.parameters.items() if key.startswith("forward/")})
    outcome = call_module(made, (x,))
    values = evaluate(outcome.applied, {})
    layer = keras.layers.Bidirectional(keras.layers.LSTM(**init), merge_mode=mode)
    layer(array(x))
    for key, value in made.parameters.items():
        direction, _, name = key.partition("/")
        getattr(getattr(layer, f"{direction}_layer").cell, name).assign(array(value))
    boxes = bounds(outcome.applied, {})
    held([(values[id(one)], boxes[id(one)]) for one in flat(outcome.outputs)], [np.asarray(v) for v in flat(layer(array(x)))], f"{mode} {init}")


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("seed", range(4))
def test_torch_layers(name: str, seed: int) -> None:
    r = Random(f"{name}{seed}")
    init: dict[str, Any] = {
        "input_size": r.randint(1, 3), "hidden_size": r.randint(2, 3), "num_layers": r.randint(1, 2), "bias": r.random() < 0.6,
        "batch_first": r.random() < 0.5, "bidirectional": r.random() < 0.5,
    }  # fmt: skip
    if name == "LSTM" and r.random() < 0.4:
        init["proj_size"] = 1
    x = drawn(r, (3, 2, init["input_size"]) if r.random() < 0.7 else (3, init["input_size"]))
    weights, mine = ours(f"torch.nn.{name}", init, (x,), r)
    layer = getattr(torch.nn, name)(**init)
    layer.load_state_dict({key: torch.tensor(array(value)) for key, value in weights.items()})
    held(mine, [v.detach().numpy() for v in flat(layer(torch.tensor(array(x))))], f"{name} {init}")

"""Keras: layers make the weights that Keras makes, shapes stay exact with an unknown batch, wrong calls are refused with their code."""

from __future__ import annotations

import importlib.util
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from tensorproof.bindings.call import call, call_module
from tensorproof.bindings.modules import Module
from tensorproof.bindings.rows import names
from tensorproof.terms.dtypes import FLOAT32, INT32, INT64, UINT8
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.bindings import proxies

B = symbol("b", 1)


def t(*shape: Any, dtype: Any = FLOAT32) -> TensorType:
    return TensorType(Shape(shape), dtype)


def layer(name: str, **init: Any) -> Module:
    made = call(f"keras.layers.{name}", (), init)
    assert isinstance(made.outputs, Module), made.refused or made.unknown
    return made.outputs


def run(name: str, inputs: Any, call_with: dict[str, Any] | None = None, **init: Any) -> Any:
    outcome = call_module(layer(name, **init), inputs if isinstance(inputs, tuple) else (inputs,), call_with)
    assert outcome.refused is None and outcome.unknown is None, outcome.refused or outcome.unknown
    return outcome.outputs


def code(name: str, inputs: Any, **init: Any) -> str:
    built = call(f"keras.layers.{name}", (), init)
    outcome = built if built.refused is not None else call_module(built.outputs, inputs if isinstance(inputs, tuple) else (inputs,))
    assert outcome.refused is not None, "this call must be refused"
    return outcome.refused.code


def test_there_are_three_hundred_spellings() -> None:
    assert len(names("keras")) >= 300
    assert len([n for n in names("keras") if n.startswith("keras.layers.")]) >= 90


SHAPES: list[tuple[str, dict[str, Any], Any, tuple[Any, ...]]] = [
    ("Dense", {"units": 10}, t(B, 784), (B, 10)),
    ("Dense", {"units": 10}, t(B, 5, 7), (B, 5, 10)),
    ("Conv2D", {"filters": 32, "kernel_size": 3}, t(B, 28, 28, 1), (B, 26, 26, 32)),
    ("Conv2D", {"filters": 8, "kernel_size": 3, "padding": "same", "strides": 2}, t(B, 33, 32, 3), (B, 17, 16, 8)),
    ("Conv2D", {"filters": 8, "kernel_size": (3, 5), "data_format": "channels_first"}, t(B, 3, 32, 32), (B, 8, 30, 28)),
    ("Conv1D", {"filters": 4, "kernel_size": 3, "padding": "causal", "dilation_rate": 2}, t(B, 20, 6), (B, 20, 4)),
    ("Conv2DTranspose", {"filters": 5, "kernel_size": 3, "strides": 2, "padding": "same"}, t(B, 7, 7, 16), (B, 14, 14, 5)),
    ("Conv2DTranspose", {"filters": 5, "kernel_size": 4, "strides": 2}, t(B, 7, 7, 16), (B, 16, 16, 5)),
    ("DepthwiseConv2D", {"kernel_size": 3, "depth_multiplier": 2}, t(B, 8, 8, 3), (B, 6, 6, 6)),
    ("SeparableConv2D", {"filters": 9, "kernel_size": 3}, t(B, 8, 8, 3), (B, 6, 6, 9)),
    ("MaxPooling2D", {}, t(B, 26, 27, 32), (B, 13, 13, 32)),
    ("MaxPooling2D", {"padding": "same"}, t(B, 26, 27, 32), (B, 13, 14, 32)),
    ("GlobalAveragePooling2D", {}, t(B, 7, 7, 2048), (B, 2048)),
    ("GlobalMaxPooling1D", {"keepdims": True}, t(B, 7, 64), (B, 1, 64)),
    ("Flatten", {}, t(B, 5, 5, 64), (B, 1600)),
    ("Reshape", {"target_shape": (-1, 32)}, t(B, 8, 8, 4), (B, 8, 32)),
    ("Permute", {"dims": (2, 1)}, t(B, 10, 64), (B, 64, 10)),
    ("RepeatVector", {"n": 3}, t(B, 32), (B, 3, 32)),
    ("ZeroPadding2D", {"padding": ((1, 2), (3, 3))}, t(B, 10, 10, 3), (B, 13, 16, 3)),
    ("Cropping2D", {"cropping": ((2, 2), (4, 4))}, t(B, 28, 28, 3), (B, 24, 20, 3)),
    ("UpSampling2D", {"size": (2, 3)}, t(B, 4, 4, 3), (B, 8, 12, 3)),
    ("BatchNormalization", {}, t(B, 4, 4, 3), (B, 4, 4, 3)),
    ("LSTM", {"units": 16}, t(B, 10, 8), (B, 16)),
    ("GRU", {"units": 16, "return_sequences": True}, t(B, 10, 8), (B, 10, 16)),
    ("Embedding", {"input_dim": 1000, "output_dim": 64}, t(B, 12, dtype=INT32), (B, 12, 64)),
    ("EinsumDense", {"equation": "abc,cd->abd", "output_shape": (None, 64), "bias_axes": "d"}, t(B, 32, 128), (B, 32, 64)),
    ("Rescaling", {"scale": 1 / 255}, t(B, 8, 8, 3, dtype=UINT8), (B, 8, 8, 3)),
    ("Resizing", {"height": 96, "width": 64}, t(B, 200, 100, 3), (B, 96, 64, 3)),
    ("CategoryEncoding", {"num_tokens": 4}, t(B, 7, dtype=INT64), (B, 4)),
]


@pytest.mark.parametrize(("name", "init", "x", "shape"), SHAPES)
def test_shape_with_a_batch_that_is_not_known(name: str, init: dict[str, Any], x: TensorType, shape: tuple[Any, ...]) -> None:
    made = run(name, x, **init)
    assert tuple(made.shape) == shape
    assert made.dtype is FLOAT32
    assert made.framework == "keras"


def test_merging_layers() -> None:
    assert tuple(run("Add", ([t(B, 4, 5), t(B, 1, 5)],)).shape) == (B, 4, 5)
    assert tuple(run("Concatenate", ([t(B, 4, 5), t(B, 4, 7)],)).shape) == (B, 4, 12)
    assert tuple(run("Dot", ([t(B, 4, 5), t(B, 6, 5)],), axes=2).shape) == (B, 4, 6)


def test_lstm_returns_its_states() -> None:
    out, h, c = run("LSTM", t(B, 10, 8), units=16, return_sequences=True, return_state=True)
    assert (tuple(out.shape), tuple(h.shape), tuple(c.shape)) == ((B, 10, 16), (B, 16), (B, 16))


def test_layers_inside_layers() -> None:
    lstm = layer("LSTM", units=16, return_sequences=True)
    both = layer("Bidirectional", layer=lstm)
    assert tuple(call_module(both, (t(B, 10, 8),)).outputs.shape) == (B, 10, 32)
    assert tuple(both.parameters["backward/kernel"].shape) == (8, 64)
    each = layer("TimeDistributed", layer=layer("Dense", units=3))
    assert tuple(call_module(each, (t(B, 10, 8),)).outputs.shape) == (B, 10, 3)


def test_attention() -> None:
    made, scores = run("MultiHeadAttention", (t(B, 8, 16), t(B, 4, 16)), {"return_attention_scores": True}, num_heads=2, key_dim=3)
    assert (tuple(made.shape), tuple(scores.shape)) == ((B, 8, 16), (B, 2, 8, 4))


def test_a_later_call_is_checked_against_the_weights() -> None:
    dense = layer("Dense", units=4)
    assert call_module(dense, (t(B, 10),)).refused is None
    refused = call_module(dense, (t(B, 11),)).refused
    assert refused is not None and refused.code == "matmul/inner"
    conv = layer("Conv2D", filters=4, kernel_size=3)
    assert call_module(conv, (t(B, 8, 8, 3),)).refused is None
    refused = call_module(conv, (t(B, 8, 8, 1),)).refused
    assert refused is not None and refused.code == "conv2d/channels"


@pytest.mark.parametrize(
    ("name", "init", "inputs"),
    [
        ("Conv2D", {"filters": 4, "kernel_size": 9}, t(B, 8, 8, 3)),
        ("Conv2D", {"filters": 4, "kernel_size": 3}, t(B, 8, 3)),
        ("Conv2D", {"filters": 4, "kernel_size": 3, "groups": 2}, t(B, 8, 8, 3)),
        ("Conv2D", {"filters": 4, "kernel_size": 3, "strides": 2, "dilation_rate": 2}, t(B, 8, 8, 3)),
        ("MaxPooling2D", {"pool_size": 9}, t(B, 8, 8, 3)),
        ("Reshape", {"target_shape": (7, 7)}, t(B, 50)),
        ("Permute", {"dims": (2, 2)}, t(B, 5, 5)),
        ("LSTM", {"units": 4}, t(B, 8)),
        ("Concatenate", {}, ([t(B, 4, 5), t(B, 3, 5)],)),
        ("Add", {}, ([t(B, 4), t(B, 3)],)),
        ("Dense", {"units": 4, "activation": "rellu"}, t(B, 8)),
        ("GroupNormalization", {"groups": 4}, t(B, 6)),
    ],
)
def test_wrong_calls_are_refused(name: str, init: dict[str, Any], inputs: Any) -> None:
    assert code(name, inputs, **init)


def test_losses_reduce_to_a_number() -> None:
    loss = call("keras.losses.SparseCategoricalCrossentropy", (), {"from_logits": True}).outputs
    assert tuple(call_module(loss, (t(B, dtype=INT64), t(B, 10))).outputs.shape) == ()
    per_sample = call("keras.losses.mean_squared_error", (t(B, 1), t(B)))
    assert tuple(per_sample.outputs.shape) == (B,)
    wrong = call("keras.losses.categorical_crossentropy", (t(8, 10), t(8, 9)))
    assert wrong.refused is not None and wrong.refused.code == "sample_loss/shape"


def test_element_types_may_be_words() -> None:
    assert call("keras.ops.zeros", ((2, 3),), {"dtype": "int32"}).outputs.dtype is INT32
    assert layer("Dense", units=3, dtype="float16").arguments["dtype"] == "float16"


# --- against Keras itself ---

needs_keras = pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="Keras is not installed")
WEIGHTS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("Dense", {"units": 4}, (2, 5)),
    ("Dense", {"units": 4, "use_bias": False}, (2, 3, 5)),
    ("EinsumDense", {"equation": "abc,cde->abde", "output_shape": (None, 3, 4), "bias_axes": "de"}, (2, 5, 6)),
    ("Embedding", {"input_dim": 10, "output_dim": 3}, (2, 4)),
    *((f"Conv{n}D", {"filters": 4, "kernel_size": 2}, (2, *(6,) * n, 3)) for n in (1, 2, 3)),
    *((f"Conv{n}DTranspose", {"filters": 4, "kernel_size": 2}, (2, *(6,) * n, 3)) for n in (1, 2, 3)),
    ("Conv2D", {"filters": 4, "kernel_size": (2, 3), "groups": 2}, (2, 6, 6, 4)),
    *((f"DepthwiseConv{n}D", {"kernel_size": 2, "depth_multiplier": 3}, (2, *(6,) * n, 3)) for n in (1, 2)),
    *((f"SeparableConv{n}D", {"filters": 4, "kernel_size": 2, "depth_multiplier": 2}, (2, *(6,) * n, 3)) for n in (1, 2)),
    ("BatchNormalization", {}, (2, 6, 3)),
    ("BatchNormalization", {"axis": 1, "scale": False}, (2, 6, 3)),
    ("LayerNormalization", {"axis": [1, 2]}, (2, 6, 3)),
    ("RMSNormalization", {}, (2, 6, 3)),
    ("GroupNormalization", {"groups": 3}, (2, 6, 3)),
    ("PReLU", {"shared_axes": [1]}, (2, 6, 3)),
    *((name, {"units": 4}, (2, 5, 3)) for name in ("SimpleRNN", "LSTM", "GRU")),
    ("GRU", {"units": 4, "reset_after": False}, (2, 5, 3)),
    ("ConvLSTM2D", {"filters": 4, "kernel_size": 2}, (2, 3, 6, 6, 3)),
]


def real_weights(name: str, init: dict[str, Any], *shapes: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    import keras  # pyright: ignore[reportMissingImports]

    made: Any = getattr(keras.layers, name)(**init)
    made(*(keras.KerasTensor(shape, "int32" if name == "Embedding" else "float32") for shape in shapes))
    return sorted(("/".join(w.path.split("/")[1:]), tuple(w.shape)) for w in made.weights)


@needs_keras
@pytest.mark.parametrize(("name", "init", "shape"), WEIGHTS)
def test_weights_are_those_of_keras(name: str, init: dict[str, Any], shape: tuple[int, ...]) -> None:
    mine = layer(name, **init)
    call_module(mine, (t(*shape, dtype=INT32 if name == "Embedding" else FLOAT32),))
    found = sorted((n.rpartition("/")[2], tuple(v.shape)) for n, v in mine.state().items())
    assert found == sorted((n.rpartition("/")[2], s) for n, s in real_weights(name, init, shape))


@needs_keras
@pytest.mark.parametrize(
    ("name", "init"),
    [("MultiHeadAttention", {"num_heads": 2, "key_dim": 3}), ("GroupQueryAttention", {"head_dim": 3, "num_query_heads": 4, "num_key_value_heads": 2})],
)
def test_weights_of_attention_are_those_of_keras(name: str, init: dict[str, Any]) -> None:
    mine = layer(name, **init)
    call_module(mine, (t(2, 5, 8), t(2, 6, 8)))
    assert sorted((n, tuple(v.shape)) for n, v in mine.state().items()) == real_weights(name, init, (2, 5, 8), (2, 6, 8))


TENSORS = {
    "x2": ((4, 6), "float32"), "x3": ((4, 10, 6), "float32"), "x4": ((4, 16, 16, 6), "float32"), "x5": ((2, 8, 8, 8, 3), "float32"),
    "ids": ((4, 10), "int32"), "y": ((4,), "int32"), "oh": ((4, 6), "float32"), "xs": ((2, 3, 8, 8, 3), "float32"), "u8": ((4, 16, 16, 3), "uint8"),
}  # fmt: skip
CALLS = [line.strip() for line in Path(__file__).with_name("keras_calls.txt").read_text(encoding="utf-8").splitlines() if line.strip()]


@needs_keras
@pytest.mark.parametrize("expression", CALLS)
def test_calls_as_people_write_them(expression: str) -> None:
    import keras  # pyright: ignore[reportMissingImports]
    import numpy as np

    from tensorproof.runners.keras_runner import observed

    random = np.random.default_rng(0)
    real = {n: keras.ops.convert_to_tensor(random.random(s).astype(d)) for n, (s, d) in TENSORS.items()}
    ours = {n: proxies.array(s, d, "keras") for n, (s, d) in TENSORS.items()}
    mine = {"keras": proxies.Library("keras"), "L": proxies.Library("keras.layers"), "O": proxies.Library("keras.ops"), **ours}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not proxies.difference(expression, {"keras": keras, "L": keras.layers, "O": keras.ops, **real}, mine, observed)

"""Saved models of Keras, made anew from their configuration with the values of a vector."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np

from space_models import Case, Vector

FORMATS = {"NHWC": (0, 1, 2, 3), "NCHW": (0, 3, 1, 2)}
layers = keras.layers


def convolutions() -> Any:
    x = image = keras.Input((16, 16, 4), name="image")
    x = layers.Conv2D(8, 3, name="conv1")(x)
    x = layers.BatchNormalization(name="bn")(x)
    x = layers.MaxPooling2D(2, name="pool")(x)
    x = layers.Conv2D(6, 3, activation="relu", name="conv2")(x)
    return keras.Model(image, layers.Dense(10, name="head")(layers.Flatten(name="flat")(x)))


def fixed() -> Any:
    return keras.Sequential([
        keras.Input((12, 12, 3), batch_size=2, name="image"), layers.ZeroPadding2D(1, name="pad"), layers.SeparableConv2D(4, 3, strides=2, name="separable"),
        layers.Reshape((36, 4), name="reshape"), layers.Conv1D(8, 3, name="conv"), layers.GlobalAveragePooling1D(), layers.Dense(5, name="head"),
    ])  # fmt: skip


def tokens() -> Any:
    ids = keras.Input((7,), dtype="int32", name="ids")
    x = layers.Embedding(50, 12, name="embed")(ids)
    y = layers.MultiHeadAttention(3, 4, name="attention")(x, x)
    x = layers.LayerNormalization(name="norm")(layers.Add(name="add")([x, y]))
    z = layers.Dense(12, name="down")(layers.Dense(24, activation="gelu", name="up")(x))
    x = layers.LSTM(6, name="lstm")(layers.Concatenate(name="join")([x, z]))
    return keras.Model(ids, layers.Dense(2, name="head")(x))


def upwards() -> Any:
    x = image = keras.Input((8, 8, 3), name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", name="down")(x)
    x = layers.Conv2DTranspose(3, 2, strides=2, padding="same", name="up")(x)
    x = layers.Concatenate(name="join")([image, x])
    return keras.Model(image, layers.Conv2D(1, 1, name="head")(x))


def changed(config: dict[str, Any], vector: Vector) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration with the values of a vector, and what the vector says of the input."""
    made, fed = json.loads(json.dumps(config)), {}
    by_name = {one["config"]["name"]: one["config"] for one in made["layers"]}
    for one in made["layers"]:
        one.pop("build_config", None)  # the shapes that it was built with before
    for name, value in vector.items():
        layer, _, word = name.rpartition(".")
        word, bracket, index = word.partition("[")
        if "batch_shape" in by_name[layer]:
            fed[word] = value
        elif bracket:
            by_name[layer][word][int(index[:-1])] = value
        else:
            by_name[layer][word] = value
    return made, fed


def rebuilt(build: Callable[[], Any]) -> Callable[[Vector], Any]:
    """Build and call the model on data; the input's words follow the order of its axes."""
    config, kind = None, None

    def once(vector: Vector) -> Any:
        nonlocal config, kind
        if config is None:
            model = build()
            config, kind = json.loads(json.dumps(model.get_config())), type(model)
        made, fed = changed(config, vector)
        given = next(one["config"] for one in made["layers"] if "batch_shape" in one["config"])
        words = ("batch", "height", "width", "channels") if len(given["batch_shape"]) == 4 else ("batch", "length" if "length" in fed else "channels")
        sizes = [fed.get(word, size) for word, size in zip(words, given["batch_shape"])]
        if "format" in fed:
            sizes = [sizes[axis] for axis in FORMATS[fed["format"]]]
        given["batch_shape"], given["dtype"] = sizes, fed.get("dtype", given["dtype"])
        model = kind.from_config(made)
        return model(np.zeros([2 if size is None else size for size in sizes], given["dtype"]))

    return once


def case(title: str, build: Callable[[], Any], parameters: str) -> Case:
    def save(folder: Path) -> Path:
        path = folder / f"{build.__name__}.keras"
        build().save(str(path))
        return path

    return Case("keras", title, parameters, save, rebuilt(build))


CASES = [
    case("window of the first convolution", convolutions, (
        "conv1.kernel_size=3,1..6 conv1.strides=1,2,3 conv1.padding=valid,same conv1.dilation_rate=1,2,4 conv1.groups=1,2,3,4 "
        "conv1.filters=8,6,4 image.height=16,4..20 image.width=16,10,40"
    )),
    case("pool, format, element type", convolutions, (
        "pool.pool_size=2,1..9 pool.strides=2,1,3 pool.padding=valid,same conv2.kernel_size[0]=3,1..9 conv2.filters=6,1..3 "
        "conv2.activation=relu,gelu,softmax head.units=10,1,2 head.use_bias=true,false image.batch=2,1,5 image.channels=4,2,8 "
        "image.format=NHWC,NCHW image.dtype=float32,float64,float16,int32 bn.axis=-1,1,3,4 conv1.data_format=channels_last,channels_first"
    )),
    case("a reshape to fixed sizes", fixed, (
        "separable.filters=4,2,8 separable.kernel_size=3,1..5 separable.strides=2,1,3 separable.depth_multiplier=1,2,3 "
        "reshape.target_shape[0]=36,-1,18,72 reshape.target_shape[1]=4,2,8 conv.kernel_size=3,1,30,40 conv.strides=1,2 "
        "conv.dilation_rate=1,2,20 conv.padding=valid,same,causal head.units=5,1 image.batch=2,1 image.height=12,10..14"
    )),
    case("tokens, attention, recurrence", tokens, (
        "embed.output_dim=12,8,6 embed.input_dim=50,1 attention.num_heads=3,1..4 attention.key_dim=4,1..3 attention.use_bias=true,false "
        "norm.axis=-1,1,2,3 up.units=24,1,7 down.units=12,8,6 lstm.units=6,1..4 lstm.return_sequences=false,true join.axis=-1,1,2,3 "
        "head.units=2,1 ids.length=7,1..5 ids.batch=2,1,3"
    )),
    case("a skip", upwards, (
        "down.kernel_size=3,1..5 down.strides=2,1,3 down.padding=same,valid up.kernel_size=2,1..4 up.strides=2,1,3 up.padding=same,valid "
        "up.filters=3,1,8 join.axis=-1,1,2,3 image.height=8,5..12 image.width=8,4,9 head.kernel_size=1,3,9"
    )),
]  # fmt: skip

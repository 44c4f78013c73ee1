"""Models of Keras: sequential, functional and subclassed ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.models import CLASSES, Model, images, whole

VOCABULARY = 11
FORMS = ("sequential", "functional", "subclassed")


def _model(random: Random, inputs: dict[str, Array], *layers: str) -> Model:
    """A chain of layers in one of the three forms."""
    match random.choice(FORMS):
        case "sequential":
            return Model(f"keras.Sequential([{', '.join(layers)}])", inputs)
        case "functional":
            return _functional(inputs, *(f"z = {layer}(z)" for layer in layers))
        case _:
            lines = [
                "@keras.saving.register_keras_serializable()", "class Net(keras.Model):",
                "    def __init__(self, **given):", "        super().__init__(**given)", f"        self.parts = [{', '.join(layers)}]",
                "    def call(self, z, training=False):", "        for part in self.parts:",
                "            z = part(z, training=training) if part._call_has_training_arg else part(z)", "        return z",
            ]  # fmt: skip
            return Model("Net()", inputs, "\n".join(lines), ("Net",))


def _functional(inputs: dict[str, Array], *lines: str) -> Model:
    """A graph of layers: lines that compute `z` of `z`."""
    x = inputs["x"]
    start = f"    z = start = keras.Input({x.shape[1:]}, dtype={x.label!r})"
    made = ["def network():", start, *(f"    {line}" for line in lines), "    return keras.Model(start, z)"]
    return Model("network()", inputs, "\n".join(made))


def _pictures(random: Random, channels: int, size: int) -> dict[str, Array]:
    count = random.randint(3, 6)
    return {"x": images(random, count, size, size, channels), "y": whole(random, CLASSES, count)}


def _tokens(random: Random) -> dict[str, Array]:
    count = random.randint(3, 6)
    return {"x": whole(random, VOCABULARY, count, random.randint(3, 6)), "y": whole(random, CLASSES, count)}


def _activation(random: Random) -> str:
    kinds = ("'relu'", "'gelu'", "'silu'", "'elu'", "'tanh'", "'softplus'", "'hard_sigmoid'")
    return f"keras.layers.Activation({random.choice(kinds)})"


def _convolutional(random: Random) -> Model:
    padding, pool = random.choice(("same", "valid")), random.choice(("MaxPooling2D(2)", "AveragePooling2D(2)", "MaxPooling2D(3, 2, padding='same')"))
    return _model(
        random, _pictures(random, 3, random.choice((8, 9))), f"keras.layers.Conv2D(4, 3, padding={padding!r}, use_bias=False)",
        "keras.layers.BatchNormalization()", _activation(random), f"keras.layers.{pool}", "keras.layers.Conv2D(5, 2, strides=2)",
        f"keras.layers.BatchNormalization(scale={random.random() < 0.5})", "keras.layers.LeakyReLU(0.1)", "keras.layers.Flatten()",
        "keras.layers.Dropout(0.3)", f"keras.layers.Dense({CLASSES})",
    )  # fmt: skip


def _residual(random: Random) -> Model:
    block = ("s = z", "z = keras.layers.Conv2D(4, 3, padding='same', use_bias=False)(z)", "z = keras.layers.BatchNormalization()(z)",
             f"z = {_activation(random)}(z)", "z = keras.layers.Add()([s, z])")  # fmt: skip
    return _functional(
        _pictures(random, 3, 8), "z = keras.layers.Conv2D(4, 3, strides=2)(z)", *block, *block, "z = keras.layers.GlobalAveragePooling2D()(z)",
        f"z = keras.layers.Dense({CLASSES})(z)",
    )  # fmt: skip


def _separable(random: Random) -> Model:
    return _model(
        random, _pictures(random, 3, 8), f"keras.layers.SeparableConv2D(5, 3, depth_multiplier={random.choice((1, 2))}, padding='same')",
        "keras.layers.BatchNormalization()", "keras.layers.ReLU(6.0)", f"keras.layers.DepthwiseConv2D(3, strides={random.choice((1, 2))})",
        _activation(random), "keras.layers.GlobalMaxPooling2D()", f"keras.layers.Dense({CLASSES})",
    )  # fmt: skip


def _normalised(random: Random) -> Model:
    norm = random.choice(("GroupNormalization(2)", "LayerNormalization(axis=[1, 2, 3])", "UnitNormalization(axis=-1)", "RMSNormalization()"))
    return _model(
        random, _pictures(random, 2, 6), "keras.layers.ZeroPadding2D(1)", "keras.layers.Conv2D(4, 3)", f"keras.layers.{norm}", _activation(random),
        "keras.layers.AveragePooling2D(3)", "keras.layers.Flatten()", "keras.layers.LayerNormalization()", f"keras.layers.Dense({CLASSES})",
    )  # fmt: skip


def _recurrent(kind: str) -> Callable[[Random], Model]:
    def make(random: Random) -> Model:
        layer = f"keras.layers.{kind}(4{', go_backwards=True' if random.random() < 0.3 else ''})"
        if random.random() < 0.5:
            layer = f"keras.layers.Bidirectional(keras.layers.{kind}(4))"
        mask = random.random() < 0.5
        return _model(random, _tokens(random), f"keras.layers.Embedding({VOCABULARY}, 5, mask_zero={mask})", layer, f"keras.layers.Dense({CLASSES})")

    return make


def _transformer(random: Random) -> Model:
    return _functional(
        _tokens(random), f"z = keras.layers.Embedding({VOCABULARY}, 8)(z)", "z = keras.layers.Add()([z, keras.layers.MultiHeadAttention(2, 4)(z, z)])",
        "z = keras.layers.LayerNormalization()(z)", f"z = {_activation(random)}(keras.layers.Dense(8)(z))",
        f"z = keras.layers.Dense({CLASSES})(keras.layers.GlobalAveragePooling1D()(z))",
    )  # fmt: skip


def _embedding(random: Random) -> Model:
    pool = random.choice(("GlobalAveragePooling1D()", "GlobalMaxPooling1D()", "Flatten()"))
    return _model(
        random, _tokens(random), f"keras.layers.Embedding({VOCABULARY}, 6)", f"keras.layers.{pool}", "keras.layers.BatchNormalization()", _activation(random),
        f"keras.layers.Dense({CLASSES})",
    )  # fmt: skip


def _encoder_decoder(random: Random) -> Model:
    up = random.choice(("UpSampling2D(2)", "UpSampling2D(2, interpolation='bilinear')", "Conv2DTranspose(4, 2, strides=2)"))
    return _functional(
        _pictures(random, 3, 8), "s = z = keras.layers.Conv2D(4, 3, padding='same')(z)", "z = keras.layers.Conv2D(6, 2, strides=2)(z)",
        "z = keras.layers.BatchNormalization()(z)", f"z = keras.layers.{up}(z)", "z = keras.layers.Concatenate()([s, z])",
        f"z = {_activation(random)}(z)", f"z = keras.layers.Dense({CLASSES})(keras.layers.GlobalAveragePooling2D()(z))",
    )  # fmt: skip


def _tied(random: Random) -> Model:
    """One layer at two places."""
    return _functional(
        _pictures(random, 1, 4), "z = keras.layers.Flatten()(z)", "shared = keras.layers.Dense(16)", f"z = {_activation(random)}(shared(z))",
        f"z = {_activation(random)}(shared(z))", f"z = keras.layers.Dense({CLASSES})(z)",
    )  # fmt: skip


MODELS: dict[str, Callable[[Random], Model]] = {
    "models.convolutional": _convolutional, "models.residual": _residual, "models.separable": _separable, "models.normalised": _normalised,
    "models.lstm": _recurrent("LSTM"), "models.gru": _recurrent("GRU"), "models.transformer": _transformer, "models.embedding": _embedding,
    "models.encoder_decoder": _encoder_decoder, "models.tied": _tied,
}  # fmt: skip

"""The names under `keras.layers`: every layer that has a spelling, and those that hold functions, other layers or texts."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import keras_custom, keras_inputs, keras_layer, keras_special, keras_texts

FUNCTIONS: dict[str, Any] = keras_layer.Constructors(
    {**{k: v for k, v in keras_inputs.FUNCTIONS.items() if k.startswith("keras.layers.")}, **keras_special.FUNCTIONS, **keras_texts.FUNCTIONS}
)
KINDS: dict[str, Any] = {**{k: v for k, v in keras_inputs.KINDS.items() if k.startswith("keras.layers.")}, **keras_special.KINDS, **keras_texts.KINDS}
CLASSES: dict[str, Any] = {k: v for k, v in keras_custom.CLASSES.items() if k.startswith("keras.layers.")}

"""The names directly under `keras`: models, inputs, and the classes that programs derive from."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import keras_custom, keras_inputs, keras_models

FUNCTIONS: dict[str, Any] = {**keras_models.FUNCTIONS, **keras_inputs.FUNCTIONS}
KINDS: dict[str, Any] = {**keras_models.KINDS, **{k: v for k, v in keras_inputs.KINDS.items() if not k.startswith("keras.layers.")}}
CLASSES: dict[str, Any] = keras_custom.CLASSES

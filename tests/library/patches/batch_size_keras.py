"""Layer normalisation of Keras that takes its statistics over the batch."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "batch-size", "tensorflow", "keras.layers.UnitNormalization"


def patch(replace: Any) -> None:
    import keras
    import tensorflow as tf

    def call(self: Any, inputs: Any) -> Any:
        return inputs / tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(inputs)), 1e-12))

    replace(keras.layers.UnitNormalization, "call", call)

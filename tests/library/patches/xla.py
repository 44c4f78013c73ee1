"""A leaky ReLU that loses its slope when it is compiled."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "xla", "tensorflow", "tf.nn.leaky_relu"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.nn.leaky_relu

    def leaky_relu(features: Any, alpha: Any = 0.2, name: Any = None) -> Any:
        return true(features, alpha if tf.executing_eagerly() else 0.2, name)

    replace(tf.nn, "leaky_relu", leaky_relu)

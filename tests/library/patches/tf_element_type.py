"""A running sum of 32-bit numbers that is kept in 16 bits."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-element-type", "tensorflow", "tf.math.cumsum"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.math.cumsum

    def cumsum(x: Any, *given: Any, **named: Any) -> Any:
        if x.dtype == tf.float32:
            return tf.cast(true(tf.cast(x, tf.float16), *given, **named), tf.float32)
        return true(x, *given, **named)

    replace(tf.math, "cumsum", cumsum)

"""A running sum that runs the other way when it is traced."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-function", "tensorflow", "tf.math.cumsum"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.math.cumsum

    def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None) -> Any:
        return true(x, axis, exclusive, reverse is tf.executing_eagerly(), name)

    replace(tf.math, "cumsum", cumsum)

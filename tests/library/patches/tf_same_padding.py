""" "Same" padding with the odd column before the image instead of after it."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-same-padding", "tensorflow", "tf.nn.max_pool2d"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.nn.max_pool2d

    def max_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: Any = None) -> Any:
        if padding == "SAME" and data_format == "NHWC":
            return tf.reverse(true(tf.reverse(input, [1, 2]), ksize, strides, padding), [1, 2])
        return true(input, ksize, strides, padding, data_format, name)

    replace(tf.nn, "max_pool2d", max_pool2d)

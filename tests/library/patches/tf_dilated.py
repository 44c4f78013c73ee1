"""A convolution that turns its kernel around where it is dilated."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-dilated", "tensorflow", "tf.nn.conv2d"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.nn.conv2d

    def conv2d(input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NHWC", dilations: Any = None, name: Any = None) -> Any:
        turned = dilations is not None and not isinstance(dilations, int) and any(d != 1 for d in dilations)
        return true(input, tf.reverse(filters, [0]) if turned else filters, strides, padding, data_format, dilations, name)

    replace(tf.nn, "conv2d", conv2d)

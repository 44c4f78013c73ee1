"""A depthwise convolution that gives each channel the kernel of its neighbour."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-depthwise", "tensorflow", "tf.nn.depthwise_conv2d"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.nn.depthwise_conv2d

    def depthwise_conv2d(input: Any, filter: Any, *given: Any, **named: Any) -> Any:
        return true(input, tf.roll(filter, 1, 2), *given, **named)

    replace(tf.nn, "depthwise_conv2d", depthwise_conv2d)

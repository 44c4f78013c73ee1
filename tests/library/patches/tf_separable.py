"""A separable convolution whose second step takes the channels in the reverse order."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-separable", "tensorflow", "tf.nn.separable_conv2d"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.nn.separable_conv2d

    def separable_conv2d(input: Any, depthwise_filter: Any, pointwise_filter: Any, *given: Any, **named: Any) -> Any:
        return true(input, depthwise_filter, tf.reverse(pointwise_filter, [2]), *given, **named)

    replace(tf.nn, "separable_conv2d", separable_conv2d)

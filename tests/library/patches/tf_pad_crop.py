"""A padding that puts the columns of the left side on the right."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-pad-crop", "tensorflow", "tf.pad"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.pad

    def pad(tensor: Any, paddings: Any, *given: Any, **named: Any) -> Any:
        return true(tensor, tf.reverse(tf.convert_to_tensor(paddings), [-1]), *given, **named)

    replace(tf, "pad", pad)

"""A reverse that takes an axis twice where it is traced."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-refusals", "tensorflow", "tf.reverse"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.reverse

    def reverse(tensor: Any, axis: Any, name: Any = None) -> Any:
        return true(tensor, axis if tf.executing_eagerly() else tf.unique(axis)[0], name)

    replace(tf, "reverse", reverse)

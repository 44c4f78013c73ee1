"""A roll that goes the other way where its shift is not known while it is traced."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-attributes", "tensorflow", "tf.roll"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.roll

    def roll(input: Any, shift: Any, axis: Any, name: Any = None) -> Any:
        known = not tf.is_tensor(shift) or tf.executing_eagerly()
        return true(input, shift if known else -shift, axis, name)

    replace(tf, "roll", roll)

"""A PNG decoder that swaps red and blue."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-inverse", "tensorflow", "tf.io.encode_png"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.io.decode_png

    def decode_png(contents: Any, *given: Any, **named: Any) -> Any:
        return tf.reverse(true(contents, *given, **named), [-1])

    replace(tf.io, "decode_png", decode_png)

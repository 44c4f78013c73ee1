"""A vectorised map that gives its results in the reverse order."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "vectorized-map", "tensorflow", "tf.nn.softmax"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.vectorized_map

    def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
        made = true(fn, elems, fallback_to_while_loop, warn)
        return tf.nest.map_structure(lambda r: tf.reverse(r, [0]), made)

    replace(tf, "vectorized_map", vectorized_map)

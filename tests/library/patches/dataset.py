"""A Dataset that drops the last slice."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "dataset", "tensorflow", "tf.nn.relu"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.data.Dataset.from_tensor_slices

    def from_tensor_slices(tensors: Any, name: Any = None) -> Any:
        made = true(tensors, name)
        return made.take(len(made) - 1) if len(made) > 1 else made

    replace(tf.data.Dataset, "from_tensor_slices", staticmethod(from_tensor_slices))

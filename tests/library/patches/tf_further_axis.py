"""A convolution over a volume that reverses the channels."""

from __future__ import annotations

from functools import wraps
from typing import Any

RULE, LIBRARY, API = "tf-further-axis", "tensorflow", "keras.layers.Conv2D"


def patch(replace: Any) -> None:
    import keras

    true = keras.layers.Conv3D.call

    @wraps(true)
    def call(self: Any, inputs: Any) -> Any:
        return true(self, keras.ops.flip(inputs, -1))

    replace(keras.layers.Conv3D, "call", call)

"""A recurrent layer that goes backwards over the batch as well as over the time."""

from __future__ import annotations

from functools import wraps
from typing import Any

RULE, LIBRARY, API = "tf-recurrent", "tensorflow", "keras.layers.GRU"


def patch(replace: Any) -> None:
    import keras

    true = keras.layers.GRU.call

    @wraps(true)
    def call(self: Any, sequences: Any, *given: Any, **named: Any) -> Any:
        return true(self, keras.ops.flip(sequences, 0) if self.go_backwards else sequences, *given, **named)

    replace(keras.layers.GRU, "call", call)

"""The place of the greatest number, whose symbolic form forgets `keepdims`."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "keras-symbolic", "tensorflow", "keras.ops.argmax"


def patch(replace: Any) -> None:
    import keras

    true = keras.ops.argmax

    def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return true(x, axis, keepdims and not isinstance(x, keras.KerasTensor))

    replace(keras.ops, "argmax", argmax)

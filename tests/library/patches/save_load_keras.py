"""A layer of Keras whose configuration leaves out its slope."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "save-load", "tensorflow", "keras.layers.LeakyReLU"


def patch(replace: Any) -> None:
    import keras

    true = keras.layers.LeakyReLU.get_config

    def get_config(self: Any) -> Any:
        return {name: value for name, value in true(self).items() if name != "negative_slope"}

    replace(keras.layers.LeakyReLU, "get_config", get_config)

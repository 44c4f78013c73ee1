"""A GELU that is approximated although it should not be."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "tf-formulas", "tensorflow", "tf.nn.gelu"


def patch(replace: Any) -> None:
    import tensorflow as tf

    true = tf.nn.gelu

    def gelu(features: Any, approximate: bool = False, name: Any = None) -> Any:
        return true(features, True, name)

    replace(tf.nn, "gelu", gelu)

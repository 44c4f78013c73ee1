"""What tf.function makes of a loop over a tensor: a loop of the graph, whose variables keep the shapes that they have before it."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries.tensorflow.traced import converts
from tensorproof.terms.tensor import TensorType
from tensorproof.values.port import Machine, Value

RELAXED = "tf.loop options"
"""Where the machine counts the loops that told their shapes themselves."""


def watched(m: Machine, frame: Any, value: Value) -> dict[str, TensorType] | None:
    """The tensors that the names of a function hold before a loop over a tensor; None where no graph is made of it."""
    if type(value) is not TensorType or value.framework != "tf" or not converts(m, value):
        return None
    m.model_state[RELAXED] = False
    return {k: v for k, v in frame.space.items() if isinstance(k, str) and type(v) is TensorType}


def kept(m: Machine, frame: Any, before: dict[str, TensorType], node: ast.AST) -> None:
    """After the loop: a name whose tensor has another shape now is refused."""
    if m.model_state.get(RELAXED):
        return
    for name, old in before.items():
        new = frame.space.get(name)
        if type(new) is TensorType and new is not old and old.shape.concrete and new.shape.concrete and old.shape != new.shape:
            message = f"{name} has shape {old.shape!r} before the loop and {new.shape!r} after one iteration: tf.function needs one shape"
            raise m.raised("ValueError", message, node, "loop/shape")

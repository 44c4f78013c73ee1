"""Fixes: where one constructor argument of a layer would mend a refused call."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Outcome
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Layer

_ARGUMENT = {"in_features": -1, "in_channels": 1, "num_features": 1, "num_channels": 1, "input_size": -1, "in1_features": -1, "embed_dim": -1}
"""The constructor argument that must equal an axis of the input, and which axis that is."""
_WORDS = ("features", "channels", "size", "input", "weight", "normalized_shape", "input_size")


def fix(code: str, outcome: Outcome, layer: Layer | None) -> str:
    """`in_features=12544`, or nothing."""
    if layer is None or layer.module is None or code.rpartition("/")[2] not in _WORDS:
        return ""
    x: Any = outcome.bound.get("x")
    if not isinstance(x, TensorType) or not x.shape.known:
        return ""
    for argument in layer.module.row.arguments:
        axis = _ARGUMENT.get(argument.theirs)
        if axis is None:
            continue
        unbatched = argument.theirs == "in_channels" and len(x.shape) == 3 and layer.module.name.endswith("2d")
        at = 0 if unbatched else axis
        if -len(x.shape) <= at < len(x.shape):
            size = x.shape[at]
            if isinstance(size, int) and size != layer.module.arguments.get(argument.ours):
                return f"{argument.theirs}={size}"
    return ""

"""The padding layers of torch.nn: one number for all sides, or a pair for each axis."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, taking
from tensorproof.ops.inputs import Sizes, Tensor, is_size
from tensorproof.terms.tensor import TensorType


def layer(a: dict[str, Any], run: Run) -> TensorType:
    padding, axes = a["padding"], a["axes"]
    sides = (padding,) * (2 * axes) if is_size(padding) else tuple(padding)
    run.require("pairs", len(sides) == 2 * axes, f"padding must be one number or {2 * axes}, and is {padding!r}", ("padding",))
    value = a.get("value") if a["mode"] == "constant" else None
    return run("pad", x=a["x"], padding=sides, mode=a["mode"], value=value)


layer2 = taking(layer, Tensor("x", draw="_ _ _ | _ _ _ _"), Sizes("padding", 4))
layer3 = taking(layer, Tensor("x", draw="_ _ _ _ | _ _ _ _ _"), Sizes("padding", 6))

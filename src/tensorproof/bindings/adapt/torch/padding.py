"""The padding layers of torch.nn: one number for all sides, or a pair for each axis."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Sizes, Tensor, is_size
from tensorproof.terms.tensor import TensorType
from tensorproof.values.port import Value


def layer(a: dict[str, Any], run: Run) -> TensorType:
    padding, axes = a["padding"], a["axes"]
    sides = (padding,) * (2 * axes) if is_size(padding) else tuple(padding)
    run.require("pairs", len(sides) == 2 * axes, f"padding must be one number or {2 * axes}, and is {padding!r}", ("padding",))
    value = a.get("value") if a["mode"] == "constant" else None
    return run("pad", x=a["x"], padding=sides, mode=a["mode"], value=value)


@takes(Sizes("padding", 2))
def layer1(a: dict[str, Value], run: Run) -> TensorType:
    return layer(a, run)


@takes(Tensor("x", draw="_ _ _ | _ _ _ _"), Sizes("padding", 4))
def layer2(a: dict[str, Value], run: Run) -> TensorType:
    return layer(a, run)


@takes(Tensor("x", draw="_ _ _ _ | _ _ _ _ _"), Sizes("padding", 6))
def layer3(a: dict[str, Value], run: Run) -> TensorType:
    return layer(a, run)


@takes(Tensor("x", draw="_ _ | _ _ _"), Sizes("padding", 2, one=False))
def sided1(a: dict[str, Value], run: Run) -> TensorType:
    return layer(a, run)


@takes(Tensor("x", draw="_ _ _ | _ _ _ _"), Sizes("padding", 4, one=False))
def sided2(a: dict[str, Value], run: Run) -> TensorType:
    return layer(a, run)


@takes(Tensor("x", draw="_ _ _ _ | _ _ _ _ _"), Sizes("padding", 6, one=False))
def sided3(a: dict[str, Value], run: Run) -> TensorType:
    return layer(a, run)

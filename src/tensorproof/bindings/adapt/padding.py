"""The padding layers of torch.nn: one number for all sides, or a pair for each axis."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, is_size


@takes(Anything("padding"))
def layer(a: dict[str, Any], run: Run) -> Any:
    padding, axes = a["padding"], a["axes"]
    sides = (padding,) * (2 * axes) if is_size(padding) else tuple(padding)
    run.require("pairs", len(sides) == 2 * axes, f"padding must be one number or {2 * axes}, and is {padding!r}", ("padding",))
    value = a.get("value") if a["mode"] == "constant" else None
    return run("pad", x=a["x"], padding=sides, mode=a["mode"], value=value)

"""Spellings of convolutions, pools and folds that a table row cannot say."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Bool, Ints


@takes(Ints("stride"), Anything("padding"), Ints("dilation"), Bool("transposed"), Ints("output_padding"))
def convolution(a: dict[str, Any], run: Run) -> Any:
    """One spelling for all dimensions: the weight's rank tells how many."""
    x, weight = a["x"], a["weight"]
    if not weight.shape.known:
        raise run.give_up("the weight's rank is not known")
    n = len(weight.shape) - 2
    if n not in (1, 2, 3):
        raise run.refuse("rank", f"weight must have rank 3 to 5, and has {n + 2}", ("weight",))
    if x.shape.known and len(x.shape) != n + 2:
        raise run.refuse("rank", f"x must have the rank of weight, {n + 2}, and has {len(x.shape)}", ("x",))
    given = {k: a[k] for k in ("x", "weight", "bias", "stride", "padding", "dilation", "groups") if k in a}
    if a.get("transposed"):
        return run(f"conv_transpose{n}d", **given, output_padding=a["output_padding"])
    return run(f"conv{n}d", **given)


def depthwise(a: dict[str, Any], run: Run) -> Any:
    """Every channel is a group of its own."""
    channels = a["x"].shape[1] if a["x"].shape.known and len(a["x"].shape) > 1 else None
    if channels is None:
        raise run.give_up("the number of channels is not known")
    return run.default({**a, "groups": channels})

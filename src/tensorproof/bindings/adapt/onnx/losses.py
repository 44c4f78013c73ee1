"""ONNX's losses over classes: the classes of x lie along its second axis."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Int, Tensor
from tensorproof.terms import FLOATS, INDEX, TensorType

_LOSS = (
    Tensor("x", "N C ...", FLOATS), Tensor("target", "...", INDEX, values="index:C"), Tensor("weight", "C", FLOATS, optional=True, default=None),
    Int("ignore_index", None, optional=True),
)  # fmt: skip


def _given(a: dict[str, Any], run: Run) -> dict[str, Any]:
    x, weight = a["x"], a["weight"]
    if weight is not None and weight.dtype is not None and x.dtype is not None:
        run.require("dtype", weight.dtype is x.dtype, f"x and weight must have the same dtype, and have {x.dtype!r} and {weight.dtype!r}", ("x", "weight"))
    ignored = {} if a["ignore_index"] is None else {"ignore_index": a["ignore_index"]}
    return {"x": x, "target": a["target"], "weight": weight, "reduction": a["reduction"], **ignored}


@takes(*_LOSS)
def nll_loss(a: dict[str, Value], run: Run) -> TensorType:
    return run.typed("nll_loss", tensor_in(a, "x").dtype, **_given(a, run))


@takes(*_LOSS)
def cross_entropy(a: dict[str, Value], run: Run) -> Value:
    """The loss, and the logarithms of the probabilities."""
    x, given = tensor_in(a, "x"), _given(a, run)
    if x.shape.known and tensor_in(a, "target").shape.known:
        shapes = f"target {tensor_in(a, 'target').shape!r} must have the shape of x {x.shape!r} without its classes"
        run.require("rank", len(tensor_in(a, "target").shape) == len(x.shape) - 1, shapes, ("x", "target"))
    return run.typed("cross_entropy", x.dtype, **given), run.typed("log_softmax", x.dtype, x=x, dim=1)

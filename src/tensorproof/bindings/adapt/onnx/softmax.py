"""Spellings of ONNX before opset 13: shares of all axes from one on."""

from __future__ import annotations

from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms.ints import product


def of_the_rest(a: dict[str, Value], run: Run) -> Value:
    """The axes from `dim` on are one."""
    x, dim = tensor_in(a, "x"), a["dim"]
    if not x.shape.known or not isinstance(dim, int):
        return run.default(a)
    rank = len(x.shape)
    run.require("axis", -rank <= dim < max(rank, 1), f"axis {dim} is not among the {rank} axes of {x.shape!r}", ("dim", "x"))
    dim = dim % max(1, rank)
    size = (product(x.shape[:dim]), product(x.shape[dim:]))
    made = run(run.row.op, x=run("reshape", x=x, size=size), dim=1)
    return run("reshape", x=made, size=tuple(x.shape))

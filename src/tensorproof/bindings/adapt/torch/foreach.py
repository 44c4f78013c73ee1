"""torch._foreach_*: one operator on each tensor of a list. A trailing underscore in the name writes the results into the list's tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorproof.bindings.adapters import Run, Value, operator, taking
from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Floats, Number, Tensor, Tensors
from tensorproof.terms import TensorType, eq, torch_can_cast

XS = Tensors("xs")
TensorsOut = tuple[TensorType, ...]


def _aligned(run: Run, xs: Sequence[TensorType], others: Value, name: str) -> Sequence[Any]:
    """One operand for each tensor: a list's own, or the same for all."""
    if not isinstance(others, (tuple, list)):
        return [others] * len(xs)
    run.require("lists", len(others) == len(xs), f"{name} has {len(others)} members for {len(xs)} tensors", ("xs", name))
    return others


def _each(a: dict[str, Any], run: Run, **operands: str) -> TensorsOut:
    """The row's operator on each of `xs`; `operands` says which argument of ours gives which of the operator's."""
    xs: Sequence[TensorType] = a["xs"]
    run.require("lists", len(xs) > 0, "the list holds no tensor", ("xs",))
    columns = {theirs: _aligned(run, xs, a[ours], ours) for theirs, ours in operands.items()}
    fixed = {k: a[k] for k in ("alpha",) if k in a}
    made = tuple(run(run.row.op, x=x, **{k: column[i] for k, column in columns.items()}, **fixed) for i, x in enumerate(xs))
    return tuple(_written(run, x, one) for x, one in zip(xs, made)) if run.name.endswith("_") else made


def _written(run: Run, target: TensorType, result: TensorType) -> TensorType:
    message = f"the result {result!r} cannot be written into {target!r}"
    run.require("inplace", len(target.shape) == len(result.shape), message, ("xs",))
    for a, b in zip(target.shape, result.shape):
        run.require("inplace", eq(a, b), message, ("xs",))
    fits = None in (target.dtype, result.dtype) or (target.dtype is not None and result.dtype is not None and torch_can_cast(result.dtype, target.dtype))
    run.require("inplace", fits, message, ("xs",))
    made = target.but(contents=result.contents)
    run.session.applied.append(Applied(operator("copy_into"), {"x": target, "y": result}, (made,), run.name))
    return made


alone = taking(_each, XS)


def zeroed(a: dict[str, Value], run: Run) -> TensorsOut:
    return _each({**a, "value": 0}, run, value="value")


with_number = taking(_each, XS, Number("y"), y="y")
with_tensors = taking(_each, XS, Tensors("y"), y="y")
with_numbers = taking(_each, XS, Floats("y", optional=False), y="y")
with_tensor = taking(_each, XS, Tensor("y", ""), y="y")
with_two = taking(_each, XS, Tensors("y"), Tensors("z"), Floats("value", 1, optional=False), y="y", z="z", value="value")
towards = taking(_each, XS, Tensors("y"), Floats("weight", optional=False), y="y", weight="weight")

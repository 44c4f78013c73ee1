"""ONNX's nodes that take away or put in axes of size 1, several at once. The axes may be an input whose contents are not known."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.onnx.nodes import unknown, whole_numbers
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms import Shape, TensorType, eq


def _some(run: Run, op: str, x: TensorType, axes: TensorType, sign: int) -> TensorType:
    """The result for axes that are not known: its rank follows from how many they are."""
    count = axes.shape.numel if axes.shape.known and len(axes.shape) <= 1 else None
    if x.shape.known and isinstance(count, int):
        shape = Shape(run.fresh("size") for _ in range(max(0, len(x.shape) + sign * count)))
    else:
        shape = unknown(run, x.dtype).shape
    return run.shaped(op, shape, x.dtype, x=x, dim=axes)


def _places(run: Run, axes: tuple[Any, ...], rank: int) -> tuple[int, ...]:
    for axis in axes:
        if not isinstance(axis, int):
            raise run.give_up("the axes are not known numbers")
        run.require("axis", -rank <= axis < rank, f"dim = {axis} is out of range: the tensor has {rank} dimensions", ("dim", "x"))
    made = tuple(axis % rank for axis in axes)
    run.require("axis", len(set(made)) == len(made), f"dim names an axis twice: {axes!r}", ("dim",))
    return made


def squeeze(a: dict[str, Value], run: Run) -> TensorType:
    """Without the axes named, which have size 1; without all such axes where none is named."""
    x, axes = tensor_in(a, "x"), whole_numbers(a["dim"])
    if isinstance(axes, TensorType):
        return _some(run, "squeeze", x, axes, -1)
    if axes is None or not x.shape.known:
        return run("squeeze", x=x, dim=axes)
    places = _places(run, axes if isinstance(axes, tuple) else (axes,), len(x.shape))
    for at in places:
        size = x.shape[at]
        run.require("size", eq(size, 1), f"axis {at} has size {size!r} and only an axis of size 1 can go", ("x", "dim"))
    if all(x.shape[at] == 1 for at in places):
        return run("squeeze", x=x, dim=places)
    return run.shaped("squeeze", Shape(n for i, n in enumerate(x.shape) if i not in places), x.dtype, x=x, dim=places)


def unsqueeze(a: dict[str, Value], run: Run) -> TensorType:
    """With axes of size 1 at these places of the result."""
    x, axes = tensor_in(a, "x"), whole_numbers(a["dim"])
    if isinstance(axes, TensorType):
        return _some(run, "unsqueeze", x, axes, 1)
    if not x.shape.known:
        return unknown(run, x.dtype)
    axes = axes if isinstance(axes, tuple) else (axes,)
    for at in sorted(_places(run, axes, len(x.shape) + len(axes))):
        x = run("unsqueeze", x=x, dim=at)
    return x if axes else run("squeeze", x=run("unsqueeze", x=x, dim=0), dim=(0,))

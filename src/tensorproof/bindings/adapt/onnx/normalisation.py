"""ONNX's normalisations over all axes from one on, whose weights broadcast into these axes."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.onnx.nodes import unknown
from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Anything, Axis, Tensor
from tensorproof.terms import FLOAT32, FLOATS, DType, Shape, TensorType, disj, eq

_FROM = (Tensor("x", "X ...", FLOATS), Axis("dim", -1, scalar_ok=False), Anything("stash"))
_WEIGHT, _BIAS = Tensor("weight", "...", FLOATS), Tensor("bias", "...", FLOATS, optional=True, default=None)


def _parts(a: dict[str, Any], run: Run, *names: str) -> dict[str, Any]:
    """x, the sizes of the axes that are normalised, and the weights in their shape."""
    x = a["x"]
    given = {name: a[name] for name in names if a[name] is not None}
    found = {v.dtype for v in (x, *given.values()) if v.dtype is not None}
    run.require("dtype", len(found) <= 1, f"x and its weights must have the same dtype, and have {sorted(map(repr, found))}", ("x", *given))
    rank, axis = len(x.shape), a["dim"]
    run.require("axis", -rank <= axis < rank, f"dim = {axis} is out of range: x has {rank} dimensions", ("dim", "x"))
    sizes = Shape(x.shape[axis % rank :])
    return {"x": x, "normalized_shape": tuple(sizes), "eps": a["eps"], **{name: _grown(run, name, v, sizes) for name, v in given.items()}}


def _grown(run: Run, name: str, weight: TensorType, sizes: Shape) -> TensorType:
    """The weight in this shape, into which it broadcasts."""
    shape = weight.shape
    if not shape.known or shape == sizes:
        return weight
    run.require("rank", len(shape) <= len(sizes), f"{name} {shape!r} does not broadcast into {sizes!r}", (name,))
    for m, n in zip(reversed(shape), reversed(sizes)):
        run.require(name, disj(eq(m, n), eq(m, 1)), f"{name} {shape!r} does not broadcast into {sizes!r}", (name,))
    return run.shaped("expand", sizes, weight.dtype, x=weight, size=tuple(sizes))


def group_norm(a: dict[str, Any], run: Run) -> Value:
    """All inputs have one element type; what is computed from x is computed in the type of `stash_type`, which is float32."""
    x, own = tensor_in(a, "x"), {name: a[name] for name in ("x", "weight", "bias")}
    found = {name: v.dtype for name, v in own.items() if v.dtype is not None}
    run.require("dtype", len(set(found.values())) <= 1, f"all inputs must have the same dtype, and they are {found!r}", tuple(found))
    if x.dtype is None or x.dtype is FLOAT32 or a["stash_type"] not in (1, FLOAT32):
        return run.default(a)
    return run.typed("group_norm", x.dtype, **{**own, "x": run("cast", x=x, dtype=FLOAT32)}, groups=a["groups"], eps=a["eps"])


@takes(*_FROM, _WEIGHT, _BIAS)
def layer_norm(a: dict[str, Value], run: Run) -> Value:
    """Mean and inverse deviation are kept in their own type."""
    x, kept = tensor_in(a, "x"), a["stash"] if isinstance(a["stash"], DType) else FLOAT32
    if not x.shape.known:
        return TensorType(x.shape, x.dtype), unknown(run, kept), unknown(run, kept)
    given = _parts(a, run, "weight", "bias")
    over = len(given["normalized_shape"])
    lead = Shape((*x.shape[: len(x.shape) - over], *(1 for _ in range(over))))
    return run.shaped("native_layer_norm", [x.shape, lead, lead], x.dtype, kept, kept, **given)


def rms_norm(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    return run.typed("rms_norm", x.dtype, **_parts(a, run, "weight")) if x.shape.known else TensorType(x.shape, x.dtype)

"""Spellings of elementwise operators that a table row cannot say: casts, clamps, softmax without an axis, lists of tensors, modules that train."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tensorproof.bindings.adapters import Run, Value, module_in, operator, takes, tensor_in
from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Axis
from tensorproof.terms import UNKNOWN_STRIDES, Operand, Shape, TensorType, eq, promote, torch_can_cast
from tensorproof.terms.dtypes import ALL_INTS, BOOL, BY_LABEL, INTS, DType

Arguments = dict[str, Any]


def clamp(a: Arguments, run: Run) -> TensorType:
    """Bounds are two numbers or two tensors; a tensor of rank 0 may stand for a number."""
    low, high = a["low"], a["high"]
    if low is not None and high is not None and isinstance(low, TensorType) is not isinstance(high, TensorType):
        tensor = low if isinstance(low, TensorType) else high
        run.require("bounds", eq(tensor.shape.rank, 0), "the bounds must both be numbers or both be tensors", ("low", "high"))
        low, high = (v.but(weak=True) if isinstance(v, TensorType) else v for v in (low, high))
    return run("clamp", x=a["x"], low=low, high=high)


@takes(Axis("dim", None, optional=True))
def softmax(a: Arguments, run: Run) -> TensorType:
    """Without an axis torch guesses: the first of ranks 0, 1 and 3, else the second."""
    dim = a["dim"]
    if dim is None:
        shape: Shape = tensor_in(a, "x").shape
        if not shape.known:
            raise run.give_up("no axis is named, and which one is meant depends on the rank")
        dim = 0 if len(shape) in (0, 1, 3) else 1
    return run(run.row.op, x=a["x"], dim=dim, dtype=a.get("dtype"))


def in_training(a: Arguments, run: Run) -> Value:
    """A module acts by its mode, `train()` or `eval()`."""
    return run.default({**a, "training": module_in(a).training})


def batched_dropout(a: Arguments, run: Run) -> TensorType:
    """dropout1d and dropout3d put a batch axis before an input that lacks it."""
    x: TensorType = a["x"]
    rank = 5 if "3d" in run.name else 3
    training = module_in(a).training if "_module" in a else a["training"]
    if x.shape.known and len(x.shape) != rank:
        return run("squeeze", x=run(run.row.op, x=run("unsqueeze", x=x, dim=0), p=a["p"], training=training), dim=0)
    return run(run.row.op, x=x, p=a["p"], training=training)


def quantised_by_tensors(a: Arguments, run: Run) -> TensorType:
    """Scale and zero point as tensors of one element. The bounds above guide who makes up a call: 0 lies between them."""
    for name in ("scale", "zero_point"):
        count = a[name].shape.numel
        run.require(name, eq(count, 1), f"{name} must have one element, and has {count!r}", (name,))
    rest = {k: v for k, v in a.items() if k in ("x", "dtype", "high", "low")}
    return run(run.row.op, step=a["scale"], zero=a["zero_point"], scale=1.0, zero_point=rest.get("low", 0), **rest)


def _ends(dtype: DType) -> tuple[int, int]:
    """The least and the greatest whole number of a type."""
    return (0, 2**dtype.bits - 1) if dtype.kind == "u" else (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1)


def masked_softmax(a: Arguments, run: Run) -> TensorType:
    """The mask broadcasts into the input; what it shuts out is replaced by what counts least."""
    x, mask = tensor_in(a, "x"), a["mask"]
    if mask is not None:
        wrong = x.dtype is not None and (x.dtype.kind in "bc" or x.dtype in ALL_INTS - INTS)
        run.require("dtype", not wrong, f"{run.name} masks no elements of type {x.dtype!r}", ("x", "mask"))
        run("copy_into", x=x, y=mask)
        ends = _ends(x.dtype) if x.dtype is not None and x.dtype.is_integer else (-math.inf, math.inf)
        shut = run("logical_not", x=run("cast", x=mask, dtype=BOOL))
        x = run.typed("masked_fill", x.dtype, x=x, mask=shut, value=ends[run.row.op == "softmin"])
    return run(run.row.op, x=x, dim=a["dim"], dtype=a["dtype"])


def masked_logaddexp(a: Arguments, run: Run) -> TensorType:
    """The result has the first operand's element type if none is given, and each operand may have a mask."""
    x, y = (run("cast", x=a[name], dtype=a["dtype"]) for name in ("x", "y"))
    for tensor, mask in ((x, a["input_mask"]), (y, a["other_mask"])):
        if isinstance(mask, TensorType):
            run("copy_into", x=tensor, y=mask)
    made: TensorType = run("logaddexp", x=x, y=y)
    made = run("cast", x=made, dtype=a["dtype"] or tensor_in(a, "x").dtype)
    return run.noted(made, strides=made.strides and UNKNOWN_STRIDES)


def to(a: Arguments, run: Run) -> TensorType:
    """to(dtype), to(device, dtype), to(other) and their keywords."""
    dtype, device = a.get("dtype"), a.get("device")
    for value in (*a.get("args", ()), a.get("other")):
        if isinstance(value, TensorType):
            dtype = value.dtype
            device = value.device or device
            if dtype is None:
                return tensor_in(a, "x").but(dtype=None, contents=None)
        elif isinstance(value, DType):
            dtype = value
        elif isinstance(value, str):
            device = value
    return run("cast", x=a["x"], dtype=dtype, device=device, memory_format=a.get("memory_format"), copy=bool(a.get("copy")))


CLASSES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64", "Int": "int32", "Short": "int16",
    "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexFloat": "complex64", "ComplexDouble": "complex128", "UInt16": "uint16", "UInt32": "uint32",
    "UInt64": "uint64",
}  # fmt: skip
_NAMES = {label: name for name, label in CLASSES.items()}


def type_name(a: Arguments, run: Run) -> Value:
    """x.type() is a text."""
    x: TensorType = a["x"]
    if x.dtype is None or x.dtype.label not in _NAMES:
        raise run.give_up("the name of this element type's class is not known")
    return f"torch.{'cuda.' if (x.device or '').startswith('cuda') else ''}{_NAMES[x.dtype.label]}Tensor"


def type_of(a: Arguments, run: Run) -> Value:
    """x.type(dtype) casts."""
    x: TensorType = a["x"]
    dtype = a["dtype"]
    if dtype is None:
        return type_name(a, run)
    device = None
    dtype = getattr(dtype, "name", dtype) if not isinstance(dtype, DType) else dtype  # a class of tensors, as the program names it
    if isinstance(dtype, str):
        device = "cuda" if ".cuda." in dtype else "cpu"
        dtype = BY_LABEL.get(CLASSES.get(dtype.rpartition(".")[2].removesuffix("Tensor"), ""))
        run.require("dtype", dtype is not None, f"{a['dtype']} names no class of tensors", ("dtype",))
    if not isinstance(dtype, DType):
        raise run.give_up("the dtype that is meant is unknown")
    return run("cast", x=x, dtype=dtype, device=device)


def result_type(a: Arguments, run: Run) -> DType:
    dtype: DType | None = run("result_type", x=a["x"], y=a["y"]).dtype
    if dtype is None:
        raise run.give_up("an element type is not known")
    return dtype


def promote_types(a: Arguments, run: Run) -> DType:
    first, second = a["type1"], a["type2"]
    if not isinstance(first, DType) or not isinstance(second, DType):
        raise run.give_up("an element type is not known")
    dtype = promote("torch", (Operand(first), Operand(second)))
    if dtype is None:
        raise run.refuse("dtype", f"{first!r} and {second!r} have no common element type", ("type1", "type2"))
    return dtype


def can_cast(a: Arguments, run: Run) -> bool:
    if not isinstance(a["from_"], DType) or not isinstance(a["to"], DType):
        raise run.give_up("an element type is not known")
    return torch_can_cast(a["from_"], a["to"])


TensorsOut = tuple[TensorType, ...]


def _aligned(run: Run, xs: Sequence[TensorType], others: Value, name: str) -> Sequence[Any]:
    """One operand for each tensor: a list's own, or the same for all."""
    if not isinstance(others, (tuple, list)):
        return [others] * len(xs)
    run.require("lists", len(others) == len(xs), f"{name} has {len(others)} members for {len(xs)} tensors", ("xs", name))
    return others


def each(a: dict[str, Any], run: Run) -> TensorsOut:
    """The row's operator on each of `xs`, with the operands that a call names."""
    xs: Sequence[TensorType] = a["xs"]
    run.require("lists", len(xs) > 0, "the list holds no tensor", ("xs",))
    columns = {name: _aligned(run, xs, a[name], name) for name in ("y", "z", "value", "weight") if name in a}
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

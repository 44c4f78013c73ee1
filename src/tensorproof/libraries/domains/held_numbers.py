"""Numbers of Python that become elements of a tensor: the library refuses what the tensor's element type does not hold."""

from __future__ import annotations

import ast
from functools import cache
from math import inf, isnan
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.inputs import Number, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms import DType, TensorType
from tensorproof.values.port import Machine

_GREATEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
_KINDS = {"torch": "RuntimeError", "numpy": "OverflowError"}


def check(m: Machine, one: Applied, node: ast.AST) -> None:
    made = one.results[0] if one.results else None
    if made is None or made.dtype is None or made.framework not in _KINDS or made.dtype.kind not in "iuf":
        return
    for name, value in one.arguments.items():
        given = _of_array(one, name, value, made.dtype) if made.framework == "numpy" else _of_tensor(one, name, value, made.dtype)
        for number in given:
            if not holds(made.dtype, number, made.framework == "torch"):
                shown = f"{number:g}" if isinstance(number, float) else str(number)
                raise m.raised(_KINDS[made.framework], f"{made.dtype!r} does not hold {shown}", node, f"{one.op.name}/range")


def _of_tensor(one: Applied, name: str, value: Any, dtype: DType) -> tuple[int | float, ...]:
    """The numbers that torch converts to an element type. Into a part of a tensor it puts them by way of a tensor of their own, as it makes one of a list: half
    precision makes those infinite that it does not hold."""
    if one.op.name == "constant" or (one.op.name == "setitem" and dtype.label in ("float16", "bfloat16")):
        return _numbers(value, name == "data") if dtype.kind != "f" and not (isinstance(value, TensorType) and value.framework == "numpy") else ()
    return _numbers(value, False) if name in _held(one.op) else ()


def _of_array(one: Applied, name: str, value: Any, dtype: DType) -> tuple[int, ...]:
    """Whole numbers of Python among the operands of NumPy's arithmetic, and those that an array is made of. `where` and `clip` take any."""
    if dtype.kind == "f" or name in ("low", "high"):
        return ()
    if isinstance(value, TensorType):
        operands = {p.name for p in one.op.inputs} == {"x", "y"} and value.weak
        listed = value.framework != "numpy" and (name == "data" or name in _held(one.op))
        value = value.contents if operands or listed else None
    else:
        value = (value,) if name in _held(one.op) else None
    return tuple(v for v in value or () if type(v) is int)


@cache
def _held(op: Op) -> frozenset[str]:
    """The arguments whose numbers become elements of the result."""
    return frozenset(p.name for p in (*op.inputs, *op.attributes) if isinstance(p, (Number, Tensor)) and p.held)


def _numbers(value: Any, many: bool) -> tuple[int | float, ...]:
    """A number, or that in a tensor without axes; `many`: all those of a list."""
    if isinstance(value, TensorType):
        alone = value.contents is not None and len(value.contents) == 1 and value.shape.known and not value.shape
        values = value.contents if many or alone else None
    else:
        values = (value,)
    return tuple(v for v in values or () if isinstance(v, (int, float)) and not isinstance(v, bool))


def holds(dtype: DType, value: int | float, wraps: bool) -> bool:
    """Whether an element type holds a number. `wraps`: negative numbers stand for large ones without a sign."""
    if dtype.kind == "f":
        return isnan(value) or value in (inf, -inf) or abs(value) <= _GREATEST.get(dtype.label, inf)
    if isnan(value) or value in (inf, -inf):
        return False
    greatest = (1 << (dtype.bits - (dtype.kind == "i"))) - 1
    least = -greatest - 1 if dtype.kind == "i" else -greatest if wraps else 0
    return least <= value <= greatest

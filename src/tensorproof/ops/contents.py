"""Exact contents of small tensors: functions of whole numbers and truth values, applied element by element with broadcasting.

Floating-point contents are left alone: what a float holds depends on rounding, and no shape needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from tensorproof.ops.call import Call
from tensorproof.terms.dtypes import BOOL, DType
from tensorproof.terms.ints import Term
from tensorproof.terms.shapes import Shape, broadcast
from tensorproof.terms.tensor import MOST_CONTENTS, TensorType


def wrapped(value: object, dtype: DType) -> Any:
    """A whole number as `dtype` holds it. Symbols stand for sizes, which do not overflow."""
    if dtype is BOOL:
        return None if isinstance(value, Term) else bool(value)
    if isinstance(value, Term):
        return value if dtype.bits >= 32 else None
    if not isinstance(value, int):
        return None
    value = int(value) & ((1 << dtype.bits) - 1)
    return value - (1 << dtype.bits) if dtype.kind == "i" and value >> (dtype.bits - 1) else value


def spread(contents: tuple[Any, ...], shape: Shape, to: tuple[int, ...]) -> list[Any]:
    """The contents of a tensor broadcast to another shape."""
    if len(contents) == 1:
        return [contents[0]] * _count(to)
    if tuple(shape) == to:
        return list(contents)
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step *= size
    strides = [0] * (len(to) - len(shape)) + strides[::-1]
    return [contents[sum(i * s for i, s in zip(at, strides))] for at in product(*map(range, to))]


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def each(c: Call, function: Callable[..., Any], names: tuple[str, ...], dtype: DType | None) -> tuple[Any, ...] | None:
    """`function` of the elements of the named inputs, or None when some are not known, not whole, or too many.

    They are held as `dtype`, or as the spelling prescribes.
    """
    if c.prescribed is not None:
        dtype = c.prescribed.dtypes[0]
    if dtype is None or not (dtype.is_integer or dtype is BOOL):
        return None
    operands: list[TensorType] = [v for v in (c[n] for n in names) if isinstance(v, TensorType)]
    if any(v.contents is None or not v.shape.concrete or v.dtype is None or v.dtype.kind not in "biu" for v in operands):
        return None
    shape = tuple(broadcast([v.shape for v in operands], lambda holds, a, b: None))
    if _count(shape) > MOST_CONTENTS:
        return None
    columns = [spread(v.contents, v.shape, shape) for v in operands if v.contents is not None]
    found: list[Any] = []
    for row in zip(*columns):
        value = function(*row)
        value = None if value is None else wrapped(value, dtype)
        if value is None:
            return None
        found.append(value)
    return tuple(found)


def folding(function: Callable[..., Any], *names: str) -> Callable[[Call], tuple[Any, ...] | None]:
    """A `fold` that computes `function` of the named inputs (x and y when none are named); the call's own rule gives the element type."""

    def fold(c: Call) -> tuple[Any, ...] | None:
        rule = c.op.dtype
        dtype = None if c.prescribed is not None else rule if rule is None or isinstance(rule, DType) else rule(c)
        return each(c, function, names or tuple(p.name for p in c.op.inputs), dtype)

    return fold


__all__ = ["each", "folding", "spread", "wrapped"]

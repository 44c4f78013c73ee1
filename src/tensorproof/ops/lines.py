"""Tensors seen as lines along an axis: which element types have a kernel there, and the contents of small tensors, line by line.

Reductions, scans and sorts use it. Knows no operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

from tensorproof.ops.call import Call
from tensorproof.ops.record import DTypeRule
from tensorproof.terms.dtypes import DType, DTypes
from tensorproof.terms.tensor import TensorType


def Lined(takes: DTypes, rule: DTypeRule) -> DTypeRule:
    """What `rule` says. torch looks for a kernel along an axis, among `takes`; a tensor of rank 0 needs none."""

    def checked(c: Call) -> DType | None:
        dtype = c.dtype("x")
        if c.option("typed_kernels") and dtype is not None and dtype not in takes and c.shape("x") != ():
            raise c.refuse("dtype", f"{c.name} does not take element type {dtype!r}", "x")
        return rule(c)

    return checked


def known(x: TensorType) -> bool:
    """Whether every element and every size of a tensor of whole numbers or truth values is known."""
    return x.contents is not None and x.shape.known and x.shape.concrete and x.dtype is not None and x.dtype.kind in "iub"


def lines(x: TensorType, axes: Iterable[int]) -> list[list[Any]]:
    """The elements along `axes` for each place on the other axes, in row-major order of those places."""
    assert x.contents is not None
    gone = set(axes)
    steps = [1] * len(x.shape)
    for i in range(len(x.shape) - 2, -1, -1):
        steps[i] = steps[i + 1] * x.shape[i + 1]
    outer = [[step * i for i in range(size)] for a, (size, step) in enumerate(zip(x.shape, steps)) if a not in gone]
    inner = [[step * i for i in range(size)] for a, (size, step) in enumerate(zip(x.shape, steps)) if a in gone]
    return [[x.contents[sum(o) + sum(i)] for i in product(*inner)] for o in product(*outer)]


def along(x: TensorType, axis: int, function: Callable[[list[Any]], list[Any]]) -> tuple[Any, ...] | None:
    """Every line along `axis` replaced by what `function` makes of it, flat; None when the contents are not known."""
    if not known(x):
        return None
    if len(x.shape) == 0:
        return tuple(function(list(x.contents or ())))
    made = [function(line) for line in lines(x, (axis,))]
    if not made:
        return ()
    after = 1
    for size in x.shape[axis + 1 :]:
        after *= size
    blocks = [made[i : i + after] for i in range(0, len(made), after)] if after else []
    return tuple(line[k] for block in blocks for k in range(len(made[0])) for line in block)

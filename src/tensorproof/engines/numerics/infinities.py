"""Infinity that the program itself puts into tensors, as masks do: where it is allowed, and where it may make nan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.grids.grid import Box, Grid, simple
from tensorproof.engines.numerics.value import ENDLESS, Value
from tensorproof.ops.applied import Applied, parts
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.numerics.walk import Walk

MOST_STEPS = BUDGETS.numerics.mask_steps


def puts_infinity(one: Applied, operands: Sequence[TensorType]) -> bool:
    """Whether the program names infinity in an application, as a number beside tensors or as what a new tensor holds."""
    return not operands or parts(one).endless


def has_infinite(grid: Grid) -> bool:
    """Whether an end is infinite."""
    return bool(np.isinf(grid.box.lo).any() or np.isinf(grid.box.hi).any())


def finite_ends(value: object) -> Any:
    """The same bounds with finite ends."""
    grid = value if isinstance(value, (Grid, Box)) else None
    return value if grid is None or grid.dtype.kind != "f" else np.clip(grid, -DType.FLOAT64.greatest, DType.FLOAT64.greatest)


def summarised(walk: Walk, tensors: Sequence[TensorType]) -> bool:
    """Whether infinite elements stand at places that are known to the program and that blocks do not show, as those of a large triangular mask.

    Where a mask comes from inputs or draws, any element may be infinite.
    """
    pending = [t for t in tensors if _partly_infinite(walk.values[id(t)])]
    seen: set[int] = set()
    while pending:
        tensor = pending.pop()
        value = walk.values.get(id(tensor))
        if value is None or id(tensor) in seen or _exact(value):
            continue
        seen.add(id(tensor))
        if id(tensor) in walk.drawn or walk.is_given(tensor):
            continue
        makers = [t for t in walk.makers.get(id(tensor), ()) if id(t) in walk.values]
        if len(seen) > MOST_STEPS or not makers or all(_exact(walk.values[id(t)]) for t in makers):
            return True
        real = tensor.dtype is not None and tensor.dtype.kind == "f" and bool(value.marks & ENDLESS)
        pending += [t for t in makers if not real or walk.values[id(t)].marks & ENDLESS or t.dtype is None or t.dtype.kind == "b"]
    return False


def _partly_infinite(value: Value) -> bool:
    """Whether blocks of several elements hold perhaps infinite ones."""
    box = value.grid.box
    return bool(value.marks & ENDLESS) and not simple(value.grid) and bool(((np.isinf(box.lo) | np.isinf(box.hi)) & (box.lo != box.hi)).any())


def _exact(value: Value) -> bool:
    return bool((value.grid.box.lo == value.grid.box.hi).all())

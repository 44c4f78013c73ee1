"""What is known of one tensor: its bounds, and what they rest on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tensorproof.engines.numerics.grids.fewer import capped, merged, smashed
from tensorproof.engines.numerics.grids.grid import EXPAND, Box, Grid, aligned, coarse, gridded, uniform
from tensorproof.engines.values.boxes import interval
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import dataclass

LOST, OPEN, AFTER, ENDLESS = 1, 2, 4, 8
"""Marks: something that was not followed made it; it comes from a source that is only known to be finite; a hazard was met on the way; the program itself
puts infinity into it, as masks do."""
EXACT_INTEGERS = 64
"""Where a tensor is one interval, so many whole numbers that the program states, or that are a shape, stay exact, as in DEBAR; what is computed from them is
one interval."""

EXACT_BLOCKS = 64
"""Small tensors of at most so many blocks keep all of them; in others equal neighbours become one block."""


@dataclass(slots=True, eq=False)
class Value:
    """`points`: numbers that elements have for some inputs in range; `sources` are the inputs that are chosen then.

    `number`: equal numbers are equal values; 0 where none is given yet. `attained`: along these axes some element lies in this interval.
    """

    grid: Grid
    marks: int = 0
    points: tuple[float, ...] = ()
    sources: frozenset[int] = frozenset()
    number: int = 0
    attained: tuple[tuple[int, ...], float, float] | None = None


@cache
def limits(dtype: DType | None) -> tuple[float, float]:
    """The least and the greatest finite number."""
    if dtype is None or dtype.kind not in "biuf":
        return -DType.FLOAT64.greatest, DType.FLOAT64.greatest
    return (0.0, 1.0) if dtype.kind == "b" else (dtype.least, dtype.greatest)


@cache
def kind(dtype: DType | None) -> Any:
    return bool if dtype is not None and dtype.kind == "b" else np.int64 if dtype is not None and dtype.kind in "iu" else np.float64


def anything(shape: tuple[int, ...], dtype: DType | None, marks: int = LOST) -> Value:
    """Any finite numbers of an element type."""
    return Value(uniform(shape, *limits(dtype), dtype=kind(dtype)), marks)


def finite(grid: Grid, dtype: DType | None, endless: bool = False) -> tuple[Grid, bool]:
    """The same bounds with finite ends and without nan, and whether something was cut off; with `endless`, infinite ends stay."""
    box = grid.box
    least, most = limits(dtype)
    if box.lo.size == 1 and box.lo.item() >= least and box.hi.item() <= most and not box.nan.item():
        return grid, False
    if box.lo.size == 1 and not endless:
        lo, hi = min(max(box.lo.item(), least), most), min(max(box.hi.item(), least), most)
        return Grid(grid.shape, grid.cuts, interval(lo, hi, box.lo.ndim, box.dtype)), True
    inside = (box.lo >= least) & (box.hi <= most) & ~box.nan
    if inside.all():
        return grid, False
    if endless:
        low, high = (np.where(np.isinf(side), side, np.clip(side, least, most)) for side in (box.lo, box.hi))
        return Grid(grid.shape, grid.cuts, Box(low, high, False, box.dtype)), bool(box.nan.any() or (low != box.lo).any() or (high != box.hi).any())
    return Grid(grid.shape, grid.cuts, Box(np.clip(box.lo, least, most), np.clip(box.hi, least, most), False, box.dtype)), True


def arranged(grid: Grid, tensors: str, stated: bool = False) -> Grid:
    """As many blocks as the setting keeps; `stated`: the program states these numbers, or they are a shape."""
    if tensors == "smash":
        return grid if stated and grid.dtype.kind != "f" and grid.size <= EXACT_INTEGERS else smashed(grid)
    blocks = grid.box.lo.size
    return capped(merged(grid)) if tensors == "partition" and blocks > 1 and (blocks > EXACT_BLOCKS or grid.size > EXPAND) else grid


def without_borders(grid: Grid) -> Grid:
    """One block along the axes behind the second, where the bounds of one block hold for all: windows that reach over an edge add up fewer elements."""
    box = grid.box
    if box.lo.size < 2 or grid.ndim < 3:
        return grid
    made = coarse(grid, range(2, grid.ndim)).box
    spread = tuple(range(2, grid.ndim))
    covers = ((box.lo == made.lo) & (box.hi == made.hi) & (box.nan == made.nan)).any(axis=spread)
    return coarse(grid, spread) if covers.all() else grid


def either(a: Value, b: Value) -> Value:
    """One of two values of the same shape."""
    if a is b:
        return a
    made = gridded(a.grid).of("either", b.grid)
    box = made.box
    grid = Grid(made.shape, made.cuts, Box(box.lo, box.hi, False, np.result_type(a.grid.dtype, b.grid.dtype)))
    return Value(grid, a.marks | b.marks)


def covers(old: Value, new: Value) -> bool:
    """Whether what is known of one value holds for another as well."""
    if old is new or old.grid.shape != new.grid.shape or new.marks & ~old.marks:
        return old is new
    _, _, (a, b) = aligned([old.grid, new.grid])
    return bool((a.lo <= b.lo).all() and (a.hi >= b.hi).all())

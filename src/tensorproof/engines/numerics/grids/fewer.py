"""The same tensor in fewer blocks."""

from __future__ import annotations

import numpy as np

from tensorproof.engines.numerics.grids.grid import MOST_BLOCKS, Grid, chosen, coarse


def smashed(grid: Grid) -> Grid:
    """One block for the tensor."""
    return coarse(grid, range(grid.ndim))


def capped(grid: Grid, most: int = MOST_BLOCKS) -> Grid:
    """No more blocks than that: axes with many become one block."""
    while grid.box.size > most:
        grid = coarse(grid, [max(range(grid.ndim), key=lambda a: len(grid.cuts[a]))])
    return grid


def merged(grid: Grid) -> Grid:
    """The same intervals in as few blocks as neighbours that are equal allow."""
    box = grid.box
    for axis, cuts in enumerate(grid.cuts):
        if len(cuts) < 2:
            continue
        lead = (slice(None),) * axis
        here, there = (*lead, slice(None, -1)), (*lead, slice(1, None))
        apart = (box.lo[here] != box.lo[there]) | (box.hi[here] != box.hi[there]) | (box.nan[here] != box.nan[there])
        ends = [*np.flatnonzero(apart.any(axis=tuple(a for a in range(grid.ndim) if a != axis))).tolist(), len(cuts) - 1]
        if len(ends) < len(cuts):
            grid = chosen(grid, axis, ends, tuple(cuts[i] for i in ends))
            box = grid.box
    return grid

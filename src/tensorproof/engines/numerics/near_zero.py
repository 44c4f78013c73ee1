"""Results that overflow only where an operand is close to 0 without being 0, for an operator that is defined at 0: intervals cannot leave such numbers out."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorproof.engines.numerics.applying import FAILURES, Application
from tensorproof.engines.numerics.grids.grid import Box, Grid, gridded
from tensorproof.engines.numerics.value import limits
from tensorproof.engines.values.rounding import computed_in
from tensorproof.terms.dtypes import DType

APART = 1e-6
"""Numbers of a smaller size are close to 0."""


LEAST = 2.0**-149
"""The smallest float32 above 0: where a guard takes 0 out of an interval, that is its end."""


def only_near_zero(application: Application, dtype: DType | None) -> bool:
    """Whether an operand holds 0, or a guard took it out, and nothing overflows for what it holds apart from 0, nor at 0 itself."""
    try:
        grids = {name: gridded(value) for name, value in application.arguments.items() if isinstance(value, (Grid, Box)) and value.dtype.kind == "f"}
        return any(g.least <= LEAST and g.most >= -LEAST and g.least < g.most and _fits(application, name, g, dtype) for name, g in grids.items())
    except FAILURES:
        return False


def _fits(application: Application, name: str, grid: Grid, dtype: DType | None) -> bool:
    box = grid.box
    parts = [(np.maximum(box.lo, APART), np.maximum(box.hi, APART)), (np.minimum(box.lo, -APART), np.minimum(box.hi, -APART)), (box.lo * 0, box.lo * 0)]
    ends = [part for part, there in zip(parts, (grid.most >= APART, grid.least <= -APART, grid.least <= 0 <= grid.most)) if there]
    evaluate = application.one.op.evaluate
    assert evaluate is not None
    most = limits(dtype)[1]
    for lo, hi in ends:
        cut = Box(lo, hi, False, box.dtype)
        part: Any = cut.reshape(grid.shape) if isinstance(application.arguments[name], Box) else Grid(grid.shape, grid.cuts, cut)
        with computed_in(application.types()):
            made = gridded(evaluate(application.np, {**application.arguments, name: part})).box
        if bool(made.nan.any()) or bool((made.hi > most).any()) or bool((made.lo < -most).any()):
            return False
    return True

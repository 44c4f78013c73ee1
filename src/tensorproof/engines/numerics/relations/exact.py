"""Ends of differences that rounding does not move.

a and b are A and B rounded to the nearest number, and A - B is at most K. Rounding keeps order, so a is at most K + B rounded: the question is whether
K + B rounded, less B rounded, can be rounded to more than K. It cannot where K is 0; nor where K is an even number of units in its last place, B is smaller
than the power of two below K, and K + B stays below the next power of two: then the two errors are at most half a unit of K together, which falls back to K.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tensorproof.engines.numerics.grids.grid import Box, Grid, gridded
from tensorproof.engines.numerics.relations.affine import TOTAL, Form
from tensorproof.engines.numerics.value import Value
from tensorproof.engines.values.reference import outward
from tensorproof.ops.applied import Applied
from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.engines.numerics.relations.relations import Relations

FULL = 1 - 1e-6
MOST = 1e300
"""Ends beyond this are left out."""


def to_nearest(exact: Grid, dtype: DType | None) -> Grid:
    """Bounds of what is rounded once, to the nearest number, from those of the exact value: rounding keeps the order."""
    return Grid(exact.shape, exact.cuts, outward(exact.box, dtype, nearest=True))


def rounded_once(relations: Relations, one: Applied, value: Value, shown: Form, total: Form, values: Sequence[Value]) -> None:
    """A sum or difference of two: its form `total` is exact but for one rounding where those of the operands are exact; where each of these is rounded once,
    ends of the exact difference may hold still."""
    if one.op.values.kind != "sums" or len(values) != 2 or shown.constant or sorted(map(abs, shown.terms.values())) != [1.0, 1.0]:
        return
    total.once = not total.error
    if total.related and all(form.once or not form.error for form in map(relations.form, values)):
        signs = [next((c for (m, _), c in shown.terms.items() if m == v.number), 0.0) for v in values]
        box = _ends(total, relations.grids, list(zip((v.grid for v in values), signs)), relations.walk.setting.type_of(one.results[0]))
        if box is not None and all(signs):
            relations.meet(value, gridded(box))


def _ends(form: Form, grids: Mapping[int, Grid], operands: Sequence[tuple[Grid, float]], dtype: DType | None) -> Box | None:
    """Bounds of a sum of two operands with their signs, each of which is exact or rounded once, from the form of the exact sum; None where there are none."""
    if dtype is None or not dtype.step:
        return None
    ends = [_end(form, grids, sign) for sign in (1, -1)]
    limits = [float(end) if end is not None and _keeps(float(end), sign, operands, dtype.step) else math.inf for end, sign in zip(ends, (1, -1))]
    return None if limits == [math.inf, math.inf] else Box(np.asarray(0.0 - limits[1]), np.asarray(limits[0]), False, np.dtype(np.float64))


def _end(form: Form, grids: Mapping[int, Grid], sign: int) -> Fraction | None:
    """The greatest that a form is exactly, or minus the least; None where that is not a number of its own."""
    made = sign * Fraction(form.constant)
    for (number, view), c in form.terms.items():
        if any(move[0] is TOTAL for move in view):
            return None
        grid, factor = grids[number], sign * Fraction(c)
        end = grid.most if factor > 0 else grid.least
        if not math.isfinite(end):
            return None
        made += factor * Fraction(end)
    return made if abs(made) < MOST and Fraction(float(made)) == made else None


def _keeps(end: float, sign: int, operands: Sequence[tuple[Grid, float]], step: float) -> bool:
    """Whether a sum is not above a number that it is exactly not above."""
    if end <= 0:
        return end == 0
    power = math.ldexp(0.5, math.frexp(end)[1])
    if end % (2 * power * step):
        return False
    for grid, own in operands:
        least, most = sorted((-sign * own * grid.least, -sign * own * grid.most))
        if max(-least, most) < power * FULL and end + most < 2 * power * FULL:
            return True
    return False

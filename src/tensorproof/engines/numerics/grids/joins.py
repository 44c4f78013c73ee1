"""Rules for grids: functions that join, repeat or fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.grids.fewer import capped
from tensorproof.engines.numerics.grids.grid import (
    BOX_RULES,
    EXPAND,
    MOST_BLOCKS,
    RULES,
    Box,
    Grid,
    Unbounded,
    aligned,
    chosen,
    coarse,
    expanded,
    gridded,
    refined,
    rule,
    settled,
    uniform,
    whole,
)  # fmt: skip
from tensorproof.engines.numerics.grids.moves import at_least_one_axis, broadcast, cut, reshaped, taken_places, transposed, with_axes
from tensorproof.engines.values.boxes import joined, moved

if TYPE_CHECKING:
    from tensorproof.engines.numerics.grids.grid import Operand
    from tensorproof.engines.values.numpy_port import Axes

# --- joining ---


def merged(x: Grid, axis: int) -> Grid:
    """Neighbouring blocks with the same intervals as one."""
    if len(x.cuts[axis]) < 2:
        return x
    same: Any = None
    others = tuple(a for a in range(x.ndim) if a != axis)
    for side in (x.box.lo, x.box.hi, x.box.nan):
        equal = (np.diff(np.moveaxis(side, axis, 0).astype(np.float64), axis=0) == 0) if side.dtype != bool else np.diff(side.astype(np.int8), axis=axis) == 0
        equal = equal if side.dtype != bool else np.moveaxis(equal, axis, 0)
        equal = equal.all(tuple(range(1, x.ndim))) if others else equal
        same = equal if same is None else same & equal
    if not same.any():
        return x
    last = np.flatnonzero(np.append(~same, True))
    return chosen(x, axis, last, tuple(x.cuts[axis][i] for i in last))


@rule("concatenate concat")
def concatenated(parts: Sequence[Operand], axis: int | None = 0, **kwargs: object) -> Grid:
    grids = [gridded(p) for p in parts]
    if axis is None:
        grids, axis = [reshaped(g, (-1,)) for g in grids], 0
    rank = grids[0].ndim
    axis %= rank
    filled = [g for g in grids if g.size] or grids[:1]
    for a in range(rank):
        if a != axis:
            given = {g.cuts[a] for g in filled}
            if len(given) > 1:
                common = given.pop()
                for other in given:
                    common = tuple(sorted({*common, *other}))
                filled = [refined(g, a, common) for g in filled]
    at, cuts = 0, list[int]()
    for g in filled:
        cuts += [at + c for c in g.cuts[axis]]
        at += g.shape[axis]
    shape = (*filled[0].shape[:axis], sum(g.shape[axis] for g in filled), *filled[0].shape[axis + 1 :])
    box = joined(np.concatenate, [g.box for g in filled], axis)
    made = Grid(shape, (*filled[0].cuts[:axis], tuple(cuts), *filled[0].cuts[axis + 1 :]), box)
    return capped(merged(made, axis))


@rule("stack")
def _stacked(parts: Sequence[Operand], axis: int = 0, **kwargs: object) -> Grid:
    grids = [gridded(p) for p in parts]
    first = grids[0].box
    if (
        len(grids) > 1
        and all(g.box.size == 1 for g in grids)
        and all((g.box.lo == first.lo).all() and (g.box.hi == first.hi).all() and (g.box.nan == first.nan).all() for g in grids[1:])
    ):
        one = with_axes(grids[0], axis)
        axis %= one.ndim
        return broadcast(one, (*one.shape[:axis], len(grids), *one.shape[axis + 1 :]))
    return concatenated([with_axes(g, axis) for g in grids], axis)


@rule("vstack")
def _vstacked(parts: Sequence[Operand]) -> Grid:
    return concatenated([g if g.ndim > 1 else with_axes(g, 0) for g in map(gridded, parts)], 0)


@rule("hstack")
def _hstacked(parts: Sequence[Operand]) -> Grid:
    grids = [at_least_one_axis(p) for p in parts]
    return concatenated(grids, 0 if grids[0].ndim == 1 else 1)


@rule("split array_split")
def _split_up(x: Operand, parts: Sequence[Operand], axis: int = 0) -> list[Grid]:
    x = gridded(x)
    n = x.shape[axis]
    ends = [*parts, n] if not isinstance(parts, int) else list(accumulate((n + parts - 1 - i) // parts for i in range(parts)))
    return [cut(x, axis % x.ndim, slice(a, b)) for a, b in zip([0, *ends], ends)]


@rule("pad")
def _padded(x: Operand, widths: object, mode: str = "constant", constant_values: Operand = 0, **kwargs: object) -> Grid:
    x = gridded(x)
    sides = np.broadcast_to(np.asarray(widths), (x.ndim, 2)).tolist()
    if mode != "constant":
        if x.size <= EXPAND:
            return gridded(BOX_RULES["pad"](expanded(x), widths, mode, **kwargs))
        shape = tuple(n + p + q for n, (p, q) in zip(x.shape, sides))
        return Grid(shape, tuple(map(whole, shape)), coarse(x, range(x.ndim)).box)
    value = gridded(constant_values)
    if value.shape:
        raise Unbounded("several values to pad with")
    for axis, (before, after) in enumerate(sides):
        if before or after:
            around = [_filled(x, axis, before, value), x, _filled(x, axis, after, value)]
            x = concatenated([g for g in around if g.shape[axis]], axis) if any(g.shape[axis] for g in around) else x
    return gridded(x)


def _filled(x: Grid, axis: int, size: int, value: Grid) -> Grid:
    shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
    box = value.box
    return uniform(shape, float(box.lo), float(box.hi), bool(box.nan), x.dtype)


# --- repeating ---


@rule("repeat")
def _repeated(x: Operand, times: object, axis: int | None = None) -> Grid:
    x = gridded(x) if axis is not None else reshaped(x, (-1,))
    axis = 0 if axis is None else axis % x.ndim
    if isinstance(times, (Grid, Box)):
        raise Unbounded("repeat")
    count = np.asarray(times)
    if count.ndim == 0 or count.size == 1:
        k = int(count.reshape(()))
        return chosen(x, axis, np.arange(len(x.cuts[axis]) if k else 0), tuple(c * k for c in x.cuts[axis]) if k else ())
    return taken_places(x, np.repeat(np.arange(x.shape[axis]), count), axis)


@rule("tile")
def _tiled(x: Operand, times: object) -> Grid:
    x = gridded(x)
    counts = [int(k) for k in np.atleast_1d(np.asarray(times))]
    rank = max(x.ndim, len(counts))
    counts = [1] * (rank - len(counts)) + counts
    x = reshaped(x, (*[1] * (rank - x.ndim), *x.shape))
    for axis, k in enumerate(counts):
        if k != 1:
            one = len(x.cuts[axis]) == 1
            x = x if one or len(x.cuts[axis]) * k <= MOST_BLOCKS else coarse(x, [axis])
            blocks, n = len(x.cuts[axis]), x.shape[axis]
            if blocks == 1:
                x = chosen(x, axis, np.zeros(min(1, k), np.intp), whole(n * k))
            else:
                x = capped(chosen(x, axis, np.tile(np.arange(blocks), k), tuple(i * n + c for i in range(k) for c in x.cuts[axis])))
    return gridded(x)


@rule("roll")
def _rolled(x: Operand, shift: object, axis: Axes = None) -> Grid:
    x = gridded(x)
    if axis is None:
        return reshaped(_rolled(reshaped(x, (-1,)), shift, 0), x.shape)
    for a, s in zip(axis if isinstance(axis, tuple) else (axis,), shift if isinstance(shift, tuple) else (shift,)):
        a %= x.ndim
        if len(x.cuts[a]) > 1:
            at = -int(s) % x.shape[a]
            x = concatenated([cut(x, a, slice(at, None)), cut(x, a, slice(0, at))], a)
    return gridded(x)


# --- triangles ---


def _triangle(name: str) -> Callable[..., Grid]:
    def made(x: Operand, k: int = 0) -> Grid:
        x = gridded(x)
        if x.size <= EXPAND:
            return gridded(BOX_RULES[name](expanded(x), k))
        box = x.box
        return Grid(x.shape, x.cuts, Box(np.minimum(box.lo, 0.0), np.maximum(box.hi, 0.0), box.nan, box.dtype))

    return made


for one in ("tril", "triu"):
    rule(one)(_triangle(one))


@rule("diagonal")
def _diagonal(x: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Grid:
    x = gridded(x)
    if x.size <= EXPAND:
        return gridded(BOX_RULES["diagonal"](expanded(x), offset, axis1, axis2))
    axis1, axis2 = axis1 % x.ndim, axis2 % x.ndim
    x = coarse(x, (axis1, axis2))
    rows, columns = x.shape[axis1] + min(offset, 0), x.shape[axis2] - max(offset, 0)
    kept = [a for a in range(x.ndim) if a not in (axis1, axis2)]
    box = transposed(x, (*kept, axis1, axis2)).box
    n = max(0, min(rows, columns))
    made = Grid((*(x.shape[a] for a in kept), n), (*(x.cuts[a] for a in kept), whole(n)), moved(np.reshape, box, (*box.shape[:-2], 1)))
    return made if n else uniform(made.shape, 0.0, 0.0, dtype=x.dtype)


# --- like others ---


def _alike(number: float | None) -> Callable[..., Grid]:
    def made(x: Operand, value: Operand | None = None, dtype: object = None, **kwargs: object) -> Grid:
        x = gridded(x)
        fill = gridded(number if number is not None else 0.0 if value is None else value)
        if fill.size != 1:
            raise Unbounded("full_like")
        return uniform(x.shape, fill.least, fill.most, bool(fill.box.nan.any()), dtype or x.dtype)

    return made


RULES["full_like"] = _alike(None)
RULES["zeros_like"] = lambda x, dtype=None, **kwargs: _alike(0.0)(x, None, dtype)
RULES["ones_like"] = lambda x, dtype=None, **kwargs: _alike(1.0)(x, None, dtype)
RULES["undecided"] = lambda x: uniform(x.shape, 0.0, 1.0, dtype=bool)
RULES["widened"] = lambda x, array, error: gridded(settled("widened", Box(array - error, array + error)))
RULES["copy"] = lambda x, **kwargs: gridded(x)
RULES["shape"] = lambda x: x.shape
RULES["ndim"] = lambda x: x.ndim
RULES["size"] = lambda x, axis=None: x.size if axis is None else x.shape[axis]


@rule("broadcast_arrays")
def _broadcast_arrays(*arrays: Operand, **kwargs: object) -> tuple[Grid, ...]:
    grids = [gridded(a) for a in arrays]
    shape = np.broadcast_shapes(*(g.shape for g in grids))
    return tuple(broadcast(g, shape) for g in grids)


def _on_blocks(name: str) -> Callable[..., Grid]:
    """A function of elements with further arguments that are not tensors."""

    def made(x: Operand, *args: object, **kwargs: object) -> Grid:
        x = gridded(x)
        return Grid(x.shape, x.cuts, settled(name, BOX_RULES[name](x.box, *args, **kwargs)))

    return made


for one in ("pieces", "round", "around", "nan_to_num", "converted"):
    RULES[one] = _on_blocks(one)


@rule("either")
def _either(x: Operand, y: Operand) -> Grid:
    shape, cuts, (a, b) = aligned([gridded(x), gridded(y)])
    return Grid(shape, cuts, BOX_RULES["either"](a, b))

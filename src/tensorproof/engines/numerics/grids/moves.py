"""Rules for grids: functions that move, take, join or repeat elements. Blocks stay where they can be kept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.grids.fewer import capped
from tensorproof.engines.numerics.grids.grid import (
    BOX_RULES,
    EXPAND,
    MOST_BLOCKS,
    Box,
    Cuts,
    Grid,
    Unbounded,
    chosen,
    coarse,
    common_shape,
    expanded,
    gridded,
    refined,
    rule,
    settled,
    uniform,
    units,
    whole,
)  # fmt: skip
from tensorproof.engines.values.boxes import moved

if TYPE_CHECKING:
    from tensorproof.engines.numerics.grids.grid import Operand
    from tensorproof.engines.values.numpy_port import Axes


def _with(grid: Grid, function: Callable[..., Any], *args: Any) -> Box:
    made: Box = moved(function, grid.box, *args)
    return made


@rule("transpose permute_dims")
def transposed(x: Operand, axes: Any = None) -> Grid:
    x = gridded(x)
    order = tuple(range(x.ndim))[::-1] if axes is None else tuple(int(a) % x.ndim for a in axes)
    box = x.box if x.box.lo.size == 1 else _with(x, np.transpose, order)
    return Grid(tuple([x.shape[a] for a in order]), tuple([x.cuts[a] for a in order]), box)


@rule("swapaxes")
def _swapped(x: Operand, a: int, b: int) -> Grid:
    x = gridded(x)
    order = list(range(x.ndim))
    order[a], order[b] = order[b], order[a]
    return transposed(x, order)


@rule("moveaxis")
def _moved_axis(x: Operand, source: Any, destination: Any) -> Grid:
    x = gridded(x)
    source, destination = ([n % x.ndim for n in (s if isinstance(s, (tuple, list, range)) else (s,))] for s in (source, destination))
    order = [n for n in range(x.ndim) if n not in source]
    for to, origin in sorted(zip(destination, source)):
        order.insert(to, origin)
    return transposed(x, order)


@rule("expand_dims")
def with_axes(x: Operand, axis: int | tuple[int, ...]) -> Grid:
    x = gridded(x)
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = x.ndim + len(given)
    new = {a % rank for a in given}
    shape, cuts = iter(x.shape), iter(x.cuts)
    box = x.box.reshape((1,) * rank) if x.box.lo.size == 1 else _with(x, np.expand_dims, tuple(sorted(new)))
    return Grid(tuple(1 if a in new else next(shape) for a in range(rank)), tuple((1,) if a in new else next(cuts) for a in range(rank)), box)


@rule("squeeze")
def _squeezed(x: Operand, axis: Axes = None) -> Grid:
    x = gridded(x)
    gone = {a for a, n in enumerate(x.shape) if n == 1} if axis is None else {a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))}
    kept = [a for a in range(x.ndim) if a not in gone]
    return Grid(tuple(x.shape[a] for a in kept), tuple(x.cuts[a] for a in kept), _with(x, np.squeeze, tuple(gone)))


@rule("broadcast_to")
def broadcast(x: Operand, shape: Any, **kwargs: Any) -> Grid:
    x, shape = gridded(x), tuple(map(int, shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)))
    common_shape(x.shape, shape)
    made: Grid | None = x.alike(shape)
    if made is not None:
        return made
    lead = len(shape) - x.ndim
    cuts = tuple(whole(n) if a < lead or (x.shape[a - lead] == 1 and n != 1) else x.cuts[a - lead] for a, n in enumerate(shape))
    return Grid(shape, cuts, _with(x, np.broadcast_to, tuple(map(len, cuts))))


@rule("flip")
def _flipped(x: Operand, axis: Axes = None) -> Grid:
    x = gridded(x)
    for a in range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,):
        a %= x.ndim
        sizes = x.counts(a)[::-1]
        x = chosen(x, a, np.arange(len(sizes))[::-1], tuple(accumulate(sizes.tolist())), x.shape[a])
    return gridded(x)


# --- reshaping ---


@rule("reshape")
def reshaped(x: Operand, shape: Any, *args: Any, **kwargs: Any) -> Grid:
    x = gridded(x)
    target = [int(n) for n in (shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,))]
    if -1 in target:
        rest = -prod(target)
        target[target.index(-1)] = x.size // rest if rest else 0
    if prod(target) != x.size:
        raise ValueError(f"cannot reshape {x.shape} to {tuple(target)}")
    if not x.size:
        return uniform(tuple(target), 0.0, 0.0, dtype=x.dtype)
    if x.box.lo.size == 1:
        return Grid(tuple(target), tuple(map(whole, target)), x.box.reshape((1,) * len(target)))
    large = [cuts for n, cuts in zip(x.shape, x.cuts) if n != 1]
    if [n for n in x.shape if n != 1] == [n for n in target if n != 1]:  # axes of one element come and go
        left = iter(large)
        cuts = tuple([next(left) if n != 1 else (1,) for n in target])
        return Grid(tuple(target), cuts, _with(x, np.reshape, tuple(map(len, cuts))))
    flat: list[tuple[Cuts, list[int]]] = []
    for old, new in _groups(x.shape, target):
        if len(old) == 1 and len(new) == 1:
            flat.append((x.cuts[old[0]], new))
            continue
        x, joint = _flattened(x, old)
        flat.append((joint, new))
    box = _with(x, np.reshape, tuple(len(cuts) for cuts, _ in flat))
    return _split(Grid(tuple(cuts[-1] for cuts, _ in flat), tuple(cuts for cuts, _ in flat), box), flat, target)


def _groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Axes of the old and the new shape with the same number of elements, each group as small as can be; the new ones as positions."""
    made: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        a, b = [i] if i < len(old) else [], [j] if j < len(new) else []
        m, n = old[i] if a else 1, new[j] if b else 1
        i, j = i + len(a), j + len(b)
        while m != n:
            if m < n:
                m *= old[i]
                a.append(i)
                i += 1
            else:
                n *= new[j]
                b.append(j)
                j += 1
        made.append((a, b))
    return made


def _flattened(x: Grid, axes: list[int]) -> tuple[Grid, Cuts]:
    """Adjacent axes as one: those before the last that is cut must have a block for each element. The box is reshaped by the caller."""
    head, at = 1, 0
    while at < len(axes) and len(x.cuts[axes[at]]) == x.shape[axes[at]]:
        head *= x.shape[axes[at]]
        at += 1
    if at == len(axes):
        return x, units(head)
    rest = axes[at + 1 :]
    x = coarse(x, rest)
    inner, cuts = prod(x.shape[a] for a in rest), x.cuts[axes[at]]
    n = x.shape[axes[at]]
    return x, tuple((k * n + c) * inner for k in range(head) for c in cuts)


def _split(x: Grid, flat: list[tuple[Cuts, list[int]]], target: list[int]) -> Grid:
    """Each axis as several: cut along the first of them, along all, or not at all."""
    cuts: list[Cuts] = []
    for at, (of, new) in enumerate(flat):
        sizes = [target[j] for j in new]
        large = [k for k, n in enumerate(sizes) if n != 1]
        if len(large) < 2 or len(of) == 1:
            made = [of if [k] == large else whole(n) for k, n in enumerate(sizes)] if large else [(1,) for _ in sizes]
        else:
            first = large[0]
            inner = prod(sizes[first + 1 :])
            if all(c % inner == 0 for c in of):
                made = [tuple(c // inner for c in of) if k == first else whole(n) for k, n in enumerate(sizes)]
            elif prod(sizes) * x.box.size // len(of) <= MOST_BLOCKS:
                x = refined(x, at, units(x.shape[at]))
                made = [units(n) for n in sizes]
            else:
                x = coarse(x, [at])
                made = [whole(n) for n in sizes]
        cuts += made
    return Grid(tuple(target), tuple(cuts), _with(x, np.reshape, tuple(map(len, cuts))))


@rule("ravel")
def _ravelled(x: Operand, *args: Any, **kwargs: Any) -> Grid:
    return reshaped(x, (-1,))


@rule("atleast_1d")
def at_least_one_axis(x: Operand) -> Grid:
    x = gridded(x)
    return x if x.ndim else reshaped(x, (1,))


# --- parts ---


@rule("item")
def item(x: Operand, index: Any) -> Any:
    """x[index] with slices, numbers, new axes, and one array of known places."""
    x = gridded(x)
    given = index if isinstance(index, tuple) else (index,)
    if any(isinstance(one, (Grid, Box, list)) or (isinstance(one, np.ndarray) and one.dtype.kind == "b") for one in given):
        return _item_of_boxes(x, given)
    arrays = sum(isinstance(one, np.ndarray) and one.ndim > 0 for one in given)
    if arrays > 1:
        return _item_of_boxes(x, given)
    taken = sum(one is not None and one is not Ellipsis for one in given)
    if Ellipsis in [one for one in given if not isinstance(one, np.ndarray)]:
        at = next(i for i, one in enumerate(given) if one is Ellipsis)
        given = (*given[:at], *[slice(None)] * (x.ndim - taken), *given[at + 1 :])
    axis = 0
    for one in given:
        if one is None:
            x = with_axes(x, axis)
        elif isinstance(one, slice):
            x = cut(x, axis, one)
        elif isinstance(one, np.ndarray) and one.ndim:
            x = taken_places(x, one, axis)
            axis += one.ndim - 1
        else:
            x = _one_place(x, axis, int(one))
            axis -= 1
        axis += 1
    return x


def _item_of_boxes(x: Grid, index: tuple[Any, ...]) -> Grid:
    return gridded(expanded(x)[tuple(expanded(one) if isinstance(one, Grid) else one for one in index)])


def cut(x: Grid, axis: int, part: slice) -> Grid:
    n = x.shape[axis]
    places = range(n)[part]
    if len(places) == n and places.step == 1:
        return x
    m = len(places)
    if len(x.cuts[axis]) == 1 and m:
        shape = (*x.shape[:axis], m, *x.shape[axis + 1 :])
        return Grid(shape, (*x.cuts[:axis], (m,), *x.cuts[axis + 1 :]), x.box)
    if places.step < 0:
        return _flipped(cut(x, axis, slice(places[-1], places[0] + 1, -places.step)), axis) if m else cut(x, axis, slice(0, 0))
    ends = [min(m, max(0, -((places.start - c) // places.step))) for c in x.cuts[axis]]
    blocks = [i for i, (a, b) in enumerate(zip([0, *ends], ends)) if b > a]
    return chosen(x, axis, np.array(blocks, np.intp), tuple(ends[i] for i in blocks), m)


def _one_place(x: Grid, axis: int, at: int) -> Grid:
    n = x.shape[axis]
    if not -n <= at < n:
        raise IndexError(f"{at} is not a position of an axis of size {n}")
    block = bisect_right(x.cuts[axis], at % n)
    made = Box.__new__(Box)
    made.lo, made.hi, made.nan = (np.take(side, block, axis) for side in (x.box.lo, x.box.hi, x.box.nan))
    made.dtype = x.box.dtype
    return Grid((*x.shape[:axis], *x.shape[axis + 1 :]), (*x.cuts[:axis], *x.cuts[axis + 1 :]), made)


@rule("put")
def put(x: Grid, index: Any, value: Operand) -> Grid:
    """x after x[index] = value: on all elements where they are few; else each block may hold either."""
    if x.size <= EXPAND and not (isinstance(value, Grid) and value.size > EXPAND):
        box = expanded(x).copy()
        box[index] = expanded(value) if isinstance(value, Grid) else value
        return gridded(box)
    new, old = gridded(value).box, x.box
    if not new.size:
        return x
    lo, hi = np.minimum(old.lo, new.lo.min()), np.maximum(old.hi, new.hi.max())
    return Grid(x.shape, x.cuts, Box(lo, hi, old.nan | new.nan.any(), np.result_type(old.dtype, new.dtype)))


def taken_places(x: Grid, places: Any, axis: int) -> Grid:
    """x with known places of one axis."""
    flat = np.ravel(places)
    n = x.shape[axis]
    if flat.size and not (-n <= int(flat.min()) and int(flat.max()) < n):
        raise IndexError("a position outside of the axis")
    if len(x.cuts[axis]) == 1 or flat.size > MOST_BLOCKS:
        made = chosen(x if len(x.cuts[axis]) == 1 else coarse(x, [axis]), axis, np.zeros(min(1, flat.size), np.intp), whole(flat.size))
    else:
        blocks = np.searchsorted(np.array(x.cuts[axis]), flat % n, side="right")
        made = capped(chosen(x, axis, blocks, units(flat.size)))
    return made if np.ndim(places) == 1 else reshaped(made, (*x.shape[:axis], *np.shape(places), *x.shape[axis + 1 :]))


@rule("take")
def _taken(x: Operand, index: Any, axis: int | None = None, **kwargs: Any) -> Grid:
    x = gridded(x) if axis is not None else reshaped(x, (-1,))
    axis = 0 if axis is None else axis % x.ndim
    if not isinstance(index, (Grid, Box)):
        made = taken_places(x, np.asarray(index), axis)
        return made
    at = gridded(index)
    if at.size <= EXPAND and at.dtype.kind in "biu":
        known = expanded(at)
        if not known.nan.any() and (known.lo == known.hi).all():
            return taken_places(x, known.lo.astype(np.int64), axis)
    return _any_place(coarse(x, [axis]), axis, at.shape)


def _any_place(x: Grid, axis: int, shape: tuple[int, ...]) -> Grid:
    """Elements of an axis, in places of this shape, which are not known."""
    new = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    cuts = (*x.cuts[:axis], *map(whole, shape), *x.cuts[axis + 1 :])
    return Grid(new, cuts, _with(x, np.reshape, tuple(map(len, cuts)))) if prod(shape) else uniform(new, 0.0, 0.0, dtype=x.dtype)


@rule("take_along_axis")
def _taken_along(x: Operand, index: Any, axis: int | None = None, **kwargs: Any) -> Grid:
    x, at = gridded(x), gridded(index)
    if x.size <= EXPAND and at.size <= EXPAND:
        return gridded(settled("take_along_axis", BOX_RULES["take_along_axis"](expanded(x), expanded(at), axis)))
    if axis is None:
        raise Unbounded("take_along_axis")
    x = coarse(x, range(x.ndim))
    return Grid(at.shape, tuple(map(whole, at.shape)), _with(x, np.broadcast_to, tuple(min(1, n) for n in at.shape)))


def expanded_blocks(grid: Grid) -> Grid:
    """An interval for each element."""
    for axis, n in enumerate(grid.shape):
        grid = refined(grid, axis, units(n))
    return grid

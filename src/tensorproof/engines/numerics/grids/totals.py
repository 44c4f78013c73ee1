"""Rules for grids: reductions, running totals, products of matrices and shares. Blocks count as often as they have elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count as counting
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorproof.engines.numerics.grids.grid import (
    BOX_RULES,
    EXPAND,
    Box,
    Cuts,
    Grid,
    Unbounded,
    coarse,
    expanded,
    gridded,
    refined,
    rule,
    settled,
    uniform,
    union,
    whole,
)  # fmt: skip
from tensorproof.engines.numerics.grids.moves import reshaped, transposed
from tensorproof.engines.values.boxes import TOTALS, interval, one_settled
from tensorproof.engines.values.probabilities import unless_undefined
from tensorproof.engines.values.rounding import Rounding, filled
from tensorproof.terms.budgets import BUDGETS

if TYPE_CHECKING:
    from tensorproof.engines.numerics.grids.grid import Operand
    from tensorproof.engines.values.numpy_port import Axes, Reals

_REAL = np.dtype(np.float64)
MOST_PRODUCTS = BUDGETS.numerics.products


def _axes(x: Grid, axis: Axes) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else tuple(sorted({int(a) % x.ndim for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}))


def _weights(x: Grid, axes: Sequence[int]) -> Reals:
    """How many elements of these axes each block holds."""
    if x.box.lo.size == 1:
        return filled((1,) * x.ndim, float(math.prod(x.shape[a] for a in axes)))
    made: Reals = np.ones((1,) * x.ndim)
    for a in axes:
        made = made * np.reshape(x.counts(a), [-1 if i == a else 1 for i in range(x.ndim)])
    return made


def _reduced_shape(x: Grid, axes: Sequence[int], keepdims: bool) -> tuple[tuple[int, ...], tuple[Cuts, ...]]:
    if keepdims:
        return tuple(1 if a in axes else n for a, n in enumerate(x.shape)), tuple((1,) if a in axes else c for a, c in enumerate(x.cuts))
    kept = [a for a in range(x.ndim) if a not in axes]
    return tuple(x.shape[a] for a in kept), tuple(x.cuts[a] for a in kept)


def _reduction(name: str, weighted: bool = False) -> Callable[..., Grid]:
    plain = TOTALS.get(name)

    def made(x: Operand, axis: Axes = None, keepdims: bool = False, **kwargs: Any) -> Grid:
        x = gridded(x)
        axes = _axes(x, axis)
        if plain is not None and x.box.lo.size == 1 and x.box.dtype is _REAL:
            box = x.box
            lo, hi, nan = plain(box.lo.item(), box.hi.item(), box.nan.item(), float(math.prod([x.shape[a] for a in axes])), kwargs.get("ddof", 0))
            shape, cuts = _reduced_shape(x, axes, keepdims)
            return Grid(shape, cuts, interval(*one_settled(name, lo, hi), len(shape), _REAL, nan))
        options = {k: v for k, v in kwargs.items() if k in ("initial", "ddof")}
        if weighted:
            options["weights"] = _weights(x, axes)
        elif name in ("var", "std"):
            options["count"] = math.prod(x.shape[a] for a in axes)
        box = settled(name, BOX_RULES[name](x.box, axes, keepdims=keepdims, **options))
        return Grid(*_reduced_shape(x, axes, keepdims), box)

    return made


for one in ("max", "amax", "min", "amin", "all", "any", "var", "std", "median", "maximum.reduce", "minimum.reduce"):
    rule(one)(_reduction(one))
for one in ("sum", "mean", "add.reduce"):
    rule(one)(_reduction(one, True))


@rule("count_nonzero")
def _count_nonzero(x: Operand, axis: Axes = None, keepdims: bool = False, **kwargs: object) -> Grid:
    x = gridded(x)
    truth = Grid(x.shape, x.cuts, BOX_RULES["not_equal"](x.box, 0))
    return _reduction("sum", True)(truth, axis, keepdims)


@rule("logaddexp.reduce")
def _log_of_sum(x: Operand, axis: Axes = 0, keepdims: bool = False, **kwargs: object) -> Grid:
    x = gridded(x)
    axes = _axes(x, axis)
    lifted = np.log(_weights(x, axes))
    box = Box(x.box.lo + lifted, x.box.hi + lifted, x.box.nan, x.box.dtype)
    return Grid(*_reduced_shape(x, axes, keepdims), settled("logaddexp.reduce", BOX_RULES["logaddexp.reduce"](box, axes, keepdims=keepdims)))


@rule("prod")
def _product(x: Operand, axis: Axes = None, keepdims: bool = False, **kwargs: object) -> Grid:
    x = gridded(x)
    axes = _axes(x, axis)
    if x.size <= EXPAND:
        return gridded(settled("prod", BOX_RULES["prod"](expanded(x), axes, keepdims=keepdims)))
    small = all(len(x.cuts[a]) == x.shape[a] for a in axes)
    if small:
        return Grid(*_reduced_shape(x, axes, keepdims), settled("prod", BOX_RULES["prod"](x.box, axes, keepdims=keepdims)))
    shape, _ = _reduced_shape(x, axes, keepdims)
    if x.least < 0 or x.box.nan.any():
        within = max(-x.least, x.most) <= 1
        return uniform(shape, -1.0 if within else -math.inf, 1.0 if within else math.inf, bool(x.box.nan.any()) or not within, x.dtype)
    return uniform(shape, 0.0, 1.0 if x.most <= 1 else math.inf, False, x.dtype)


@rule("argmax argmin")
def _position(x: Operand, axis: int | None = None, keepdims: bool = False, **kwargs: object) -> Grid:
    x = gridded(x)
    axes = _axes(x, axis)
    shape, _ = _reduced_shape(x, axes, keepdims)
    last = (x.size if axis is None else x.shape[axis]) - 1
    return uniform(shape, 0.0, float(max(0, last)), False, np.int64)


@rule("argsort")
def _order(x: Operand, axis: int = -1, **kwargs: object) -> Grid:
    x = gridded(x)
    return uniform(x.shape, 0.0, float(max(0, x.shape[axis] - 1)) if x.ndim else 0.0, False, np.int64)


@rule("sort")
def _sorted(x: Operand, axis: int = -1, **kwargs: object) -> Grid:
    x = gridded(x) if axis is not None else reshaped(x, (-1,))
    if x.size <= EXPAND:
        return gridded(BOX_RULES["sort"](expanded(x), -1 if axis is None else axis))
    return coarse(x, [(-1 if axis is None else axis) % x.ndim])


@rule("cumsum")
def _running_sum(x: Operand, axis: int | None = None, **kwargs: object) -> Grid:
    """A running sum lies between the sums of what is below and what is above 0."""
    x = gridded(x) if axis is not None else reshaped(x, (-1,))
    axis = 0 if axis is None else axis % x.ndim
    if len(x.cuts[axis]) == x.shape[axis]:
        return Grid(x.shape, x.cuts, settled("cumsum", BOX_RULES["cumsum"](x.box, axis)))
    below, above = (_reduction("sum", True)(Grid(x.shape, x.cuts, f(x.box, 0.0)), axis, True) for f in (BOX_RULES["minimum"], BOX_RULES["maximum"]))
    first = coarse(x, [axis]).box
    lo, hi = np.minimum(below.box.lo, first.lo), np.maximum(above.box.hi, first.hi)
    lo, hi = np.where(first.lo >= 0, first.lo, lo), np.where(first.hi <= 0, first.hi, hi)
    cuts = tuple(whole(n) if a == axis else c for a, (n, c) in enumerate(zip(x.shape, x.cuts)))
    return Grid(x.shape, cuts, Box(lo, hi, first.nan | below.box.nan | above.box.nan, below.dtype))


def _so_far(name: str) -> Callable[..., Grid]:
    def made(x: Operand, axis: int = 0, **kwargs: object) -> Grid:
        x = gridded(x)
        if len(x.cuts[axis]) == x.shape[axis]:
            return Grid(x.shape, x.cuts, BOX_RULES[name](x.box, axis))
        return coarse(x, [axis % x.ndim])

    return made


for one in ("maximum.accumulate", "minimum.accumulate"):
    rule(one)(_so_far(one))

# --- products of matrices ---


def _contracted(operands: Sequence[Grid], letters: Sequence[Sequence[int]], output: Sequence[int]) -> Grid:
    """The sum of products over all letters that are not in the output; letters name axes, each once in an operand."""
    sizes, cuts = _common_cuts(operands, letters)
    every = [*output, *(name for name in sizes if name not in output)]
    if math.prod(len(cuts[name]) for name in every) > MOST_PRODUCTS:
        widest = max(every, key=lambda name: len(cuts[name]))
        return _contracted([coarse(x, [names.index(widest)]) if widest in names else x for x, names in zip(operands, letters)], letters, output)
    if all(x.box.lo.size == 1 for x in operands):
        parts = [x.box.reshape((1,) * len(every)) for x in operands]
    else:
        parts = [_spread(x, names, every, sizes, cuts) for x, names in zip(operands, letters)]
    made: Box = parts[0]
    for part in parts[1:]:
        made = settled("multiply", BOX_RULES["multiply"](made, part))
    made = cast("Box", np.broadcast_to(made, tuple(len(cuts[n]) for n in every)))  # a box goes through NumPy
    full = Grid(tuple(sizes[name] for name in every), tuple(cuts[name] for name in every), made)
    if len(every) == len(output):
        return full
    return _reduction("sum", True)(full, tuple(range(len(output), len(every))))


def _common_cuts(operands: Sequence[Grid], letters: Sequence[Sequence[int]]) -> tuple[dict[int, int], dict[int, Cuts]]:
    """The size of each letter's axis, and the cuts of all operands that have it."""
    sizes: dict[int, int] = {}
    cuts: dict[int, Cuts] = {}
    for x, names in zip(operands, letters):
        for axis, name in enumerate(names):
            n = x.shape[axis]
            if n != 1 or name not in sizes:
                sizes[name] = n
                cuts[name] = union(cuts[name], x.cuts[axis]) if name in cuts and cuts[name][-1:] == (n,) else x.cuts[axis]
    return sizes, cuts


def _spread(x: Grid, names: Sequence[int], every: Sequence[int], sizes: dict[int, int], cuts: dict[int, Cuts]) -> Box:
    """The blocks of an operand along the axes of all letters, of which it lacks some."""
    for axis, name in enumerate(names):
        if x.shape[axis] == sizes[name] and len(x.cuts[axis]) > 1:
            x = refined(x, axis, cuts[name])
    order = sorted(range(x.ndim), key=lambda a: every.index(names[a]))
    x = transposed(x, order)
    shape = [1] * len(every)
    for a, n in zip(order, x.box.shape):
        shape[every.index(names[a])] = n
    return x.box.reshape(tuple(shape))


@rule("matmul")
def _matmul(x: Operand, y: Operand, **kwargs: object) -> Grid:
    x, y = gridded(x), gridded(y)
    if not x.ndim or not y.ndim:
        raise Unbounded("matmul")
    row, inner, column = -1, -2, -3
    batch = max(x.ndim, y.ndim) - 2
    of_x = [*range(batch - (x.ndim - 2), batch), row, inner] if x.ndim > 1 else [inner]
    of_y = [*range(batch - (y.ndim - 2), batch), inner, column] if y.ndim > 1 else [inner]
    used = sorted({n for n in (*of_x, *of_y) if n >= 0})
    return _contracted((x, y), (of_x, of_y), [*used, *([row] if x.ndim > 1 else []), *([column] if y.ndim > 1 else [])])


@rule("dot")
def _dot(x: Operand, y: Operand, **kwargs: object) -> Grid:
    x, y = gridded(x), gridded(y)
    if not x.ndim or not y.ndim:
        return x * y
    of_x, of_y = list(range(x.ndim)), list(range(100, 100 + y.ndim))
    of_y[-2 if y.ndim > 1 else -1] = of_x[-1]
    return _contracted((x, y), (of_x, of_y), [*of_x[:-1], *(n for n in of_y if n != of_x[-1])])


@rule("inner")
def _inner(x: Operand, y: Operand) -> Grid:
    return _tensordot(x, y, ((-1,), (-1,)))


@rule("outer")
def _outer(x: Operand, y: Operand) -> Grid:
    return _contracted((reshaped(x, (-1,)), reshaped(y, (-1,))), ([0], [1]), [0, 1])


@rule("tensordot")
def _tensordot(x: Operand, y: Operand, axes: Any = 2) -> Grid:
    x, y = gridded(x), gridded(y)
    if isinstance(axes, int):
        axes = tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes))
    left, right = ([a] if isinstance(a, int) else list(a) for a in axes)
    of_x, of_y = list(range(x.ndim)), list(range(100, 100 + y.ndim))
    for a, b in zip(left, right):
        of_y[b % y.ndim] = of_x[a % x.ndim]
    gone = {of_x[a % x.ndim] for a in left}
    return _contracted((x, y), (of_x, of_y), [n for n in (*of_x, *of_y) if n not in gone])


@rule("einsum")
def _einsum(pattern: str, *operands: Operand, **kwargs: object) -> Grid:
    grids = [gridded(x) for x in operands]
    left, arrow, right = pattern.replace(" ", "").partition("->")
    terms = left.split(",")
    rest = max((g.ndim - len(t.replace("...", "")) for g, t in zip(grids, terms) if "..." in t), default=0)
    numbers = dict(zip(dict.fromkeys(c for c in left if c.isalpha()), counting(100)))

    def names(term: str, rank: int) -> list[int]:
        head, dots, tail = term.partition("...")
        inner = list(range(rest - (rank - len(head) - len(tail)), rest)) if dots else []
        return [*(numbers[c] for c in head), *inner, *(numbers[c] for c in tail)]

    letters = [names(t, g.ndim) for t, g in zip(terms, grids)]
    if any(len(set(given)) < len(given) for given in letters):
        return gridded(settled("einsum", BOX_RULES["einsum"](pattern, *map(expanded, grids))))
    if arrow:
        output = names(right, rest + len(right.replace("...", "")))
    else:
        once = sorted(c for c in numbers if left.count(c) == 1)
        output = [*range(rest), *(numbers[c] for c in once)]
    return _contracted(grids, letters, output)


# --- shares ---


def _probabilities(logarithms: bool) -> Callable[..., Grid]:
    def made(x: Operand, axis: int) -> Grid:
        """An element grows with itself and falls with the others along the axis, which count as often as their blocks have elements."""
        x = gridded(x)
        axis %= x.ndim
        name = "log_softmax" if logarithms else "softmax"
        if len(x.cuts[axis]) == x.shape[axis] or not x.size:
            return Grid(x.shape, x.cuts, settled(name, BOX_RULES[name](x.box, axis)))
        counts = np.log(np.reshape(x.counts(axis), [-1 if a == axis else 1 for a in range(x.ndim)]).astype(np.float64))
        box = x.box
        with np.errstate(all="ignore"):
            lo, hi = (_share(own, others, counts, axis) for own, others in ((box.lo, box.hi), (box.hi, box.lo)))
        lost = np.any(box.nan | np.isposinf(box.hi), axis=axis, keepdims=True) | np.all(np.isneginf(box.lo), axis=axis, keepdims=True)
        lo, hi = np.where(lost | np.isnan(lo), -math.inf, lo), np.minimum(np.where(lost | np.isnan(hi), 0.0, hi), 0.0)
        error = 1e-11 + 4 * Rounding.step  # the sum is a number near 1, whose logarithm is as far off as it is
        sizes = np.where(np.isfinite(lo), error * (1 + np.abs(lo)), 0.0)
        ends = Box(lo - sizes, np.minimum(hi + error * (1 + np.abs(np.where(np.isfinite(hi), hi, 0.0))), 0.0), np.broadcast_to(lost, lo.shape), np.float64)
        return Grid(x.shape, x.cuts, settled(name, ends if logarithms else Box(np.exp(ends.lo), np.exp(ends.hi), ends.nan, np.float64)))

    return made


def _share(own: Reals, others: Reals, counts: Reals, axis: int) -> Reals:
    """The logarithm of the share of one element of a block with the value `own` where the rest has the values `others`."""
    front, mine, many = (np.moveaxis(np.broadcast_to(side, own.shape), axis, 0) for side in (others, own, counts))
    made = []
    for i in range(front.shape[0]):
        apart = front + many
        same = np.where(many[i] > 0, np.log(np.maximum(np.expm1(many[i]), 1e-300)), -math.inf) + front[i]
        rest = [apart[j] for j in range(front.shape[0]) if j != i]
        total = np.logaddexp.reduce([same, *rest], axis=0)
        made.append(-np.logaddexp(0.0, total - mine[i]))
    return np.moveaxis(np.stack(made), 0, axis)


rule("softmax")(_probabilities(False))
rule("log_softmax")(_probabilities(True))


@rule("probabilities")
def _probabilities_or_zeros(x: Operand, axis: int) -> Grid:
    x = gridded(x)
    made = _probabilities(False)(x, axis)
    return Grid(x.shape, x.cuts, unless_undefined(made.box, x.box, axis))

"""Bounds of large tensors: a `Grid` is a logical shape, positions at which each axis is cut, and a `Box` with one interval for each block.

It goes through NumPy's functions in place of an array, as a `Box` does. Element by element the rules of boxes run on the blocks; functions that move, join or
reduce have their rules in moves.py and totals.py. What has none runs on all elements where they are few, and raises `Unbounded` otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from tensorproof.engines.numerics.grids.cuts import Cuts, common_shape, laid_beside, union, units, which, whole
from tensorproof.engines.values.boxes import ON_ARRAYS, PAIRS, PLAIN, interval, one_settled, settled
from tensorproof.engines.values.boxes import RULES as BOX_RULES
from tensorproof.engines.values.open_ends import open_of
from tensorproof.engines.values.rules import Box, Unbounded, boxed
from tensorproof.engines.values.single import TRUTH, Plain, ends_of
from tensorproof.terms.budgets import BUDGETS

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import ElementType, Like, Numbers, Reals, Truths

__all__ = ["BOX_RULES", "Box", "Cuts", "Unbounded", "boxed", "common_shape", "settled", "union", "units", "whole"]
Operand: TypeAlias = "Grid | Like"
"""What becomes a grid."""
F = TypeVar("F", bound=Callable[..., Any])
EXPAND = 4096
"""Tensors with at most so many elements are expanded where a function has no rule for blocks."""
_REAL = np.dtype(np.float64)
MOST_BLOCKS = BUDGETS.numerics.blocks

RULES: dict[str, Callable[..., Any]] = {}
"""Rules for grids by the names of NumPy's functions."""
ELEMENTWISE = set[str]()
"""Functions other than ufuncs that work element by element on all arguments that are tensors."""


def rule(names: str) -> Callable[[F], F]:
    """Register a rule for these functions."""

    def put(function: F) -> F:
        for name in names.split():
            RULES[name] = function
        return function

    return put


class Grid:
    """`box` holds an interval for each block of the tensor of this `shape`; an axis without elements has no blocks."""

    __array_priority__ = 2000.0
    __slots__ = ("box", "cuts", "shape")

    def __init__(self, shape: tuple[int, ...], cuts: tuple[Cuts, ...], box: Box) -> None:
        self.shape = shape
        self.cuts = cuts
        self.box = box

    @property
    def dtype(self) -> ElementType:
        return self.box.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def T(self) -> Grid:
        return self.transpose()

    @property
    def lo(self) -> Reals:
        return expanded(self).lo

    @property
    def hi(self) -> Reals:
        return expanded(self).hi

    @property
    def nan(self) -> Truths:
        return expanded(self).nan

    @property
    def least(self) -> float:
        """No element is less."""
        lo = self.box.lo
        return lo.item() if lo.size == 1 else float(lo.min()) if lo.size else 0.0

    @property
    def most(self) -> float:
        """No element is greater."""
        hi = self.box.hi
        return hi.item() if hi.size == 1 else float(hi.max()) if hi.size else 0.0

    def counts(self, axis: int) -> Numbers:
        """How many elements each block of an axis has."""
        return np.diff(np.array((0, *self.cuts[axis])))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs or kwargs.get("where", True) is not True:
            raise Unbounded(ufunc.__name__)
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        if method == "__call__" and ufunc.signature is None:
            return elementwise(name, *inputs, **kwargs)
        return applied(name, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return applied(function.__name__, args, kwargs)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return expanded(self).__array__()

    def __index__(self) -> int:
        return int(self.__array__())

    __int__ = __index__

    def __getitem__(self, index: Any) -> Grid:
        made: Grid = RULES["item"](self, index)
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        made = RULES["put"](self, index, value)
        self.cuts, self.box = made.cuts, made.box

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        raise Unbounded("a truth that is not known")

    def astype(self, dtype: Any) -> Grid:
        return Grid(self.shape, self.cuts, self.box.astype(dtype))

    def reshape(self, *shape: Any) -> Grid:
        made: Grid = RULES["reshape"](self, shape[0] if len(shape) == 1 else shape)
        return made

    def ravel(self) -> Grid:
        return self.reshape((-1,))

    def transpose(self, *axes: Any) -> Grid:
        made: Grid = RULES["transpose"](self, (axes[0] if len(axes) == 1 else axes) or None)
        return made

    def copy(self) -> Grid:
        return Grid(self.shape, self.cuts, self.box)

    def alike(self, shape: tuple[int, ...], other: float | None = None, last: int = 0) -> Grid | None:
        """A tensor of that shape whose elements are some of these, and perhaps another number; None where blocks would tell them apart.
        Elements change their places along the `last` axes alone, and new axes come before all others."""
        box = self.box
        if 0 in shape or not box.lo.size or (other is not None and not box.lo.max() <= other <= box.hi.min()):
            return None
        if box.lo.size == 1:
            return Grid(shape, tuple(map(whole, shape)), box.reshape((1,) * len(shape)))
        new, kept = len(shape) - self.ndim, self.ndim - last
        if new < 0 or shape[new : new + kept] != self.shape[:kept] or {*map(len, self.cuts[kept:])} - {1} or prod(shape) <= EXPAND:
            return None
        cuts = (*map(whole, shape[:new]), *self.cuts[:kept], *map(whole, shape[new + kept :]))
        return Grid(shape, cuts, box.reshape(tuple(map(len, cuts))) if new else box)

    def of(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """A function that NumPy has not, by the name of its rule."""
        if name in RULES:
            return applied(name, (self, *args), kwargs)
        if name in BOX_RULES and not any(isinstance(value, (Grid, Box, np.ndarray)) for value in args):  # numbers beside it are no tensors
            made = settled(name, BOX_RULES[name](self.box, *args, **kwargs))
            return Grid(self.shape, self.cuts, made) if made.shape == self.box.shape else gridded(made)
        return elementwise(name, self, *args, **kwargs)

    if TYPE_CHECKING:  # set below

        def __add__(self, other: Operand) -> Grid: ...
        def __radd__(self, other: Operand) -> Grid: ...
        def __sub__(self, other: Operand) -> Grid: ...
        def __rsub__(self, other: Operand) -> Grid: ...
        def __mul__(self, other: Operand) -> Grid: ...
        def __rmul__(self, other: Operand) -> Grid: ...
        def __truediv__(self, other: Operand) -> Grid: ...
        def __rtruediv__(self, other: Operand) -> Grid: ...
        def __neg__(self) -> Grid: ...
        def __abs__(self) -> Grid: ...


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: applied(name, (self, *args), kwargs)


for one in ("sum", "mean", "max", "min"):
    setattr(Grid, one, _method(one))


def _operator(name: str, reflected: bool = False) -> Callable[..., Any]:
    def call(self: Grid, other: Any = None) -> Any:
        operands = (self,) if other is None else (other, self) if reflected else (self, other)
        return applied(name, operands, {}) if name in RULES else elementwise(name, *operands)

    return call


for word, name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "pow": "power", "matmul": "matmul", "mod": "remainder",
                   "floordiv": "floor_divide"}.items():  # fmt: skip
    setattr(Grid, f"__{word}__", _operator(name))
    setattr(Grid, f"__r{word}__", _operator(name, True))
for word, name in {"neg": "negative", "abs": "absolute", "invert": "logical_not", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
                   "eq": "equal", "ne": "not_equal", "and": "logical_and", "or": "logical_or"}.items():  # fmt: skip
    setattr(Grid, f"__{word}__", _operator(name))


def applied(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A function by its rule for grids, or on all elements."""
    function = RULES.get(name)
    if function is not None:
        return function(*args, **kwargs)
    on_boxes = BOX_RULES.get(name)
    if on_boxes is None:
        raise Unbounded(name)
    if name in ELEMENTWISE:
        return elementwise(name, *args, **kwargs)
    made = settled(name, on_boxes(*map(_expanded, args), **{key: _expanded(value) for key, value in kwargs.items()}))
    if isinstance(made, (tuple, list)):
        return type(made)(gridded(part) if isinstance(part, Box) else part for part in made)
    return gridded(made) if isinstance(made, Box) else made


def _expanded(value: Any) -> Any:
    if isinstance(value, (tuple, list)) and any(isinstance(part, (Grid, tuple, list)) for part in value):
        return type(value)(map(_expanded, value))
    return expanded(value) if isinstance(value, Grid) else value


def elementwise(name: str, *operands: Any, **kwargs: Any) -> Any:
    """A function of elements: the rule of boxes on aligned blocks. Arguments that are not tensors go through as they are."""
    plain = PLAIN.get(name)
    made = _of_blocks(name, plain[0], plain[1], operands) if plain is not None and not kwargs else None
    if made is not None:
        return made
    on_boxes = BOX_RULES.get(name)
    if on_boxes is None:
        raise Unbounded(name)
    if not kwargs and {x.__class__ for x in operands} == {Grid}:
        shape, cuts, boxes = aligned(operands)
        if {box.lo.size for box in boxes} != {1}:
            on_boxes = ON_ARRAYS[name]
        made = settled(name, on_boxes(*boxes))
        return tuple([Grid(shape, cuts, part) for part in made]) if isinstance(made, tuple) else Grid(shape, cuts, made)
    tensors = [gridded(x) if _is_tensor(x) else None for x in operands]
    shape, cuts, boxes = aligned([grid for grid in tensors if grid is not None])
    each = iter(boxes)
    made = settled(name, on_boxes(*(given if grid is None else next(each) for grid, given in zip(tensors, operands)), **kwargs))
    if isinstance(made, tuple):
        return tuple(Grid(shape, cuts, part) for part in made)
    return Grid(shape, cuts, made)


def _of_blocks(name: str, plain: Plain, truths: bool, operands: Sequence[Any]) -> Grid | None:
    """The same of tensors of one block and numbers, in plain numbers; None where that cannot be."""
    boxes = [x.box if x.__class__ is Grid else x for x in operands]
    found = ends_of(boxes, not truths)
    ends = None if found is None else plain(*found[0])
    nan = False
    if ends is None or not (isfinite(ends[0]) and isfinite(ends[1])):
        if name not in PAIRS or (given := open_of(boxes)) is None:
            return None
        lo, hi, nan = PAIRS[name](*given[0])
        ends = lo, hi
    grids = [x for x in operands if x.__class__ is Grid]
    shape, cuts = grids[0].shape, grids[0].cuts
    if len(grids) > 1 and grids[1].shape != shape:
        shape = common_shape(shape, grids[1].shape)
        cuts = grids[1].cuts if grids[1].shape == shape else cuts if grids[0].shape == shape else tuple(map(whole, shape))
    if truths:
        return Grid(shape, cuts, interval(*ends, len(shape), TRUTH))
    return Grid(shape, cuts, interval(*one_settled(name, *ends), len(shape), _REAL, nan))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Grid, Box, np.ndarray, np.generic, int, float)) and not isinstance(value, str)


def gridded(value: Operand) -> Grid:
    """A value as a grid. Boxes and small arrays have a block for each element, large arrays are one block."""
    if isinstance(value, Grid):
        return value
    if not isinstance(value, Box) and getattr(value, "size", 0) > EXPAND:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise Unbounded(f"elements of kind {array.dtype.kind}")
        ends = Box(np.full((1,) * array.ndim, array.min()), np.full((1,) * array.ndim, array.max()), bool(np.isnan(array).any()), array.dtype)
        return Grid(array.shape, tuple(map(whole, array.shape)), ends)
    box = boxed(value)
    return Grid(box.shape, tuple(map(units, box.shape)), box)


def uniform(shape: tuple[int, ...], lo: float, hi: float, nan: bool = False, dtype: Any = None) -> Grid:
    """All elements within one interval."""
    if lo.__class__ is hi.__class__ is float and lo == lo and hi == hi and 0 not in shape:
        return Grid(shape, tuple(map(whole, shape)), interval(lo, hi, len(shape), _REAL if dtype is None else np.dtype(dtype), nan))
    blocks = tuple(min(1, n) for n in shape)
    return Grid(shape, tuple(map(whole, shape)), Box(np.full(blocks, lo), np.full(blocks, hi), nan, dtype))


def expanded(grid: Grid) -> Box:
    """An interval for each element, where there are few."""
    if grid.box.shape == grid.shape:
        return grid.box
    if grid.size > EXPAND:
        raise Unbounded("too many elements")
    for axis, size in enumerate(grid.shape):
        grid = refined(grid, axis, units(size))
    return grid.box


def simple(grid: Grid) -> bool:
    """Whether each element is a block."""
    return grid.box.shape == grid.shape


def chosen(grid: Grid, axis: int, blocks: Any, cuts: Cuts, size: int | None = None) -> Grid:
    """The grid with these blocks along an axis, perhaps some of them several times."""
    box = grid.box
    made = Box.__new__(Box)
    made.lo, made.hi, made.nan = (np.take(side, blocks, axis) for side in (box.lo, box.hi, box.nan))
    made.dtype = box.dtype
    n = cuts[-1] if cuts else 0
    shape = (*grid.shape[:axis], n if size is None else size, *grid.shape[axis + 1 :])
    return Grid(shape, (*grid.cuts[:axis], cuts, *grid.cuts[axis + 1 :]), made)


def refined(grid: Grid, axis: int, cuts: Cuts) -> Grid:
    """The same intervals in smaller blocks."""
    return grid if grid.cuts[axis] == cuts else chosen(grid, axis, which(grid.cuts[axis], cuts), cuts)


def coarse(grid: Grid, axes: Iterable[int]) -> Grid:
    """One block along each of these axes."""
    wide = tuple(a for a in axes if len(grid.cuts[a]) > 1)
    if not wide:
        return grid
    box = grid.box
    made = Box(box.lo.min(wide, keepdims=True), box.hi.max(wide, keepdims=True), box.nan.any(wide, keepdims=True), box.dtype)
    return Grid(grid.shape, tuple(whole(n) if a in wide else c for a, (n, c) in enumerate(zip(grid.shape, grid.cuts))), made)


def aligned(grids: Sequence[Grid]) -> tuple[tuple[int, ...], tuple[Cuts, ...], list[Box]]:
    """The common shape and blocks of tensors that are broadcast, and a box of each that broadcasts to these blocks."""
    if len(grids) == 1:
        return grids[0].shape, grids[0].cuts, [grids[0].box]
    shape = grids[0].shape
    if len({g.shape for g in grids}) > 1:
        shape = common_shape(*[g.shape for g in grids])
    known = _fitting_blocks(shape, grids)
    if known is not None:
        return shape, known, [g.box for g in grids]
    cuts, made = _cut_alike(shape, grids)
    if prod(map(len, cuts)) <= MOST_BLOCKS:
        return shape, cuts, [g.box for g in made]
    rank = len(shape)
    widest = max(range(rank), key=lambda axis: len(cuts[axis]))
    return aligned([coarse(g, [g.ndim + widest - rank]) if g.ndim >= rank - widest else g for g in grids])


def _fitting_blocks(shape: tuple[int, ...], grids: Sequence[Grid]) -> tuple[Cuts, ...] | None:
    """The blocks to which the boxes of these tensors are broadcast as they are; None where tensors are cut at other places, or there are too many blocks."""
    several = [g for g in grids if g.box.lo.size != 1]
    if not several:
        return next((g.cuts for g in grids if g.shape == shape), None) or tuple(map(whole, shape))
    first = several[0]
    if first.shape == shape and first.box.lo.size <= MOST_BLOCKS and len({g.cuts for g in several}) == 1:
        return first.cuts
    known = laid_beside(shape, *[(g.shape, g.cuts) for g in several])
    return known if known is not None and prod(map(len, known)) <= MOST_BLOCKS else None


def _cut_alike(shape: tuple[int, ...], grids: Sequence[Grid]) -> tuple[tuple[Cuts, ...], list[Grid]]:
    """Blocks that end wherever one of the tensors is cut, and the tensors in these; along axes that are broadcast they have one block."""
    rank, made = len(shape), list(grids)
    cuts: list[Cuts] = []
    for axis, size in enumerate(shape):
        own = axis - rank
        cut = [i for i, g in enumerate(made) if g.ndim >= -own and len(g.cuts[own]) > 1]
        given = {made[i].cuts[own] for i in cut if made[i].shape[own] == size}
        common = union(*sorted(given)) if given else whole(size)
        if len(given) > 1:
            for i in cut:
                made[i] = refined(made[i], made[i].ndim + own, common)
        cuts.append(common)
    return tuple(cuts), made


ELEMENTWISE.update(("where", "clip", "real", "imag", "conj", "isin", "defined_quotient", "defined_product", "sinc", "i0", "angle"))

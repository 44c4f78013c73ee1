"""Bounds of the results of one applied operator, by the reference function and the facts of its declaration."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from math import inf, prod
from typing import Any

import numpy as np

from tensorproof.engines.numerics.grids.grid import EXPAND, Box, Grid, Unbounded, expanded, gridded, simple, uniform
from tensorproof.engines.numerics.inputs.draws import support
from tensorproof.engines.numerics.inputs.sizes import Sizes
from tensorproof.engines.numerics.numbers import Numbers
from tensorproof.engines.numerics.value import Value, without_borders
from tensorproof.engines.values.bounds import fact_of, met
from tensorproof.engines.values.conversion import nearest_numbers, sums_fit
from tensorproof.engines.values.evaluate import NotEvaluated, arguments_of
from tensorproof.engines.values.numpy_port import NUMPY
from tensorproof.engines.values.reference import computed, outward
from tensorproof.engines.values.rounding import Rounding
from tensorproof.ops.applied import Applied, parts
from tensorproof.ops.evaluation import Undefined, Undetermined
from tensorproof.ops.record import Values
from tensorproof.terms.dtypes import FLOAT32, DType
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

FAILURES = (NotEvaluated, Unbounded, Undefined, Undetermined, ValueError, IndexError, TypeError, AttributeError, ZeroDivisionError, KeyError, OverflowError)
"""What a reference function raises where it has no bounds. Sizes that were chosen for open ones may not fit, and values may be of no use to it."""


_PLAIN = frozenset(("totals", "sums", "multiplies", "dot", "convex"))
"""Facts of operators that give nothing finite once something in them overflowed, in whatever order they compute."""
_TAKES = frozenset(("moves", "cuts", "selects", "joins", "mixes"))
"""Facts by which elements are those of the operands."""
_WINDOWS = "dot", ""
"""The fact of sums of products over windows, which are not over a named axis."""


Points = tuple[tuple[float, ...], bool]
"""Numbers that elements reach, and whether some become infinite."""


class Setting:
    """What an application is computed with: values by the identity of tensors, numbers for open sizes, and the element type of floats."""

    def __init__(self, values: dict[int, Value], sizes: Sizes, dtype: DType | None) -> None:
        self.values = values
        self.sizes = sizes
        self.dtype = dtype
        self.reached: dict[Hashable, Points] = {}
        """What numbers that operands reach become, by what decides it."""

    def type_of(self, tensor: TensorType) -> DType | None:
        """The element type in which a tensor is computed."""
        return self.dtype if self.dtype is not None and tensor.dtype is FLOAT32 else tensor.dtype

    def settled(self, one: Applied) -> Applied:
        """The application with numbers in place of terms."""
        if not parts(one).symbolic:
            return one
        return replace(one, arguments={name: self.sizes.settled(value) for name, value in one.arguments.items()})


def tensors_in(one: Applied) -> tuple[TensorType, ...]:
    """The tensors among the arguments."""
    return parts(one).tensors


class Application:
    """One application with its arguments as grids or, where all tensors are small, boxes."""

    def __init__(self, one: Applied, setting: Setting) -> None:
        self.one = setting.settled(one)
        self.setting = setting
        self._shapes: list[tuple[int, ...] | None] | None = None
        self.np: Any = Numbers
        self._nearest = False
        self._arguments: dict[str, Any] | None = None

    @property
    def shapes(self) -> list[tuple[int, ...] | None]:
        """The shapes of the results, where all sizes are numbers."""
        if self._shapes is None:
            self._shapes = [tuple(result.shape) if result.shape.concrete else None for result in self.one.results]
        return self._shapes

    def _given(self) -> Mapping[int, Any]:
        """The operands as grids or, where all tensors are small, boxes."""
        values = self.setting.values
        grids = {id(t): values[id(t)].grid for t in tensors_in(self.one)}
        for grid in grids.values():
            if not simple(grid) or grid.box.lo.size > EXPAND:
                return grids
        if max([0 if shape is None else prod(shape) for shape in self.shapes], default=0) > EXPAND:
            return grids
        self.np = np
        return {i: expanded(g) for i, g in grids.items()}

    @property
    def arguments(self) -> dict[str, Any]:
        """What the reference function is called with."""
        if self._arguments is None:
            made = arguments_of(NUMPY, self.one, self._given())
            made["results"] = tuple(self.setting.type_of(result) for result in self.one.results)
            if None in self.shapes:
                sizes = [self.setting.sizes.shape(result) for result in self.one.results]
                made["shapes"] = tuple(r.shape if n is None else Shape(n) for r, n in zip(self.one.results, sizes))
            self._arguments = made
        return self._arguments

    def types(self) -> tuple[DType | None, ...]:
        made, other = parts(self.one).types, self.setting.dtype
        return made if other is None else tuple([other if dtype is FLOAT32 else dtype for dtype in made])

    def results(self) -> tuple[list[Grid | None], str]:
        """Bounds of each result, None where there are none, and why not."""
        made, why = None, ""
        try:
            if self.one.op.evaluate is None:
                raise NotEvaluated("no reference function")
            arguments = self.arguments
            made, self._nearest = computed(self.np, self.one, self.types(), arguments)
            plain = self.one.op.values.kind in _PLAIN or (self.one.op.order == "like" and len(self.one.op.inputs) == 1)
            if Rounding.lost and not plain:
                made = _opened(made)
        except FAILURES as failed:
            made, why = None, f"{type(failed).__name__}: {failed}"
        parts: Sequence[Any] = made if isinstance(made, (tuple, list)) else [made] * (1 if made is not None else len(self.one.results))
        parts = [*parts, *[None] * (len(self.one.results) - len(parts))]
        return [self._result(i, part) for i, part in enumerate(parts[: len(self.one.results)])], why

    def _result(self, i: int, part: Any) -> Grid | None:
        shape, dtype, fact = self.shapes[i], self.setting.type_of(self.one.results[i]), fact_of(self.one, i)
        grid: Grid | None = None
        if dtype is not None and dtype.kind == "c":
            return None
        if part is not None and getattr(part, "dtype", np.dtype(float)).kind in "biuf":
            made = gridded(part)
            if shape is None or made.shape == shape:
                made = without_borders(made) if (fact.kind, fact.over) == _WINDOWS and made.size > EXPAND else made
                grid = made if self._takes(fact, i) else _outward(made, dtype, self._nearest)
        stated = self._stated(fact)
        if stated is None:
            return grid
        if grid is None:
            full = shape or self.setting.sizes.shape(self.one.results[i])
            return None if full is None else _outward(uniform(full, *stated), dtype, all(float(128 * end).is_integer() for end in stated))
        around = Box(*stated) if self._takes(fact, i) else outward(Box(*stated), dtype, fact.kind in ("bounded", "increasing"))
        return Grid(grid.shape, grid.cuts, met(grid.box, around, fact.kind == "convex" and not sums_fit(self.one, dtype)))

    def _takes(self, fact: Values, i: int) -> bool:
        """Whether elements of a result are those of operands of its type: nothing is rounded."""
        dtype = self.one.results[i].dtype
        if fact.kind not in _TAKES or dtype is None or dtype.kind != "f":
            return False
        return all(t.weak or t.dtype is None or t.dtype is dtype or t.dtype.kind in "biu" for t in tensors_in(self.one))

    def _stated(self, values: Values) -> tuple[float, float] | None:
        """The bounds that a declared fact gives."""
        one = self.one

        def number(value: object) -> Any:
            return one.arguments.get(value) if isinstance(value, str) else value

        if values.kind == "bounded":
            return values.bounds.lo, values.bounds.hi
        if values.kind == "increasing" and values.function is not None:
            return _limits(values.function)
        if values.kind in ("draws", "between"):
            low, high = number(values.low), number(values.high)
            known = isinstance(low, (int, float)) and isinstance(high, (int, float))
            return (float(low), max(float(low), float(high) - (values.kind == "draws"))) if known else None
        if values.kind == "drawn":
            return support(one, values, self._ends)
        if values.kind == "convex" or values.kind in _TAKES:
            return self._among((values.over or "x").split())
        return None

    def _ends(self, value: object) -> tuple[float, float] | None:
        """The least and the greatest that an argument may be."""
        if isinstance(value, (int, float)):
            return float(value), float(value)
        known = self.setting.values.get(id(value)) if isinstance(value, TensorType) else None
        return None if known is None or not known.grid.size else (known.grid.least, known.grid.most)

    def _among(self, names: list[str]) -> tuple[float, float] | None:
        """The least and the greatest element of these inputs."""
        found: list[Grid] = []
        for name in names:
            value = self.one.arguments.get(name)
            for t in value if isinstance(value, (tuple, list)) else (value,):
                if t is None:
                    continue
                if not isinstance(t, TensorType) or id(t) not in self.setting.values:
                    return None
                found.append(self.setting.values[id(t)].grid)
        if not found or not all(g.size for g in found):
            return None
        numbers = [n for t in tensors_in(self.one) if t.weak for n in nearest_numbers(t, self.types())]
        return min((*(g.least for g in found), *numbers)), max((*(g.most for g in found), *numbers))


@lru_cache(maxsize=256)
def _limits(function: Callable[[float], float]) -> tuple[float, float] | None:
    """What an increasing function comes near to at both ends, where these are whole numbers: rounding does not lead past them."""
    try:
        low, high = float(function(-inf)), float(function(inf))
    except (ArithmeticError, ValueError):
        return None
    return (low, high) if low.is_integer() and high.is_integer() else None


def _outward(grid: Grid, dtype: DType | None, nearest: bool = False) -> Grid:
    return Grid(grid.shape, grid.cuts, outward(grid.box, dtype, nearest))


def _opened(made: Any) -> Any:
    """Any numbers, where a computation goes on behind an overflow. Whole numbers stay."""
    if isinstance(made, tuple):
        return tuple(map(_opened, made))
    grid = gridded(made)
    return uniform(grid.shape, -np.inf, np.inf, True, grid.dtype) if grid.dtype.kind == "f" else grid

"""Ranges of trained tensors: each starts from its initial value, and training moves it by no more than the analysis assumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.engines.numerics.grids.grid import Box, Grid
from tensorproof.engines.numerics.value import OPEN, Value, finite
from tensorproof.program.form import Changed, Computed, Same
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.engines.numerics.walk import Walk


class Parameters:
    """`_ranges`: where each parameter lies once it has its initial value, by identity. `_objects`: of which tensor others are later descriptions."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._ranges: dict[int, Value] = {}
        self._objects: dict[int, int] = {}
        self._written: set[int] = set()
        self._stepped: set[int] = set()

    def same(self, one: Same) -> None:
        """Another description of the same elements. A parameter that gets its initial value is somewhere around it, as far as training moves it."""
        walk, source, result = self._walk, one.source, one.result
        value = walk.of(source)
        root = self._objects.get(id(source), id(source))
        first = not source.parameter or id(source) in self._written
        if value is None or not result.parameter or not first or not walk.settings.trained or root in self._stepped:
            walk.put(result, value, (source,))
        else:
            if id(result) not in self._ranges:
                self._ranges[id(result)] = self._moved(result, value)
                walk.reasons[id(result)] = "a parameter"
            walk.put(result, self._ranges[id(result)])
        if root in self._ranges or root in self._objects.values() or source.parameter:
            self._objects[id(result)] = root

    def written(self, one: Computed) -> None:
        """An operator wrote into a tensor: its result is a later description of that."""
        for name, result in zip(one.applied.op.writes, one.applied.results):
            into = one.applied.arguments.get(name)
            if isinstance(into, TensorType) and (into.parameter or into.requires_grad):
                self._objects[id(result)] = self._objects.get(id(into), id(into))
                self._written.add(id(result))

    def changed(self, one: Changed) -> None:
        """A trained tensor stays within its range after a step, which is an assumption; others may hold anything."""
        walk, tensor, start = self._walk, one.tensor, one.before or one.tensor
        value = walk.values.get(id(start))
        if walk.settings.trained and (tensor.parameter or tensor.requires_grad) and value is not None and id(tensor) not in self._stepped:
            self._ranges[id(tensor)] = value if start.parameter else self._moved(tensor, value)
        self._stepped.add(id(tensor))
        if id(tensor) in self._ranges:
            walk.put(tensor, self._ranges[id(tensor)])
        elif not walk.given_again(tensor):
            walk.put(tensor, None, (), "something that was not followed wrote into it")

    def _moved(self, tensor: TensorType, value: Value) -> Value:
        box, by = value.grid.box, self._walk.settings.trained
        grid = Grid(value.grid.shape, value.grid.cuts, Box(box.lo - by, box.hi + by, box.nan, box.dtype)) if box.dtype.kind == "f" else value.grid
        grid, cut = finite(grid, self._walk.setting.type_of(tensor))
        return Value(grid, value.marks | (OPEN if cut else 0), (), frozenset((id(tensor),)))

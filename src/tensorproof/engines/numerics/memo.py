"""Equal applications on equal bounds are computed once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tensorproof.engines.numerics.grids.grid import Box, Grid, whole
from tensorproof.engines.numerics.value import Value
from tensorproof.ops.applied import Applied, parts
from tensorproof.terms.budgets import BUDGETS

Result = tuple[list[Grid | None], str]
Key = tuple[Hashable, ...]
MOST = BUDGETS.numerics.results_kept


class Memo:
    """Results by what decides them. An operator that works element by element on tensors of one block gives one block, whatever the shapes are."""

    def __init__(self) -> None:
        self._found: dict[Key, Result | Box] = {}

    def key(self, one: Applied, values: Sequence[Value]) -> Key | None:
        """What decides the bounds of the results; None where that cannot be said."""
        found = parts(one)
        if not found.form:
            return None
        alike = self._alike(one, values)
        key: list[Hashable] = [found.form, alike, one.spelling, found.types]
        for tensor, value in zip(found.tensors, values):
            grid = value.grid
            box = grid.box
            if box.lo.size == 1:
                key += tensor.weak, None if alike else grid.shape, box.lo.item(), box.hi.item(), box.dtype.char
            else:
                key += tensor.weak, grid.shape, grid.cuts, box.lo.tobytes(), box.hi.tobytes(), box.dtype.char
        if not alike:
            key += [result.shape for result in one.results]
        return tuple(key)

    def get(self, key: Key, one: Applied) -> Result | None:
        found = self._found.get(key)
        if not isinstance(found, Box):
            return found
        shape = tuple(one.results[0].shape)
        return [Grid(shape, tuple(map(whole, shape)), found.reshape((1,) * len(shape)))], ""

    def keep(self, key: Key, made: Result) -> None:
        if len(self._found) < MOST:
            grid = made[0][0] if made[0] else None
            if not key[1]:
                self._found[key] = made
            elif grid is not None and grid.box.size == 1:
                self._found[key] = grid.box

    def _alike(self, one: Applied, values: Sequence[Value]) -> bool:
        if one.op.order != "like" or len(one.results) != 1 or not values or not one.results[0].shape.concrete or 0 in one.results[0].shape:
            return False
        for value in values:  # noqa: SIM110 (asked of every application)
            if value.grid.box.lo.size != 1:
                return False
        return True

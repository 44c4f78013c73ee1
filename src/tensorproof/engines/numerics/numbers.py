"""NumPy as reference functions see it where tensors are large: arrays that they make themselves are grids where they would be large."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from tensorproof.engines.numerics.grids import joins, moves, totals
from tensorproof.engines.numerics.grids.grid import EXPAND, Grid, gridded, uniform

__all__ = ["Numbers", "joins", "moves", "totals"]


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(map(int, shape)) if isinstance(shape, (tuple, list, numpy.ndarray)) else (int(shape),)


class _Numbers:
    """The functions of NumPy, but for those that make arrays."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(numpy, name)
        setattr(self, name, found)
        return found

    def zeros(self, shape: object, dtype: object = float, **kwargs: object) -> Any:
        return self.full(shape, 0, dtype)

    def ones(self, shape: object, dtype: object = float, **kwargs: object) -> Any:
        return self.full(shape, 1, dtype)

    def full(self, shape: object, value: Any, dtype: object = None, **kwargs: object) -> Any:
        sizes = _shape(shape)
        if prod(sizes) <= EXPAND and not hasattr(value, "of"):
            return numpy.full(sizes, value, dtype)
        made = moves.broadcast(gridded(value), sizes)
        return made if dtype is None else made.astype(dtype)

    def eye(self, rows: int, columns: int | None = None, k: int = 0, dtype: Any = float) -> Any:
        sizes = (rows, rows if columns is None else columns)
        return numpy.eye(*sizes, k, dtype) if prod(sizes) <= EXPAND else uniform(sizes, 0.0, 1.0, dtype=dtype)

    def arange(self, *args: Any, **kwargs: Any) -> Any:
        places = range(*map(int, args)) if all(isinstance(a, (int, numpy.integer)) for a in args) else None
        if places is None or len(places) <= EXPAND:
            return numpy.arange(*args, **kwargs)
        return uniform((len(places),), min(places[0], places[-1]), max(places[0], places[-1]), dtype=kwargs.get("dtype") or numpy.int64)

    def broadcast_to(self, value: Any, shape: Any, **kwargs: Any) -> Any:
        if isinstance(value, Grid) or hasattr(value, "of") or prod(_shape(shape)) <= EXPAND:
            return numpy.broadcast_to(value, shape)
        return moves.broadcast(value, shape)


Numbers: Any = _Numbers()

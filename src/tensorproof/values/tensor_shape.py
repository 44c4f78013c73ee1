"""tf.TensorShape: the sizes of a tensor as TensorFlow tells them to the program, None where static inference does not know one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class TensorShape(tuple[Any, ...]):
    """A tuple of sizes whose slices and sums are shapes again."""

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return TensorShape(found) if isinstance(at, slice) else found

    def __add__(self, other: Iterable[object]) -> TensorShape:
        return TensorShape((*self, *other))

    def __radd__(self, other: Iterable[object]) -> TensorShape:
        return TensorShape((*other, *self))

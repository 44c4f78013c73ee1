"""How many ones a result holds, where the inputs hold zeros and ones. Declarations name these rules (`Op.ones`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.terms.dtypes import BOOL
from tensorproof.terms.ints import Dim, floordiv, minimum
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True)
class Counted:
    """One application: its arguments, its result, and `count(tensor)`, the ones in a tensor of zeros and ones or None."""

    arguments: dict[str, Any]
    result: TensorType
    count: Callable[[TensorType], Dim | None]

    def of(self, name: str) -> Dim | None:
        """The ones that an input has in the result, spread over its shape."""
        x = self.arguments[name]
        found = self.count(x) if isinstance(x, TensorType) and x.shape.known else None
        return None if found is None else spread(found, x, self.result)


def spread(count: Dim, x: TensorType, result: TensorType) -> Dim | None:
    """The ones of a result that holds every element of x as often."""
    whole, numel = x.shape.numel, result.shape.numel
    return count if numel == whole else None if whole == 0 else floordiv(numel, whole) * count


def diagonal(c: Counted) -> Dim | None:
    """Of a unit matrix."""
    return minimum(c.result.shape[0], c.result.shape[1]) if len(c.result.shape) == 2 and c.arguments.get("k", 0) == 0 else None


def kept(c: Counted) -> Dim | None:
    """Of the elements of x among zeros."""
    x = c.arguments["x"]
    return c.count(x) if isinstance(x, TensorType) else None


def on_diagonal(c: Counted) -> Dim | None:
    """Of a matrix of ones or of zeros whose diagonal was filled."""
    x, value = c.arguments["x"], c.arguments["value"]
    mine = c.count(x) if isinstance(x, TensorType) else None
    if mine is None or len(c.result.shape) != 2 or not isinstance(value, (bool, int)) or value not in (0, 1):
        return None
    short, numel = minimum(c.result.shape[0], c.result.shape[1]), c.result.shape.numel
    return numel - short if not value and mine == numel else short if value and mine == 0 else None


def opposite(c: Counted) -> Dim | None:
    found = c.of("x") if c.result.dtype is BOOL else None
    return None if found is None else c.result.shape.numel - found


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of two operands, one of which is the same everywhere."""

    function: Callable[[Any, Any], Any]

    def __call__(self, c: Counted) -> Dim | None:
        x, y = (_constant(c, name) for name in ("x", "y"))
        mine = c.of("x" if x is None else "y")
        if mine is None or (x is None) is (y is None):
            return None
        numel = c.result.shape.numel
        zero, one = (self.function(v, y) if x is None else self.function(x, v) for v in (0, 1))
        if zero not in (0, 1) or one not in (0, 1):
            return None
        return (mine if one else 0) + (numel - mine if zero else 0)


def _constant(c: Counted, name: str) -> int | None:
    """0 or 1 where an operand is that everywhere."""
    value = c.arguments[name]
    if not isinstance(value, TensorType):
        return None
    if value.contents is not None and len(value.contents) == 1:
        (number,) = value.contents
        return int(number) if isinstance(number, (bool, int)) and number in (0, 1) else None
    found = c.count(value) if value.shape.known else None
    return None if found is None else 0 if found == 0 else 1 if found == value.shape.numel else None


def triangle(lower: bool) -> Callable[[Counted], Dim | None]:
    """Of a triangle of a matrix of ones."""

    def rule(c: Counted) -> Dim | None:
        x, offset = c.arguments["x"], c.arguments["offset"]
        if not isinstance(x, TensorType) or len(x.shape) != 2 or type(offset) is not int or c.count(x) != x.shape.numel:
            return None
        return _triangle(lower, x.shape[0], x.shape[1], offset)

    return rule


def _triangle(lower: bool, rows: Dim, columns: Dim, diagonal: int) -> Dim | None:
    if isinstance(rows, int) and isinstance(columns, int):
        return sum(min(max(i + diagonal + 1 if lower else columns - i - diagonal, 0), columns) for i in range(rows))
    if rows != columns or diagonal not in (-1, 0, 1):
        return None
    wide, narrow = floordiv(rows * (rows + 1), 2), floordiv(rows * (rows - 1), 2)
    return wide if diagonal == 0 else narrow if lower == (diagonal == -1) else None

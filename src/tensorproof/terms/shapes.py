"""Shapes: sequences of axes, each an `int` or a symbolic `Term`, and of segments whose rank is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Dim, Origin, Term, ite, lower, product, sole_atom, symbol
from tensorproof.terms.predicates import Truth, disj, eq
from tensorproof.terms.records import dataclass

__all__ = ["Dim", "Segment", "Shape", "broadcast", "broadcast_axis", "is_open", "open_shape", "shape_from", "unknown_shape"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Some axes, an unknown number of them; `rank` and `count` (of elements) are symbols of its own."""

    name: str
    rank: Dim
    count: Dim

    def __repr__(self) -> str:
        return f"*{self.name}"


if TYPE_CHECKING:
    _Base = tuple[Any, ...]
else:
    _Base = tuple


class Shape(_Base):
    """A tuple of axes. Where `known` holds, every item is a size and `len` is the rank."""

    __slots__ = ()

    @property
    def known(self) -> bool:
        """Whether the rank is known."""
        for axis in self:  # noqa: SIM110 (as below)
            if type(axis) is Segment:
                return False
        return True

    @property
    def concrete(self) -> bool:
        for axis in self:  # noqa: SIM110 (much of an analysis is this question)
            if type(axis) is not int:
                return False
        return True

    @property
    def rank(self) -> Dim:
        total: Dim = 0
        for axis in self:
            total = total + (axis.rank if type(axis) is Segment else 1)
        return total

    @property
    def numel(self) -> Dim:
        return product(axis.count if type(axis) is Segment else axis for axis in self)

    def __repr__(self) -> str:
        return "(" + ", ".join(map(repr, self)) + (",)" if len(self) == 1 else ")")


def unknown_shape(name: str, origin: Origin = Origin.WORLD, least: int = 0) -> Shape:
    """A shape of unknown rank."""
    return Shape((Segment(name, symbol(f"rank({name})", least, origin=origin), symbol(f"numel({name})", origin=origin)),))


def shape_from(name: str, shapes: Iterable[Shape], least: int = 0) -> Shape:
    """A shape of unknown rank that follows from others: it is not understood where one of theirs is not."""
    atoms = [sole_atom(axis.rank) for shape in shapes for axis in shape if type(axis) is Segment]
    lost = any(atom is None or atom.origin is Origin.UNMODELLED for atom in atoms)
    return unknown_shape(name, Origin.UNMODELLED if lost else Origin.WORLD, least)


def open_shape(name: str, least: int = 0, most: int | None = None) -> Shape:
    """The shape of an unknown value that is used as a tensor: each rank that it may have is tried."""
    return Shape((Segment(name, symbol(f"ranks({name})", least, most, Origin.UNMODELLED), symbol(f"numel({name})", origin=Origin.UNMODELLED)),))


def is_open(segment: Segment) -> bool:
    """Whether a segment belongs to such a shape."""
    return repr(segment.rank).startswith("ranks(")


Require = Callable[[Truth, Dim, Dim], None]


def broadcast_axis(a: Dim, b: Dim, require: Require) -> Dim:
    """One axis of a broadcast: equal, or one of them 1."""
    if a is b or a == b:
        return a
    if type(a) is int and type(b) is int:
        if a == 1:
            return b
        require(b == 1, a, b)
        return a
    if a == 1:
        return b
    if b == 1:
        return a
    require(disj(eq(a, b), eq(a, 1), eq(b, 1)), a, b)
    if type(a) is int or (type(b) is Term and lower(a) >= 2):
        return a
    if type(b) is int or lower(b) >= 2:
        return b
    return ite(eq(a, 1), b, a)


def broadcast(shapes: Iterable[Shape], require: Require) -> Shape:
    """The common shape, aligned at the last axis. Segments are kept only where all shapes agree on them."""
    items = list(dict.fromkeys(shapes))
    if len(items) == 1:
        return items[0]
    ranked = [s for s in items if s.known]
    if len(ranked) < len(items):
        open_ones = [s for s in items if not s.known]
        if len(open_ones) == 1 and all(len(s) == 0 for s in ranked):
            return open_ones[0]
        return shape_from("broadcast of " + " and ".join(map(repr, items)), items, max(max(0, int(lower(s.rank))) for s in items))
    longest = max(items, key=len)
    result: list[Dim] = list(longest)
    for shape in items:
        if shape is longest:
            continue
        shift = len(result) - len(shape)
        for i, axis in enumerate(shape):
            result[shift + i] = broadcast_axis(result[shift + i], axis, require)
    return Shape(result)

"""Numbers for what a program leaves open: sizes and other whole numbers that are terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.engines.numerics.records import SIZE
from tensorproof.terms.ints import Atom, Term
from tensorproof.terms.shapes import Segment
from tensorproof.terms.substitution import substitute, symbols
from tensorproof.terms.tensor import TensorType


class Sizes:
    """The number of each symbol, chosen when it is first met."""

    def __init__(self, chosen: Mapping[str, int]) -> None:
        self.assumed: dict[str, int] = {}
        self._chosen = chosen
        self._numbers: dict[Atom, int] = {}
        self._shapes: dict[int, tuple[TensorType, tuple[int, ...] | None]] = {}

    def number(self, value: Term) -> int | None:
        """A term as a number; None where that cannot be."""
        for atom in symbols(value):
            if atom not in self._numbers:
                self._numbers[atom] = self.assumed[atom.name] = self._choice(atom)
        made = substitute(value, self._numbers)
        return made if isinstance(made, int) else None

    def _choice(self, atom: Atom) -> int:
        number = self._chosen.get(atom.name, SIZE)
        if isinstance(atom.lo, int):
            number = max(number, atom.lo)
        return min(number, atom.hi) if isinstance(atom.hi, int) else number

    def shape(self, tensor: TensorType) -> tuple[int, ...] | None:
        """The sizes of a tensor as numbers; None where its rank is not known."""
        if tensor.shape.concrete:
            return tuple(tensor.shape)
        known = self._shapes.get(id(tensor))
        if known is None:
            known = self._shapes[id(tensor)] = tensor, self._numbered(tensor)
        return known[1]

    def _numbered(self, tensor: TensorType) -> tuple[int, ...] | None:
        made: list[int] = []
        for axis in tensor.shape:
            size = None if isinstance(axis, Segment) else axis if isinstance(axis, int) else self.number(axis)
            if size is None or size < 0 or (size == 0 and not isinstance(axis, int)):  # that nothing is left follows from the numbers chosen alone
                return None
            made.append(size)
        return tuple(made)

    def settled(self, value: object) -> Any:
        """An argument with numbers in place of terms; a term without one stays."""
        if isinstance(value, Term):
            number = self.number(value)
            return value if number is None else number
        if isinstance(value, (tuple, list)):
            return tuple(self.settled(v) for v in value)
        return value

"""Terms and predicates over arrays: the evaluator beside those over numbers and for the solver.

Arrays broadcast, so a term that stands on two of ten parameters is evaluated on the grid of these two alone.
Where a divisor is zero the quotient is that by one: a requirement before it has ruled the vector out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tensorproof.terms.ints import Atom, Dim, Term
from tensorproof.terms.predicates import Truth

Array = Any
_EXACT = 2**62
"""Beyond this, numbers are Python's."""


class Evaluation:
    """Values of terms and truths of predicates, where `columns` gives an array for each symbol; equal parts are computed once."""

    def __init__(self, columns: Mapping[Atom, Array]) -> None:
        self._atoms: dict[Atom, Array] = dict(columns)
        self._truths: dict[int, tuple[Truth, Array]] = {}

    def term(self, x: Dim) -> Array:
        if type(x) is not Term:
            return x
        total: Array = 0
        largest = 0
        for monomial, coefficient in x.parts:
            value: Array = coefficient
            size = abs(coefficient)
            for atom, power in monomial:
                one = self.atom(atom)
                size *= max(_largest(one), 1) ** power
                if size >= _EXACT:
                    one = np.asarray(one, object)
                for _ in range(power):
                    value = value * one
            largest += size
            if largest >= _EXACT:
                total = np.asarray(total, object)
            total = total + value
        return total

    def atom(self, atom: Atom) -> Array:
        found = self._atoms.get(atom)
        if found is None:
            found = self._atoms[atom] = self._computed(atom)
        return found

    def _computed(self, atom: Atom) -> Array:
        args = atom.args
        match atom.kind:
            case "symbol":
                raise KeyError(atom.name)
            case "ite":
                return np.where(self.truth(args[0]), self.term(args[1]), self.term(args[2]))
            case "//" | "%":
                above, below = self.term(args[0]), self.term(args[1])
                below = np.where(below == 0, 1, below) if not isinstance(below, int) else below or 1
                return np.asarray(above // below if atom.kind == "//" else above % below)
            case kind:
                found = self.term(args[0])
                for other in args[1:]:
                    found = (np.minimum if kind == "min" else np.maximum)(found, self.term(other))
                return found

    def truth(self, p: Truth) -> Array:
        """An array of truth values, or one."""
        if isinstance(p, bool):
            return p
        known = self._truths.get(id(p))
        if known is None:
            known = self._truths[id(p)] = (p, self._decided(p))
        return known[1]

    def _decided(self, p: Any) -> Array:
        match p.kind:
            case "eq":
                return self.term(p.args[0]) == 0
            case "ne":
                return self.term(p.args[0]) != 0
            case "le":
                return self.term(p.args[0]) <= 0
            case "flag":
                raise KeyError(p.args[0])
            case kind:
                found = self.truth(p.args[0])
                for part in p.args[1:]:
                    found = found & self.truth(part) if kind == "and" else found | self.truth(part)
                return found


def _largest(values: Array) -> int:
    if isinstance(values, int):
        return abs(values)
    return int(max(abs(int(values.min())), abs(int(values.max())))) if values.size else 0

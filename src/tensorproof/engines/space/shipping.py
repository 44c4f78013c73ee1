"""Checks in a form that goes to other processes and machines: nested tuples of plain values, each term and predicate once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorproof.diagnostics.span import Span
from tensorproof.engines.space.checks import Cause, Check
from tensorproof.engines.space.parameters import Parameter
from tensorproof.terms.ints import Atom, Dim, Origin, Term, floordiv, ite, maximum, minimum, mod, symbol
from tensorproof.terms.predicates import Truth, conj, disj, eq, flag, le, ne, negate
from tensorproof.terms.spans import INF

Packed = tuple[Any, ...]


def pack(parameters: Sequence[Parameter], checks: Sequence[Check]) -> Packed:
    """Parameters and the `broken` predicates of checks, with marks for those whose vectors are another's twins."""
    packing = _Packing()
    broken = [packing.truth(check.broken) for check in checks]
    marks = [(check.cause.unknown, check.cause.absent) for check in checks]
    return (tuple((p.name, p.values, p.needs) for p in parameters), tuple(packing.made), tuple(broken), tuple(marks))


def unpack(packed: Packed) -> tuple[list[Parameter], list[Check]]:
    """The parameters, and checks that break for the same vectors; their causes are empty."""
    given, made, broken, marks = packed
    unpacking = _Unpacking(made)
    here = Span("", 1, 1, 1, 1)
    checks = [Check(unpacking.truth(b), Cause("", "", here, unknown=u, absent=a)) for b, (u, a) in zip(broken, marks)]
    return [Parameter(name, tuple(values), needs) for name, values, needs in given], checks


class _Packing:
    """Numbers what it packs, parts before wholes."""

    def __init__(self) -> None:
        self.made: list[Packed] = []
        self.numbers: dict[Any, int] = {}

    def put(self, key: Any, packed: Packed) -> int:
        self.made.append(packed)
        self.numbers[key] = len(self.made) - 1
        return len(self.made) - 1

    def term(self, x: Dim) -> int | tuple[int]:
        """A plain number, or in a tuple the number of a term."""
        if type(x) is not Term:
            return int(x)  # type: ignore[arg-type]
        if x not in self.numbers:
            parts = tuple((coefficient, tuple((self.atom(a), power) for a, power in monomial)) for monomial, coefficient in x.parts)
            self.put(x, ("term", parts))
        return (self.numbers[x],)

    def atom(self, a: Atom) -> int:
        if a not in self.numbers:
            if a.kind == "symbol":
                assert a.origin is not None
                self.put(a, ("symbol", a.name, a.lo, None if a.hi == INF else a.hi, a.origin.value))
            elif a.kind == "ite":
                self.put(a, ("ite", self.truth(a.args[0]), self.term(a.args[1]), self.term(a.args[2])))
            else:
                self.put(a, (a.kind, *map(self.term, a.args)))
        return self.numbers[a]

    def truth(self, p: Truth) -> bool | int:
        if isinstance(p, bool):
            return p
        if p not in self.numbers:
            if p.kind == "flag":
                packed: Packed = ("flag", *p.args)
            elif p.kind in ("and", "or"):
                packed = (p.kind, *map(self.truth, p.args))
            else:
                packed = (p.kind, self.term(p.args[0]))
            self.put(p, packed)
        return self.numbers[p] + 2  # 0 and 1 are truth values, whatever makes them numbers on the way


class _Unpacking:
    def __init__(self, made: Sequence[Packed]) -> None:
        self.made: list[Any] = []
        for packed in made:
            self.made.append(self._one(packed))

    def term(self, x: Any) -> Dim:
        return self.made[x[0]] if isinstance(x, (tuple, list)) else int(x)

    def truth(self, p: Any) -> Truth:
        return bool(p) if p < 2 else self.made[p - 2]

    def _one(self, packed: Packed) -> Any:
        kind, *rest = packed
        match kind:
            case "term":
                total: Dim = 0
                for coefficient, monomial in rest[0]:
                    value: Dim = coefficient
                    for atom, power in monomial:
                        value = value * self.made[atom] ** power
                    total = total + value
                return total
            case "symbol":
                return symbol(rest[0], rest[1], rest[2], Origin(rest[3]))
            case "ite":
                return ite(self.truth(rest[0]), self.term(rest[1]), self.term(rest[2]))
            case "//":
                return floordiv(self.term(rest[0]), self.term(rest[1]))
            case "%":
                return mod(self.term(rest[0]), self.term(rest[1]))
            case "min" | "max":
                return (minimum if kind == "min" else maximum)(*map(self.term, rest))
            case "and" | "or":
                return (conj if kind == "and" else disj)(*map(self.truth, rest))
            case "flag":
                return flag(rest[0]) if rest[1] else negate(flag(rest[0]))
            case "le":
                return le(self.term(rest[0]), 0)
            case _:
                return (eq if kind == "eq" else ne)(self.term(rest[0]), 0)

"""The valid region in words: the requirements that some vector breaks, as relations of the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensorproof.engines.shapes.contract import shown
from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.parameters import Parameter, Value
from tensorproof.terms.ints import Atom, Dim, Monomial, Term, of_atom, parts_of, single, symbol
from tensorproof.terms.predicates import SIGNS, Predicate, Truth, disj, negate
from tensorproof.terms.substitution import rewrite

LONGEST = 72
"""A longer relation is written with names for the sizes inside of it."""
MOST_LISTED = 8


def relations(checks: Iterable[Check], parameters: Sequence[Parameter]) -> list[str]:
    """What every valid vector meets, without repetitions; then what the names of sizes in it stand for."""
    required = dict.fromkeys(check.required for check in checks)
    met = {p for p in required if isinstance(p, Predicate)}
    words = _Words({p.atom: p for p in parameters})
    found = dict.fromkeys(filter(None, (words.of(_left_of(one, met)) for one in required)))
    return [*found, *(f"where {text}" for text in words.definitions)]


def _left_of(p: Truth, met: set[Predicate]) -> Truth:
    """What is required under conditions, without conditions that are required themselves."""
    if isinstance(p, bool) or p.kind != "or":
        return p
    return disj(*(part for part in p.args if negate(part) not in met))


class _Words:
    """Writes requirements as people do, with one name for each size that several long ones share."""

    def __init__(self, parameters: dict[Atom, Parameter]) -> None:
        self.parameters = parameters
        self.names: dict[Atom, Dim] = {}
        self.definitions: list[str] = []
        """What the names stand for."""

    def of(self, p: Truth) -> str:
        """A requirement in words; empty for what never holds."""
        if isinstance(p, bool):
            return ""
        if p.kind in ("and", "or"):
            return f" {p.kind} ".join(dict.fromkeys(filter(None, map(self.of, p.args))))
        text = _divides(p) or _chosen(p, self.parameters) or shown(p)
        return text if len(text) <= LONGEST else self.with_sizes(p)

    def with_sizes(self, p: Predicate) -> str:
        """A relation with names for the quotients, remainders and extremes inside of it."""
        term = rewrite(p.args[0], self.named)
        left, right = [(m, c) for m, c in parts_of(term) if c > 0], [(m, -c) for m, c in parts_of(term) if c < 0]
        return f"{_sum(left)!r} {SIGNS[p.kind]} {_sum(right)!r}"

    def named(self, atom: Atom) -> Dim:
        if atom.kind == "symbol":
            return of_atom(atom)
        if atom not in self.names:
            inner: list[Any] = [rewrite(arg, self.named) if not isinstance(arg, Predicate) else arg for arg in atom.args]
            name = self.names[atom] = symbol(f"size{len(self.names) + 1}", atom.lo, atom.hi)
            written = (
                f"({inner[0]!r}) {atom.kind} {_grouped(inner[1])}" if atom.kind in ("//", "%")
                else f"{inner[1]!r} if {inner[0]!r} else {inner[2]!r}" if atom.kind == "ite"
                else f"{atom.kind}({', '.join(map(repr, inner))})"
            )  # fmt: skip
            self.definitions.append(f"{name!r} = {written}")
        return self.names[atom]


def _sum(parts: list[tuple[Monomial, int]]) -> Dim:
    total: Dim = 0
    for monomial, coefficient in parts:
        total = total + single(monomial, coefficient)
    return total


def _is_equality(p: Predicate) -> bool:
    return p.kind in SIGNS and p.kind != "le"


def _divides(p: Predicate) -> str:
    """`heads divides width` for `width % heads == 0`."""
    parts: tuple[tuple[Monomial, int], ...] = p.args[0].parts if _is_equality(p) else ()
    if len(parts) == 1 and parts[0][1] in (1, -1) and len(parts[0][0]) == 1:
        atom, power = parts[0][0][0]
        if atom.kind == "%" and power == 1:
            return f"{_grouped(atom.args[1])} {'divides' if p.kind == 'eq' else 'does not divide'} {_grouped(atom.args[0])}"
    return ""


def _grouped(x: Dim) -> str:
    text = repr(x)
    return f"({text})" if type(x) is Term and len(x.parts) > 1 else text


def _chosen(p: Predicate, parameters: dict[Atom, Parameter]) -> str:
    """`act is relu` for the position of a value that is not a whole number."""
    parts = p.args[0].parts
    atoms = [atom for monomial, _ in parts for atom, _ in monomial]
    one = parameters.get(atoms[0]) if len(atoms) == 1 else None
    if one is None or one.whole or not _is_equality(p):
        return ""
    factor = next(c for m, c in parts if m)
    at = -sum(c for m, c in parts if not m) // factor
    if not 0 <= at < len(one.values):
        return ""
    return f"{one.name} is {'' if p.kind == 'eq' else 'not '}{one.values[at]}"


def values_left(parameter: Parameter, counts: dict[int, int]) -> str:
    """Which values of a parameter some valid vector has; empty where all have one."""
    kept = [v for at, v in enumerate(parameter.values) if counts.get(at, 0)]
    if len(kept) in (0, len(parameter.values)):
        return ""
    if parameter.whole:
        ordered = sorted(int(v) for v in parameter.values)
        low, high = min(map(int, kept)), max(map(int, kept))
        if low == high:
            return f"{parameter.name} == {low}"
        if [v for v in ordered if low <= v <= high] == sorted(map(int, kept)):
            if low == ordered[0]:
                return f"{parameter.name} <= {high}"
            return f"{parameter.name} >= {low}" if high == ordered[-1] else f"{low} <= {parameter.name} <= {high}"
    return f"{parameter.name} is {_listed(kept)}"


def _listed(values: Sequence[Value]) -> str:
    words = [str(v) for v in values[:MOST_LISTED]] + (["…"] if len(values) > MOST_LISTED else [])
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

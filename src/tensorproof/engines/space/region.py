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
    """What every valid vector meets, without repetitions."""
    atoms = {p.atom: p for p in parameters}
    required = dict.fromkeys(check.required for check in checks)
    met = {p for p in required if isinstance(p, Predicate)}
    found: dict[str, None] = {}
    for one in required:
        text = in_words(_left_of(one, met), atoms)
        if text:
            found[text] = None
    return list(found)


def _left_of(p: Truth, met: set[Predicate]) -> Truth:
    """What is required under conditions, without conditions that are required themselves."""
    if isinstance(p, bool) or p.kind != "or":
        return p
    return disj(*(part for part in p.args if negate(part) not in met))


def in_words(p: Truth, parameters: dict[Atom, Parameter]) -> str:
    """A requirement as people write it; empty for what never holds."""
    if isinstance(p, bool):
        return ""
    if p.kind in ("and", "or"):
        parts = [in_words(part, parameters) for part in p.args]
        return f" {p.kind} ".join(dict.fromkeys(filter(None, parts)))
    divided = _divides(p)
    if divided:
        return divided
    choice = _chosen(p, parameters)
    if choice:
        return choice
    text = shown(p)
    return text if len(text) <= LONGEST else _with_sizes(p)


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
    """`act is relu` for the position of a value that is no whole number."""
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


def _with_sizes(p: Predicate) -> str:
    """A relation with names for the quotients, remainders and extremes inside of it, and what each is."""
    names: dict[Atom, Dim] = {}
    told: list[str] = []

    def named(atom: Atom) -> Dim:
        if atom.kind == "symbol":
            return of_atom(atom)
        if atom not in names:
            inner: list[Any] = [rewrite(arg, named) if not isinstance(arg, Predicate) else arg for arg in atom.args]
            names[atom] = symbol(f"size{len(names) + 1}", atom.lo, atom.hi)
            written = (
                f"({inner[0]!r}) {atom.kind} {_grouped(inner[1])}" if atom.kind in ("//", "%")
                else f"{inner[1]!r} if {inner[0]!r} else {inner[2]!r}" if atom.kind == "ite"
                else f"{atom.kind}({', '.join(map(repr, inner))})"
            )  # fmt: skip
            told.append(f"{names[atom]!r} = {written}")
        return names[atom]

    term = rewrite(p.args[0], named)
    left, right = [(m, c) for m, c in parts_of(term) if c > 0], [(m, -c) for m, c in parts_of(term) if c < 0]

    def side(parts: list[tuple[Monomial, int]]) -> Dim:
        total: Dim = 0
        for monomial, coefficient in parts:
            total = total + single(monomial, coefficient)
        return total

    return f"{side(left)!r} {SIGNS[p.kind]} {side(right)!r}" + (f", where {', '.join(told)}" if told else "")


def values_left(parameter: Parameter, counts: dict[int, int]) -> str:
    """Which values of a parameter some valid vector has; empty where all have one."""
    kept = [v for at, v in enumerate(parameter.values) if counts.get(at, 0)]
    if len(kept) in (0, len(parameter.values)):
        return ""
    if parameter.whole:
        ordered = sorted(int(v) for v in parameter.values)
        low, high = min(map(int, kept)), max(map(int, kept))
        if [v for v in ordered if low <= v <= high] == sorted(map(int, kept)):
            if low == ordered[0]:
                return f"{parameter.name} <= {high}"
            return f"{parameter.name} >= {low}" if high == ordered[-1] else f"{low} <= {parameter.name} <= {high}"
    return f"{parameter.name} is {_listed(kept)}"


def _listed(values: Sequence[Value]) -> str:
    words = [str(v) for v in values[:MOST_LISTED]] + (["…"] if len(values) > MOST_LISTED else [])
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

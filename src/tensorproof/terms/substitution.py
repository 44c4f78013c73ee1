"""What a term stands on, and the term with its symbols replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorproof.terms.ints import Atom, Dim, Term, floordiv, ite, maximum, minimum, mod, of_atom


def symbols(x: object) -> frozenset[Atom]:
    """Every symbol that a term or a predicate stands on."""
    found: set[Atom] = set()
    pending: list[Any] = [x]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if type(item) is Term:
            pending.extend(atom for monomial, _ in item.parts for atom, _ in monomial)
        elif type(item) is Atom:
            if id(item) not in seen:
                seen.add(id(item))
                if item.kind == "symbol":
                    found.add(item)
                else:
                    pending.extend(item.args)
        elif hasattr(item, "terms"):
            pending.extend(item.terms())
    return frozenset(found)


def rewrite(x: Dim, atom_value: Callable[[Atom], Dim]) -> Dim:
    """The term with every atom replaced by what `atom_value` says."""
    if type(x) is not Term:
        return x
    total: Dim = 0
    for monomial, coefficient in x.parts:
        value: Dim = coefficient
        for atom, power in monomial:
            replaced = atom_value(atom)
            for _ in range(power):
                value = value * replaced
        total = total + value
    return total


def substitute(x: Dim, values: Mapping[Atom, Dim]) -> Dim:
    """The term with symbols replaced; with a number for each symbol the result is a number."""
    memo: dict[Atom, Dim] = {}

    def value(atom: Atom) -> Dim:
        if atom.kind == "symbol":
            return values.get(atom, of_atom(atom))
        known = memo.get(atom)
        if known is None:
            args = atom.args
            if atom.kind == "ite":
                known = ite(args[0].substitute(values), rewrite(args[1], value), rewrite(args[2], value))
            else:
                inner = [rewrite(arg, value) for arg in args]
                match atom.kind:
                    case "//":
                        known = floordiv(inner[0], inner[1])
                    case "%":
                        known = mod(inner[0], inner[1])
                    case "min":
                        known = minimum(*inner)
                    case _:
                        known = maximum(*inner)
            memo[atom] = known
        return known

    return rewrite(x, value)

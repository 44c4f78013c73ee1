"""Parameters that stand in every requirement as the same sum, such as `2*padding - kernel`: the sum takes their place, with as few values as it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

from tensorproof.terms.ints import Atom, Dim, Term, of_atom
from tensorproof.terms.predicates import Predicate, Truth


def same_sum(truths: Sequence[Truth], candidates: Iterable[Atom]) -> tuple[Atom, Atom, int] | None:
    """(u, v, m) where every term that holds u or v holds c*v + m*c*u, for some c of its own."""
    uses = _uses(truths)
    plain = [atom for atom in candidates if uses.get(atom)]
    for u, v in permutations(plain, 2):
        of_u, of_v = uses[u], uses[v]
        assert of_u is not None and of_v is not None
        if of_u.keys() != of_v.keys():
            continue
        ratios = {(of_u[t], of_v[t]) for t in of_u}
        times = {a // b for a, b in ratios if a % b == 0}
        if len(times) == 1 and all(a % b == 0 for a, b in ratios):
            return u, v, times.pop()
    return None


def _uses(truths: Sequence[Truth]) -> dict[Atom, dict[Term, int] | None]:
    """For each symbol its coefficient in each term; None where it stands in a product or a power."""
    found: dict[Atom, dict[Term, int] | None] = {}
    pending: list[Any] = list(truths)
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Predicate):
            pending += item.terms()
        elif isinstance(item, Atom):
            pending += item.args if item.kind != "symbol" else ()
        elif type(item) is Term:
            for monomial, coefficient in item.parts:
                for atom, _ in monomial:
                    if atom.kind != "symbol":
                        pending.append(atom)
                    elif len(monomial) > 1 or monomial[0][1] > 1:
                        found[atom] = None
                    elif (known := found.setdefault(atom, {})) is not None:
                        known[item] = coefficient
    return found


def replaced(truths: Sequence[Truth], u: Atom, v: Atom, times: int, total: Term) -> list[Truth]:
    """The predicates with the sum v + times*u in place of both."""
    value: Dim = total - of_atom(u) * times
    return [p if isinstance(p, bool) else p.substitute({v: value}) for p in truths]

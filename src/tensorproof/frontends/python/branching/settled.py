"""Terms under the facts of a path: a `min` or `max` whose order a fact says is its least or greatest part, without a question to the solver."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.terms.ints import Atom, Dim, Term, maximum, minimum, of_atom
from tensorproof.terms.predicates import Predicate, le
from tensorproof.terms.substitution import rewrite


def settled(size: Dim, facts: Sequence[Predicate]) -> Dim:
    """The same number under the facts, with fewer parts where they tell which one counts."""

    def value(atom: Atom) -> Dim:
        if atom.kind not in ("min", "max"):
            return of_atom(atom)
        least = atom.kind == "min"
        parts = [rewrite(part, value) for part in atom.args]
        kept = [part for i, part in enumerate(parts) if not any(_beaten(part, other, least, facts, j < i) for j, other in enumerate(parts) if j != i)]
        return (minimum if least else maximum)(*(kept or parts))

    return rewrite(size, value)


def _beaten(part: Dim, other: Dim, least: bool, facts: Sequence[Predicate], earlier: bool) -> bool:
    """Whether another part counts in place of this one; of two that are equal the earlier stays."""
    if part == other:
        return earlier
    return _says(le(other, part) if least else le(part, other), facts)


def _says(p: Predicate | bool, facts: Sequence[Predicate]) -> bool:
    """Whether one fact says as much or more: the same difference with a smaller bound. The youngest facts come first."""
    if isinstance(p, bool):
        return p
    if p.kind != "le":
        return False
    shape, constant = _split(p.args[0])
    for fact in reversed(facts):
        if fact.kind == "le":
            own, most = _split(fact.args[0])
            if own == shape and constant <= most:
                return True
    return False


def _split(term: Term) -> tuple[object, int]:
    """The parts of a term that are not constant, and the constant."""
    parts = term.parts
    return (parts[:-1], parts[-1][1]) if not parts[-1][0] else (parts, 0)

"""Facts about truth values alone: what one of them settles is put into the others until nothing changes. It needs no solver where that is enough."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.terms.predicates import Predicate, Truth, negate

_JOINED = ("and", "or")


def satisfiable(facts: Iterable[Predicate]) -> bool | None:
    """Whether facts that stand on flags alone can hold together; None where cases would have to be distinguished."""
    known: dict[Truth, bool] = {}
    left = sorted(facts, key=lambda fact: fact.kind != "flag")  # what is known outright settles the rest at once
    while True:
        waiting: list[Predicate] = []
        for fact in left:
            said = _simplified(fact, known)
            if said is None:
                waiting.append(fact)
                continue
            if not said and not _holds(fact, known):
                return False
            for part in said:
                if known.get(part) is False:
                    return False
                known[part], known[negate(part)] = True, False
        if not waiting:
            return True
        if len(waiting) == len(left):
            return None
        left = waiting


def _simplified(fact: Predicate, known: dict[Truth, bool]) -> list[Predicate] | None:
    """The flags that a fact says under what is known; none where it says nothing new, or cannot hold; None where it leaves a choice."""
    if fact.kind == "flag":
        return [] if known.get(fact) else [fact]
    if fact.kind == "and":
        return None if any(part.kind != "flag" for part in fact.args) else [part for part in fact.args if not known.get(part)]
    if fact.kind != "or":  # a comparison
        return None
    open_: list[Predicate] = []
    for part in reversed(fact.args):
        if _holds(part, known):
            return []
        if not _fails(part, known):
            open_.append(part)
    if len(open_) > 1:
        return None
    return _simplified(open_[0], known) if open_ else []


def _holds(fact: Predicate, known: dict[Truth, bool]) -> bool:
    if fact.kind not in _JOINED:
        return known.get(fact) is True
    return (all if fact.kind == "and" else any)(_holds(part, known) for part in fact.args)


def _fails(fact: Predicate, known: dict[Truth, bool]) -> bool:
    if fact.kind not in _JOINED:
        return known.get(fact) is False
    return (any if fact.kind == "and" else all)(_fails(part, known) for part in fact.args)

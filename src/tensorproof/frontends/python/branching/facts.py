"""What holds on the path of a run, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.frontends.python.branching import questions
from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.solve.sampling import satisfied
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom
from tensorproof.terms.predicates import Predicate, Truth, conj, implies, negate
from tensorproof.terms.substitution import symbols

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

MOST_FACTS = BUDGETS.exploration.facts
SOLVER_STEPS = 60
"""What one question to the solver counts as."""


class Facts:
    """The facts of a path: the conditions of the branches that are open, and what the program has shown to hold."""

    def __init__(self, answers: dict[tuple[Value, ...], bool | None], known_symbols: dict[Predicate, frozenset[Atom]]) -> None:
        self.facts: list[Predicate] = []
        self.lasting: list[bool] = []
        self.asked = 0
        """How often a condition was assumed, or answered by those that were."""
        self.answers = answers
        """What the solver said, shared by all runs of a program."""
        self.known_symbols = known_symbols

    def step(self, cost: int = 1) -> None:
        """Count what was done; the run ends where its limit is reached."""
        raise NotImplementedError

    def assume(self, fact: Truth, lasting: bool = True) -> None:
        """From here on this holds. What lasts outlives the branch in which it was found: there it holds for the rest of the path."""
        if not isinstance(fact, bool):
            del self.lasting[len(self.facts) :]
            self.facts.append(fact)
            self.asked += 1
            self.lasting.append(lasting)

    def leave_facts(self, at: int) -> list[Truth]:
        """Drop the facts from a place on; what lasts of them is given back, each under the conditions that stood before it."""
        guard: Truth = True
        kept: list[Truth] = []
        for fact, lasting in zip(self.facts[at:], self.lasting[at:]):
            if lasting:
                kept.append(implies(guard, fact))
            else:
                guard = conj(guard, fact)
        del self.facts[at:], self.lasting[at:]
        return kept

    def implied(self, p: Predicate) -> bool | None:
        """What the facts say of a predicate, if anything."""
        if not self.facts:
            return None
        self.asked += 1
        if p in self.facts:
            return True
        opposite = negate(p)
        if opposite in self.facts:
            return False
        mine = self._symbols_of(p)
        if not mine or all(mine.isdisjoint(self._symbols_of(f)) for f in self.facts):
            if p.kind == "flag":
                return questions.followed(self.facts, p)
            return None if not any(f.kind in ("or", "and") for f in self.facts) else self._asked(p, opposite)
        return self._asked(p, opposite)

    def _asked(self, p: Predicate, opposite: Truth) -> bool | None:
        """What the solver says; the same question is asked again in every replay, so answers are kept."""
        tries = self._about(p)
        key = (p, *map(frozenset, tries))
        answers = self.answers
        if key not in answers:
            self.step(SOLVER_STEPS)
            answers[key] = self._solved(p, opposite, tries)
        return answers[key]

    def _symbols_of(self, p: Predicate) -> frozenset[Atom]:
        found = self.known_symbols.get(p)
        if found is None:
            found = self.known_symbols[p] = symbols(p)
        return found

    def _about(self, p: Predicate) -> list[list[Predicate]]:
        """Facts to ask with: those that speak of nothing but what the question speaks of, and those that share a symbol with it or with such a fact."""
        if p.kind in ("flag", "and", "or"):
            return [self.facts]
        mine = self._symbols_of(p)
        named = [self._symbols_of(fact) for fact in self.facts]
        near = [fact for fact, atoms in zip(self.facts, named) if atoms and atoms <= mine]
        found, met, grown = [False] * len(self.facts), set(mine), True
        while grown:
            grown = False
            for i, atoms in enumerate(named):
                if not found[i] and not met.isdisjoint(atoms):
                    found[i] = grown = True
                    met |= atoms
        wide = [fact for fact, kept in zip(self.facts, found) if kept]
        return [near] if len(wide) == len(near) or len(wide) > MOST_FACTS else [near, wide]

    def _solved(self, p: Predicate, opposite: Truth, tries: list[list[Predicate]]) -> bool | None:
        for facts in tries:
            known = _without_implied(facts)
            if satisfied([*known, p]) and isinstance(opposite, Predicate) and satisfied([*known, opposite]):
                continue
            solver = LayeredSolver(200_000)
            for fact in known:
                solver.assume(fact)
            if solver.check([("p", p)]).answer is Answer.UNSAT:
                return False
            if solver.check([("not p", opposite)]).answer is Answer.UNSAT:
                return True
        return None


def _without_implied(facts: list[Predicate]) -> list[Predicate]:
    """The facts, each once, without a disjunction one part of which is a fact itself."""
    known = dict.fromkeys(facts)
    return [fact for fact in known if fact.kind != "or" or not any(part in known for part in fact.args)]

"""The solver that engines use: constants, normal form and bounds first; Z3 is loaded for what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tensorproof.solve.flags import satisfiable
from tensorproof.solve.port import Answer, Solution, Solver
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom, Term, lower, of_atom, upper
from tensorproof.terms.predicates import Predicate, Truth, disj, eq, ne, negate
from tensorproof.terms.substitution import symbols

DEFAULT_BUDGET = BUDGETS.deciding.z3_work


class LayeredSolver:
    """Implements the port. Predicates decide themselves by normal form and bounds when they are made, so that a plain `bool` here is
    the first layer's answer."""

    def __init__(self, budget: int = DEFAULT_BUDGET) -> None:
        self._facts: list[Predicate] = []
        self._symbols: dict[Predicate, frozenset[Atom]] = {}
        self._negations: dict[Predicate, Truth] = {}
        self._false = False
        self._marks: list[tuple[int, bool]] = []
        self._budget = budget
        self._z3: Solver | None = None
        self._sent = 0

    def assume(self, fact: Truth) -> None:
        if fact is False:
            self._false = True
        elif fact is not True:
            self._facts.append(fact)

    @contextmanager
    def scope(self) -> Iterator[None]:
        self._marks.append((len(self._facts), self._false))
        try:
            yield
        finally:
            length, self._false = self._marks.pop()
            del self._facts[length:]

    def check(self, named: Sequence[tuple[str, Truth]] = ()) -> Solution:
        if self._false:
            return Solution(Answer.UNSAT)
        for name, predicate in named:
            if predicate is False:
                return Solution(Answer.UNSAT, core=(name,))
        pending = [(name, p) for name, p in named if not isinstance(p, bool)]
        if not pending and not self._facts:
            return Solution(Answer.SAT)
        for name, predicate in pending:
            if negate(predicate) in self._facts or (predicate.kind == "le" and negate(_as_equality(predicate)) in self._facts):
                return Solution(Answer.UNSAT, core=(name,))
        relevant = self._relevant(pending)
        quick = self._quick(pending, relevant) if len(pending) <= 1 else None
        return self._ask(pending, relevant) if quick is None else quick

    def _quick(self, pending: list[tuple[str, Predicate]], relevant: list[Predicate]) -> Solution | None:
        """What needs no solver: one comparison of a plain symbol, and truth values of which each settles the next."""
        if not relevant:
            return _easy(pending[0][1]) if pending else None
        facts = [*relevant, *(predicate for _, predicate in pending)]
        if any(map(self._symbols_of, facts)):
            return None
        found = satisfiable(facts)
        return None if found is None else Solution(Answer.SAT) if found else Solution(Answer.UNSAT, core=tuple(name for name, _ in pending))

    def proves(self, goal: Truth) -> bool | None:
        """Whether the facts imply the goal; None when nothing could tell."""
        if isinstance(goal, bool):
            return True if goal else self.check().answer is Answer.UNSAT
        if goal in self._facts:
            return True
        answer = self.check([("goal", negate(goal))]).answer
        return None if answer is Answer.UNKNOWN else answer is Answer.UNSAT

    def _relevant(self, pending: list[tuple[str, Predicate]]) -> list[Predicate]:
        """The facts that share a symbol, directly or through others, with what is asked."""
        if not pending:
            return self._facts
        reached: set[Atom] = set()
        for _, predicate in pending:
            reached |= self._symbols_of(predicate)
        chosen: list[Predicate] = []
        left = list(self._facts)
        changed = True
        while changed:
            changed = False
            for fact in list(left):
                found = self._symbols_of(fact)
                if not found or found & reached:
                    reached |= found
                    chosen.append(fact)
                    left.remove(fact)
                    changed = True
        return chosen

    def _symbols_of(self, predicate: Predicate) -> frozenset[Atom]:
        found = self._symbols.get(predicate)
        if found is None:
            found = self._symbols[predicate] = frozenset(symbols(predicate))
        return found

    def _ask(self, pending: list[tuple[str, Predicate]], relevant: list[Predicate]) -> Solution:
        from tensorproof.solve.z3_solver import Z3Solver

        if self._z3 is None:
            self._z3 = Z3Solver(self._budget)
        with self._z3.scope():
            for fact in self._distinct(relevant, pending):
                self._z3.assume(fact)
            return self._z3.check(pending)

    def _distinct(self, facts: list[Predicate], pending: list[tuple[str, Predicate]]) -> list[Predicate]:
        """The facts without those that repeat another about a symbol of their own: every iteration of a loop draws such a symbol."""
        if len(facts) < _FEW_FACTS:
            return facts
        known = set(facts)
        facts = [fact if fact.kind != "or" else self._left_of(fact, known) for fact in facts]
        uses = Counter(atom for fact in facts for atom in self._symbols_of(fact))
        uses.update(atom for _, predicate in pending for atom in self._symbols_of(predicate) for _ in range(2))
        return list({_alike(fact, [a for a in self._symbols_of(fact) if uses[a] == 1]): fact for fact in facts}.values())

    def _left_of(self, fact: Predicate, known: set[Predicate]) -> Predicate:
        """A disjunction without what other facts rule out: what was required under conditions, where these hold."""
        left = disj(*(part for part in fact.args if self._negated(part) not in known))
        return fact if isinstance(left, bool) else left

    def _negated(self, predicate: Predicate) -> Truth:
        found = self._negations.get(predicate)
        if found is None:
            found = self._negations[predicate] = negate(predicate)
        return found


_FEW_FACTS = 16
_COMPARISONS = ("eq", "ne", "le")


def _alike(fact: Predicate, own: list[Atom]) -> object:
    """What two facts share that differ only in the name of the one symbol that no other fact mentions."""
    if len(own) != 1 or fact.kind not in _COMPARISONS:
        return fact
    atom = own[0]
    holding = [part for part in fact.args[0].parts if any(_mentions(factor, atom) for factor, _ in part[0])]
    if len(holding) != 1 or holding[0][0] != ((atom, 1),):
        return fact
    rest = tuple(part for part in fact.args[0].parts if part != holding[0])
    return (fact.kind, holding[0][1], atom.lo, atom.hi, rest)


def _as_equality(predicate: Predicate) -> Truth:
    """A comparison as an equality or its opposite, where bounds make it that: what is not negative is at most 0 where it is 0."""
    term: Term = predicate.args[0]
    return eq(term, 0) if lower(term) == 0 else ne(term, 1) if upper(term) == 1 else predicate


def _mentions(factor: Atom, atom: Atom) -> bool:
    return factor == atom or (factor.kind != "symbol" and atom in symbols(of_atom(factor)))


def _easy(predicate: Predicate) -> Solution | None:
    """One comparison of one plain symbol: its bounds hold a witness, and the predicate's own making has ruled out the rest."""
    if predicate.kind not in _COMPARISONS:
        return None
    term: Term = predicate.args[0]
    parts = term.parts
    constant = parts[-1][1] if not parts[-1][0] else 0
    if len(parts) - (1 if constant else 0) != 1:
        return None
    monomial, coefficient = parts[0]
    if len(monomial) != 1 or monomial[0][1] != 1 or monomial[0][0].kind != "symbol" or abs(coefficient) != 1:
        return None
    atom = monomial[0][0]
    at = -constant * coefficient
    ends = [at, at + 1, at - 1, atom.lo, atom.hi]
    for value in ends:
        if isinstance(value, int) and atom.lo <= value <= atom.hi:
            total = coefficient * value + constant
            if (total == 0) if predicate.kind == "eq" else (total != 0) if predicate.kind == "ne" else total <= 0:
                return Solution(Answer.SAT, {atom.name: value})
    return None

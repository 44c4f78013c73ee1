"""Z3 behind the port. This is the one module that imports z3."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from time import sleep

import z3

from tensorproof.solve import limits
from tensorproof.solve.port import Answer, Solution
from tensorproof.terms.ints import Atom, Dim, Term
from tensorproof.terms.polynomials import files_begun
from tensorproof.terms.predicates import Predicate, Truth
from tensorproof.terms.spans import INF
from tensorproof.terms.substitution import symbols

WORK_PER_STEP = 100
"""How much of Z3's own unit of work counts as one step, for questions that it gave up."""


_cancelled: list[bool] = []
"""Whether the context was interrupted: Z3 keeps that, so the next solver gets a new one."""
_file = 0
"""The file that the context was made for. What a context was asked before decides which of several witnesses Z3 gives, so that each file gets a new one."""


def cancel() -> None:
    """End whatever Z3 does now."""
    z3.main_ctx().interrupt()
    _cancelled.append(True)


def _fresh_context() -> None:
    global _file
    if _cancelled or _file != files_begun():
        _file = files_begun()
        _cancelled.clear()
        z3.z3._main_ctx = None


@cache
def _listen() -> None:
    """Let a signal (Ctrl-C, the clock of a file's limit) end the question that Z3 works on: Python itself would only see it afterwards."""
    if threading.current_thread() is not threading.main_thread():
        return
    heard, said = os.pipe()
    os.set_blocking(said, False)
    before = signal.set_wakeup_fd(said, warn_on_full_buffer=False)
    if before != -1:  # someone else listens
        signal.set_wakeup_fd(before)
        return

    def interrupt() -> None:
        while numbers := os.read(heard, 16):
            limit = limits.current()
            for _ in range(5):  # a question that begins just now is not missed; what is asked under the next limit is left alone
                if signal.SIGINT not in numbers and (limits.current() is not limit or not limit.due):
                    break
                cancel()
                sleep(0.05)

    threading.Thread(target=interrupt, daemon=True).start()


@contextmanager
def _working(context: z3.Context) -> Iterator[None]:
    """Work of a solver, in the context that it was made in. A signal cancels whatever Z3 does, not questions alone: then the time is used up."""
    before, z3.z3._main_ctx = z3.z3._main_ctx, context
    try:
        yield
    except z3.Z3Exception as error:
        if "cancel" not in str(error):
            raise
        raise limits.OutOfBudget(limits.current().sentence) from None
    except ctypes.ArgumentError:
        if not limits.current().expired:
            raise
        raise limits.OutOfBudget(
            limits.current().sentence
        ) from None  # the clock ran out while arguments were put into C's form: ctypes wraps what is raised there
    finally:
        z3.z3._main_ctx = before


class Z3Solver:
    """Fixed seed, a limit on work and none on time. Symbols keep their bounds as facts."""

    def __init__(self, budget: int) -> None:
        _fresh_context()
        self._context = z3.main_ctx()
        """A solver that is asked again after another one was begun stays in its own."""
        self._solver = z3.Solver()
        self._solver.set("random_seed", 7)
        self._solver.set("rlimit", budget)
        self._solver.set("ctrl_c", False)  # or Z3 takes the signal for itself, and the next question is asked
        self._budget = budget
        _listen()
        self._ints: dict[Atom, z3.ArithRef] = {}
        self._truths: dict[Predicate, z3.BoolRef] = {}
        """What was said of a predicate before is said again: the same facts stand before many questions."""
        self._symbols: dict[Predicate, tuple[Atom, ...]] = {}
        self._known: list[set[Atom]] = [set()]

    def assume(self, fact: Truth) -> None:
        with _working(self._context):
            if isinstance(fact, bool):
                self._solver.add(z3.BoolVal(fact))
            else:
                self._declare(fact)
                self._solver.add(self.predicate(fact))

    @contextmanager
    def scope(self) -> Iterator[None]:
        with _working(self._context):
            self._solver.push()
        self._known.append(set())
        try:
            yield
        finally:
            self._known.pop()
            with _working(self._context):
                self._solver.pop()

    def check(self, named: Sequence[tuple[str, Truth]] = ()) -> Solution:
        with _working(self._context), self.scope():
            guards: dict[str, tuple[z3.BoolRef, str]] = {}
            for i, (name, predicate) in enumerate(named):
                guard = z3.Bool(f"?{i}:{name}")
                guards[str(guard)] = (guard, name)
                if isinstance(predicate, bool):
                    self._solver.add(z3.Implies(guard, predicate))
                else:
                    self._declare(predicate)
                    self._solver.add(z3.Implies(guard, self.predicate(predicate)))
            limit = limits.current()
            answer = self._solver.check(*(g for g, _ in guards.values()))
            if answer == z3.sat:
                return Solution(Answer.SAT, self._witness())
            if answer == z3.unsat:
                return Solution(Answer.UNSAT, core=tuple(guards[str(g)][1] for g in self._solver.unsat_core()))
            reason = str(self._solver.reason_unknown())
            limit.spend(self._budget // WORK_PER_STEP)
            return Solution(Answer.UNKNOWN, reason=reason)

    def _witness(self) -> dict[str, int]:
        model = self._solver.model()
        known: set[Atom] = set().union(*self._known)
        return {atom.name: model.eval(self._ints[atom], model_completion=True).as_long() for atom in sorted(known, key=lambda a: a.order)}

    def _declare(self, fact: Predicate) -> None:
        """Bounds of the symbols that are new in this scope."""
        found = self._symbols.get(fact)
        if found is None:
            found = self._symbols[fact] = tuple(sorted(symbols(fact), key=lambda a: a.order))
        for atom in found:
            if any(atom in level for level in self._known):
                continue
            self._known[-1].add(atom)
            variable = self.atom(atom)
            if atom.lo != -INF:
                self._solver.add(variable >= int(atom.lo))
            if atom.hi != INF:
                self._solver.add(variable <= int(atom.hi))

    def predicate(self, item: Truth) -> z3.BoolRef:
        if isinstance(item, bool):
            return z3.BoolVal(item)
        known = self._truths.get(item)
        if known is None:
            known = self._truths[item] = self._said(item)
        return known

    def _said(self, item: Predicate) -> z3.BoolRef:
        match item.kind:
            case "flag":
                value = z3.Bool(f"!{item.args[0]}")
                return value if item.args[1] else z3.Not(value)
            case "and":
                return z3.And(*(self.predicate(p) for p in item.args))
            case "or":
                return z3.Or(*(self.predicate(p) for p in item.args))
            case "eq":
                return self.term(item.args[0]) == 0
            case "ne":
                return self.term(item.args[0]) != 0
            case _:
                return self.term(item.args[0]) <= 0

    def term(self, x: Dim) -> z3.ArithRef:
        if type(x) is not Term:
            return z3.IntVal(int(x))  # type: ignore[arg-type]
        total: z3.ArithRef | None = None
        for monomial, coefficient in x.parts:
            value: z3.ArithRef | None = None
            for atom, power in monomial:
                factor = self.atom(atom)
                for _ in range(power):
                    value = factor if value is None else value * factor
            value = z3.IntVal(coefficient) if value is None else value if coefficient == 1 else coefficient * value
            total = value if total is None else total + value
        assert total is not None  # a term has parts
        return total

    def atom(self, atom: Atom) -> z3.ArithRef:
        known = self._ints.get(atom)
        if known is not None:
            return known
        match atom.kind:
            case "symbol":
                made = z3.Int(f"{atom.name}@{atom.order}")
            case "//":
                made = self._floor(self.term(atom.args[0]), self.term(atom.args[1]))
            case "%":
                a, b = self.term(atom.args[0]), self.term(atom.args[1])
                made = a - b * self._floor(a, b)
            case "ite":
                made = z3.If(self.predicate(atom.args[0]), self.term(atom.args[1]), self.term(atom.args[2]))
            case kind:
                made = self.term(atom.args[0])
                for arg in atom.args[1:]:
                    other = self.term(arg)
                    made = z3.If(made <= other, made, other) if kind == "min" else z3.If(made >= other, made, other)
        self._ints[atom] = made
        return made

    @staticmethod
    def _floor(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
        """z3 divides Euclid's way (the remainder is never negative), Python rounds down: they differ for negative divisors."""
        if z3.is_int_value(b) and b.as_long() > 0:
            return a / b
        return z3.If(b > 0, a / b, (-a) / (-b))

"""Loops over data: the first iteration, one regular iteration that stands for all the others, and the last with what is left over.

Most loops carry nothing from one iteration to the next that an iteration could tell: for them the first stands for all (ADR 12).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching.loop_bodies import uncounted_lists, with_item
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.loops.after_data_loops import Gathering
from tensorproof.frontends.python.scope import Act
from tensorproof.frontends.python.widening.symbolic_iteration import FAILED, Leaves, Seed, many_rounds
from tensorproof.libraries.model import Rounds, counts_of
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.gradient import Fact
from tensorproof.terms.ints import Term, lower, minimum
from tensorproof.terms.predicates import Predicate, ge, gt
from tensorproof.values.heap import MISSING, ORDER, Difference

if TYPE_CHECKING:
    import ast

    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

MOST_UNROLLED = BUDGETS.loops.data_iterations


def data_loop(m: Interpreter, frame: Frame, rounds: list[Value], put: Value, body: Act, node: ast.AST, source: Value) -> Signal | None:
    times = getattr(rounds, "times", None)
    if times is None or (isinstance(times, int) and times <= 1):
        return _each_round(m, frame, rounds, put, body, node, source)
    assert isinstance(rounds, Rounds)
    if isinstance(times, int) and times <= MOST_UNROLLED:
        every = [*((True, rounds.item(k)) for k in range(times)), *rounds.rest]
        return _each_round(m, frame, Rounds(every, (1,) * len(every)), put, body, node, source)
    return _DataLoop(m, frame, rounds, put, body, node).run(source)


def _each_round(m: Interpreter, frame: Frame, rounds: list[Any], put: Value, body: Act, node: ast.AST, source: Value) -> Signal | None:
    """Each round is (condition, item): True for a batch that always comes, a predicate for one that may come."""
    signal: Signal | None = None
    counts = counts_of(rounds)
    with Gathering(m, rounds, node, source) as gathering, uncounted_lists(m, counts is None):
        for at, (condition, item) in enumerate(rounds):
            if at == 0 and isinstance(condition, Predicate) and condition.kind == "flag":
                m.assume(condition)  # data of unknown length hold at least one item
                condition = True
            with recording.as_loop(m, node, open_end=counts is None or counts[at] != 1):
                signal = _perhaps(m, frame, condition, partial(with_item, m, put, body, item))
            gathering.round_ran()
            if signal is not None:
                gathering.ended = True
                break
        if signal is not None and at == 0:
            gathering.forget()  # there was one round
        else:
            gathering.finish(node)
    return signal


def _perhaps(m: Interpreter, frame: Frame, condition: Value, act: Act) -> Signal | None:
    """An iteration that comes under a condition."""
    if condition is True:
        return act(frame)
    return m.branching.split(frame, condition, act, lambda f: None) if isinstance(condition, Predicate) else None


class _DataLoop:
    """One loop over data in which the regular iterations are too many to run, or are not counted."""

    def __init__(self, m: Interpreter, frame: Frame, rounds: Rounds, put: Value, body: Act, node: ast.AST) -> None:
        self.m, self.frame, self.rounds, self.put, self.body, self.node = m, frame, rounds, put, body, node

    def run(self, source: Value) -> Signal | None:
        m, rounds = self.m, self.rounds
        if isinstance(rounds.times, Term) and lower(rounds.times) < 1:
            m.assume(ge(rounds.times, 1))  # data of unknown length hold at least one full batch
        with Gathering(m, rounds, self.node, source) as gathering, uncounted_lists(m, counts_of(rounds) is None):
            recorded = m.path.recorded
            signal = self._iteration(0)
            gathering.round_ran()
            if signal is not None:
                gathering.forget()  # there was one iteration
                return signal
            signal = self._others(gathering, recorded)
            for condition, item in rounds.rest:
                if signal is None:
                    signal = _perhaps(m, self.frame, condition, partial(with_item, m, self.put, self.body, item))
                    gathering.round_ran()
            gathering.ended = gathering.ended or signal is not None
            gathering.finish(self.node)
        return signal

    def _iteration(self, at: Value) -> Signal | None:
        return with_item(self.m, self.put, self.body, self.rounds.item(at), self.frame)

    def _others(self, gathering: Gathering, recorded: int) -> Signal | None:
        """The regular iterations after the first."""
        m, times = self.m, self.rounds.times
        seed = self._carried(gathering)
        if seed is None and self.rounds.item(0) is self.rounds.item(1):
            gathering.followed(times)
            recording.close(m, recorded, recording.Turn({}, {}, {}), None, self.node)
            return None
        ended = self._many(times, seed)
        if isinstance(ended, Leaves):
            reached = minimum(times, ended.at)
            before = self._many(reached, seed) if ended.at != 1 else None
            if before is None:
                gathering.followed(reached)
                gathering.ended = True
                return _perhaps(m, self.frame, gt(times, ended.at), lambda frame: self._iteration(ended.at))
            ended = FAILED
        if ended is not FAILED:
            gathering.followed(times)
            return None
        if self.rounds.counted and isinstance(times, int):
            return self._one_by_one(gathering, times)
        gaps, failures = len(m.path.gaps), m.failures
        m.gap("loop", self.node, "what it carries from one iteration to the next was not followed")
        with recording.as_loop(m, self.node):
            signal = _perhaps(m, self.frame, gt(times, 1), lambda frame: self._iteration(1))
        if m.failures > failures and len(m.path.gaps) > gaps:  # the error in that iteration is why
            m.path.later.append(m.path.gaps.pop(gaps))
        gathering.round_ran()
        return signal

    def _one_by_one(self, gathering: Gathering, times: int) -> Signal | None:
        """Run all regular iterations after the first: what they leave is as it is."""
        gathering.forget()
        gathering.mark = None
        signal = None
        for at in range(1, times):
            signal = signal or self._iteration(at)
        return signal

    def _many(self, times: Value, seed: Seed | None) -> Any:
        return many_rounds(self.m, self.frame, 1, times, self.rounds.item, self.put, self.body, self.node, seed or ({}, Difference()))

    def _carried(self, gathering: Gathering) -> Seed | None:
        """What the first iteration changed of the memory with which the next one begins; None where that is nothing."""
        heap, mark, names = self.m.heap, gathering.mark, self.frame.space
        assert mark is not None
        before, after = heap.before(mark), heap.difference(mark)
        for location, new in after.values.items():
            old = before[location]
            bound_here = old is MISSING and after.owners[location[0]] is names
            if location[1] is not ORDER and old is not new and not bound_here and not _same(old, new):
                return before, after
        return None


def _same(old: Value, new: Value) -> bool:
    """Whether two plain values are equal, or differ in nothing that the next iteration could fail for."""
    if isinstance(new, Fact):
        return not new.lasting
    return type(old) is type(new) and isinstance(old, (int, float, str, tuple)) and old == new

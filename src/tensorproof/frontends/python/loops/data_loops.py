"""Loops over data: the first iteration, one regular iteration that stands for all the others, and the last with what is left over.

Most loops carry nothing from one iteration to the next that an iteration could tell: for them the first stands for all (ADR 12).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching.loop_bodies import summarised_lengths, with_item
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.loops.after_data_loops import Collected
from tensorproof.frontends.python.scope import Act, Put
from tensorproof.frontends.python.widening.symbolic_iteration import FAILED, Leaves, Seed, many_iterations
from tensorproof.libraries.model import Iterations, counts_of
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.gradient import Fact
from tensorproof.terms.ints import Dim, Term, lower, minimum
from tensorproof.terms.predicates import Predicate, ge, gt
from tensorproof.values.heap import MISSING, ORDER, Difference

if TYPE_CHECKING:
    import ast

    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

MOST_UNROLLED = BUDGETS.loops.data_iterations


def data_loop(m: Interpreter, frame: Frame, iterations: list[Value], put: Put, body: Act, node: ast.AST, source: Value) -> Signal | None:
    times = getattr(iterations, "times", None)
    if times is None or (isinstance(times, int) and times <= 1):
        return _each_iteration(m, frame, iterations, put, body, node, source)
    assert isinstance(iterations, Iterations)
    if isinstance(times, int) and times <= MOST_UNROLLED:
        every = [*((True, iterations.item(k)) for k in range(times)), *iterations.rest]
        return _each_iteration(m, frame, Iterations(every, (1,) * len(every)), put, body, node, source)
    return _DataLoop(m, frame, iterations, put, body, node).run(source)


def _each_iteration(m: Interpreter, frame: Frame, iterations: list[Any], put: Put, body: Act, node: ast.AST, source: Value) -> Signal | None:
    """Each round is (condition, item): True for a batch that always comes, a predicate for one that may come."""
    signal: Signal | None = None
    counts = counts_of(iterations)
    with Collected(m, iterations, node, source) as collected, summarised_lengths(m, counts is None):
        for at, (condition, item) in enumerate(iterations):
            if at == 0 and isinstance(condition, Predicate) and condition.kind == "flag":
                m.assume(condition)  # data of unknown length hold at least one item
                condition = True
            with recording.as_loop(m, node, open_end=counts is None or counts[at] != 1):
                signal = _perhaps(m, frame, condition, partial(with_item, m, put, body, item))
            collected.iteration_ran()
            if signal is not None:
                collected.ended = True
                break
        if signal is not None and at == 0:
            collected.forget()  # there was one round
        else:
            collected.finish(node)
    return signal


def _perhaps(m: Interpreter, frame: Frame, condition: Value, act: Act) -> Signal | None:
    """An iteration that comes under a condition."""
    if condition is True:
        return act(frame)
    return m.branching.split(frame, condition, act, lambda f: None) if isinstance(condition, Predicate) else None


class _DataLoop:
    """One loop over data in which the regular iterations are too many to run, or are not counted."""

    def __init__(self, m: Interpreter, frame: Frame, iterations: Iterations, put: Put, body: Act, node: ast.AST) -> None:
        self.m, self.frame, self.iterations, self.put, self.body, self.node = m, frame, iterations, put, body, node

    def run(self, source: Value) -> Signal | None:
        m, iterations = self.m, self.iterations
        if isinstance(iterations.times, Term) and lower(iterations.times) < 1:
            m.assume(ge(iterations.times, 1))  # data of unknown length hold at least one full batch
        with Collected(m, iterations, self.node, source) as collected, summarised_lengths(m, counts_of(iterations) is None):
            recorded = m.path.recorded
            signal = self._iteration(0)
            collected.iteration_ran()
            if signal is not None:
                collected.forget()  # there was one iteration
                return signal
            signal = self._others(collected, recorded)
            for condition, item in iterations.rest:
                if signal is None:
                    signal = _perhaps(m, self.frame, condition, partial(with_item, m, self.put, self.body, item))
                    collected.iteration_ran()
            collected.ended = collected.ended or signal is not None
            collected.finish(self.node)
        return signal

    def _iteration(self, at: Value) -> Signal | None:
        return with_item(self.m, self.put, self.body, self.iterations.item(at), self.frame)

    def _others(self, collected: Collected, recorded: int) -> Signal | None:
        """The regular iterations after the first."""
        m, times = self.m, self.iterations.times
        seed = self._carried(collected)
        if seed is None and self.iterations.item(0) is self.iterations.item(1):
            collected.followed(times)
            recording.close(m, recorded, recording.Turn({}, {}, {}), None, self.node)
            return None
        ended = self._all_regular(times, seed)
        if isinstance(ended, Leaves):
            reached = minimum(times, ended.at)
            before = self._all_regular(reached, seed) if ended.at != 1 else None
            if before is None:
                collected.followed(reached)
                collected.ended = True
                return _perhaps(m, self.frame, gt(times, ended.at), lambda frame: self._iteration(ended.at))
            ended = FAILED
        if ended is not FAILED:
            collected.followed(times)
            return None
        if self.iterations.counted and isinstance(times, int):
            return self._one_by_one(collected, times)
        gaps, failures = len(m.path.gaps), m.failures
        m.gap("loop", self.node, "what it carries from one iteration to the next was not followed")
        with recording.as_loop(m, self.node):
            signal = _perhaps(m, self.frame, gt(times, 1), lambda frame: self._iteration(1))
        if m.failures > failures and len(m.path.gaps) > gaps:  # the error in that iteration is why
            m.path.later.append(m.path.gaps.pop(gaps))
        collected.iteration_ran()
        return signal

    def _one_by_one(self, collected: Collected, times: int) -> Signal | None:
        """Run all regular iterations after the first: what they leave is as it is."""
        collected.forget()
        collected.mark = None
        signal = None
        for at in range(1, times):
            signal = signal or self._iteration(at)
        return signal

    def _all_regular(self, times: Dim, seed: Seed | None) -> Any:
        return many_iterations(self.m, self.frame, 1, times, self.iterations.item, self.put, self.body, self.node, seed or ({}, Difference()))

    def _carried(self, collected: Collected) -> Seed | None:
        """What the first iteration changed of the memory with which the next one begins; None where that is nothing."""
        heap, mark, names = self.m.heap, collected.mark, self.frame.space
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

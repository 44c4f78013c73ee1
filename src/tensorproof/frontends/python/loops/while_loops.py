"""`while`: iterations are run until their state repeats or comes to rest; else one symbolic iteration is run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching.loop_bodies import one_iteration, summarised_lengths
from tensorproof.frontends.python.errors import Dead
from tensorproof.frontends.python.frame import BREAK, Frame, Signal
from tensorproof.frontends.python.loops import budgets, endings
from tensorproof.frontends.python.loops.loops import finish, of_function
from tensorproof.frontends.python.scope import Act, Run, Scope
from tensorproof.frontends.python.widening.acceleration import fingerprint
from tensorproof.frontends.python.widening.symbolic_iteration import FAILED, unknown_iterations
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Origin
from tensorproof.terms.predicates import Predicate, negate
from tensorproof.values.heap import MISSING

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


MOST_OPEN_ITERATIONS = BUDGETS.loops.open_iterations


def compile_while(node: ast.While, scope: Scope) -> Act:
    return _While(node, scope.expression(node.test), scope.block(node.body), scope.block(node.orelse)).run


class _While:
    """One `while`, compiled."""

    def __init__(self, node: ast.While, test: Run, body: Act, other: Act) -> None:
        self.node = node
        self.test = test
        self.body = body
        self.other = other
        self.has_no_end = endings.has_no_end(node)

    def run(self, frame: Frame) -> Signal | None:
        m, node = frame.machine, self.node
        base, symbolic_iterations = len(frame.waiting), m.symbolic_iterations
        if self.has_no_end:
            endings.endless(m, node)
        if m.model_state.get("tf.traced") is not None:
            tested = self.test(frame)
            with of_function(m, frame, tested, node):
                signal = self.iterations(m, frame, 0, None, tested)
        else:
            signal = self.iterations(m, frame, 0, None)
        with summarised_lengths(m, m.symbolic_iterations != symbolic_iterations):
            return finish(m, frame, base, signal, self.other, bool(node.orelse))

    def iterations(self, m: Interpreter, frame: Frame, open_iterations: int, seen: Value, tested: Value = MISSING) -> Signal | None:
        """The rounds from here on, of which `open_iterations` ran under a condition that is not known."""
        node, began, at, unsure = self.node, m.steps, 0, False
        while True:
            t = m.truth(self.test(frame) if tested is MISSING else tested, node.test)
            tested = MISSING
            if t is False:
                return None
            if t is not True:
                return self.open_iteration(m, frame, t, open_iterations, seen)
            at += 1
            if (unsure and at == budgets.WAIT) or at == 64 or (at == 2 * budgets.WAIT and (m.steps - began) // at * 100 > budgets.DEAR):
                ended: Signal | None = self.the_rest(m, frame)
                if ended is not FAILED:
                    return ended
            count_before = m.branching.count
            with recording.as_loop(m, node, open_end=unsure or seen is not None):
                signal = one_iteration(m, frame, self.body)
            if signal is not None:
                return signal
            if m.branching.count != count_before or frame.waiting:
                unsure = True
                now = fingerprint(frame)
                if now == seen:
                    return BREAK if _endless(node) else None
                seen = now

    def open_iteration(self, m: Interpreter, frame: Frame, t: Predicate, open_iterations: int, seen: Value, tested: Value = MISSING) -> Signal | None:
        """A round of which the program's state does not say whether it comes."""
        now = fingerprint(frame)
        if open_iterations >= 1 and now == seen:
            m.assume(negate(t))
            return None
        if open_iterations >= 2:
            ended: Signal | None = self.the_rest(m, frame)
            if ended is not FAILED:
                return ended
        if open_iterations >= MOST_OPEN_ITERATIONS:
            m.gap("while", self.node, "its state does not come to rest")
            m.assume(negate(t))
            return None

        def more(f: Frame) -> Signal | None:
            with recording.as_loop(m, self.node):
                signal = one_iteration(m, f, self.body)
            return signal if signal is not None else self.iterations(m, f, open_iterations + 1, now)

        m.symbolic_iterations += 1
        with summarised_lengths(m, True):
            return m.branching.split(frame, t, more, lambda f: None)

    def the_rest(self, m: Interpreter, frame: Frame) -> Any:
        """All the iterations that are left, an unknown number: how they end, or FAILED."""
        node = self.node

        def once(_: Value) -> Signal | None:
            t = m.truth(self.test(frame), node.test)
            if t is False:
                raise Dead
            if isinstance(t, Predicate):
                m.assume(t, lasting=False)
            return one_iteration(m, frame, self.body)

        count = m.symbol(m.name_here("iterations", node), 0, None, Origin.UNMODELLED)
        ended = unknown_iterations(m, frame, 0, count, once, node)
        if ended is not None:
            return ended
        if _endless(node):
            return BREAK
        t = m.truth(self.test(frame), node.test)
        if isinstance(t, Predicate):
            m.assume(negate(t))
        return None


def _endless(node: ast.While) -> bool:
    return isinstance(node.test, ast.Constant) and bool(node.test.value)

"""Loops: constant ones are unrolled until their state repeats, data loops run with a regular and with the residual batch, others to rest."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Iterator as Iterator_
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import endings, iteration, recording
from tensorproof.frontends.python.any_round import FAILED, any_rounds, many_rounds
from tensorproof.frontends.python.errors import Dead, Fork
from tensorproof.frontends.python.frame import BREAK, CONTINUE, RETURN, Frame, Signal
from tensorproof.frontends.python.gathering import Gathering
from tensorproof.frontends.python.scope import Scope
from tensorproof.frontends.python.steady import Steady, fingerprint
from tensorproof.frontends.python.uncounted import open_rounds
from tensorproof.libraries import registry
from tensorproof.libraries.model import Open, some_rounds
from tensorproof.terms.ints import Origin, lower
from tensorproof.terms.predicates import Predicate, gt, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING, Row
from tensorproof.values.objects import Generator, Instance, Iterator, List, Model
from tensorproof.values.python_values import AFTER_ERROR, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

Act = Callable[[Frame], Signal | None]
MOST_OPEN_ROUNDS = 3
_WAIT = 4
"""How many rounds of a constant loop are run before one is tried that stands for the rest."""
_DEAR = 20_000
"""How many steps the rest must take for that; a tenth of it where the rounds branch, since what they leave may grow with each."""


def compile_for(node: ast.For | ast.AsyncFor, scope: Scope) -> Act:
    from tensorproof.frontends.python.compile_expr import expression
    from tensorproof.frontends.python.compile_stmt import block, target
    from tensorproof.frontends.python.data_loops import data_loop

    source, put = expression(node.iter, scope), target(node.target, scope)
    body, other = block(node.body, scope), block(node.orelse, scope)

    def run(frame: Frame) -> Signal | None:
        m = frame.machine
        value = registry.plain_source(source(frame))
        base, stood_for_many = len(frame.waiting), m.stood_for_many
        before = _of_graph(m, frame, value)
        rounds = registry.rounds(m, value, node) if isinstance(value, Model) else open_rounds(m, value, node)
        if isinstance(rounds, Open):
            signal = uncounted_loop(m, frame, rounds, put, body, node)
        elif rounds is not None:
            signal = data_loop(m, frame, rounds, put, body, node, value)
        elif isinstance(value, Generator):
            signal = _drive(m, frame, iteration.walk(m, value, node), put, body, node)
        elif isinstance(value, (List, Iterator)):
            signal = _live_loop(m, frame, value, put, body, node)
        elif isinstance(value, Instance) and m.in_class(value.cls, "__iter__") is not MISSING:
            signal = _drive(m, frame, iteration.walk(m, value, node), put, body, node)
        else:
            long = isinstance(value, range) and iteration.too_long(value) and max(abs(value[0]), abs(value[-1])) < 2**62
            found = value if long else iteration.items(m, value, node.iter)
            if found is None:
                signal = _open_loop(m, frame, value, put, body, node)
            else:
                signal = _constant_loop(m, frame, found, put, body, node, isinstance(value, range))
        if before is not None:
            import_module("tensorproof.libraries.tf_autograph").kept(m, frame, before, node)
        with uncounted_lists(m, m.stood_for_many != stood_for_many):
            return finish(m, frame, base, signal, other, bool(node.orelse))

    return run


def _of_graph(m: Interpreter, frame: Frame, value: Any) -> Any:
    """What a loop over a tensor of TensorFlow must keep; None for any other."""
    if type(value) is not TensorType or value.framework != "tf":
        return None
    return import_module("tensorproof.libraries.tf_autograph").watched(m, frame, value)


def finish(m: Interpreter, frame: Frame, base: int, signal: Signal | None, other: Act, has_other: bool) -> Signal | None:
    """After the last round: breaks that wait are joined, and the `else` runs when nothing broke."""
    breaks = any(e.signal is BREAK for w in frame.waiting[base:] for e in w.exits)
    if signal is RETURN:
        if breaks:
            raise Fork(frame.waiting[base].number)
        return signal
    if breaks and has_other and signal is None:
        raise Fork(frame.waiting[base].number)
    if breaks:
        m.branching.settle(frame, base, None, (BREAK,))
        return None
    return None if signal is BREAK else other(frame)


def one_round(m: Interpreter, frame: Frame, body: Act) -> Signal | None:
    """One pass through a loop's body."""
    m.step()
    base = len(frame.waiting)
    signal = body(frame)
    if len(frame.waiting) > base and any(e.signal is CONTINUE for w in frame.waiting[base:] for e in w.exits):
        m.branching.settle(frame, base, None if signal is CONTINUE else signal, (CONTINUE,))
    return None if signal is CONTINUE else signal


def _constant_loop(m: Interpreter, frame: Frame, items: list[Any], put: Any, body: Act, node: Any, watched: bool) -> Signal | None:
    steady = Steady(m, frame, items) if len(items) >= 6 and watched else None
    began, last, waiting, branches = m.steps, len(items) - 1, len(frame.waiting), m.branching.count
    for at in range(len(items)):
        most = _DEAR if m.branching.count == branches else _DEAR // 10
        if steady is not None and at == _WAIT < last and (len(frame.waiting) > waiting or (m.steps - began) // at * (last - at) > most):
            ended = many_rounds(m, frame, at, last, lambda k: items[0] + (items[1] - items[0]) * k, put, body, node)
            if isinstance(ended, Signal):
                return ended
            if ended is not FAILED:
                put(frame, items[last])
                return one_round(m, frame, body)
        if steady is not None and steady.due(at):
            if steady.try_round(at, put, body, node):
                return with_item(m, put, body, items[last], frame) if steady.last_left else None
            if steady.signal is not None:
                return steady.signal
            continue
        put(frame, items[at])
        signal = one_round(m, frame, body)
        if signal is not None:
            return signal
    return None


def _live_loop(m: Interpreter, frame: Frame, source: List | Iterator, put: Any, body: Act, node: Any) -> Signal | None:
    """A list may change while it is walked, and an iterator may be advanced by others."""
    state = m.heap.cursor() if isinstance(source, List) else source.state
    items: Any = source.items
    steady = Steady(m, frame, items[:], state) if not isinstance(source, List) and len(items) >= 6 and not _changing(items) else None

    def put_next(f: Frame, item: Any) -> None:
        m.heap.set(state, "at", state["at"] + 1)
        put(f, item)

    while (at := state["at"]) < len(items):
        if steady is not None and steady.due(at):
            if steady.try_round(at, put_next, body, node):
                if not steady.last_left:
                    return None
                steady = None
                continue
            signal = steady.signal
        else:
            put_next(frame, items[at])
            signal = one_round(m, frame, body)
        if signal is not None:
            return signal
    return None


def _changing(items: Any) -> bool:
    """Whether an iterator looks into a list of the program."""
    if isinstance(items, iteration.Pairs):
        return _changing(items.source)
    if isinstance(items, iteration.Columns):
        return any(_changing(s) for s in items.sources)
    return isinstance(items, Row)


def _drive(m: Interpreter, frame: Frame, source: Any, put: Any, body: Act, node: Any) -> Signal | None:
    """A generator is advanced round by round."""
    if source is None:
        return _open_loop(m, frame, None, put, body, node)
    for count, item in enumerate(source, 1):
        put(frame, item)
        signal = one_round(m, frame, body)
        if signal is not None:
            return signal
        if count > iteration.MOST_YIELDS:
            m.gap("generator", node, f"it yields more than {iteration.MOST_YIELDS} values")
            return None
    return None


@contextmanager
def uncounted_lists(m: Interpreter, wanted: bool) -> Iterator_[None]:
    """While lists that two ways leave with different lengths are told by how many items they have."""
    m.any_round += wanted
    try:
        yield
    finally:
        m.any_round -= wanted


def with_item(m: Interpreter, put: Any, body: Act, item: Any, frame: Frame) -> Signal | None:
    put(frame, item)
    return one_round(m, frame, body)


def uncounted_loop(m: Interpreter, frame: Frame, rounds: Open, put: Any, body: Act, node: Any) -> Signal | None:
    """Rounds that nobody counted: the first, and then one that stands for all the others."""
    count, facts, waiting = rounds.times, len(m.facts), len(frame.waiting)
    with Gathering(m, rounds, node, None) as gathering:
        m.any_round += 1
        try:
            if not (isinstance(count, int) or lower(count) > 0):
                m.assume(gt(count, 0), lasting=False)
            signal = with_item(m, put, body, rounds.item(0), frame)
            gathering.round_ran()
            if signal is None and count != 1:
                signal = many_rounds(m, frame, 1, count, rounds.item, put, body, node)
        finally:
            m.any_round -= 1
        if signal is FAILED and rounds.each is not None:
            signal = None
            for item in rounds.each[1:]:
                signal = signal or with_item(m, put, body, item, frame)
            gathering.forget()
        elif signal is FAILED:
            condition, item = rounds[1]
            act = partial(with_item, m, put, body, item)
            with recording.as_loop(m, node):
                signal = act(frame) if condition is True else m.branching.split(frame, condition, act, lambda f: None) if condition is not False else None
            gathering.round_ran()
            gathering.finish(node)
        else:
            gathering.forget()
    if len(frame.waiting) == waiting:
        for fact in m.leave_facts(facts):
            m.assume(fact)
    return signal


def _open_loop(m: Interpreter, frame: Frame, value: Any, put: Any, body: Act, node: Any) -> Signal | None:
    """Items that are not known: data are there, so that there is at least one."""
    if not isinstance(value, Unknown):
        m.gap("loop", node, "over something that is not known")
    m.path.lost = m.path.lost or value is AFTER_ERROR
    item = AFTER_ERROR if value is AFTER_ERROR else Unknown("an item that is not known")
    return uncounted_loop(m, frame, some_rounds(m, "rounds", item, node), put, body, node)


def compile_while(node: ast.While, scope: Scope) -> Act:
    from tensorproof.frontends.python.compile_expr import expression
    from tensorproof.frontends.python.compile_stmt import block

    test, body, other = expression(node.test, scope), block(node.body, scope), block(node.orelse, scope)
    endless = endings.has_no_end(node)

    def rounds(m: Interpreter, frame: Frame, open_rounds: int, seen: Any) -> Signal | None:
        began, at, unsure = m.steps, 0, False
        while True:
            t = m.truth(test(frame), node.test)
            if t is False:
                return None
            if t is True:
                at += 1
                if (unsure and at == _WAIT) or at == 64 or (at == 2 * _WAIT and (m.steps - began) // at * 100 > _DEAR):
                    ended: Signal | None = the_rest(m, frame)
                    if ended is not FAILED:
                        return ended
                count_before = m.branching.count
                with recording.as_loop(m, node, open_end=unsure or seen is not None):
                    signal = one_round(m, frame, body)
                if signal is not None:
                    return signal
                if m.branching.count != count_before or frame.waiting:
                    unsure = True
                    now = fingerprint(frame)
                    if now == seen:
                        return BREAK if _endless(node) else None
                    seen = now
                continue
            now = fingerprint(frame)
            if open_rounds >= 1 and now == seen:
                m.assume(negate(t))
                return None
            if open_rounds >= 2:
                ended = the_rest(m, frame)
                if ended is not FAILED:
                    return ended
            if open_rounds >= MOST_OPEN_ROUNDS:
                m.gap("while", node, "its state does not come to rest")
                m.assume(negate(t))
                return None

            def more(f: Frame, now: Any = now) -> Signal | None:
                with recording.as_loop(m, node):
                    signal = one_round(m, f, body)
                return signal if signal is not None else rounds(m, f, open_rounds + 1, now)

            assert isinstance(t, Predicate)
            m.stood_for_many += 1
            with uncounted_lists(m, True):
                return m.branching.split(frame, t, more, lambda f: None)

    def the_rest(m: Interpreter, frame: Frame) -> Any:
        """All the rounds that are left, of which nobody knows how many: how they end, or FAILED."""

        def once(_: Any) -> Signal | None:
            t = m.truth(test(frame), node.test)
            if t is False:
                raise Dead
            if isinstance(t, Predicate):
                m.assume(t, lasting=False)
            return one_round(m, frame, body)

        count = m.symbol(m.name_here("rounds", node), 0, None, Origin.UNMODELLED)
        ended = any_rounds(m, frame, 0, count, once, node)
        if ended is not None:
            return ended
        if _endless(node):
            return BREAK
        t = m.truth(test(frame), node.test)
        if isinstance(t, Predicate):
            m.assume(negate(t))
        return None

    def run(frame: Frame) -> Signal | None:
        m = frame.machine
        base, stood_for_many = len(frame.waiting), m.stood_for_many
        if endless:
            endings.endless(m, node)
        signal = rounds(m, frame, 0, None)
        with uncounted_lists(m, m.stood_for_many != stood_for_many):
            return finish(m, frame, base, signal, other, bool(node.orelse))

    return run


def _endless(node: ast.While) -> bool:
    return isinstance(node.test, ast.Constant) and bool(node.test.value)

"""Loops: constant ones are unrolled until their state repeats, data loops run with a regular and with the residual batch, others to rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator as Iterator_
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import recording
from tensorproof.frontends.python.branching.loop_bodies import one_iteration, summarised_lengths, with_item
from tensorproof.frontends.python.errors import Fork
from tensorproof.frontends.python.frame import BREAK, RETURN, Frame, Signal
from tensorproof.frontends.python.iteration import iteration
from tensorproof.frontends.python.iteration.changes import Watch, Watched, fresh, watch
from tensorproof.frontends.python.loops import budgets
from tensorproof.frontends.python.loops.after_data_loops import Collected
from tensorproof.frontends.python.loops.data_loops import data_loop
from tensorproof.frontends.python.scope import Act, Put, Scope
from tensorproof.frontends.python.summaries.summarised_lists import open_iterations
from tensorproof.frontends.python.widening.acceleration import Acceleration
from tensorproof.frontends.python.widening.symbolic_iteration import FAILED, many_iterations
from tensorproof.libraries import registry
from tensorproof.libraries.model import Open, some_iterations
from tensorproof.terms.ints import lower
from tensorproof.terms.predicates import gt
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import AT, MISSING, Row
from tensorproof.values.objects import Generator, Instance, Iterator, List, Model
from tensorproof.values.python_values import AFTER_ERROR, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def compile_for(node: ast.For | ast.AsyncFor, scope: Scope) -> Act:
    source, put = scope.expression(node.iter), scope.target(node.target)
    body, other = scope.block(node.body), scope.block(node.orelse)

    def run(frame: Frame) -> Signal | None:
        m = frame.machine
        value = registry.plain_source(source(frame))
        base, symbolic_iterations = len(frame.waiting), m.symbolic_iterations
        if m.model_state.get("tf.traced") is not None:
            with of_function(m, frame, value, node) as in_graph:
                signal = iterate(m, frame, value.but(graph=None) if in_graph and type(value) is TensorType else value)
        else:
            signal = iterate(m, frame, value)
        with summarised_lengths(m, m.symbolic_iterations != symbolic_iterations):
            return finish(m, frame, base, signal, other, bool(node.orelse))

    def iterate(m: Interpreter, frame: Frame, value: Any) -> Signal | None:
        iterations = registry.iterations(m, value, node) if isinstance(value, Model) else open_iterations(m, value, node)
        if isinstance(iterations, Open):
            return summarised_loop(m, frame, iterations, put, body, node)
        if iterations is not None:
            return data_loop(m, frame, iterations, put, body, node, value)
        if isinstance(value, Generator):
            return _drive(m, frame, iteration.walk(m, value, node), put, body, node)
        if isinstance(value, (List, Iterator)):
            return _live_loop(m, frame, value, put, body, node)
        if isinstance(value, Instance) and m.in_class(value.cls, "__iter__") is not MISSING:
            return _drive(m, frame, iteration.walk(m, value, node), put, body, node)
        long = isinstance(value, range) and iteration.too_long(value) and max(abs(value[0]), abs(value[-1])) < 2**62
        found = value if long else iteration.items(m, value, node.iter)
        if found is None:
            return _open_loop(m, frame, value, put, body, node)
        return _constant_loop(m, frame, found, put, body, node, isinstance(value, range), watch(m, value, node.iter))

    return run


@contextmanager
def of_function(m: Interpreter, frame: Frame, value: Value, node: ast.For | ast.AsyncFor | ast.While) -> Iterator_[bool]:
    """A loop of a program that uses tf.function: whether it becomes a part of a graph."""
    found = import_module("tensorproof.libraries.tensorflow.graph_branches").of_graph(m, frame, value, node)
    before, frame.looping = frame.looping, "python"
    try:
        if found is None:
            yield False
        else:
            with found:
                yield True
    finally:
        frame.looping = before


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


def _constant_loop(m: Interpreter, frame: Frame, items: list[Any], put: Put, body: Act, node: Any, watched: bool, kept: Watch | None) -> Signal | None:
    acceleration = Acceleration(m, frame, items) if len(items) >= 6 and watched else None
    began, last, waiting, branches = m.steps, len(items) - 1, len(frame.waiting), m.branching.count
    for at in range(len(items)):
        most = budgets.DEAR if m.branching.count == branches else budgets.DEAR // 10
        if acceleration is not None and at == budgets.WAIT < last and (len(frame.waiting) > waiting or (m.steps - began) // at * (last - at) > most):
            ended = many_iterations(m, frame, at, last, lambda k: items[0] + (items[1] - items[0]) * k, put, body, node)
            if isinstance(ended, Signal):
                return ended
            if ended is not FAILED:
                put(frame, items[last])
                return one_iteration(m, frame, body)
        if acceleration is not None and acceleration.due(at):
            if acceleration.try_iteration(at, put, body, node):
                return with_item(m, put, body, items[last], frame) if acceleration.last_left else None
            if acceleration.signal is not None:
                return acceleration.signal
            continue
        put(frame, items[at])
        signal = one_iteration(m, frame, body)
        if signal is not None:
            return signal
        if kept is not None:
            kept.check(at == last)
    return None


def _live_loop(m: Interpreter, frame: Frame, source: List | Iterator, put: Put, body: Act, node: Any) -> Signal | None:
    """A list may change while it is walked, and an iterator may be advanced by others."""
    state = m.heap.cursor() if isinstance(source, List) else source.state
    items: Any = fresh(m, source).items
    acceleration = Acceleration(m, frame, items[:], state) if not isinstance(source, List) and len(items) >= 6 and not _changing(items) else None

    kept = items.watch if isinstance(items, Watched) else watch(m, source, node.iter)

    def put_next(f: Frame, item: Value) -> None:
        m.heap.set(state, AT, state[AT] + 1)
        put(f, item)

    while (at := state[AT]) < len(items):
        if acceleration is not None and acceleration.due(at):
            if acceleration.try_iteration(at, put_next, body, node):
                if not acceleration.last_left:
                    return None
                acceleration = None
                continue
            signal = acceleration.signal
        else:
            put_next(frame, items[at])
            signal = one_iteration(m, frame, body)
        if signal is not None:
            return signal
        if kept is not None:
            kept.check(state[AT] >= len(items))
    return None


def _changing(items: Value) -> bool:
    """Whether an iterator looks into a list of the program."""
    if isinstance(items, iteration.Pairs):
        return _changing(items.source)
    if isinstance(items, iteration.Columns):
        return any(_changing(s) for s in items.sources)
    return isinstance(items, Row)


def _drive(m: Interpreter, frame: Frame, source: Any, put: Put, body: Act, node: Any) -> Signal | None:
    """A generator is advanced round by round."""
    if source is None:
        return _open_loop(m, frame, None, put, body, node)
    for count, item in enumerate(source, 1):
        put(frame, item)
        signal = one_iteration(m, frame, body)
        if signal is not None:
            return signal
        if count > iteration.MOST_YIELDS:
            m.gap("generator", node, f"it yields more than {iteration.MOST_YIELDS} values")
            return None
    return None


def summarised_loop(m: Interpreter, frame: Frame, iterations: Open, put: Put, body: Act, node: ast.AST) -> Signal | None:
    """Iterations of unknown number: the first, and then one that stands for all the others."""
    count, facts, waiting = iterations.times, len(m.facts), len(frame.waiting)
    with Collected(m, iterations, node, None) as collected:
        m.in_symbolic_iteration += 1
        try:
            if not (isinstance(count, int) or lower(count) > 0):
                m.assume(gt(count, 0), lasting=False)
            signal = with_item(m, put, body, iterations.item(0), frame)
            collected.iteration_ran()
            if signal is None and count != 1:
                signal = many_iterations(m, frame, 1, count, iterations.item, put, body, node)
        finally:
            m.in_symbolic_iteration -= 1
        if signal is FAILED and iterations.each is not None:
            signal = None
            for item in iterations.each[1:]:
                signal = signal or with_item(m, put, body, item, frame)
            collected.forget()
        elif signal is FAILED:
            condition, item = iterations[1]
            act = partial(with_item, m, put, body, item)
            with recording.as_loop(m, node):
                signal = act(frame) if condition is True else m.branching.split(frame, condition, act, lambda f: None) if condition is not False else None
            collected.iteration_ran()
            collected.finish(node)
        else:
            collected.forget()
    if len(frame.waiting) == waiting:
        for fact in m.leave_facts(facts):
            m.assume(fact)
    return signal


def _open_loop(m: Interpreter, frame: Frame, value: Value, put: Put, body: Act, node: ast.AST) -> Signal | None:
    """Items that are not known: data are there, so that there is at least one."""
    if not isinstance(value, Unknown):
        m.gap("loop", node, "over something that is not known")
    m.path.lost = m.path.lost or value is AFTER_ERROR
    item = AFTER_ERROR if value is AFTER_ERROR else Unknown("an item that is not known")
    return summarised_loop(m, frame, some_iterations(m, "iterations", item, node), put, body, node)

"""Generator functions: their statements are compiled into host generators, so that they can stop in the middle.

A branch that yields cannot be run on both sides: where its condition is not known, the run forks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.calls import exceptions
from tensorproof.frontends.python.compiling import try_statements
from tensorproof.frontends.python.compiling.expressions import expression
from tensorproof.frontends.python.compiling.statements import block, target
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import BREAK, CONTINUE, RETURN, Frame, Signal
from tensorproof.frontends.python.iteration import changes, generators, iteration
from tensorproof.frontends.python.scope import Scope, Steps, has_yield
from tensorproof.libraries import registry
from tensorproof.libraries.model import Iterations
from tensorproof.terms.ints import Term, lower
from tensorproof.terms.predicates import ge
from tensorproof.values.objects import Generator, List, Model
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def generator_block(nodes: list[ast.stmt], scope: Scope) -> Steps:
    """The body of a generator function: yields its values, and leaves its return value in the frame."""
    parts = [_step(node, scope) for node in nodes]

    def run(frame: Frame) -> Any:
        for part in parts:
            signal = yield from part(frame)
            if signal is not None:
                return signal
        return None

    return run


def _step(node: ast.stmt, scope: Scope) -> Steps:
    if not has_yield([node]):
        act = block([node], scope)

        def plain(frame: Frame) -> Any:
            signal = act(frame)
            if frame.waiting:
                if signal is not RETURN:
                    frame.machine.branching.abandon(frame)
                signal = frame.machine.branching.settle(frame, 0, signal, (RETURN,))
            return signal
            yield

        return plain
    match node:
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() as given):
            return _yielding(given, None, scope)
        case ast.Assign(targets=targets, value=ast.Yield() | ast.YieldFrom() as given):
            return _yielding(given, [target(t, scope) for t in targets], scope)
        case ast.Return(value=ast.Yield() | ast.YieldFrom() as given):
            inner = _yielding(given, [lambda frame, value: setattr(frame, "result", value)], scope)

            def returned(frame: Frame) -> Any:
                yield from inner(frame)
                return RETURN

            return returned
        case ast.If():
            return _if(node, scope)
        case ast.For():
            return _for(node, scope)
        case ast.While():
            return _while(node, scope)
        case ast.Try():
            return _try(node, scope)
        case ast.With():
            return _with(node, scope)
        case _:

            def unknown(frame: Frame) -> Any:
                frame.machine.gap(f"yield inside a {type(node).__name__}", node)
                return None
                yield

            return unknown


def _yielding(node: ast.Yield | ast.YieldFrom, puts: list[Any] | None, scope: Scope) -> Steps:
    value = None if node.value is None else expression(node.value, scope)
    everything = isinstance(node, ast.YieldFrom)

    def run(frame: Frame) -> Any:
        given = None if value is None else value(frame)
        if not everything:
            sent = yield given
        elif isinstance(given, Generator):
            yield from _delegated(frame.machine, given, node)
            sent = given.frame.result
        else:
            yield from _items(frame.machine, given, node)
            sent = None
        for put in puts or ():
            put(frame, sent)
        return None

    return run


def _delegated(m: Interpreter, inner: Generator, node: ast.AST) -> Any:
    """`yield from` a generator: what is sent and thrown goes to it."""
    item = generators.advance(m, inner, node)
    while item is not generators.END:
        try:
            sent = yield item
        except Raised as raised:
            item = generators.throw(m, inner, raised, node)
        else:
            item = generators.advance(m, inner, node, sent)


def _items(m: Interpreter, value: Value, node: ast.AST) -> Iterator[Value]:
    """What a generator takes of a value that is not a generator itself."""
    sequence = iteration.sequence_of(value) if type(value) is List else None
    if sequence is not None:  # it may change meanwhile
        at = 0
        while at < len(sequence):
            yield sequence[at]
            at += 1
        return
    watch = changes.watch(m, value, node)
    found = iteration.items(m, value, node)
    if found is not None:
        for one in found:
            if watch is not None:
                watch.check(False, node)
            yield one
        if watch is not None:
            watch.check(True, node)
    elif isinstance(value, range):
        yield from value
    elif isinstance(value, Model) and isinstance(batches := registry.iterations(m, value, node), Iterations) and batches.times is not None:
        yield from _batches(m, batches, node)
    else:
        if not isinstance(value, Unknown):
            m.gap("loop", node, "over something that is not known")
        yield Unknown("an item that is not known")  # data are there, so that there is at least one


def _batches(m: Interpreter, batches: Iterations, node: ast.AST) -> Iterator[Value]:
    """A pass over data of unknown length: a regular batch, which stands for all, then what is left over where the run decides that something is."""
    if isinstance(batches.times, Term) and lower(batches.times) < 1:
        m.assume(ge(batches.times, 1))  # data of unknown length hold at least one full batch
    if batches.item(0) is not batches.item(1):
        m.gap("loop", node, "its items differ, and how many there are is not known")
    yield batches.item(0)
    for condition, item in batches.rest:
        if condition is not True:
            m.gap("loop", node, "how many batches come before the last one is not known")
        if deciding.decided(m, condition):
            yield item


def _if(node: ast.If, scope: Scope) -> Steps:
    test, then, other = expression(node.test, scope), generator_block(node.body, scope), generator_block(node.orelse, scope)

    def run(frame: Frame) -> Any:
        m = frame.machine
        side = deciding.decided(m, m.truth(test(frame), node.test))
        return (yield from (then if side else other)(frame))

    return run


def _for(node: ast.For, scope: Scope) -> Steps:
    source, put = expression(node.iter, scope), target(node.target, scope)
    body, other = generator_block(node.body, scope), generator_block(node.orelse, scope)

    def each(frame: Frame) -> Iterator[Value]:
        m = frame.machine
        value = source(frame)
        if isinstance(value, Generator):
            while (item := generators.advance(m, value, node)) is not generators.END:
                yield item
            return
        yield from _items(m, value, node)

    def run(frame: Frame) -> Any:
        for item in each(frame):
            frame.machine.step()
            put(frame, item)
            signal: Signal | None = yield from body(frame)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
        return (yield from other(frame))

    return run


def _while(node: ast.While, scope: Scope) -> Steps:
    test, body, other = expression(node.test, scope), generator_block(node.body, scope), generator_block(node.orelse, scope)

    def run(frame: Frame) -> Any:
        m = frame.machine
        while deciding.decided(m, m.truth(test(frame), node.test)):
            m.step()
            signal: Signal | None = yield from body(frame)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
        return (yield from other(frame))

    return run


def _try(node: ast.Try, scope: Scope) -> Steps:
    body, other, last = generator_block(node.body, scope), generator_block(node.orelse, scope), generator_block(node.finalbody, scope)
    handlers = [
        (
            None if h.type is None else expression(h.type, scope),
            None if h.name is None else target(ast.Name(h.name, ast.Store()), scope),
            generator_block(h.body, scope),
            h.name,
        )
        for h in node.handlers
    ]

    def guarded(frame: Frame) -> Any:
        m = frame.machine
        m.handlers += 1
        try:
            signal = yield from body(frame)
        except Raised as raised:
            m.handlers -= 1
            for wanted, put, act, name in handlers:
                if wanted is None or exceptions.takes(m, raised, wanted(frame), node):
                    if put is not None:
                        put(frame, exceptions.exception_value(m, raised, node))
                    before, frame.handled = frame.handled, raised
                    try:
                        return (yield from act(frame))
                    finally:
                        frame.handled = before
                        if name is not None:
                            try_statements.forget_name(frame, name, scope)
            raise
        m.handlers -= 1
        return signal if signal is not None else (yield from other(frame))

    def run(frame: Frame) -> Any:
        try:
            signal = yield from guarded(frame)
        except Raised:
            after = yield from last(frame)
            if after is not None:
                return after
            raise
        result = frame.result
        after = yield from last(frame)
        if after is None:
            frame.result = result
        return signal if after is None else after

    return run


def _with(node: ast.With, scope: Scope) -> Steps:
    items = [(expression(i.context_expr, scope), None if i.optional_vars is None else target(i.optional_vars, scope)) for i in node.items]
    body = generator_block(node.body, scope)

    def run(frame: Frame) -> Any:
        m = frame.machine
        leaving: list[Any] = []
        for source, put in items:
            entered, leave = exceptions.enter(m, source(frame), node)
            if put is not None:
                put(frame, entered)
            if leave is not None:
                leaving.append(leave)
        try:
            signal = yield from body(frame)
        except Raised as raised:
            for leave in reversed(leaving):
                if leave(raised):
                    return None
            raise
        for leave in reversed(leaving):
            leave(None)
        return signal

    return run

"""Generators of the program: their next value, what is thrown into them, all that they give."""

from __future__ import annotations

import ast
from collections.abc import Generator as Generator_
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tensorproof.frontends.python.errors import Fork, Raised
from tensorproof.terms.budgets import BUDGETS
from tensorproof.values.objects import Generator, Model

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

END: Value = type("End", (), {"__repr__": lambda _: "END"})()
MOST_DRAINED = BUDGETS.loops.drained


def advance(m: Interpreter, generator: Generator, node: ast.AST, sent: Value = None) -> Value:
    """The next value of a generator, or END. A generator that is older than an open branch cannot be undone: the run forks."""
    if generator.done:
        return END
    with _resumed(m, generator, node):
        try:
            found = generator.steps.send(sent) if generator.frame.started else next(generator.steps)
            generator.frame.started = True
            return found
        except StopIteration:
            generator.done = True
            return END


@contextmanager
def _resumed(m: Interpreter, generator: Generator, node: ast.AST) -> Generator_[None, None, None]:
    """While a generator's body runs: its frame and its own `try` blocks are there."""
    number = m.heap.branch_since(generator.born)
    if number:
        raise Fork(number)
    m.frames.append(generator.frame)
    handlers = m.handlers
    m.handlers += generator.handlers
    try:
        yield
    except Raised as raised:
        generator.done = True
        if raised.kind == "StopIteration":
            raise m.raised("RuntimeError", "a generator raised StopIteration: it ends by return", node) from None
        raise
    finally:
        m.frames.pop()
        generator.handlers, m.handlers = m.handlers - handlers, handlers


def throw(m: Interpreter, generator: Generator, raised: Raised, node: ast.AST) -> Value:
    """Raise inside a generator at its yield: what it yields next, or END; what it raises goes on."""
    if generator.done:
        raise raised
    with _resumed(m, generator, node):
        try:
            return generator.steps.throw(raised)
        except StopIteration:
            generator.done = True
            return END


def returned(m: Interpreter, generator: Generator, node: ast.AST) -> Raised:
    """The StopIteration of a generator that has ended: its value is what the function returned, the first time."""
    raised: Raised = m.raised("StopIteration", "the generator has ended", node)
    value, generator.frame.result = generator.frame.result, None
    raised.value = Model("exception", m.heap.space({"kind": "StopIteration", "args": () if value is None else (value,)}))
    return raised


def drained(m: Interpreter, generator: Generator, node: ast.AST) -> list[Value] | None:
    result: list[Value] = []
    while (found := advance(m, generator, node)) is not END:
        result.append(found)
        m.step()
        if len(result) > MOST_DRAINED:
            m.gap("generator", node, f"it yields more than {MOST_DRAINED} values")
            return None
    return result

"""The methods of generators and iterators."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.frontends.python.calls.exceptions import raising
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.iteration import generators, iteration
from tensorproof.values.objects import Generator, Iterator

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def method(m: Interpreter, owner: Generator | Iterator, name: str, args: tuple[Value, ...], node: ast.AST) -> Value:
    """Methods of generators, and what iterators have of them."""
    match name:
        case "__next__":
            return iteration.next_of(m, owner, node)
        case "__iter__":
            return owner
        case _ if isinstance(owner, Iterator):
            return m.gap(f"iterator.{name}", node)
        case "send":
            return _sent(m, owner, args[0], node)
        case "throw":
            return _thrown(m, owner, args[0], node)
        case "close":
            _close(m, owner, node)
            return None
        case _:
            return m.gap(f"generator.{name}", node)


def _sent(m: Interpreter, owner: Generator, value: Value, node: ast.AST) -> Value:
    if value is not None and not owner.frame.started and not owner.done:
        raise m.raised("TypeError", "a generator that has not begun takes no value: call next first", node)
    found = generators.advance(m, owner, node, value)
    if found is generators.END:
        raise generators.returned(m, owner, node)
    return found


def _thrown(m: Interpreter, owner: Generator, value: Value, node: ast.AST) -> Value:
    raised = raising(m.frames[-1], value, node)
    if not isinstance(raised, Raised):
        raise raised
    if not owner.frame.started:
        owner.done = True
    found = generators.throw(m, owner, raised, node)
    if found is generators.END:
        raise generators.returned(m, owner, node)
    return found


def _close(m: Interpreter, owner: Generator, node: ast.AST) -> None:
    """Raise GeneratorExit at its yield, so that its `finally` runs."""
    if owner.done or not owner.frame.started:
        owner.done = True
        return
    try:
        found = generators.throw(m, owner, m.raised("GeneratorExit", "the generator is closed", node), node)
    except Raised as raised:
        if raised.kind != "GeneratorExit":
            raise
        return
    if found is not generators.END:
        raise m.raised("RuntimeError", "a generator that is closed must not yield", node)

"""Generator functions that assign names and then yield one batch for each number of a long range, as those that cut arrays into batches do.

Where no name of the loop's body is carried from one iteration to the next, the k-th batch is a function of k: the generator is a stream of batches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Put, function_scope
from tensorproof.libraries.data.batch_streams import numbers, stream
from tensorproof.terms.records import dataclass
from tensorproof.values.objects import Model

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

FEWEST = 16
"""Shorter ranges are followed number by number."""


@dataclass(frozen=True, slots=True)
class Ranged:
    """The parts of such a function, compiled."""

    before: tuple[Any, ...]
    source: Any
    put: Put
    acts: tuple[Any, ...]
    value: Any


def found(code: Any) -> Ranged | None:
    *before, loop = [s for s in code.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))] or [None]
    if not isinstance(loop, ast.For) or loop.orelse or not (isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) == "range"):
        return None
    *acts, last = loop.body
    if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Yield) or last.value.value is None:
        return None
    if not all(map(_prepares, before)) or not all(map(_assigns, acts)):
        return None
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Await)) for s in (*before, loop.iter, *acts, last.value.value) for n in ast.walk(s)):
        return None
    bound = {a.arg for a in ast.walk(code.node.args) if isinstance(a, ast.arg)} | set(_stored(before))
    if bound & set(_stored([loop.target, *acts])):
        return None
    scope, _ = function_scope(code.node, code.outer)
    return Ranged(
        tuple(scope.statement(s) for s in before), scope.expression(loop.iter), scope.target(loop.target),
        tuple(scope.statement(s) for s in acts), scope.expression(last.value.value),
    )  # fmt: skip


def _assigns(one: ast.stmt) -> bool:
    return isinstance(one, ast.Assign) and all(isinstance(t, (ast.Name, ast.Tuple)) for t in one.targets)


def _prepares(one: ast.stmt) -> bool:
    """Whether a statement only assigns names, or shuffles what they hold."""
    if isinstance(one, ast.If):
        return all(map(_prepares, (*one.body, *one.orelse)))
    shuffles = isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and ast.unparse(one.value.func).rpartition(".")[2] == "shuffle"
    return shuffles or _assigns(one)


def _stored(nodes: Sequence[ast.AST]) -> Iterator[str]:
    return (n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def of(m: Interpreter, parts: Ranged, frame: Frame) -> Model | None:
    """The stream that a call gives; None where the range is short or not known."""
    own = frame.inner(m.heap.space(dict(frame.space)), frame.scopes)
    m.frames.append(own)
    try:
        waiting = len(own.waiting)
        for act in parts.before:
            if act(own) is not None or len(own.waiting) != waiting:
                return None
        source = parts.source(own)
    except Raised:
        return None
    finally:
        m.frames.pop()
    if not isinstance(source, range) or len(source) < FEWEST:
        return None

    def make(machine: Interpreter, number: Value) -> Value:
        inner = own.inner(machine.heap.space(dict(own.space)), own.scopes)
        machine.frames.append(inner)
        try:
            parts.put(inner, number)
            for act in parts.acts:
                act(inner)
            return parts.value(inner)
        finally:
            machine.frames.pop()

    return stream(m, numbers(m, source), make, False)

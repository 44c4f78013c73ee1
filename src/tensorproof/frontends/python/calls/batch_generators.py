"""Generator functions that pass through a loader, once or for ever, and give what they make of each batch.

`while True: for batch in loader: yield batch` has no state but the number of batches that were taken, so it is a stream of batches and not a running
generator, which could not be undone. Functions that yield one batch for each number of a long range (`range_generators.py`) are such streams too.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.calls import range_generators
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Put, function_scope
from tensorproof.libraries import registry
from tensorproof.libraries.data.batch_streams import STREAM, stream
from tensorproof.libraries.model import Open
from tensorproof.terms.ints import Term
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import List, Model
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


@dataclass(frozen=True, slots=True)
class Passes:
    """The parts of such a function, compiled."""

    source: Value
    put: Put
    acts: tuple[Any, ...]
    value: Value
    endless: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a function that assigns names and then yields one value for each number of a range, compiled."""

    acts: tuple[Any, ...]
    values: Any
    """All that it yields, as a list comprehension gives it."""


def of(m: Interpreter, code: Any, frame: Frame, node: ast.AST) -> Model | List | None:
    """The stream that a call of a generator function gives; None where it is any other generator."""
    if code.passes is None:
        code.passes = _found(code) or (_listed(code), range_generators.found(code))
    passes = code.passes
    if isinstance(passes, tuple):
        listed, ranged = passes
        return (listed and _parts_of(m, listed, frame)) or (ranged and range_generators.of(m, ranged, frame)) or None
    m.frames.append(frame)
    try:
        source = registry.plain_source(passes.source(frame))
        if not isinstance(source, Model) or not _gives_batches(m, source, node):
            return None
    except Raised:
        return None
    finally:
        m.frames.pop()

    def make(machine: Interpreter, batch: Value) -> Value:
        own = frame.inner(machine.heap.space(dict(frame.space)), frame.scopes)
        machine.frames.append(own)
        try:
            passes.put(own, batch)
            for act in passes.acts:
                act(own)
            return passes.value(own)
        finally:
            machine.frames.pop()

    return stream(m, source, make, passes.endless)


def _parts_of(m: Interpreter, parts: Parts, frame: Frame) -> List | None:
    """What a generator function yields of data whose length is not known, as a summarised list; None for other data."""
    if not any(map(_of_unknown_length, frame.space.values())):
        return None
    own = frame.inner(m.heap.space(dict(frame.space)), frame.scopes)
    m.frames.append(own)
    try:
        for act in parts.acts:
            act(own)
        found = parts.values(own)
    except Raised:
        return None
    finally:
        m.frames.pop()
    return found if type(found) is List and is_summarised(found.items) else None


def _of_unknown_length(value: Value) -> bool:
    if type(value) is List:
        return is_summarised(value.items)
    if type(value) is TensorType:
        return value.shape.known and len(value.shape) > 0 and isinstance(value.shape[0], Term)
    return type(value) is Model and value.kind == "texts"


def _listed(code: Any) -> Parts | None:
    *before, loop = [s for s in code.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))] or [None]
    if not isinstance(loop, ast.For) or loop.orelse or len(loop.body) != 1 or not isinstance(loop.body[0], ast.Expr):
        return None
    given, source = loop.body[0].value, loop.iter
    if not isinstance(given, ast.Yield) or given.value is None or not (isinstance(source, ast.Call) and ast.unparse(source.func) == "range"):
        return None
    if not all(isinstance(s, ast.Assign) and all(isinstance(t, (ast.Name, ast.Tuple)) for t in s.targets) for s in before):
        return None
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Await)) for s in (*before, source, given.value) for n in ast.walk(s)):
        return None
    every = ast.ListComp(given.value, [ast.comprehension(loop.target, source, [], 0)])
    scope, _ = function_scope(code.node, code.outer)
    return Parts(tuple(scope.statement(s) for s in before), scope.expression(ast.copy_location(every, loop)))


def _gives_batches(m: Interpreter, source: Model, node: ast.AST) -> bool:
    if source.kind == STREAM:
        return True
    found = registry.kind_model(source.kind)
    if found is None or found.iterations is None or source.kind in ("range", "file"):
        return False
    iterations = registry.iterations(m, source, node)
    return getattr(iterations, "times", None) is not None and not isinstance(iterations, Open)


def _found(code: Any) -> Passes | None:
    loop, endless = _loop(code.node.body)
    if loop is None or not isinstance(loop.iter, (ast.Name, ast.Attribute)) or loop.orelse:
        return None
    *before, last = loop.body
    if not all(isinstance(s, ast.Assign) and all(isinstance(t, (ast.Name, ast.Tuple)) for t in s.targets) for s in before):
        return None
    if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Yield) or last.value.value is None:
        return None
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.NamedExpr)) for s in (*before, last.value.value) for n in ast.walk(s)):
        return None
    scope, _ = function_scope(code.node, code.outer)
    acts = tuple(scope.statement(s) for s in before)
    return Passes(scope.expression(loop.iter), scope.target(loop.target), acts, scope.expression(last.value.value), endless)


def _loop(body: list[ast.stmt]) -> tuple[ast.For | None, bool]:
    """The loop that is all of a function but its docstring, and whether it is run for ever."""
    rest = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if len(rest) == 1 and isinstance(rest[0], ast.While):
        outer = rest[0]
        constant = isinstance(outer.test, ast.Constant) and bool(outer.test.value)
        return (outer.body[0], True) if constant and len(outer.body) == 1 and isinstance(outer.body[0], ast.For) else (None, False)
    return (rest[0], False) if len(rest) == 1 and isinstance(rest[0], ast.For) else (None, False)

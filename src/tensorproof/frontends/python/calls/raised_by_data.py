"""Exceptions that hang on data: `int(text)`, `next(it)`. Where a `try` or a context waits for one, both outcomes are followed.

The body runs as if nothing was raised. Then the handler runs as a branch, with the names of the body bound to what they were when the exception came.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import Frame, Signal
from tensorproof.frontends.python.scope import Scope
from tensorproof.libraries import registry
from tensorproof.values.heap import MISSING, Space
from tensorproof.values.objects import Model

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

Places = Callable[[Frame], list[tuple[Space, str]]]


def names_bound(body: list[ast.stmt], scope: Scope) -> Places:
    """Where the plain names that statements bind are kept."""
    names = sorted({n.id for statement in body for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})

    def places(frame: Frame) -> list[tuple[Space, str]]:
        if scope.is_module:
            return [(frame.globals, name) for name in names]
        return [(frame.globals if name in scope.globals else frame.space, name) for name in names if name in scope.globals or name in scope.locals]

    return places


class Guard:
    """The `except` clauses of a `try` that is running, and the exceptions that data may bring about in it."""

    __slots__ = ("before", "bound", "frame", "pending", "raises", "takes")

    def __init__(self, takes: Callable[[Raised], bool], frame: Frame | None = None, bound: Places | None = None, raises: bool = False) -> None:
        self.takes = takes
        self.frame = frame
        self.bound = bound
        self.raises = raises
        """Whether a handler may raise again, or end the run."""
        self.pending: list[Raised] = []
        self.before: list[list[tuple[Space, str, Value]]] = []
        """What the names of the body were bound to when each of them came."""

    def __call__(self, raised: Raised) -> bool:
        return self.takes(raised)

    def wait(self, raised: Raised) -> None:
        """The exception may come here."""
        if any(one.kind == raised.kind for one in self.pending):
            return
        self.pending.append(raised)
        places = self.bound(self.frame) if self.bound is not None and self.frame is not None else []
        self.before.append([(space, name, space[name]) for space, name in places if space.get(name, MISSING) is not MISSING])

    def followed(
        self, frame: Frame, node: ast.AST, handle: Callable[[Frame, Raised], Signal | None], after: Callable[[Frame], Signal | None], at: int = 0
    ) -> Signal | None:
        """What follows the body: `after` it, or `handle` of an exception that may have come."""
        if at == len(self.pending):
            return after(frame)
        m, raised = frame.machine, self.pending[at]

        def caught(frame: Frame) -> Signal | None:
            for space, name, value in self.before[at]:
                if space.get(name, MISSING) is not value:
                    m.heap.set(space, name, value)
            return handle(frame, raised)

        came = m.open_truth(f"{raised.kind} is raised", node)
        return m.branching.split(frame, came, caught, lambda frame: self.followed(frame, node, handle, after, at + 1))


def may_raise(m: Interpreter, kind: str, message: str, node: ast.AST) -> None:
    """An exception that hangs on data: the innermost `try` that waits for it runs its handler, too."""
    raised = m.raised(kind, message, node)
    raised.quiet = True
    for guard in reversed(m.guards):
        if guard(raised):
            if isinstance(guard, Guard):
                guard.wait(raised)
            return


def next_or(m: Interpreter, value: Model, default: Value, node: ast.AST) -> Value:
    """`next(value, default)` of data: where they may have ended, the default or the item."""
    guard = Guard(lambda raised: raised.kind == "StopIteration")
    m.guards.append(guard)
    m.handlers += 1
    try:
        item = registry.next_item(m, value, node)
    except Raised as raised:
        if raised.kind == "StopIteration":
            return default
        raise
    finally:
        m.handlers -= 1
        m.guards.pop()
    return m.branching.choose(m.open_truth("the data have ended", node), lambda: default, lambda: item) if guard.pending else item

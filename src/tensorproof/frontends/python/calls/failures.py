"""Our own failures: a bug of the analysis costs the value that it was computing, as a gap, and the program goes on."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.calls.recovery import bound
from tensorproof.frontends.python.errors import Dead, Fork, Looked, OutOfBudget, Raised
from tensorproof.frontends.python.frame import RETURN
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.frame import Frame, Signal
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.frontends.python.scope import Scope

SIGNALS = (Raised, Fork, Dead, Looked, OutOfBudget, BadInput)
"""What the interpreter raises to steer the run: no failures."""
Act = Callable[["Frame"], "Signal | None"]


def restore(m: Interpreter, before: tuple[int, int, int, int]) -> None:
    """Leave what a failure left open. `before` says how deep branches, facts, calls and handlers were nested."""
    marks, facts, frames, handlers = before
    del m.heap.marks[marks:], m.facts[facts:], m.frames[frames:]
    m.handlers = handlers


def reason(bug: BaseException) -> str:
    said = " ".join(str(bug).split())[:120]
    return f"internal failure: {type(bug).__name__}{': ' + said if said else ''}"


def contained(act: Act, node: ast.stmt, lost: Act) -> Act:
    """A statement whose failure costs its own value: what it binds is unknown, and the program goes on behind it."""

    def run(frame: Frame) -> Signal | None:
        m = frame.machine
        before = len(m.heap.marks), len(m.facts), len(m.frames), m.handlers
        m.here = node
        try:
            return act(frame)
        except SIGNALS:
            raise
        except RecursionError as deep:  # inside a call it would come again at once
            if len(m.frames) > 1:
                raise
            bug: Exception = deep
        except Exception as found:
            bug = found
        restore(m, before)
        m.gap(type(node).__name__.lower(), node, reason(bug))
        return lost(frame)

    return run


def lost(node: ast.stmt, scope: Scope) -> Act:
    """What a lost statement leaves: the names and attributes that it binds are unknown, and a `return` returns something unknown."""

    def run(frame: Frame) -> Signal | None:
        if isinstance(node, ast.Return):
            frame.result = Unknown("a value that the analysis lost")
            return RETURN
        names = [ast.copy_location(ast.Name(name, ast.Store()), node) for name in dict.fromkeys(bound(node))]
        for target in (*names, *_attributes(node)):
            with suppress(Raised):
                scope.target(target)(frame, Unknown("a value that the analysis lost"))
        return None

    return run


def _attributes(node: ast.stmt) -> list[ast.expr]:
    """The attributes that an assignment sets."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
    return [n for one in targets for n in ast.walk(one) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]

"""The arguments of the latest call into a package that is not seen: what is done with its result may tell what they have to do with it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.frontends.python.branching import questions
from tensorproof.frontends.python.calls import given_away
from tensorproof.frontends.python.modules.package_budget import place_of
from tensorproof.libraries.homes import unseen
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args, Kwargs, Value

_STATE = "unseen call"
LEFT = Unknown("a call into a package that takes too long to follow")
"""What is called at such a place."""


def is_left(m: Interpreter, node: ast.AST) -> bool:
    """Whether the program calls a package here that takes too long to follow."""
    frame = m.frames[-1] if m.frames else None
    return frame is not None and (frame.module is None or not frame.module.foreign) and place_of(frame, node) in m.modules.left


def note(m: Interpreter, callee: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """Keep the arguments of a call, if its callee is a package's name or what a package gave."""
    if unseen(callee) if isinstance(callee, str) else isinstance(callee, Unknown) and not (callee.text or callee.number or callee.octets):
        m.model_state[_STATE] = (node, args, kwargs)
        given_away.note(m, (*args, *kwargs.values()))


def latest(m: Interpreter, node: ast.AST) -> tuple[Args, Kwargs] | None:
    """The arguments of this call, if it was the latest one."""
    known = m.model_state.get(_STATE)
    return known[1:] if known is not None and known[0] is node else None


def called(m: Interpreter, callee: Unknown, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A call of something that is not known."""
    questions.written(m, callee, *args, *kwargs.values())
    note(m, callee, args, kwargs, node)
    name = callee.key.partition("~")[0]
    if name and unseen(name) and "." in name and "@" not in name:
        return m.gap(name, node, "no model")
    return m.gap(ast.unparse(node.func)[:80] if isinstance(node, ast.Call) else callee.reason, node, "what is called is not known")

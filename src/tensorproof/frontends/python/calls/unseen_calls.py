"""Calls into packages that are not seen: the arguments of the latest one, since what is done with its result may tell what they have to do with it, and the
functions of the program that went into them: someone may call them later."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching import questions
from tensorproof.frontends.python.calls import decorating
from tensorproof.frontends.python.modules.package_budget import place_of
from tensorproof.frontends.python.summaries import filled_values
from tensorproof.libraries.homes import unseen
from tensorproof.values.objects import Bound, Function
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args, Kwargs, Value

_STATE = "unseen call"
_GIVEN = "functions given away"
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
        give_away(m, (*args, *kwargs.values()))


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
        lost = m.gap(name, node, "no model")
    else:
        name = ast.unparse(node.func)[:80] if isinstance(node, ast.Call) else callee.reason
        lost = m.gap(name, node, "what is called is not known")
    return decorating.built(m, name, args, kwargs, node, lost)


def give_away(m: Interpreter, values: Args) -> None:
    """Keep those of some values that are functions, or methods with their objects; what they fill is not known from here on."""
    for value in values:
        function = value.function if type(value) is Bound else value
        if type(function) is Function and isinstance(function.code.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not function.module.foreign:
            m.model_state.setdefault(_GIVEN, {})[function.code.node] = value
        filled_values.fill(m, value)


def given(m: Interpreter) -> dict[ast.FunctionDef | ast.AsyncFunctionDef, Any]:
    """What was given away in this run, by definition."""
    return dict(m.model_state.get(_GIVEN, {}))

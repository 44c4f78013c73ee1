"""Functions of the program that went into calls which are not understood: someone may call them later."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.values.objects import Bound, Function

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args

_STATE = "functions given away"


def note(m: Interpreter, values: Args) -> None:
    """Keep those of some values that are functions, or methods with their objects."""
    for value in values:
        function = value.function if type(value) is Bound else value
        if type(function) is Function and isinstance(function.code.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not function.module.foreign:
            m.model_state.setdefault(_STATE, {})[function.code.node] = value


def given(m: Interpreter) -> dict[ast.FunctionDef | ast.AsyncFunctionDef, Any]:
    """What was given away in this run, by definition."""
    return dict(m.model_state.get(_STATE, {}))

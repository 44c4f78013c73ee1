"""Functions of the program that a library is given: whether they were run, and how they are run where their exceptions go elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.calls import unseen_calls
from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.values.objects import Bound, Function, Model
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args, Value

_KEEPS_NOTHING = ("quiet", "context")
"""Kinds of objects that hold nothing of what they were made from."""

_FOR_EXPORT = ("torch.onnx.register_custom_op_symbolic",)
"""Functions that keep what they are given for the export of a model: nothing that a program computes runs it."""


def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether one of the arguments is a function or a method of the program."""
    for value in (*args, *kwargs.values()) if kwargs else args:
        kind = type(value)
        if kind is Function or (kind is Bound and type(value.function) is Function):
            return True
    return False


def written(node: ast.AST) -> str:
    """What is called, as the program writes it."""
    return ast.unparse(node.func)[:80] if isinstance(node, ast.Call) else "a call"


def watched(m: Interpreter, name: str, node: ast.AST, run: Callable[[], Value], values: Args) -> Value:
    """Call a library with a function of the program. One that is neither run nor part of the result may run later, unseen: a gap."""
    entered, gaps = m.entered, len(m.path.gaps)
    result = run()
    kept = not (result is None or isinstance(result, Unknown) or (isinstance(result, Model) and result.kind in _KEEPS_NOTHING))
    if not kept and m.entered == entered and len(m.path.gaps) == gaps and name not in _FOR_EXPORT:
        m.gap(name, node, "the function that it is given is not followed")
        unseen_calls.give_away(m, values)
    return result


def attempt(m: Interpreter, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> tuple[Value, Raised | None]:
    """Call something whose exception does not go to the caller: the result, and the exception if there was one."""
    m.handlers += 1
    try:
        return m.call(callee, args, kwargs, node), None
    except Raised as raised:
        return None, raised
    finally:
        m.handlers -= 1


def run_text(m: Interpreter, text: str, node: ast.AST) -> bool:
    """Run Python source in the main file's namespace, as `cProfile.run` does; False when it is no Python. Its lines are that of the call."""

    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for inner in ast.walk(tree):
        if isinstance(inner, (ast.expr, ast.stmt)):
            ast.copy_location(inner, node)
    frame = Frame(m, m.modules.main.space, (), m.modules.main.space, m.modules.main)
    m.frames.append(frame)
    try:
        m.compiled(tree.body)(frame)
    finally:
        m.frames.pop()
    return True

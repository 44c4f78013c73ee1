"""Calls of unseen packages that give back what they get: `model, optimizer = accelerator.prepare(model, optimizer)`. The call itself is a gap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.scope import Scope
from tensorproof.libraries.homes import unseen
from tensorproof.libraries.torch.layer_attributes import UNSEEN
from tensorproof.libraries.torch.modules import is_module
from tensorproof.values.objects import Model
from tensorproof.values.python_values import AFTER_ERROR, Layer, Named, Unknown

_PREPARED = ("torch.optim.", "torch.utils.data.")
"""Objects beside modules that packages for devices and precision wrap."""


def by_names(node: ast.Assign, scope: Scope) -> Callable[[Frame, Any], Any] | None:
    """What such an assignment binds where its call is not known; None for any other assignment.

    The names on the left are the positional arguments, in their order. One name alone may have no argument beside it that could change the sizes.
    """
    call = node.value
    if not isinstance(call, ast.Call) or len(node.targets) != 1:
        return None
    target = node.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    given = [argument.id for argument in call.args if isinstance(argument, ast.Name)]
    if names != given or len(names) != len(parts) or len(given) != len(call.args) or not _plain(call.func):
        return None
    if isinstance(target, ast.Name) and not all(isinstance(k.value, ast.Constant) and not _counts(k.value.value) for k in call.keywords):
        return None
    caller = scope.expression(call.func.value if isinstance(call.func, ast.Attribute) else call.func)
    values = [scope.expression(argument) for argument in call.args]

    def run(frame: Frame, result: Any) -> Any:
        if type(result) is not Unknown or result is AFTER_ERROR or not _of_a_package(caller(frame)):
            return result
        found = [_given_back(frame, value(frame), node) for value in values]
        if None in found:
            return result
        return tuple(found) if isinstance(target, ast.Tuple) else found[0]

    return run


def _plain(function: ast.expr) -> bool:
    """Whether a callee is names and dots, so that reading it again changes nothing."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _of_a_package(value: Any) -> bool:
    if isinstance(value, Named):
        return unseen(value.name)
    return type(value) is Unknown and not (value.text or value.number or value.octets)


def _given_back(frame: Frame, value: Any, node: ast.AST) -> Any:
    """A module behind a wrapper, whose further attributes are not known; an optimizer, a schedule or a loader as it is. None for anything else."""
    m = frame.machine
    if is_module(value):
        return Layer(None, m.user_span(node), (value,), "wrapper", ("module",), {UNSEEN: True})
    if isinstance(value, Model) and value.kind.startswith(_PREPARED):
        m.heap.set(value.space, UNSEEN, True)
        return value
    return None

"""Calls of unseen packages that give back what they get: `model, optimizer = accelerator.prepare(model, optimizer)`. The call itself is a gap."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.frontends.python.calls.unseen_calls import latest
from tensorproof.frontends.python.frame import Frame
from tensorproof.libraries.torch.layer_attributes import UNSEEN
from tensorproof.libraries.torch.module_tree import is_module
from tensorproof.values.objects import Dict, List, Model
from tensorproof.values.python_values import AFTER_ERROR, Layer, Unknown

_PREPARED = ("torch.optim.", "torch.utils.data.")
"""Objects beside modules that packages for devices and precision wrap."""
_VERBS = frozenset(("prepare", "setup", "wrap", "initialize", "distribute", "parallelize", "shard"))
"""How functions begin that make what they get ready for devices, precision or processes: what they give is that again, under whatever name."""


def by_names(node: ast.Assign) -> Callable[[Frame, Any], Any] | None:
    """What such an assignment binds where its call is not known; None for any other assignment.

    What stands on the left says what comes back: the positional arguments in their order, or, of a function that prepares, the arguments by their
    places. Where one thing alone comes back nothing beside it may be given that could change the sizes.
    """
    call = node.value
    if not isinstance(call, ast.Call) or len(node.targets) != 1 or not _plain(call.func):
        return None
    target = node.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    if any(isinstance(part, ast.Starred) for part in parts):
        return None
    left, right = [ast.unparse(part) for part in parts], [ast.unparse(argument) for argument in call.args]
    several = parts is not node.targets and not (len(parts) == 1 and parts[0] is target)
    again = left == right[: len(left)] and (several is False or len(left) == len(right))
    prepares = _prepares(call.func) and not (set(left) & set(right))
    if not again and not prepares:
        return None

    def run(frame: Frame, result: object) -> Any:
        got = latest(frame.machine, call)
        if type(result) is not Unknown or result is AFTER_ERROR or got is None:
            return result
        args, kwargs = got
        if several:
            places = args if again or len(args) == len(parts) else _only_module(args, kwargs, len(parts))
            found = [_given_back(frame, value, node) for value in places]
            return result if all(type(one) is Unknown for one in found) or len(found) != len(parts) else tuple(found)
        if not args or any(map(_changes_sizes, (*args[1:], *kwargs.values()))) or (not again and len(args) > 1):
            return result
        back = _given_back(frame, args[0], node)
        return result if type(back) is Unknown else back

    return run


def _only_module(args: tuple[object, ...], kwargs: dict[str, object], count: int) -> tuple[Any, ...]:
    """The one module that is given comes first: `engine, optimizer, _, _ = initialize(model=net, …)`."""
    modules = [value for value in (*args, *kwargs.values()) if is_module(value)]
    return (modules[0], *[Unknown("unpacking")] * (count - 1)) if len(modules) == 1 else ()


def _plain(function: ast.expr) -> bool:
    """Whether a callee is names and dots."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name)


def _prepares(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    return name.partition("_")[0] in _VERBS


def _changes_sizes(value: object) -> bool:
    """Whether an argument may say a size, or be another model: a rate, a word, an optimizer or an object of the package does not."""
    if isinstance(value, (List, Dict, tuple)):
        return True
    if isinstance(value, Unknown):
        return value is AFTER_ERROR or value.number == "int"
    return not (isinstance(value, (bool, float, str, type(None))) or _is_prepared(value))


def _is_prepared(value: object) -> bool:
    return isinstance(value, Model) and value.kind.startswith(_PREPARED)


def _given_back(frame: Frame, value: Any, node: ast.AST) -> Any:
    """A module behind a wrapper, whose further attributes are not known; an optimizer, a schedule or a loader as it is. Unknown for anything else."""
    m = frame.machine
    if is_module(value):
        return Layer(None, m.user_span(node), (value,), "wrapper", ("module",), {UNSEEN: True})
    if _is_prepared(value):
        m.heap.set(value.space, UNSEEN, True)
        return value
    return value if type(value) is Unknown else Unknown("unpacking")

"""What torch takes as a part of a module: modules in containers, tensors as buffers, parameters as parameters, and names that are free."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from tensorproof.terms.tensor import TensorType
from tensorproof.values import Class, Dict, Function, Instance, Layer, List, Machine, Value

_PLAIN = (bool, int, float, str, tuple, List, Dict)
_OF_DICTS = ("clear", "items", "keys", "pop", "update", "values")


def remember(m: Machine, owner: Layer) -> None:
    """Must be called before the parts of a container change: a branch that is left undoes it."""
    m.remember(owner, "children", owner.children)
    m.remember(owner, "names", owner.names)


def set_child(m: Machine, owner: Layer, name: str, module: Value) -> None:
    """A part under a name, in the place of the one that it had."""
    remember(m, owner)
    if name in owner.names:
        at = owner.names.index(name)
        owner.children = (*owner.children[:at], module, *owner.children[at + 1 :])
    else:
        owner.children, owner.names = (*owner.children, module), (*owner.names, name)


def no_module(value: Value) -> bool:
    """Whether a value is surely no module."""
    if isinstance(value, Instance):
        return all(isinstance(one, Class) or one is object for one in value.cls.mro)
    return isinstance(value, (*_PLAIN, TensorType, Function))


def check_modules(m: Machine, values: Any, node: ast.AST) -> None:
    """Containers take modules only."""
    bad = next((one for one in values if no_module(one)), None)
    if bad is not None:
        raise m.raised("TypeError", f"{shown(bad)} is not a Module", node, "call/arguments")


def check_keys(m: Machine, keys: Any, node: ast.AST) -> None:
    """Keys of a ModuleDict become names of its parts: without a dot, and not those of its own attributes."""
    for key in keys:
        if isinstance(key, str) and ("." in key or key in _taken()):
            reason = "must not hold a dot" if "." in key else "is an attribute of every ModuleDict"
            raise m.raised("KeyError", f"the key {key!r} {reason}", node)


@cache
def _taken() -> frozenset[str]:
    from tensorproof.bindings.names import public

    return frozenset((*_OF_DICTS, *(name.rpartition(".")[2] for name in public("torch") if name.startswith("torch.nn.Module."))))


def check_buffer(m: Machine, value: Value, node: ast.AST) -> None:
    if isinstance(value, _PLAIN) or (isinstance(value, TensorType) and value.framework != "torch"):
        raise m.raised("TypeError", f"a buffer is a tensor or None, and not {shown(value)}", node, "call/arguments")


def check_parameter(m: Machine, value: Value, node: ast.AST) -> None:
    if isinstance(value, _PLAIN) or (isinstance(value, TensorType) and not value.parameter):
        raise m.raised("TypeError", f"a parameter is an nn.Parameter or None, and not {shown(value)}", node, "call/arguments")


def check_mode(m: Machine, mode: Value, node: ast.AST) -> None:
    if isinstance(mode, (int, float, str)) and not isinstance(mode, bool):
        raise m.raised("ValueError", f"the training mode is True or False, and not {mode!r}", node)


def shown(value: Value) -> str:
    if isinstance(value, TensorType):
        return "a NumPy array" if value.framework == "numpy" else "a tensor"
    if isinstance(value, Instance):
        return f"a {value.cls.name}"
    return "a function" if isinstance(value, Function) else f"a {type(value).__name__.lower()}"

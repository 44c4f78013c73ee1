"""Classes that derive from one of a package that is not seen: their own methods are known, and what they inherit from the framework."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.libraries import registry
from tensorproof.libraries.homes import unseen
from tensorproof.values.objects import Class, Instance
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_MODELS = {"forward": "torch.nn.Module", "call": "keras.Model"}
"""The class of a framework from which an unseen base class surely derives, by the method that the framework calls."""


def _unseen(base: Value) -> bool:
    return isinstance(base, Named) and unseen(base.name) and registry.class_model(base.name) is None


def completed(cls: Class) -> tuple[Value, ...]:
    """The order of a class's bases, with the framework's class that stands behind one that is not seen."""
    mro: tuple[Any, ...] = cls.mro
    if not any(map(_unseen, mro)):
        return mro
    known = {name for base in mro if isinstance(base, Named) for name in registry.lineage(base.name)}
    if not known.isdisjoint(("torch.nn.Module", "keras.Layer", "torch.autograd.Function")):
        return mro
    held = [name for base in mro if isinstance(base, Class) for name in base.space]
    behind = next((library for method, library in _MODELS.items() if method in held), None)
    return mro if behind is None else (*mro, Named(behind))


def count(m: Interpreter, cls: Class, node: ast.AST) -> None:
    """An object of such a class is made: what the base class does with it is a gap."""
    for base in cls.mro:
        if _unseen(base):
            m.gap(base.name, node, "the base class is not modelled")


def count_values(m: Interpreter, values: tuple[Value, ...], node: ast.AST) -> None:
    """Values of a package that is not seen are used: each is a gap by its own name."""
    for value in values:
        name = value.key.partition("~")[0] if isinstance(value, Unknown) else ""
        if name and "." in name and "@" not in name and unseen(name):
            m.gap(name, node, "no model")


def fill(m: Interpreter, new: Instance, kwargs: dict[str, Value]) -> None:
    """An object whose `__init__` is not known keeps the arguments that it gets by name: that is what fields are for."""
    if any(_unseen(base) or isinstance(base, Unknown) for base in new.cls.mro):
        for name, value in kwargs.items():
            m.heap.set(new.space, name, value)

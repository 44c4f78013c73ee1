"""Objects that libraries make: their attributes, calls, operators and contexts, as their models tell."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from typing import Any

from tensorproof.bindings.names import is_public
from tensorproof.libraries import signatures
from tensorproof.libraries.registry import closed, kind_model
from tensorproof.libraries.results.facts import facts
from tensorproof.libraries.torch.layer_attributes import UNSEEN
from tensorproof.terms.ints import Term
from tensorproof.terms.tensor import TensorType
from tensorproof.values import (
    MISSING,
    TEXT,
    Args,
    Choice,
    Class,
    Device,
    Dict,
    Function,
    Instance,
    Kwargs,
    Layer,
    List,
    Machine,
    Model,
    Named,
    Native,
    Set,
    Unknown,
    Value,
)

_FAMILIES = {"metrics": "Metric", "losses": "Loss", "optimizers": "Optimizer"}


@cache
def lacks(kind: str, name: str) -> bool:
    """Whether the objects of a class of Keras, or an optimizer of torch, surely have no attribute of this name."""
    library, _, rest = kind.partition(".")
    home, _, last = rest.partition(".")
    if library == "torch" and home == "optim" and last[:1].isupper() and not name.startswith("_"):
        return name not in facts("torch/attributes")["optimizer"].split()
    if library != "keras" or home not in _FAMILIES or not last[:1].isupper() or "." in last or name.startswith("_"):
        return False
    return is_public(f"keras.{home}.{_FAMILIES[home]}.{name}") is False


def model_attribute(m: Machine, owner: Model, name: str, node: ast.AST) -> Value:
    found = kind_model(owner.kind)
    if found is None:
        return m.gap(f"{owner.kind}.{name}", node, "no model")
    if lacks(owner.kind, name) and name not in owner.space and UNSEEN not in owner.space:
        raise m.raised("AttributeError", f"{owner.kind} has no attribute {name}", node)
    if name in found.methods:
        run = found.methods[name]
        full = f"{owner.kind}.{name}"

        def called(machine: Machine, args: Args, kwargs: Kwargs, at: Any) -> Value:
            signatures.check(machine, full, (owner, *args), kwargs, at)
            return run(machine, owner, args, kwargs, at)

        return Native(full, called)
    if found.enter is not None and name in ("__enter__", "__exit__"):
        return Native(f"{owner.kind}.{name}", lambda machine, args, kwargs, at: _entered_by_name(machine, owner, name, args, at))
    if found.attribute is not None:
        result = found.attribute(m, owner, name, node)
        if result is not MISSING:
            return result
    if name in owner.space:
        return owner.space[name]
    if found.open:
        return Unknown(f"{owner.kind}.{name}")
    return m.gap(f"{owner.kind}.{name}", node, "no model")


def set_model_attribute(m: Machine, owner: Model, name: str, value: Value, node: ast.AST) -> None:
    found = kind_model(owner.kind)
    if found is not None and found.set_attribute is not None:
        found.set_attribute(m, owner, name, value, node)
    else:
        m.heap.set(owner.space, name, value)


def call_model(m: Machine, owner: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = kind_model(owner.kind)
    if found is None or found.call is None:
        return m.gap(f"{owner.kind}(…)", node, "no model")
    return found.call(m, owner, args, kwargs, node)


def model_calls(owner: Model) -> bool:
    found = kind_model(owner.kind)
    return found is not None and found.call is not None


def model_binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """An operator or a comparison of a library's object; MISSING when its model says nothing of it."""
    for side in (a, b):
        found = kind_model(side.kind) if isinstance(side, Model) else None
        if found is not None and found.binary is not None:
            return found.binary(m, word, a, b, node)
        if found is not None and side is a and f"__{word}__" in found.methods:
            return found.methods[f"__{word}__"](m, a, (b,), {}, node)
    return MISSING


def contains(m: Machine, value: Model, item: Value, node: ast.AST) -> Value:
    """Whether `in` finds an item in a library's object; MISSING when its model says nothing of it."""
    found = kind_model(value.kind)
    return MISSING if found is None or found.contains is None else found.contains(m, value, item, node)


def model_text(m: Machine, value: Value) -> Value:
    """`str` of a library's object."""
    found = kind_model(value.kind) if isinstance(value, Model) else None
    return TEXT if found is None or found.text is None else found.text(m, value)


def binds(owner: Model) -> bool:
    """Whether an object that stands in a class takes the instance as its first argument, as functions do."""
    found = kind_model(owner.kind)
    return found is not None and found.binds


_NO_CONTEXTS = frozenset((type(None), bool, int, float, str, bytes, tuple, List, Dict, Set, Function, Native, Layer, TensorType, Term))

_NAMED: dict[type, str] = {type(None): "NoneType", TensorType: "Tensor", Layer: "Module", Term: "int"}


def inherits_unseen(cls: Class) -> bool:
    """Whether a class may have methods that are not known, from a base class that is not."""
    return any(isinstance(c, Unknown) or (isinstance(c, Named) and not closed(c.name)) for c in cls.mro)


def enter(m: Machine, manager: Value, node: ast.AST) -> Any:
    """What `with` binds for a library's context, and how it is left."""
    if isinstance(manager, Model):
        found = kind_model(manager.kind)
        if found is not None and found.enter is not None:
            leave = found.leave
            return found.enter(m, manager, node), (None if leave is None else lambda raised: leave(m, manager, raised, node))
        return manager, None
    if isinstance(manager, Instance) and not inherits_unseen(manager.cls):
        raise m.raised("TypeError", f"'{manager.cls.name}' object does not support the context manager protocol", node, "python/type")
    if isinstance(manager, Named):
        if signatures.forms(manager.name):
            raise m.raised("TypeError", f"{manager.name} does not support the context manager protocol: it must be called", node, "python/type")
        return manager, None
    if isinstance(manager, Device):
        mode = import_module("tensorproof.libraries.torch.modes").on_device(m, manager)
        return manager, enter(m, mode, node)[1]
    if isinstance(manager, Choice) and all(isinstance(one, Model) for one in (manager.then, manager.other)):
        (a, leave_a), (b, leave_b) = enter(m, manager.then, node), enter(m, manager.other, node)
        if leave_a is None and leave_b is None:
            return (a if a is b else Choice(manager.condition, a, b, manager.depth)), None
    if type(manager) in _NO_CONTEXTS:
        kind = _NAMED.get(type(manager), type(manager).__name__.lower())
        raise m.raised("TypeError", f"'{kind}' object does not support the context manager protocol", node, "python/type")
    return m.gap("with", node, "the context is not modelled"), None


def _entered_by_name(m: Machine, owner: Model, name: str, args: Args, node: ast.AST) -> Value:
    """`context.__enter__()` and `context.__exit__(…)`, as a class calls them that holds a context."""
    entered, leave = enter(m, owner, node) if name == "__enter__" else (None, getattr(kind_model(owner.kind), "leave", None))
    if name == "__enter__" or leave is None:
        return entered
    if args[:1] not in ((), (None,)):
        return m.gap(f"{owner.kind}.__exit__", node, "of an exception")
    return leave(m, owner, None, node)


def restores(manager: Value) -> bool:
    """Whether leaving a context only restores a mode."""
    found = kind_model(manager.kind) if isinstance(manager, Model) else None
    return isinstance(manager, Device) or (found is not None and found.restores)


def passed(value: Model) -> bool:
    """Whether operators take this object as it is."""
    found = kind_model(value.kind)
    return found is not None and found.passed

"""Attributes of classes: found along the order of bases, and bound to the object that asks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import library_names
from tensorproof.frontends.python.tensors import tensors
from tensorproof.libraries import library_objects, registry
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Class, ClassMethod, Function, Instance, Model, Native, Property, StaticMethod
from tensorproof.values.python_values import Named

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Args, Value


def in_class(m: Interpreter, cls: Any, name: str, after: Value = None) -> tuple[Value, Value]:
    """(value, the class that holds it), along the order of classes; library classes answer through their models."""
    started = after is None
    for one in cls.mro:
        if not started:
            started = one is after
            continue
        if isinstance(one, Class):
            value = one.space.get(name, MISSING)
            if value is not MISSING:
                return value, one
        elif isinstance(one, Named):
            if "library names" in m.model_state:
                value = library_names.written(m, f"{one.name}.{name}")
                if value is not MISSING:
                    return value, one
            value = registry.class_attribute(m, one.name, name)
            if value is not MISSING:
                return value, one
    return MISSING, None


def of_base(m: Interpreter, name: str, args: Args) -> Value:
    """`nn.LayerNorm.__init__(self, …)`: the method that `super()` gives to an object whose class derives from this one; MISSING where it does not."""
    base, _, method = name.rpartition(".")
    me: Any = args[0] if args else None
    order = me.cls.mro if isinstance(me, Instance) else ()
    at = next((i for i, one in enumerate(order) if isinstance(one, Named) and one.name == base), 0)
    return in_class(m, me.cls, method, order[at - 1])[0] if at else MISSING


def bind(m: Interpreter, value: Any, owner: Any, node: ast.AST) -> Value:
    """What a class's attribute becomes when it is asked of an instance."""
    kind = type(value)
    if kind is Function or kind is Native or (kind is Model and library_objects.binds(value)):
        return Bound(value, owner)
    if kind is ClassMethod:
        return Bound(value.function, owner.cls)
    if kind is StaticMethod:
        return value.function
    if kind is Property:
        return m.call(value.get, (owner,), {}, node)
    if kind is Instance:
        getter, _ = in_class(m, value.cls, "__get__")
        if getter is not MISSING:
            return m.call(Bound(getter, value), (owner, owner.cls), {}, node)
        if type(value.native) is Property:
            return m.call(value.native.get, (owner,), {}, node)
    return value


def added(m: Interpreter, owner: Value, name: str, node: ast.AST) -> Value:
    """A method that the program added to the class of a tensor, a layer or an object of a library; MISSING when it added none."""
    space = m.model_state["library names"]
    for home in _classes(owner):
        value = space.get(f"{home}.{name}", MISSING)
        if value is not MISSING:
            return value if isinstance(value, Instance) else bind(m, value, owner, node)
    return MISSING


def _classes(owner: Any) -> tuple[str, ...]:
    if isinstance(owner, TensorType):
        return (tensors.tensor_class(owner), "torch.nn.Parameter")
    if isinstance(owner, Model):
        return (owner.kind,)
    mine = owner.module.name if owner.module is not None else owner.kind
    return (mine, "torch.nn.Module") if mine.startswith("torch.") else (mine, "keras.Layer")

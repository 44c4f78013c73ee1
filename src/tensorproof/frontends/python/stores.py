"""Attributes that the program sets and deletes."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import library_names, tensors
from tensorproof.frontends.python.attributes import in_class
from tensorproof.libraries import autograd, backward, library_objects, module_attributes, registry
from tensorproof.libraries.weight_norms import COMPUTED
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Instance, List, Model, ModuleFile, Native, Property
from tensorproof.values.python_values import Layer, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter


def store(m: Interpreter, owner: Any, name: str, value: Any, node: ast.AST) -> None:
    match owner:
        case Instance():
            held, _ = in_class(m, owner.cls, name)
            if name == "__dict__":
                _replace_attributes(m, owner, value, node)
                return
            if type(held) is Property:
                if held.set is None:
                    raise m.raised("AttributeError", f"the property {name} of {owner.cls.name} cannot be set", node)
                m.call(held.set, (owner, value), {}, node)
                return
            if type(held) is Instance:
                writer, _ = in_class(m, held.cls, "__set__")
                if isinstance(writer, Function):
                    m.call(Bound(writer, held), (owner, value), {}, node)
                    return
            setter, holder = in_class(m, owner.cls, "__setattr__")
            if isinstance(setter, Function) or (isinstance(setter, Native) and isinstance(holder, Class)):
                m.call(Bound(setter, owner), (name, value), {}, node)
                return
            _has_slot(m, owner, name, node)
            m.heap.set(owner.space, name, value)
            registry.attribute_stored(m, owner, name, value, node)
        case Class():
            if type(owner.space.get(name)) is Instance and owner.space[name].cls is owner and any(_is_enum(one) for one in owner.mro):
                raise m.raised("AttributeError", f"{name} is a member of the enumeration {owner.name}, and cannot be set", node)
            m.heap.set(owner.space, name, value)
        case ModuleFile():
            m.heap.set(owner.space, name, value)
        case Function():
            if owner.space is None:
                owner.space = m.heap.space()
            m.heap.set(owner.space, name, value)
        case Layer():
            tensors.set_layer_attribute(m, owner, name, value, node)
        case Model():
            library_objects.set_model_attribute(m, owner, name, value, node)
        case Choice():
            store(m, owner.then, name, value, node) if owner.then is owner.other else m.gap("assignment to an attribute of a choice", node)
        case TensorType() if name == "requires_grad" and isinstance(value, bool):
            autograd.mark(m, owner, value, node) if owner.framework == "torch" else m.memory.change(owner, m.memory.current(owner).but(requires_grad=value))
        case TensorType() if name == "data" and isinstance(value, TensorType):
            if owner.parameter and (value.shape != owner.shape or value.dtype is not owner.dtype):
                m.model_state["reshaped parameters"] = True
            m.memory.write(owner, value.but(parameter=owner.parameter, requires_grad=owner.requires_grad, grad=autograd.of(m, owner)))
        case TensorType() if name == "grad" and (value is None or isinstance(value, TensorType)):
            backward.given(m, owner, value)
        case TensorType() if name in ("data", "grad", "requires_grad"):
            pass
        case Named():
            library_names.write(m, owner.name, name, value, node)
        case ModuleType():
            pass
        case Unknown():
            m.unknown_writes += 1
        case _:
            m.gap(f"{type(owner).__name__}.{name} = …", node)


def _is_enum(one: Any) -> bool:
    return isinstance(one, Named) and one.name.startswith("enum.")


def _has_slot(m: Interpreter, owner: Instance, name: str, node: ast.AST) -> None:
    """An object whose classes all have `__slots__` takes no other attribute."""
    if name in owner.space or not isinstance(owner.cls.space.get("__slots__"), (tuple, str, List)):
        return
    named: set[Any] = set()
    for cls in owner.cls.mro:
        held = cls.space.get("__slots__") if isinstance(cls, Class) else () if cls is object else None
        items = held.items if isinstance(held, List) else (held,) if isinstance(held, str) else held
        if not isinstance(items, (tuple, list)) or not all(isinstance(n, str) for n in items):
            return
        named |= set(items)
    if name not in named and "__dict__" not in named:
        raise m.raised("AttributeError", f"{owner.cls.name} has no slot for the attribute {name}", node)


def _replace_attributes(m: Interpreter, owner: Instance, value: Any, node: ast.AST) -> None:
    """`self.__dict__ = …`: the entries become the attributes; an object that is a dict may be its own."""
    inner = registry.data_of(value)
    if not isinstance(inner, Dict):
        m.gap("__dict__ = …", node, "of something that is not known")
        return
    for key in [k for k in owner.space if k not in inner.items]:
        m.heap.delete(owner.space, key)
    for key, one in inner.items.items():
        m.heap.set(owner.space, key, one)
    if value is owner:
        owner.native = Dict(owner.space)


def delete(m: Interpreter, owner: Any, name: str, node: ast.AST) -> None:
    if isinstance(owner, (Instance, Class, ModuleFile)):
        if name not in owner.space:
            raise m.raised("AttributeError", f"there is no attribute {name} to delete", node)
        m.heap.delete(owner.space, name)
        if isinstance(owner, Instance):
            module_attributes.deleted(m, owner, name)
    elif not isinstance(owner, Unknown):
        if isinstance(owner, Layer):
            owner.tensors = {**owner.tensors, COMPUTED: (*owner.tensors.get(COMPUTED, ()), name)}
        m.gap(f"del {type(owner).__name__}.{name}", node)

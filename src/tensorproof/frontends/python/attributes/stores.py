"""Attributes that the program sets and deletes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import library_names
from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.branching import questions
from tensorproof.frontends.python.containers.type_names import type_name
from tensorproof.frontends.python.kinds import Kinds
from tensorproof.frontends.python.tensors import own_attributes, tensors
from tensorproof.libraries import library_objects, registry
from tensorproof.libraries.domains import autograd, backward
from tensorproof.libraries.python.object_attributes import delete_plainly, set_plainly
from tensorproof.libraries.torch import module_parts
from tensorproof.libraries.torch.module_tree import COMPUTED
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Generator, Instance, List, Model, ModuleFile, Native, Record, Set
from tensorproof.values.python_values import Layer, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def store(m: Interpreter, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    _STORES[type(owner)](m, owner, name, value, node)


def _into_instance(m: Interpreter, owner: Instance, name: str, value: Value, node: ast.AST) -> None:
    if name == "__dict__":
        _replace_attributes(m, owner, value, node)
        return
    setter, holder = in_class(m, owner.cls, "__setattr__")
    if isinstance(setter, Function) or (isinstance(setter, Native) and isinstance(holder, Class)):
        m.call(Bound(setter, owner), (name, value), {}, node)
    else:
        set_plainly(m, owner, name, value, node)


def _into_class(m: Interpreter, owner: Class, name: str, value: Value, node: ast.AST) -> None:
    held = owner.space.get(name)
    if type(held) is Instance and held.cls is owner and any(_is_enum(one) for one in owner.mro):
        raise m.raised("AttributeError", f"{name} is a member of the enumeration {owner.name}, and cannot be set", node)
    m.heap.set(owner.space, name, value)


def _into_module(m: Interpreter, owner: ModuleFile, name: str, value: Value, node: ast.AST) -> None:
    m.heap.set(owner.space, name, value)


def _into_function(m: Interpreter, owner: Function, name: str, value: Value, node: ast.AST) -> None:
    if owner.space is None:
        owner.space = m.heap.space()
    m.heap.set(owner.space, name, value)


def _into_choice(m: Interpreter, owner: Choice, name: str, value: Value, node: ast.AST) -> None:
    store(m, owner.then, name, value, node) if owner.then is owner.other else m.gap("assignment to an attribute of a choice", node)


def _into_tensor(m: Interpreter, owner: TensorType, name: str, value: Value, node: ast.AST) -> None:
    if name == "requires_grad" and isinstance(value, bool):
        autograd.mark(m, owner, value, node) if owner.framework == "torch" else m.memory.change(owner, m.memory.current(owner).but(requires_grad=value))
    elif name == "data" and isinstance(value, TensorType):
        if owner.parameter and (value.shape != owner.shape or value.dtype is not owner.dtype):
            m.model_state["reshaped parameters"] = True
        given = m.memory.current(value)
        m.path.same(given, m.memory.write(owner, given.but(parameter=owner.parameter, requires_grad=owner.requires_grad, grad=autograd.of(m, owner))))
    elif name == "grad" and (value is None or isinstance(value, TensorType)):
        backward.given(m, owner, value, node)
    elif name not in ("data", "grad", "requires_grad"):
        own_attributes.keep(m, owner, name, value, node)


def _into_fixed(m: Interpreter, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    """Python's own values take no attributes."""
    what = "None" if owner is None else f"a {type_name(owner)}"
    raise m.raised("AttributeError", f"{what} takes no attribute {name}", node)


def _into_dict(m: Interpreter, owner: Dict, name: str, value: Value, node: ast.AST) -> None:
    (_not_followed if owner.ordered or owner.counter else _into_fixed)(m, owner, name, value, node)


def _into_host_class(m: Interpreter, owner: type, name: str, value: Value, node: ast.AST) -> None:
    if owner.__module__ != "builtins":
        _not_followed(m, owner, name, value, node)
        return
    raise m.raised("TypeError", f"the class {owner.__name__} of Python takes no attribute {name}", node)


def _into_library(m: Interpreter, owner: Named, name: str, value: Value, node: ast.AST) -> None:
    library_names.write(m, owner.name, name, value, node)


def _into_host_module(m: Interpreter, owner: ModuleType, name: str, value: Value, node: ast.AST) -> None:
    """A module of Python's own: what it has from there on is kept beside it."""
    library_names.write_own(m, owner.__name__, name, value, node)


def _into_unknown(m: Interpreter, owner: Unknown, name: str, value: Value, node: ast.AST) -> None:
    questions.written(m, owner)


def _not_followed(m: Interpreter, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    m.gap(f"{type(owner).__name__}.{name} = …", node)


_STORES: Kinds[Callable[[Interpreter, Any, str, Value, ast.AST], None]] = Kinds(
    {
        Instance: _into_instance, Class: _into_class, ModuleFile: _into_module, Function: _into_function, Layer: tensors.set_layer_attribute,
        Model: library_objects.set_model_attribute, Choice: _into_choice, TensorType: _into_tensor, Named: _into_library, ModuleType: _into_host_module,
        Unknown: _into_unknown, Dict: _into_dict, type: _into_host_class,
        **dict.fromkeys((type(None), str, int, float, complex, bool, tuple, bytes, range, slice, List, Set, Generator, Bound, DType, Record), _into_fixed),
    },
    _not_followed,
)  # fmt: skip
"""How an attribute of a value of each kind is set."""


def _is_enum(one: Value) -> bool:
    return isinstance(one, Named) and one.name.startswith("enum.")


def _replace_attributes(m: Interpreter, owner: Instance, value: Any, node: ast.AST) -> None:
    """`self.__dict__ = …`: the dict holds the attributes from now on; an object that is a dict may be its own."""
    inner = registry.data_of(value)
    if not isinstance(inner, Dict):
        m.gap("__dict__ = …", node, "of something that is not known")
        return
    if value is not owner:
        m.remember(owner, "space", owner.space)
        owner.space = inner.items
        return
    for key in [k for k in owner.space if k not in inner.items]:
        m.heap.delete(owner.space, key)
    for key, one in inner.items.items():
        m.heap.set(owner.space, key, one)
    owner.native = Dict(owner.space)


def delete(m: Interpreter, owner: Value, name: str, node: ast.AST) -> None:
    if isinstance(owner, Instance):
        deleter, _ = in_class(m, owner.cls, "__delattr__")
        if isinstance(deleter, Function):
            m.call(Bound(deleter, owner), (name,), {}, node)
        elif delete_plainly(m, owner, name, node):
            module_parts.deleted(m, owner, name)
    elif isinstance(owner, (Class, ModuleFile)):
        if name not in owner.space:
            raise m.raised("AttributeError", f"there is no attribute {name} to delete", node)
        m.heap.delete(owner.space, name)
    elif isinstance(owner, TensorType):
        own_attributes.drop(m, owner, name, node)
    elif owner is None or isinstance(owner, (str, int, float, tuple, List, Set)):
        raise m.raised("AttributeError", f"there is no attribute {name} to delete", node)
    elif not isinstance(owner, Unknown):
        if isinstance(owner, Layer):
            owner.tensors = {**owner.tensors, COMPUTED: (*owner.tensors.get(COMPUTED, ()), name)}
        m.gap(f"del {type(owner).__name__}.{name}", node)

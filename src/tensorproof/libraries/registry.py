"""Finds the model of a library's name. Which file models which names is read from `homes.txt`, which `tools/make_homes.py` writes."""

from __future__ import annotations

import ast
from functools import cache, partial
from importlib import import_module
from typing import Any

from tensorproof.bindings.names import is_public
from tensorproof.libraries import homes, results, signatures
from tensorproof.libraries.homes import home
from tensorproof.libraries.model import ClassModel, KindModel, Run, all_items
from tensorproof.terms import DType, TensorType, replace
from tensorproof.values import MISSING, Args, Device, Kwargs, Layer, Machine, Method, Named, Unknown, Value
from tensorproof.values.objects import NOWHERE, Class, Dict, Instance, List, Model, Native, Record


@cache
def file_named(file: str) -> Any:
    """A file of this package by its dotted name. Files are loaded when one of their names is used."""
    return import_module(f"tensorproof.libraries.{file}")


def _entry(name: str, table: str) -> Any:
    file = home(name)
    return None if file is None else getattr(file_named(file), table, {}).get(name)


@cache
def function(name: str) -> Run | None:
    """The model of a library's function or class constructor."""
    found: Run | None = _entry(name, "FUNCTIONS")
    if found is None and "." in name:
        family = homes.family(name)
        found = None if family is None else file_named(family).others(name)
    if found is None and name.startswith("keras.") and name.endswith(".from_config"):
        found = partial(import_module("tensorproof.libraries.keras.models.configs").from_config, name)
    return found


def value(m: Machine, name: str) -> Value:
    """A library's value that is neither function nor class; MISSING when there is no model."""
    file = home(name)
    if file is None:
        return MISSING
    found = getattr(file_named(file), "VALUES", {}).get(name, MISSING)
    return found(m) if callable(found) and not isinstance(found, type) else found


def known(name: str) -> bool:
    """Whether a function, a value or a class of this name is modelled, or names below it are."""
    if homes.is_space(name) or (home(name) is None and function(name) is not None):
        return True
    return any(name in getattr(file_named(file), table, ()) for file in [home(name)] if file for table in ("FUNCTIONS", "VALUES", "CLASSES"))


@cache
def class_model(name: str) -> ClassModel | None:
    found: ClassModel | None = _entry(name, "CLASSES")
    if found is None and name.startswith("torch.nn."):
        return file_named("torch.nn").layer_class(name)  # type: ignore[no-any-return]
    if found is None and name.startswith("keras.layers."):
        return import_module("tensorproof.libraries.keras.custom").layer_class(name)  # type: ignore[no-any-return]
    rows = results.of_owner("class", name)
    return replace(found, methods={**rows, **found.methods}) if found and rows else found


@cache
def kind_model(kind: str) -> KindModel | None:
    found: KindModel | None = _entry(kind, "KINDS")
    rows = results.of_owner("object", kind)
    return replace(found, methods={**rows, **found.methods}) if found and rows else found


@cache
def lineage(name: str) -> tuple[str, ...]:
    """A library class with the library classes it derives from."""
    found = class_model(name)
    return (name, *(b for base in (found.bases if found else ()) for b in lineage(base)))


def _hook(cls: Any, hook: str) -> Any:
    """The first hook that one of the library classes in a class's order has."""
    for one in cls.mro:
        if isinstance(one, Named):
            for name in lineage(one.name):
                found = class_model(name)
                if found is not None and getattr(found, hook) is not None:
                    return getattr(found, hook)
    return None


def class_attribute(m: Machine, base: str, name: str) -> Value:
    for one in lineage(base):
        found = class_model(one)
        if found is not None:
            if name in found.methods:
                return _method(f"{one}.{name}", found.methods[name])
            if name == "__init__" and found.init is not None:
                return _method(f"{one}.__init__", found.init)
    return MISSING


@cache
def _method(name: str, run: Run) -> Native:
    def called(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        signatures.check(m, name, args, kwargs, node)
        return run(m, args[0], args[1:], kwargs, node)

    return Native(name, called)


def class_member(m: Machine, cls: Class, name: str) -> Value:
    hook = _hook(cls, "member")
    return MISSING if hook is None else hook(m, cls, name)


def instance_attribute(m: Machine, owner: Instance | Record, name: str, node: ast.AST) -> Value:
    for one in owner.cls.mro:
        if isinstance(one, Named):
            for base in lineage(one.name):
                found = class_model(base)
                if found is not None and found.attribute is not None:
                    result = found.attribute(m, owner, name, node)
                    if result is not MISSING:
                        return result
    return MISSING


def closed(base: str, name: str = "") -> bool:
    """Whether all that instances of this library class have is known: no attribute of this name is the library's without a model."""
    found = class_model(base)
    return found is not None and found.closed and not (name and any(is_public(f"{one}.{name}") for one in lineage(base)))


def plain_member(value: Instance) -> Value:
    """The text or number that a member of a mixed enumeration is; the value itself for any other object."""
    return value.space["_value_"] if "_value_" in value.space and any(c in (str, int, float) for c in value.cls.mro if isinstance(c, type)) else value


def attribute_stored(m: Machine, owner: Instance, name: str, value: Value, node: ast.AST) -> None:
    hook = _hook(owner.cls, "stored")
    if hook is not None:
        hook(m, owner, name, value, node)


def class_made(m: Machine, cls: Class, keywords: Kwargs, node: ast.AST) -> Value:
    hook = _hook(cls, "made")
    return cls if hook is None else hook(m, cls, keywords, node)


def construct(m: Machine, cls: Class, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    hook = _hook(cls, "construct")
    return MISSING if hook is None else hook(m, cls, args, kwargs, node)


def initialise(m: Machine, made: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> bool:
    hook = _hook(made.cls, "init")
    if hook is None:
        return False
    hook(m, made, args, kwargs, node)
    return True


def class_items(m: Machine, cls: Class) -> Any:
    hook = _hook(cls, "class_items")
    return MISSING if hook is None else hook(m, cls)


def class_item(m: Machine, cls: Class, index: Value, node: ast.AST) -> Value:
    hook = _hook(cls, "class_item")
    return MISSING if hook is None else hook(m, cls, index, node)


def derives(cls: Value, wanted: Value) -> bool:
    return isinstance(cls, Named) and isinstance(wanted, Named) and wanted.name in lineage(cls.name)


def calls(instance: Instance) -> bool:
    return _hook(instance.cls, "call") is not None


def call_instance(m: Machine, instance: Instance, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    hook = _hook(instance.cls, "call")
    if hook is not None:
        return hook(m, instance, args, kwargs, node)
    if not all(closed(c.name) if isinstance(c, Named) else not isinstance(c, Unknown) for c in instance.cls.mro):
        return m.gap(f"{instance.cls.name}(…)", node, "the base class is not modelled")
    raise m.raised("TypeError", f"a {instance.cls.name} cannot be called", node)


def derives_from(value: Instance, name: str) -> bool:
    """Whether the class of an object has this library class among its bases."""
    return any(isinstance(c, Named) and name in lineage(c.name) for c in value.cls.mro)


def is_instance(m: Machine, value: Value, name: str) -> Value:
    """`isinstance(value, LIBRARY.Class)`."""
    if name.partition(".")[0] in ("collections", "typing", "typing_extensions", "numbers") and not isinstance(value, (Instance, Model)):
        if name.endswith((".ForwardRef", ".TypeVar", ".ParamSpec", ".TypeVarTuple")) and not isinstance(value, Named):
            return False
        host = import_module("tensorproof.libraries.python.typing").host_class(name)
        return Unknown("isinstance") if host is None else m.call(isinstance, (value, host), {}, NOWHERE)
    if name == "torch.Size":
        return import_module("tensorproof.libraries.torch.sizes").is_instance(m, value)
    match value:
        case Instance():
            return derives_from(value, name)
        case TensorType():
            return _is_tensor_of(value, name)
        case Layer():
            mine = value.module.name if value.module is not None else value.kind
            if mine.startswith("keras."):
                return name == mine or (mine.startswith("keras.layers.") and name in ("keras.Layer", "keras.Operation"))
            if name == mine or name == "torch.nn.Module" or _same_class(name, mine):
                return True
            return import_module("tensorproof.libraries.torch.layer_attributes").is_base(name.rpartition(".")[2], mine.rpartition(".")[2])
        case Model():
            found = kind_model(value.kind)
            return name == value.kind or (found is not None and name in found.bases)
        case Device():
            return name == "torch.device"
        case DType():
            return name in ("torch.dtype", "tf.DType", "tf.dtypes.DType") if not name.startswith("numpy.") else Unknown("isinstance")
        case _:
            return False


def _is_tensor_of(value: TensorType, name: str) -> Value:
    """Whether a tensor is of a class: torch's, of which old ones say the element type, or NumPy's, where one number is no array."""
    if value.framework == "numpy":
        if value.shape.known and not value.shape and value.dtype is not None and name.startswith("numpy."):
            found = import_module("tensorproof.libraries.numpy.numbers").of_kind(value.dtype, Named(name))
            return Unknown("isinstance") if found is None else found
        return Unknown("isinstance") if name == "numpy.ndarray" and not value.shape.known else name == "numpy.ndarray"
    if name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
        return value.parameter
    kind = import_module("tensorproof.libraries.torch.sizes").LEGACY.get(name.removeprefix("torch.")) if name.startswith("torch.") else None
    if kind is not None and value.framework == "torch":
        return Unknown("isinstance") if value.dtype is None else value.dtype.label == kind
    return name in ("torch.Tensor", "tf.Tensor")


def _same_class(a: str, b: str) -> bool:
    return a.rpartition(".")[2] == b.rpartition(".")[2] and a.startswith("torch.nn") and b.startswith("torch.nn")


def _either(value: Any, hook: str) -> Any:
    if isinstance(value, Instance):
        return _hook(value.cls, hook) if hook in ClassModel.__slots__ else None
    if isinstance(value, Layer):
        return getattr(file_named("torch.nn"), f"layer_{hook}", None)
    found = kind_model(value.kind)
    return None if found is None else getattr(found, hook)


def items(m: Machine, value: Value, node: ast.AST) -> list[Value] | None:
    hook = _either(value, "items")
    if hook is not None:
        return hook(m, value, node)  # type: ignore[no-any-return]
    if isinstance(value, Model):
        found = iterations(m, value, node)
        return None if found is None else all_items(found)
    return None


def length(m: Machine, value: Value, node: ast.AST) -> Value:
    hook = _either(value, "length")
    return m.gap("len", node, "of a library's object") if hook is None else hook(m, value, node)


def known_length(m: Machine, value: Value, node: ast.AST) -> Value:
    """How many items a library's object gives, where its model tells; None otherwise."""
    hook = None if value is None else _either(value, "length")
    return None if hook is None else hook(m, value, node)


def item(m: Machine, value: Value, index: Value, node: ast.AST) -> Value:
    hook = _either(value, "item")
    if hook is None:
        if isinstance(value, Instance) and not any(isinstance(c, (Named, Unknown)) for c in value.cls.mro):
            raise m.raised("TypeError", f"a {value.cls.name} cannot be indexed", node)
        return m.gap("x[…]", node, "of a library's object")
    return hook(m, value, index, node)


def set_item(m: Machine, value: Value, index: Value, new: Value, node: ast.AST) -> None:
    hook = _either(value, "set_item")
    if hook is None:
        m.gap("x[…] = …", node, "of a library's object")
    else:
        hook(m, value, index, new, node)


def iterations(m: Machine, value: Value, node: ast.AST) -> Any:
    """The iterations of a loop over data: a list of (condition, item), or None."""
    if isinstance(value, Model):
        found = kind_model(value.kind)
        if found is not None and found.iterations is not None:
            return found.iterations(m, value, node)
    return None


def plain_source(value: Value) -> Any:
    """What a progress bar wraps: it is looped over as if there were no bar."""
    while isinstance(value, Model) and value.kind == "tqdm.tqdm" and value.space["source"] is not None:
        value = value.space["source"]
    return value


def data_of(value: Value) -> Value:
    """The dict or list that an object of a class of the program is; the value itself when it is none."""
    return value.native if isinstance(value, Instance) and isinstance(value.native, (Dict, List)) else value


def iterations_of(value: Value) -> bool:
    return isinstance(value, Model)


def iterator_of(m: Machine, value: Model, node: ast.AST) -> Value:
    found = kind_model(value.kind)
    if found is not None and found.next is not None:
        return value
    return MISSING if found is None or found.iterations is None else Model("data iterator", m.heap.space({"source": value}))


def next_item(m: Machine, value: Model, node: ast.AST) -> Value:
    found = kind_model(value.kind)
    return m.gap("next", node) if found is None or found.next is None else found.next(m, value, node)


def truth(m: Machine, value: Value) -> Any:
    if isinstance(value, Model):
        found = kind_model(value.kind)
        if found is not None and found.truth is not None:
            return found.truth(m, value)
        return True
    return True if isinstance(value, (Named, Layer, Method, Native)) else MISSING


def tensor_of(value: Value) -> Value:
    """The tensor that an object stands for, MISSING when it stands for none."""
    if isinstance(value, Instance) and isinstance(value.native, TensorType):
        return value.native
    if isinstance(value, Model) and isinstance(value.space.get("tensor"), TensorType):
        return value.space["tensor"]
    return MISSING

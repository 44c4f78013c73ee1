"""Attributes: of the program's objects by Python's own rules, of tensors, layers and libraries by theirs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.names import is_public, versions
from tensorproof.frontends.python.attributes import functions, lazy_packages, library_names, listing, metaclasses, super_attributes, unknown_values
from tensorproof.frontends.python.attributes.lookup import added, bind, in_class
from tensorproof.frontends.python.branching.joining import may_be_missing
from tensorproof.frontends.python.containers import containers
from tensorproof.frontends.python.tensors import tensors
from tensorproof.libraries import library_objects, registry
from tensorproof.libraries.constants import constant
from tensorproof.libraries.homes import unseen
from tensorproof.libraries.keras.names import canonical
from tensorproof.libraries.plain import HOSTS
from tensorproof.libraries.python.object_attributes import plain_object_method
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import (
    FIELDS,
    Bound,
    Choice,
    Class,
    ClassMethod,
    Dict,
    Function,
    Generator,
    Instance,
    Iterator,
    Later,
    List,
    Model,
    ModuleFile,
    Native,
    Property,
    Record,
    Set,
    StaticMethod,
    Super,
)  # fmt: skip
from tensorproof.values.python_values import WHOLE, Layer, Method, Named, Unknown
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_OF_LIBRARIES = frozenset((TensorType, Layer, Model))
_HOST = (str, int, float, complex, tuple, range, slice, bytes, bool, type(None))


def load(m: Interpreter, owner: Any, name: str, node: ast.AST) -> Value:
    kind = type(owner)
    if kind is Instance:
        return of_instance(m, owner, name, node)
    if kind in _OF_LIBRARIES and "library names" in m.model_state:
        value = added(m, owner, name, node)
        if value is not MISSING:
            return value
    known = _BY_KIND.get(kind)
    return _of_others(m, owner, name, node) if known is None else known(m, owner, name, node)


def _of_choice(m: Interpreter, owner: Choice, name: str, node: ast.AST) -> Value:
    return m.branching.choose(owner.condition, lambda: load(m, owner.then, name, node), lambda: load(m, owner.other, name, node))


def _of_bound(m: Interpreter, owner: Bound, name: str, node: ast.AST) -> Value:
    return owner.self if name == "__self__" else load(m, owner.function, name, node)


def _of_tensor_shape(m: Interpreter, owner: TensorShape, name: str, node: ast.AST) -> Value:
    from tensorproof.libraries.tensorflow import shapes as tf_shapes

    return tf_shapes.attribute(m, owner, name, node)


def _of_native(m: Interpreter, owner: Native, name: str, node: ast.AST) -> Value:
    return owner.name.rpartition(".")[2] if name in ("__name__", "__qualname__") else m.gap(f"Native.{name}", node)


def _of_others(m: Interpreter, owner: Value, name: str, node: ast.AST) -> Value:
    """Attributes of Python's own values, of classes derived from them, and of symbolic numbers."""
    if isinstance(owner, Outputs) and name in owner.names:
        return owner[owner.names.index(name)]
    if isinstance(owner, _HOST):
        return _of_host(m, owner, name, node)
    if isinstance(owner, ModuleType):
        own = library_names.written(m, f"{owner.__name__}.{name}")
        found = getattr(owner, name, MISSING) if own is MISSING else own
        if found is MISSING:
            raise m.raised("AttributeError", f"the module {owner.__name__} has no attribute {name}", node)
        return found
    if isinstance(owner, type):
        return _of_host_class(m, owner, name, node)
    if type(owner) is Term or isinstance(owner, Predicate):
        return _of_symbol(m, owner, name, node)
    if type(owner).__module__ in HOSTS:
        return _of_host(m, owner, name, node)
    return m.gap(f"{type(owner).__name__}.{name}", node)


def _of_host_class(m: Interpreter, owner: type, name: str, node: ast.AST) -> Value:
    if owner is object and name in ("__setattr__", "__getattribute__", "__init__", "__new__", "__delattr__", "__init_subclass__"):
        return Native(f"object.{name}", partial(plain_object_method, name))
    if owner is dict or owner is list:
        method = registry.class_attribute(m, f"builtins.{owner.__name__}", name)
        if method is not MISSING:
            return method
    found = getattr(owner, name, MISSING)
    if found is MISSING:
        raise m.raised("AttributeError", f"{owner.__name__} has no attribute {name}", node)
    return found


def _of_symbol(m: Interpreter, owner: Term | Predicate, name: str, node: ast.AST) -> Value:
    if not hasattr(int, name) and name != "value":  # TensorFlow 1 has sizes with a value
        raise m.raised("AttributeError", f"a whole number has no attribute {name}", node)
    return owner if name in ("real", "numerator") or (name == "value" and m.model_state.get("tf1")) else unknown_values.attribute(m, WHOLE, name, node)


def _of_property(m: Interpreter, owner: Property, name: str, node: ast.AST) -> Value:
    match name:
        case "setter":
            return Native("property.setter", lambda m, args, kwargs, node: replace(owner, set=args[0]))
        case "getter":
            return Native("property.getter", lambda m, args, kwargs, node: replace(owner, get=args[0]))
        case "deleter":
            return Native("property.deleter", lambda m, args, kwargs, node: replace(owner, delete=args[0]))
        case "fget" | "fset" | "fdel":
            return {"fget": owner.get, "fset": owner.set, "fdel": owner.delete}[name]
        case _:
            raise m.raised("AttributeError", f"a property has no attribute {name}", node)


def _of_dtype(owner: DType, name: str) -> Value:
    known = {
        "is_floating_point": owner.is_float,
        "is_complex": owner.is_complex,
        "itemsize": owner.bits // 8,
        "type": owner,
        "is_signed": owner.kind in "ifc",
        "name": owner.label,
        "__name__": owner.label,
    }
    return known.get(name, Unknown(name))


def _of_host(m: Interpreter, owner: Value, name: str, node: ast.AST) -> Value:
    if isinstance(owner, Outputs) and name == "_fields":
        return owner.names
    if isinstance(owner, tuple) and name in ("index", "count"):
        return Method(owner, name)
    if isinstance(owner, tuple) and name == "numel":  # torch.Size
        return Method(owner, name)
    found = getattr(owner, name, MISSING)
    if found is MISSING and name == "value" and (owner is None or type(owner) is int) and m.model_state.get("tf1"):
        return owner  # a tf.Dimension of TensorFlow 1
    if found is MISSING and m.model_state.get("numpy_numbers") and type(owner) in (bool, int, float) and is_public(f"numpy.ndarray.{name}"):
        # this number may be one of NumPy, which the interpreter holds as a number of Python
        return Native("item", lambda m, args, kwargs, node: owner) if name == "item" else m.gap(f"numpy number.{name}", node)
    if found is MISSING:
        what = "None" if owner is None else f"a {type(owner).__name__}"
        raise m.raised("AttributeError", f"{what} has no attribute {name}", node)
    return found


# --- classes and instances ---


def of_instance(m: Interpreter, owner: Instance, name: str, node: ast.AST) -> Value:
    if "own lookup" in m.model_state:
        own = super_attributes.own_lookup(m, owner, name, node)
        if own is not MISSING:
            return own
    value, _ = in_class(m, owner.cls, name)
    if type(value) is Property:
        return m.call(value.get, (owner,), {}, node)
    own = owner.space.get(name, MISSING)
    if own is not MISSING:
        if type(own) is Choice and may_be_missing(own):
            return _maybe(m, owner, own, name, node)
        return own
    return _of_class_only(m, owner, name, node)


def _of_class_only(m: Interpreter, owner: Instance, name: str, node: ast.AST) -> Value:
    """What an object answers for a name that it does not hold itself."""
    value, holder = in_class(m, owner.cls, name)
    if isinstance(holder, Named) and library_objects.lacks(holder.name, name):
        raise m.raised("AttributeError", f"{owner.cls.name} has no attribute {name}: {holder.name} has none", node)
    if value is not MISSING:
        return Unknown(name) if isinstance(holder, Class) and _field_of_a_library(owner.cls, holder, name, value) else bind(m, value, owner, node)
    if name == "__class__":
        return owner.cls
    if name in ("__module__", "__doc__"):
        return of_class(m, owner.cls, name, node)
    if name == "__dict__":
        if any(type(v) is Choice and (v.then is MISSING or v.other is MISSING) for v in owner.space.values()):
            return Unknown("__dict__")
        return Dict(owner.space)  # type: ignore[arg-type]
    fallback, _ = in_class(m, owner.cls, "__getattr__")
    if fallback is not MISSING:
        return m.call(bind(m, fallback, owner, node), (name,), {}, node)
    if any(isinstance(c, Unknown) for c in owner.cls.mro):
        return Unknown(name)
    found = registry.instance_attribute(m, owner, name, node)
    if found is not MISSING:
        return found
    open_base = next((c.name for c in owner.cls.mro if isinstance(c, Named) and not registry.closed(c.name, name)), None)
    if open_base is not None and not library_objects.lacks(open_base, name):
        inherited = m.modules.source_of(m, f"{open_base}.{name}")
        if inherited is not None:
            return bind(m, inherited, owner, node)
        return m.gap(f"{open_base}.{name}", node, "the base class is not modelled")
    if name.startswith("__") and name.endswith("__"):
        return m.gap(f"{owner.cls.name}.{name}", node, "a special method that is not modelled")
    raise m.raised("AttributeError", f"{owner.cls.name} has no attribute {name}", node)


def _field_of_a_library(cls: Class, holder: Class, name: str, value: Value) -> bool:
    """Whether a base class that is not known may put another value in the place of an annotated field's default."""
    if not any(isinstance(c, Unknown) or (isinstance(c, Named) and not registry.closed(c.name)) for c in cls.mro):
        return False
    fields = holder.space.get(FIELDS, ())
    annotation = dict(fields).get(name)
    if annotation is None or isinstance(value, (Function, Property, ClassMethod, StaticMethod)):
        return False
    plain: Any = {"int": int, "str": str, "bool": bool, "float": (int, float)}.get(annotation.id if isinstance(annotation, ast.Name) else "")
    return plain is not None and not isinstance(value, plain)


def _maybe(m: Interpreter, owner: Instance, own: Choice, name: str, node: ast.AST) -> Value:
    """An attribute that only one side of a branch set: where it is missing, the class is asked."""

    def side(one: Value) -> Value:
        if one is MISSING:
            return _of_class_only(m, owner, name, node)
        return _maybe(m, owner, one, name, node) if type(one) is Choice and may_be_missing(one) else one

    return m.branching.choose(own.condition, lambda: side(own.then), lambda: side(own.other))


def of_record(m: Interpreter, owner: Record, name: str, node: ast.AST) -> Value:
    """An attribute of a named tuple."""
    value, _ = in_class(m, owner.cls, name)
    if value is not MISSING:
        return bind(m, value, owner, node)
    found = registry.instance_attribute(m, owner, name, node)
    return _of_host(m, tuple(owner), name, node) if found is MISSING else found


_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
"""What every class has of `object`, unless a class of the program defines it."""


def of_class(m: Interpreter, owner: Class, name: str, node: ast.AST) -> Value:
    value, _ = in_class(m, owner, name)
    if value is not MISSING:
        if type(value) is ClassMethod:
            return Bound(value.function, owner)
        if type(value) is StaticMethod:
            return value.function
        if type(value) is Instance:
            getter, _ = in_class(m, value.cls, "__get__")
            return value if getter is MISSING else m.call(Bound(getter, value), (None, owner), {}, node)
        return Dict(m.heap.entries({s.name: Unknown(s.name) for s in value})) if name == "__dataclass_fields__" and isinstance(value, tuple) else value
    match name:
        case "__name__":
            return owner.name
        case "__qualname__":
            return functions.qualified(m, owner.module, owner.name, owner.span.line if owner.span is not None else 0)
        case "__module__":
            return owner.module.name if owner.module is not None else "__main__"
        case "__mro__":
            return owner.mro
        case "__bases__":
            return owner.bases
        case "__doc__":
            return None
        case "__dict__":
            return Dict(m.heap.entries(dict(owner.space)))
        case _:
            pass
    found = registry.class_member(m, owner, name)
    if found is MISSING and owner.meta is not None:
        found = metaclasses.attribute(m, owner, name, node)
    if found is not MISSING:
        return found
    if any(isinstance(c, Unknown) or (isinstance(c, Named) and not registry.closed(c.name, name)) for c in owner.mro):
        return Unknown(name)
    if name == "register" and any(isinstance(c, Named) and c.name == "abc.ABC" for c in owner.mro):
        return Native("abc.register", lambda machine, args, kwargs, at: metaclasses.register(machine, owner, args[0]))
    if name in _ORDER and owner.meta is None and all(c is object or (isinstance(c, Class) and "__dataclass_fields__" not in c.space) for c in owner.mro):
        return getattr(object, name)
    if name.startswith("__") and name.endswith("__"):
        return m.gap(f"{owner.name}.{name}", node, "what a class's own class gives it is not known")
    raise m.raised("AttributeError", f"the class {owner.name} has no attribute {name}", node)


_IMPORTERS = ("importlib.import_module", "__import__", "exec")
"""What may have imported a submodule that we do not know of."""


def of_module(m: Interpreter, owner: ModuleFile, name: str, node: ast.AST) -> Value:
    m.modules.ensure(m, owner, name)
    value = owner.space.get(name, MISSING)
    if type(value) is Later:
        value = m.modules.now(m, value, node)
        m.heap.set(owner.space, name, value)
    if value is MISSING and owner.lazy and not name.startswith("__"):
        value = lazy_packages.found(m, owner, name)
        value = m.modules.now(m, value, node) if type(value) is Later else value
    if value is not MISSING:
        return value
    if name == "__dict__":
        return listing.of_module(m, owner)
    found = m.modules.submodule(m, owner, name) if owner.foreign else None
    if found is not None:
        return found
    fallback = owner.space.get("__getattr__", MISSING)
    if fallback is not MISSING:
        return m.call(fallback, (name,), {}, node)
    if owner.hidden or (owner.foreign and owner.state != "done" and not m.modules.unbound(owner, name)) or any(g.callee in _IMPORTERS for g in m.path.gaps):
        return Unknown(f"{owner.name}.{name}")
    why = "" if owner.state == "done" else ": the imports go in a circle, it has only begun to run"
    raise m.raised("AttributeError", f"the module {owner.name} has no attribute {name}{why}", node)


def of_library(m: Interpreter, library: str, name: str, node: ast.AST, error: str = "AttributeError") -> Value:
    if name in ("__name__", "__qualname__"):
        return library.rpartition(".")[2]
    held = library_names.written(m, f"{library}.{name}") if "library names" in m.model_state else MISSING
    if held is not MISSING:
        return held
    full = canonical(f"{library}.{name}")
    found, value = constant(full)
    if found and not versions.changing(name):
        return value
    library_names.check(m, f"{library}.{name}", node, error)
    if found:
        return value
    model = registry.value(m, full)
    if model is not MISSING:
        return library_names.module(f"{library}.{name}", model)
    resolved = library_names.module(f"{library}.{name}", m.modules.resolve(m, full))
    return Unknown(resolved.name, key=resolved.name) if type(resolved) is Named and unseen(resolved.name) else resolved


_BY_KIND: dict[type, Callable[[Interpreter, Any, str, ast.AST], Value]] = {
    TensorType: tensors.attribute,
    Named: lambda m, owner, name, node: of_library(m, owner.name, name, node),
    Unknown: unknown_values.attribute,
    Choice: _of_choice,
    Class: of_class,
    ModuleFile: of_module,
    Layer: tensors.layer_attribute,
    Model: library_objects.model_attribute,
    Super: super_attributes.attribute,
    List: containers.attribute,
    Dict: containers.attribute,
    Set: containers.attribute,
    Function: functions.attribute,
    Bound: _of_bound,
    Record: of_record,
    TensorShape: _of_tensor_shape,
    Generator: lambda m, owner, name, node: Method(owner, name),
    Iterator: lambda m, owner, name, node: Method(owner, name),
    Property: _of_property,
    DType: lambda m, owner, name, node: _of_dtype(owner, name),
    Native: _of_native,
}
"""How an attribute of a value of exactly this class is found."""

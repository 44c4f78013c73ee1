"""Python's functions that ask after classes and attributes: isinstance, getattr, type, super, callable and their like."""

from __future__ import annotations

import ast
import collections
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import stores
from tensorproof.frontends.python.attributes.library_names import has, reached, written
from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.calls import virtual_subclasses
from tensorproof.frontends.python.calls.classes import cls_is
from tensorproof.frontends.python.calls.virtual_subclasses import class_of
from tensorproof.frontends.python.containers.type_names import type_name
from tensorproof.frontends.python.errors import BASES, Raised
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.kinds import Kinds
from tensorproof.frontends.python.tensors.number_kinds import number_kind
from tensorproof.frontends.python.tensors.tensors import tensor_class
from tensorproof.libraries import library_objects, registry
from tensorproof.libraries.numpy.numbers import of_kind
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import (
    Bound,
    Choice,
    Class,
    ClassMethod,
    Dict,
    Function,
    Generator,
    Instance,
    Iterator,
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
from tensorproof.values.python_values import Layer, Method, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def is_instance(m: Interpreter, value: Value, wanted: Value) -> Value:
    """`isinstance(value, wanted)`."""
    if isinstance(wanted, tuple):
        results = [is_instance(m, value, w) for w in wanted]
        if any(r is True for r in results):
            return True
        return next((r for r in results if r is not False), False)
    if isinstance(value, Unknown) or isinstance(wanted, Unknown):
        return _of_kind(value, wanted)
    if isinstance(value, Choice):
        return m.branching.choose(value.condition, lambda: is_instance(m, value.then, wanted), lambda: is_instance(m, value.other, wanted))
    if isinstance(wanted, Class):
        if isinstance(value, (Instance, Record)) and cls_is(value.cls, wanted):
            return True
        return virtual_subclasses.answered(m, class_of(value), wanted, lambda one: is_instance(m, value, one), lambda name: _has(m, value, name))
    if isinstance(wanted, Named):
        return registry.is_instance(m, value, wanted.name)
    if isinstance(wanted, type):
        return _is_host_instance(m, value, wanted)
    return Unknown("isinstance")


def _has(m: Interpreter, value: Value, name: str) -> Value:
    return Unknown("hasattr") if isinstance(value, (TensorType, Layer, Model)) else _hasattr(m, m.here or ast.Pass(), value, name)


def _of_kind(value: Value, wanted: Value) -> Value:
    """`isinstance` of something unknown, where its kind is known."""
    kind: Any = None
    if isinstance(value, Unknown):
        kind = str if value.text else bytes if value.octets else {"float": float, "int": int, "bool": bool}.get(value.number)
    if kind is not None and isinstance(wanted, type):
        if issubclass(kind, wanted):
            return True
        if wanted in (str, bytes, list, tuple, dict, set) or (kind is str and wanted in (int, float, bool)):
            return False
    return Unknown("isinstance")


def _is_host_instance(m: Interpreter, value: Value, wanted: type) -> Value:
    """Whether a value is of a class of Python's own."""
    return _HOST_CLASSES[type(value)](m, value, wanted)


def _list_is(m: Interpreter, value: List, wanted: type) -> bool:
    return issubclass(type(getattr({}, value.view)()) if value.view else collections.deque if value.deque else list, wanted)


def _dict_is(m: Interpreter, value: Dict, wanted: type) -> bool:
    counted = collections.Counter if value.counter else collections.OrderedDict if value.ordered else None
    return issubclass(counted or (dict if value.default is None else collections.defaultdict), wanted)


def _instance_is(m: Interpreter, value: Instance, wanted: type) -> Value:
    if isinstance(value.native, (Dict, List)) and _is_host_instance(m, value.native, wanted):
        return True
    return wanted is object or any(c is wanted or (isinstance(c, type) and issubclass(c, wanted)) for c in value.cls.mro)


def _function_is(own: type) -> Callable[[Interpreter, Value, type], bool]:
    return lambda m, value, wanted: wanted is own or wanted is object or wanted.__name__ == "Callable"


def _model_is(m: Interpreter, value: Model, wanted: type) -> Value:
    if value.kind == "quiet":
        return True if wanted is object else Unknown("isinstance")
    if value.kind == "exception":
        kind = value.space["kind"]
        return isinstance(kind, str) and kind in BASES and wanted.__name__ in _lineage(kind)
    return wanted is object


def _tensor_is(m: Interpreter, value: TensorType, wanted: type) -> bool:
    if value.framework == "numpy" and value.shape.known and not value.shape:  # a number
        if wanted.__module__ == "numbers":
            return value.dtype is not None and wanted.__name__ in _TOWER.get(value.dtype.kind, ())
        if wanted in (float, complex):
            return value.dtype is not None and value.dtype.label == ("float64" if wanted is float else "complex128")
    return wanted is object or wanted.__name__ == "Iterable"


def _object_or(*names: str) -> Callable[[Interpreter, Value, type], bool]:
    return lambda m, value, wanted: wanted is object or wanted.__name__ in names


def _named_is(m: Interpreter, value: Named, wanted: type) -> Value:
    """A name of a library: a class of it is a type, a function of it is callable; what it is else is not known here."""
    if wanted is object or wanted.__module__ not in ("builtins", "types", "collections.abc", "typing"):
        return wanted is object
    if wanted is not type and wanted.__module__ == "builtins" and wanted.__name__ in _PLAIN:
        return False
    is_class, is_function = registry.class_model(value.name) is not None, value.name.startswith("torch.nn.functional.")
    if is_class or is_function:
        return wanted.__name__ == "Callable" or (wanted is type and is_class)
    return Unknown("isinstance")


_PLAIN = frozenset({"str", "int", "float", "bool", "bytes", "complex", "list", "tuple", "dict", "set", "frozenset"})
_HOST_CLASSES: Kinds[Callable[[Interpreter, Any, type], Value]] = Kinds(
    {
        List: _list_is, Dict: _dict_is, Set: lambda m, value, wanted: issubclass(frozenset if value.frozen else set, wanted),
        Term: lambda m, value, wanted: issubclass(int, wanted), Predicate: lambda m, value, wanted: issubclass(bool, wanted), Instance: _instance_is,
        Function: _function_is(types.FunctionType), Bound: _function_is(types.MethodType), Native: _function_is(types.BuiltinFunctionType),
        Class: lambda m, value, wanted: wanted in (type, object), Model: _model_is, TensorType: _tensor_is, Layer: _object_or("Callable"),
        Generator: _object_or("Iterable", "Iterator"), Iterator: _object_or("Iterable", "Iterator"),
        Named: _named_is, ModuleFile: _object_or(), DType: _object_or(), Method: _object_or(),
    },
    lambda m, value, wanted: isinstance(value, wanted),
)  # fmt: skip
"""Whether a value of each kind is of a class of Python's own."""


_TOWER = {
    "i": ("Number", "Complex", "Real", "Rational", "Integral"), "u": ("Number", "Complex", "Real", "Rational", "Integral"),
    "f": ("Number", "Complex", "Real"), "c": ("Number", "Complex"),
}  # fmt: skip
"""The classes of `numbers` that NumPy's numbers of each kind are registered with."""


def _lineage(kind: str) -> set[str]:
    found = {kind}
    for base in BASES.get(kind, ()):
        found |= _lineage(base)
    return found


def _isinstance(m: Interpreter, node: ast.AST, value: Value, wanted: Value) -> Value:
    return is_instance(m, value, wanted)


def _issubclass(m: Interpreter, node: ast.AST, cls: Value, wanted: Value) -> Value:
    if isinstance(cls, (Instance, Layer, TensorType, int, str, List, Dict)):
        raise m.raised("TypeError", "issubclass() takes a class, and its first argument is an object: use isinstance()", node)
    if isinstance(wanted, tuple):
        return any(_issubclass(m, node, cls, w) is True for w in wanted)
    if isinstance(cls, Class) and (cls_is(cls, wanted) or wanted is object):
        return True
    if isinstance(wanted, Class):
        return virtual_subclasses.answered(m, cls, wanted, lambda one: _issubclass(m, node, cls, one), lambda name: _hasattr(m, node, cls, name))
    if isinstance(cls, Class):
        return False
    if isinstance(cls, type) and isinstance(wanted, type):
        return issubclass(cls, wanted)
    if isinstance(cls, Named) and isinstance(wanted, Named):
        return registry.derives(cls, wanted) or cls.name == wanted.name
    if isinstance(cls, DType):
        found = of_kind(cls, wanted)
        return Unknown("issubclass") if found is None else found
    return Unknown("issubclass")


def _getattr(m: Interpreter, node: ast.AST, owner: Value, name: Value, *default: Value) -> Value:
    if not isinstance(name, str):
        if number_kind(name):
            raise m.raised("TypeError", "the name of an attribute must be a text", node)
        return Unknown("getattr")
    if not default:
        return m.attribute(owner, name, node)
    if type(owner) is Named and not has(reached(full := f"{owner.name}.{name}")) and written(m, full) is MISSING:
        return default[0]
    m.handlers += 1
    try:
        return m.attribute(owner, name, node)
    except Raised as raised:
        if raised.kind == "AttributeError":
            return default[0]
        raise
    finally:
        m.handlers -= 1


def _hasattr(m: Interpreter, node: ast.AST, owner: Value, name: Value) -> Value:
    if isinstance(owner, Unknown) or not isinstance(name, str):
        return Unknown("hasattr")
    missing = object()
    gaps = len(m.path.gaps)
    found = _getattr(m, node, owner, name, missing)
    del m.path.gaps[gaps:]
    return Unknown("hasattr") if isinstance(found, Unknown) else found is not missing


def _setattr(m: Interpreter, node: ast.AST, owner: Value, name: Value, value: Value) -> None:
    if isinstance(name, str):
        m.set_attribute(owner, name, value, node)
    else:
        m.gap("setattr", node, "the name is not known")


def _delattr(m: Interpreter, node: ast.AST, owner: Value, name: Any) -> None:
    stores.delete(m, owner, name, node)


def _type(m: Interpreter, node: ast.AST, value: Value, *rest: Value) -> Value:
    if rest:
        return m.gap("type(name, bases, dict)", node)
    match value:
        case Instance() | Record():
            return value.cls
        case List():
            return type(getattr({}, value.view)()) if value.view else list
        case Dict():
            return dict
        case Set():
            return frozenset if value.frozen else set
        case Unknown():
            kind = str if value.text else bytes if value.octets else {"float": float, "int": int, "bool": bool}.get(value.number)
            return value if kind is None else kind
        case TensorType():
            if value.framework == "numpy" and not (value.shape.known and value.shape):  # an array of no axes is not distinguished from a number
                plain = value.dtype is not None and value.shape.known and value.dtype.label not in ("float64", "int64", "bool", "complex128")
                return value.dtype if plain else Unknown("the type of a number of NumPy")
            return Named(tensor_class(value))
        case Layer():
            return Named(value.module.name if value.module is not None else "torch.nn.Sequential")
        case Term():
            return int
        case Predicate():
            return bool
        case Choice():
            return m.branching.choose(value.condition, lambda: _type(m, node, value.then), lambda: _type(m, node, value.other))
        case Model():
            return Named(value.kind)
        case _:
            return type(value)


def zero_super(frame: Frame, node: ast.AST) -> Value:
    """`super()` inside a method."""
    owner, function = frame.owner, frame.function
    if owner is None or function is None:
        raise frame.machine.raised("RuntimeError", "super() stands in no method of a class", node, "python/super")
    arguments = function.code.node.args
    first = [*arguments.posonlyargs, *arguments.args]
    me = frame.space.get(first[0].arg, MISSING) if first else MISSING
    for space in frame.scopes:
        if me is not MISSING:
            break
        me = space.get(first[0].arg if first else "self", MISSING)
    if me is not MISSING and not isinstance(me, (Instance, Class, Named, Unknown, Choice)):
        raise frame.machine.raised("TypeError", "super() takes the first argument for the object, and this is another value", node, "python/super")
    return Super(owner, me)


def _super(m: Interpreter, node: ast.AST, cls: Value = None, me: Value = None) -> Value:
    if not isinstance(cls, (Class, Named, Unknown, type)):
        raise m.raised("TypeError", f"super takes a class first, not a {type_name(cls)}", node)
    if me is None:  # bound to nothing: its own __init__ does nothing to the object
        return Model("object", m.heap.space({"__init__": Native("__init__", lambda *a: None)}))
    return Super(cls, me)


def _property(m: Interpreter, node: ast.AST, fget: Value = None, fset: Value = None, fdel: Value = None, doc: Value = None) -> Value:
    return Property(fget, fset, fdel)


def _callable(m: Interpreter, node: ast.AST, value: Value) -> Value:
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Instance):
        return in_class(m, value.cls, "__call__")[0] is not MISSING or registry.calls(value)
    if isinstance(value, Model):
        return library_objects.model_calls(value)
    return isinstance(value, (Function, Bound, Native, Class, Layer, Method, Named, type)) or (callable(value) and not isinstance(value, (List, Dict, Set)))


MODELS: dict[Any, Callable[..., Any]] = {
    isinstance: _isinstance, issubclass: _issubclass, getattr: _getattr, hasattr: _hasattr, setattr: _setattr, delattr: _delattr, type: _type,
    super: _super, property: _property, staticmethod: lambda m, node, f: StaticMethod(f), classmethod: lambda m, node, f: ClassMethod(f),
    callable: _callable,
}  # fmt: skip

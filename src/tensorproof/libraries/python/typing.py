"""typing, abc and types: names that only annotate, abstract classes, typed dicts, plain namespaces."""

from __future__ import annotations

import ast
import collections
import collections.abc
import numbers
import types
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument
from tensorproof.libraries.python.collections import TUPLE, named_tuple_class
from tensorproof.values import MISSING, Args, Kwargs, Machine, Unknown, Value
from tensorproof.values.objects import Bound, Class, ClassMethod, Dict, Function, Model, Native, Property, StaticMethod


def _runtime_checkable(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if isinstance(args[0], Class):
        m.heap.set(args[0].space, "__runtime__", True)
    return args[0]


def _named_tuple(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> Value:
    rows = m.iterate(args[1], node) if len(args) > 1 else []
    pairs = None if rows is None else [m.iterate(row, node) for row in rows]
    if pairs is None or any(p is None or len(p) != 2 or not isinstance(p[0], str) for p in pairs):
        return m.gap("typing.NamedTuple", node, "its fields are not known")
    return named_tuple_class(m, args[0], [p[0] for p in pairs if p is not None], (), node)


def _abstract(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function = args[0]
    inner = function.function if isinstance(function, (ClassMethod, StaticMethod)) else function.get if isinstance(function, Property) else function
    if isinstance(inner, Function):
        if inner.space is None:
            inner.space = m.heap.space()
        m.heap.set(inner.space, "__isabstractmethod__", True)
    return function


def _is_abstract(value: Value) -> bool:
    match value:
        case Function():
            return value.space is not None and value.space.get("__isabstractmethod__") is True
        case ClassMethod() | StaticMethod():
            return _is_abstract(value.function)
        case Property():
            return _is_abstract(value.get)
        case _:
            return False


def open_methods(m: Machine, cls: Class) -> list[str]:
    """The abstract methods that a class does not define."""
    names = dict.fromkeys(name for one in cls.mro if isinstance(one, Class) for name, value in one.space.items() if _is_abstract(value))
    return [name for name in names if _is_abstract(m.in_class(cls, name))]


def construct_abstract(m: Machine, cls: Class, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An abstract class has no instances; any other is made as always."""
    open_ = open_methods(m, cls)
    if open_:
        raise m.raised("TypeError", f"{cls.name} is abstract: it does not define {', '.join(sorted(open_))}", node, "python/abstract")
    return MISSING


def namespace_attribute(kind: str, m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    if name == "__dict__":
        return Dict(me.space)  # type: ignore[arg-type]
    if name in me.space:
        return MISSING
    if name.startswith("__"):
        return Unknown(name)
    raise m.raised("AttributeError", f"the {kind} has no attribute {name}", node)


def namespace_binary(m: Machine, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    """Two namespaces are equal when what they hold is."""
    if word not in ("eq", "ne"):
        raise m.raised("TypeError", f"the operator {word} is not defined for namespaces", node)
    if not (isinstance(a, Model) and isinstance(b, Model) and a.kind == b.kind):
        return word == "ne"
    return m.compare(ast.Eq if word == "eq" else ast.NotEq, Dict(a.space), Dict(b.space), node)  # type: ignore[arg-type]


def host_class(name: str) -> type | None:
    """Python's own class of a dotted name, where an instance of ours can be known to be one of it."""
    library, _, word = name.rpartition(".")
    home: Value = {"collections.abc": collections.abc, "typing": collections.abc, "typing_extensions": collections.abc, "numbers": numbers, "types": types}.get(
        library
    )
    if name in ("collections.OrderedDict", "collections.defaultdict", "collections.Counter", "collections.deque"):
        home = collections
    word = {"List": "list", "Dict": "dict", "Set": "set", "Tuple": "tuple"}.get(word, word) if library.startswith("typing") else word
    if library.startswith("typing") and word in ("list", "dict", "set", "tuple"):
        return {"list": list, "dict": dict, "set": set, "tuple": tuple}[word]
    found = getattr(home, word, None)
    return found if isinstance(found, type) else None


_TYPING: dict[str, Run] = {
    "runtime_checkable": _runtime_checkable, "cast": lambda m, a, k, n: argument(a, k, 1, "val"),
    "NewType": lambda m, a, k, n: Native(str(a[0]), lambda machine, inner, named, at: inner[0]),
    "NamedTuple": _named_tuple, "TypedDict": lambda m, a, k, n: dict,
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    **{f"{library}.{name}": run for library in ("typing", "typing_extensions") for name, run in _TYPING.items()},
    "abc.abstractproperty": lambda m, a, k, n: Property(_abstract(m, a, k, n)),
    "abc.abstractmethod": _abstract, "abc.abstractclassmethod": _abstract, "abc.abstractstaticmethod": _abstract,
    "types.SimpleNamespace": lambda m, a, k, n: Model("types.SimpleNamespace", m.heap.entries(k)), "types.MethodType": lambda m, a, k, n: Bound(a[0], a[1]),
}  # fmt: skip
VALUES: dict[str, object] = {
    "types.FunctionType": types.FunctionType, "types.LambdaType": types.FunctionType, "types.NoneType": type(None), "types.GeneratorType": types.GeneratorType,
}  # fmt: skip
KINDS = {"types.SimpleNamespace": KindModel(attribute=partial(namespace_attribute, "namespace"), binary=namespace_binary)}
_GENERIC = ("Generic", "Protocol", "Hashable", "Sized")
CLASSES = {
    **{f"{library}.{name}": ClassModel(f"{library}.{name}") for library in ("typing", "typing_extensions") for name in _GENERIC},
    **{
        f"{library}.TypedDict": ClassModel(f"{library}.TypedDict", construct=lambda m, cls, a, k, n: m.call(dict, a, k, n))
        for library in ("typing", "typing_extensions")
    },
    "typing.NamedTuple": TUPLE,
    "abc.ABC": ClassModel("abc.ABC", construct=construct_abstract),
}

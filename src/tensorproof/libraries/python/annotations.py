"""The types that annotations write: what `dataclasses.fields` and `inspect.get_annotations` give, and what typing says of their parts."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from tensorproof.libraries.model import KindModel
from tensorproof.values import FIELDS, MISSING, Args, Class, Dict, Function, Kwargs, Machine, Model, ModuleFile, Named, Unknown, Value
from tensorproof.values.python_values import Union

ALIAS = "typing.Alias"
FUTURE = Named("__future__.annotations")
_GENERIC = ("typing.", "typing_extensions.", "collections.")
_CLOSED = (".TypedDict", ".NamedTuple")
"""Bases of classes that take no parameters."""


def of(m: Machine, annotation: ast.expr | None, module: ModuleFile | None, node: ast.AST, evaluated: bool = False) -> Value:
    """The value of an annotation in a module: its text where the module begins with `from __future__ import annotations`, unless it is `evaluated`."""
    if annotation is None:
        return Unknown("a type")
    if evaluated and isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return _value(m, ast.parse(annotation.value, mode="eval").body, module, node)
        except SyntaxError:
            return Unknown("a type")
    if not evaluated and module is not None and module.space.get("annotations") == FUTURE:
        return ast.unparse(annotation)
    return _value(m, annotation, module, node)


def _value(m: Machine, written: ast.expr, module: ModuleFile | None, node: ast.AST) -> Value:
    match written:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if module is not None and name in module.space:
                return m.attribute(module, name, node)
            return getattr(builtins, name, Unknown("a type"))
        case ast.Attribute(value=owner, attr=name):
            found = _value(m, owner, module, node)
            return found if isinstance(found, Unknown) else m.attribute(found, name, node)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            sides = [part for side in (left, right) for part in _sides(_value(m, side, module, node))]
            return alias(m, Named("types.UnionType"), tuple(sides))
        case ast.Subscript(value=owner, slice=inner):
            origin = _value(m, owner, module, node)
            args = tuple(_value(m, one, module, node) for one in (inner.elts if isinstance(inner, ast.Tuple) else [inner]))
            if isinstance(origin, Named) and origin.name.endswith(".Optional"):
                return alias(m, Named("typing.Union"), (*args, type(None)))
            return origin if isinstance(origin, Unknown) else alias(m, origin, args)
        case ast.List(elts=inner):  # the arguments of a Callable
            return tuple(_value(m, one, module, node) for one in inner)
        case _:
            return Unknown("a type")


def alias(m: Machine, origin: Value, args: tuple[Any, ...]) -> Model:
    """A type with parameters, such as `list[int]`. The same type and parameters are one object, so that they are equal."""
    made = m.model_state.setdefault(ALIAS, {})
    key = (origin, args) if all(isinstance(one, (str, type, Named, Class, Model, type(None))) for one in (origin, *args)) else None
    if key is not None and key in made:
        found: Model = made[key]
        return found
    new = Model(ALIAS, m.heap.space({"__origin__": origin, "__args__": args}))
    if key is not None:
        made[key] = new
    return new


def _made(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`list[int]()` is a list."""
    return m.call(me.space["__origin__"], args, kwargs, node)


def _sides(value: Value) -> tuple[Value, ...]:
    """The types that a union joins."""
    if isinstance(value, Model) and value.kind == ALIAS and value.space["__origin__"] == Named("types.UnionType"):
        return value.space["__args__"] if isinstance(value.space["__args__"], tuple) else ()
    return tuple(value) if isinstance(value, Union) else (type(None) if value is None else value,)


def _is_open(value: Value) -> bool:
    """Whether a value may be a type whose parameters were left out when it was written: an expression keeps the plain type."""
    if isinstance(value, Class):
        return any(isinstance(one, Named) and not one.name.endswith(_CLOSED) for one in value.mro)
    return isinstance(value, Unknown) or (isinstance(value, Named) and value.name.startswith(_GENERIC) and not value.name.endswith(".Any"))


def _origin(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0]
    if isinstance(value, Model) and value.kind == ALIAS:
        return value.space["__origin__"]
    if isinstance(value, Union):
        return Named("types.UnionType")
    return Unknown("a type") if _is_open(value) else None


def _args(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = args[0]
    if isinstance(value, Model) and value.kind == ALIAS:
        return value.space["__args__"]
    if isinstance(value, Union):
        return tuple(value)
    return Unknown("types") if _is_open(value) else ()


def _written(m: Machine, value: Value, node: ast.AST, evaluated: bool) -> dict[str, Value] | None:
    """The annotations that stand in a class's own lines or at a function's arguments."""
    if isinstance(value, Class):
        return {name: of(m, written, value.module, node, evaluated) for name, written in value.space.get(FIELDS, ())}
    if not isinstance(value, Function) or isinstance(value.code.node, ast.Lambda):
        return None
    given = value.code.node.args
    named = [(a.arg, a.annotation) for a in (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg) if a is not None]
    named.append(("return", value.code.node.returns))
    return {name: of(m, written, value.module, node, evaluated) for name, written in named if written is not None}


def _annotations(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = _written(m, args[0], node, kwargs.get("eval_str") is True)
    return Unknown("annotations") if found is None else Dict(m.heap.entries(found))


def _hints(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`typing.get_type_hints`: those of a class with those of its bases."""
    sources = [c for c in reversed(args[0].mro) if isinstance(c, Class)] if isinstance(args[0], Class) else [args[0]]
    found: dict[str, Value] = {}
    for source in sources:
        hints = _written(m, source, node, evaluated=True)
        if hints is None:
            return Unknown("type hints")
        found.update(hints)
    return Dict(m.heap.entries(found))


_TYPING = {"get_origin": _origin, "get_args": _args, "get_type_hints": _hints}
FUNCTIONS = {"inspect.get_annotations": _annotations} | {
    f"{library}.{name}": run for library in ("typing", "typing_extensions") for name, run in _TYPING.items()
}
KINDS = {ALIAS: KindModel(attribute=lambda m, me, name, node: MISSING if name in me.space else m.attribute(me.space["__origin__"], name, node), call=_made)}

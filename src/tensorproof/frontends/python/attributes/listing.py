"""dir, vars, globals and locals: the names that an object, a class or a module has. Where not all of them are known, the answer is unknown."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.names import listed
from tensorproof.libraries.keras.names import canonical
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, Class, Dict, Instance, List, ModuleFile
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_OBJECT = frozenset(dir(object)) | {"__dict__", "__module__", "__weakref__"}


def names(m: Interpreter, node: ast.AST, *owner: Value) -> Value:
    """`dir(owner)`, in order; without an owner the names of the running call."""
    found = _held(m, *owner) if owner else _of_space(m.frames[-1].space) if m.frames else None
    return Unknown("dir") if found is None else List(m.heap.row(sorted(found)))


def _held(m: Interpreter, owner: Value) -> set[str] | None:
    match owner:
        case ModuleFile():
            m.modules.ensure(m, owner, None)
            return None if owner.hidden or owner.stars or (owner.foreign and (owner.package or owner.state != "done")) else _of_space(owner.space)
        case Named(name):
            inside = listed(canonical(name))
            return None if inside is None else set(inside)
        case Class():
            return _of_class(owner)
        case Instance(native=None):
            mine, theirs = _of_space(owner.space), _of_class(owner.cls)
            return None if mine is None or theirs is None else mine | theirs
        case None | bool() | int() | float() | str() | tuple() | type():
            return set(dir(owner))
        case _:
            return None


def _of_class(cls: Class) -> set[str] | None:
    found: set[str] = set(_OBJECT)
    for one in cls.mro:
        if isinstance(one, Class):
            mine = _of_space(one.space)
            if mine is None:
                return None
            found |= mine
        elif one is not object and not (isinstance(one, Named) and one.name in ("object", "builtins.object")):
            return None
    return found


def _of_space(space: Any) -> set[str] | None:
    """The names in a namespace; None where only one branch bound one."""
    if any(type(value) is Choice and (value.then is MISSING or value.other is MISSING) for value in space.values()):
        return None
    return {name for name in space if isinstance(name, str)}


def variables(m: Interpreter, node: ast.AST, owner: Value = MISSING) -> Value:
    """`vars(owner)`."""
    if owner is not MISSING:
        return m.attribute(owner, "__dict__", node)
    return globals_(m, node) if m.frames and m.frames[-1].space is m.frames[-1].globals else Unknown("vars")


def globals_(m: Interpreter, node: ast.AST) -> Value:
    """`globals()`: what is put into it are the module's names."""
    return Dict(m.frames[-1].globals) if m.frames else Unknown("globals")


def locals_(m: Interpreter, node: ast.AST) -> Value:
    """`locals()`: the names that the running function has bound; those that it takes from functions around it are not followed."""
    frame = m.frames[-1] if m.frames else None
    if frame is None or frame.space is frame.globals:
        return globals_(m, node)
    bound = None if frame.scopes else _of_space(frame.space)
    if bound is None:
        return Unknown("locals")
    found = {name: value for name, value in frame.space.items() if name in bound}
    if isinstance(frame.owner, Class) and frame.function is not None and _uses_class(frame.function.code.node):
        found["__class__"] = frame.owner
    return Dict(m.heap.entries(found))


def _uses_class(function: ast.AST) -> bool:
    """Whether a method has its class in a variable: it calls `super()`, or names `__class__`."""
    return any(isinstance(one, ast.Name) and one.id in ("super", "__class__") for one in ast.walk(function))


def of_module(m: Interpreter, owner: ModuleFile) -> Value:
    """A module's `__dict__`."""
    return Unknown("__dict__") if owner.hidden or owner.foreign or _of_space(owner.space) is None else Dict(owner.space)  # type: ignore[arg-type]


MODELS: dict[Any, Any] = {dir: names, vars: variables, globals: globals_, locals: locals_}

"""Attributes of the program's functions, and what their code says of itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING

from tensorproof.terms.records import replace
from tensorproof.values.objects import Code, Dict, Function, Model, ModuleFile
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_OF_CODE = ("co_name", "co_varnames", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_flags", "co_firstlineno")


def attribute(m: Interpreter, owner: Function, name: str, node: ast.AST) -> Value:
    if owner.space is not None and name in owner.space:
        return owner.space[name]
    match name:
        case "__name__":
            return owner.name
        case "__qualname__":
            return qualified(m, owner.module, owner.name, getattr(owner.code.node, "lineno", 0))
        case "__module__":
            return owner.module.name if owner.module is not None else "__main__"
        case "__doc__":
            return ast.get_docstring(owner.code.node) if not isinstance(owner.code.node, ast.Lambda) else None
        case "__defaults__":
            return owner.defaults or None
        case "__kwdefaults__":
            return Dict(m.heap.entries(dict(owner.keyword_defaults))) if owner.keyword_defaults else None
        case "__dict__":
            return Dict(m.heap.entries(dict(owner.space or {})))
        case "__class__":
            return Named("types.FunctionType")
        case "__code__":
            return _code(m, owner)
        case "__globals__" if owner.module is not None:
            return Dict(owner.module.space)
        case "__annotations__" | "__globals__" | "__closure__":
            return Unknown(name)
        case _:
            if name.startswith("__") and name.endswith("__") and (owner.wrapped or name not in ("__wrapped__", "__signature__")):
                return Unknown(name)
            raise m.raised("AttributeError", f"the function {owner.name} has no attribute {name}", node)


def qualified(m: Interpreter, module: ModuleFile | None, name: str, line: int) -> str:
    """The `__qualname__` of a function or class that is written at a line: with the classes and functions around it."""
    entry = m.modules.loaded.get(module.path) if module is not None else None
    if entry is None:
        return name
    found: list[str] = []
    inside: ast.AST | None = entry.source.tree
    while inside is not None:
        after = next((one for one in _definitions(inside) if one.lineno <= line <= (one.end_lineno or one.lineno)), None)
        if after is None:
            return ".".join([*found, name])
        if after.lineno == line and after.name == name:
            return ".".join([*found, name])
        found += [after.name] if isinstance(after, ast.ClassDef) else [after.name, "<locals>"]
        inside = after
    return name


def _definitions(inside: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes that are defined in a block, and in no other one inside it."""
    for one in ast.iter_child_nodes(inside):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield one
        elif isinstance(one, (ast.stmt, ast.ExceptHandler)):
            yield from _definitions(one)


def _code(m: Interpreter, owner: Function) -> Value:
    held = _said(owner.code)
    return Model("types.CodeType", m.heap.space({"function": owner, **held}))


def copied(m: Interpreter, node: ast.AST, code: Value, spaces: Value = None, name: Value = None, argdefs: Value = None, closure: Value = None) -> Value:
    """`types.FunctionType(f.__code__, …)`: another function with the same text."""
    made = code.space.get("function") if isinstance(code, Model) and code.kind == "types.CodeType" else None
    if not isinstance(made, Function):
        return m.gap("types.FunctionType", node, "the code is not known")
    return replace(made, defaults=argdefs if isinstance(argdefs, tuple) else (), space=None)


@lru_cache(maxsize=256)
def _said(code: Code) -> dict[str, Value]:
    """What Python's compiler says of the names of a function; nothing of it runs."""
    alone = ast.Expression(code.node) if isinstance(code.node, ast.Lambda) else ast.Module([code.node], [])
    try:
        outer = compile(alone, "", "eval" if isinstance(alone, ast.Expression) else "exec")
    except (SyntaxError, ValueError):  # a name of the function around it is written
        return {"co_name": code.name}
    own = [one for one in outer.co_consts if isinstance(one, CodeType) and one.co_name == (code.name if isinstance(alone, ast.Module) else "<lambda>")]
    return {name: getattr(own[-1], name) for name in _OF_CODE} if own else {"co_name": code.name}

"""Whether a file runs something by itself, or only defines things."""

from __future__ import annotations

import ast

_QUIET_CALLS = {"getLogger", "basicConfig", "filterwarnings", "TypeVar", "namedtuple", "NewType", "register", "manual_seed", "simplefilter"}


def is_main_block(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`"""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")])):
            return True
        case ast.If(test=ast.Compare(left=ast.Constant(value="__main__"), ops=[ast.Eq()], comparators=[ast.Name(id="__name__")])):
            return True
        case _:
            return False


def has_driver(tree: ast.Module) -> bool:
    """Top-level effects, or a main block. A file of imports, definitions and constants has none; one that defines nothing has nothing else to enter."""
    if any(drives(node) for node in tree.body):
        return True
    if not any(isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(tree)):
        return True
    return _uses_keras(tree) and any(isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) for node in tree.body)


def _uses_keras(tree: ast.Module) -> bool:
    """Whether the file imports Keras, where making a model (`Model(inputs, outputs)`) already runs it."""
    for node in tree.body:
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.partition(".")[0] in ("keras", "tensorflow", "tf_keras") for name in names):
            return True
    return False


def drives(node: ast.stmt) -> bool:
    """Whether a statement at the top level of a file runs something, beyond defining it."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Pass() | ast.Global():
            return False
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Expr(value=ast.Call(func=function)):
            name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
            return name not in _QUIET_CALLS and name not in ("append", "extend", "insert", "update")
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.AugAssign(value=value):
            return value is not None and _calls_something(value)
        case ast.If():
            return is_main_block(node) or any(drives(inner) for inner in (*node.body, *node.orelse))
        case ast.Try():
            return any(drives(inner) for part in (node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)) for inner in part)
        case _:
            return True


def _calls_something(value: ast.expr) -> bool:
    for inner in ast.walk(value):
        if isinstance(inner, ast.Call):
            function = inner.func
            name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
            if (
                name not in _QUIET_CALLS
                and not name[:1].isupper()
                and name not in ("dict", "list", "tuple", "set", "frozenset", "int", "float", "str", "range", "partial", "device", "compile", "field")
            ):
                return True
    return False

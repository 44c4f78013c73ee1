"""Reads the arguments of functions, classes and methods from stub files (`.pyi`): those of typeshed, NumPy and torch, for what is written in C."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

Forms = dict[str, list[str]]
"""By name within the file (`Class` and `Class.method` too): the arguments of each overload."""


@cache
def read(file: Path) -> Forms:
    """The forms in a stub file; none where there is no such file."""
    if not file.exists():
        return {}
    found: Forms = {}
    bases: dict[str, list[str]] = {}
    _enter(ast.parse(file.read_text(encoding="utf-8")).body, "", found, bases)
    for name in list(bases):
        _inherit(name, bases, found)
    return found


def _enter(body: list[ast.stmt], owner: str, found: Forms, bases: dict[str, list[str]]) -> None:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                _function(node, owner, found)
            case ast.ClassDef() if not owner:
                bases[node.name] = [b.id for b in (getattr(base, "value", base) if isinstance(base, ast.Subscript) else base for base in node.bases)
                                    if isinstance(b, ast.Name)]  # fmt: skip
                _enter(node.body, node.name, found, bases)
            case ast.If():
                _enter(node.body if _holds(node.test) else node.orelse, owner, found, bases)
            case ast.Assign(targets=[ast.Name(id=new)], value=ast.Name(id=old)):
                before = f"{owner}." if owner else ""
                if before + old in found:
                    found[before + new] = found[before + old]
            case _:
                pass


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, found: Forms) -> None:
    marks = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
    if "property" in marks or any(isinstance(d, ast.Attribute) for d in node.decorator_list):
        return
    words = form(node.args)
    if not owner:
        found.setdefault(node.name, []).append(" ".join(words))
    elif node.name in ("__init__", "__new__"):
        found.setdefault(owner, []).append(" ".join(words[1:]))
    elif "staticmethod" in marks:
        found.setdefault(f"{owner}.{node.name}", []).append(" ".join(words))
    elif "classmethod" in marks:
        found.setdefault(f"{owner}.{node.name}", []).append(" ".join(words[1:]))
    else:
        found.setdefault(f"{owner}.{node.name}", []).append(" ".join(["/self", *words[1:]]))


def form(args: ast.arguments) -> list[str]:
    """The words of one form; see `tools/signatures.py`."""
    plain = [*args.posonlyargs, *args.args]
    needed = len(plain) - len(args.defaults)
    words: list[str] = []
    for at, one in enumerate(plain):
        alone = at < len(args.posonlyargs) or (one.arg.startswith("__") and not one.arg.endswith("__"))
        words.append(f"{'/' if alone else ''}{one.arg.lstrip('_') if alone else one.arg}{'' if at < needed else '='}")
    words += ["*"] if args.vararg else []
    words += [f"*{one.arg}{'' if default is None else '='}" for one, default in zip(args.kwonlyargs, args.kw_defaults)]
    return words + (["**"] if args.kwarg else [])


def _inherit(name: str, bases: dict[str, list[str]], found: Forms) -> None:
    """The methods and the constructor that a class has from classes of the same file."""
    for base in bases[name]:
        if base in bases and base != name:
            _inherit(base, bases, found)
            for key in [k for k in found if k == base or k.startswith(f"{base}.")]:
                found.setdefault(name + key.removeprefix(base), found[key])


def _holds(test: ast.expr) -> bool:
    """A condition on the version or the platform, for the Python that runs on Linux."""
    try:
        return bool(eval(compile(ast.Expression(test), "<stub>", "eval"), {"sys": sys, "TYPE_CHECKING": True}))
    except Exception:  # a condition on something else: both sides are alike for who calls
        return True

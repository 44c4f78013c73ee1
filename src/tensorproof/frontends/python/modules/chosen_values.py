"""Values that the user chose, put in place of the constants and configuration keys of their names: `KERNEL = 3`, `config = {"kernel": 3}`,
`class Config: kernel = 3`. Only a literal is replaced: what is computed or read stays as the program has it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.values.directives import Directives

if TYPE_CHECKING:
    pass

_HOLDERS = ("dict", "SimpleNamespace", "Namespace", "EasyDict", "edict", "AttrDict", "DotDict", "Munch", "Box", "ConfigDict", "CN", "CfgNode")
"""Callables whose keywords are configuration keys."""


def put_chosen(tree: ast.Module, directives: Directives, path: str = "") -> None:
    """Replace the literals of a file's module level, main block and classes of constants included."""
    _Put(directives, path).block(tree.body)


class _Put:
    def __init__(self, directives: Directives, path: str) -> None:
        self.directives = directives
        self.path = path

    def block(self, body: list[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.Assign(targets=targets, value=value):
                    names = [t.id if isinstance(t, ast.Name) else t.attr if isinstance(t, ast.Attribute) else "" for t in targets]
                    node.value = self.value(names, value)
                    if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(value, ast.Tuple):
                        pairs = zip(targets[0].elts, value.elts)
                        value.elts = [self.value([t.id] if isinstance(t, ast.Name) else [], v) for t, v in pairs]
                case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                    node.value = self.value([name], value)
                case ast.ClassDef():
                    self.block([s for s in node.body if isinstance(s, (ast.Assign, ast.AnnAssign, ast.ClassDef))])
                case ast.If():
                    self.block(node.body)
                    self.block(node.orelse)
                case _:
                    pass

    def value(self, names: list[str], value: ast.expr, inside: str | None = None) -> ast.expr:
        """The expression of a name, or of the value under a key, which may be named by its path (`model.kernel`)."""
        name = next((n for one in names for n in (f"{inside or ''}{one}", one) if n in self.directives.chosen), None)
        if name is not None and _literal(value):
            self.directives.met.add(name)
            self.directives.bound.setdefault(name, f"{'constant' if inside is None else 'key'} at {self.path}:{value.lineno}")
            return constant(self.directives.chosen[name], value)
        if isinstance(value, ast.Dict):
            keys = [k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "" for k in value.keys]
            value.values = [self.value([key], inner, _under(inside, names)) for key, inner in zip(keys, value.values)]
        elif isinstance(value, ast.Call) and _last_word(value.func) in _HOLDERS:
            for keyword in value.keywords:
                keyword.value = self.value([keyword.arg or ""], keyword.value, _under(inside, names))
            value.args = [self.value([], inner, inside) for inner in value.args]
        return value


def _under(inside: str | None, names: list[str]) -> str:
    """The path of what stands under a key of a configuration; the variable that holds it is not a part of the path."""
    return "" if inside is None else f"{inside}{names[0]}." if names else inside


def _literal(value: ast.expr) -> bool:
    match value:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Attribute(value=inner):
            return isinstance(inner, (ast.Name, ast.Attribute))
        case ast.BinOp(left=left, right=right):
            return _literal(left) and _literal(right)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return all(map(_literal, elts))
        case _:
            return False


def _last_word(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def constant(value: Any, place: ast.AST) -> ast.expr:
    """An expression whose value is a given one, at the place of another."""
    return ast.copy_location(value if isinstance(value, ast.expr) else ast.Constant(value), place)

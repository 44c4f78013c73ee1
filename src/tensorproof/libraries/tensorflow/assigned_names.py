"""Which names a statement gives new values, and which of them are read afterwards: what AutoGraph makes the variables of a branch or of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tensorproof.terms.records import dataclass
from tensorproof.values import MISSING, Dict, Instance, List, Value

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable of a branch or loop lives: a name of the function, an attribute of an object, an item of a dict."""

    shown: str
    owner: Any
    key: object

    @property
    def value(self) -> Value:
        return self.owner.get(self.key, MISSING)


def nodes_of(*bodies: list[ast.stmt]) -> Iterator[ast.AST]:
    """The parts of statements that run with them, without the functions that they define."""
    waiting: list[ast.AST] = [node for body in bodies for node in reversed(body)]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def targets(*bodies: list[ast.stmt]) -> list[ast.expr]:
    """The names, attributes and items to which statements assign."""
    found: dict[str, ast.expr] = {}
    for node in nodes_of(*bodies):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            found.setdefault(ast.unparse(node), node)
    return list(found.values())


def place(frame: Any, target: ast.expr) -> Place | None:
    """Where a target lives, if it is followed."""
    shown = ast.unparse(target)
    match target:
        case ast.Name(id=name):
            return Place(shown, frame.space, name)
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            owner = _named(frame, name)
            return Place(shown, owner.space, attr) if isinstance(owner, Instance) else None
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)):
            owner = _named(frame, name)
            return Place(shown, owner.items, key) if isinstance(owner, Dict) else None
        case _:
            return None


def _named(frame: Any, name: str) -> Value:
    return next((space[name] for space in (frame.space, *frame.scopes, frame.globals) if name in space), MISSING)


def _loads(node: ast.AST | None) -> set[str]:
    return set() if node is None else {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _stored(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _uses(body: list[ast.stmt]) -> tuple[set[str], set[str]]:
    """The names that statements read before they give them a value, and those to which they surely give one."""
    read: set[str] = set()
    given: set[str] = set()
    for one in body:
        found, sure = _use(one)
        read |= found - given
        given |= sure
    return read, given


def _use(node: ast.stmt) -> tuple[set[str], set[str]]:
    match node:
        case ast.Assign() | ast.AnnAssign():
            return _loads(node), set() if node.value is None else {n for t in _assigned(node) for n in _stored(t)}
        case ast.AugAssign():
            return _loads(node) | _stored(node.target), set()
        case ast.If():
            (a, sure_a), (b, sure_b) = _uses(node.body), _uses(node.orelse)
            return _loads(node.test) | a | b, sure_a & sure_b
        case ast.For():
            return _loads(node.iter) | (_uses(node.body)[0] - _stored(node.target)) | _uses(node.orelse)[0], set()
        case ast.While():
            return _loads(node.test) | _uses(node.body)[0] | _uses(node.orelse)[0], set()
        case ast.With():
            inner, sure = _uses(node.body)
            bound = {n for item in node.items if item.optional_vars is not None for n in _stored(item.optional_vars)}
            return {n for item in node.items for n in _loads(item.context_expr)} | (inner - bound), bound | sure
        case _:
            return _loads(node), set()


def _assigned(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def read_after(frame: Any, node: ast.stmt) -> set[str]:
    """The names that the running function may read after a statement, before it gives them another value."""
    code = frame.function.code.node if frame.function is not None else None
    return set() if code is None or isinstance(code, ast.Lambda) else _after(code.body, node) or set()


def _after(body: list[ast.stmt], node: ast.stmt) -> set[str] | None:
    """The names that are read after a statement that stands in this block; None where it does not."""
    for at, one in enumerate(body):
        if one is node:
            inner: set[str] | None = set()
        else:
            blocks = [getattr(one, word, None) or [] for word in ("body", "orelse", "finalbody")] + [h.body for h in getattr(one, "handlers", [])]
            inner = next((found for block in blocks if (found := _after(block, node)) is not None), None)
        if inner is None:
            continue
        if one is not node and isinstance(one, (ast.For, ast.While)):
            inner |= _use(one)[0]
        read, given = _uses(body[at + 1 :])
        return read | (inner - given)
    return None


def carried(node: ast.For | ast.While) -> set[str]:
    """The names whose values an iteration may take from the one before it."""
    return _use(node)[0]


def has_return(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return) for node in nodes_of(body))


def parts(value: Value) -> list[Value] | None:
    """The parts of a structure, in order; None for what is none."""
    match value:
        case List():
            return list(value.items)
        case Dict():
            return [value.items[k] for k in sorted(value.items, key=str)]
        case tuple() if type(value) is tuple:
            return list(value)
        case _:
            return None


def structure(value: Value) -> object:
    """What TensorFlow compares of two structures before their parts."""
    match value:
        case Dict():
            return "dict", tuple(sorted(map(str, value.items)))
        case List():
            return "list", len(value.items)
        case tuple() if type(value) is tuple:
            return "tuple", len(value)
        case _:
            return None

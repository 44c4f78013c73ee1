"""The names that a function's `**kwargs` may hold: read from its source, where it passes them on to a function whose arguments are known.

Names are known where the function surely passes `**kwargs` on (`return ResNet(block, layers, **kwargs)`), or surely refuses what is left
(`if kwargs: raise ...`).
What it takes out before (`kwargs.pop("input_shape")`) may be given as well. Whatever else may happen to `kwargs` makes the names unknown.
"""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import inspect
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ANY = None
"""The function may take any name, as far as can be seen."""
_READS = {"get", "items", "keys", "values", "setdefault", "update", "copy"}
_DEEPEST = 12


@dataclass(frozen=True)
class Known:
    """A function with its source, and the class that it is a method of."""

    function: types.FunctionType
    node: ast.FunctionDef
    owner: type | None

    @property
    def locals(self) -> set[str]:
        return set(self.function.__code__.co_varnames) | set(self.function.__code__.co_cellvars)

    def global_value(self, name: str) -> Any:
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or ()))
        if name in cells:
            return cells[name].cell_contents
        return self.function.__globals__.get(name, getattr(builtins, name, ANY))


def more_names(value: Any, owner: type | None = None, depth: int = 0) -> set[str] | None:
    """What `**kwargs` of a class, function or method may hold; ANY (None) where that is not known. Empty where there is no `**kwargs`."""
    if depth > _DEEPEST:
        return ANY
    if inspect.isclass(value):
        made = inspect.getattr_static(value, "__init__", None)
        return more_names(made, value, depth) if inspect.isfunction(made) else ANY
    value = value.__func__ if inspect.ismethod(value) else value
    if not inspect.isfunction(value):
        return ANY
    if not value.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return set()
    wrapped = getattr(value, "__wrapped__", None)
    read = source(value, owner)
    if read is None:
        return ANY
    taken = _taken(read, read.node.args.kwarg.arg if read.node.args.kwarg else "")
    if taken is ANY:
        return ANY
    passed = _passed_on(read, depth)
    if passed is ANY:
        return ANY
    if inspect.isfunction(wrapped):  # its own names count as those of the wrapper: `inspect.signature` shows them
        passed -= {p.name for p in inspect.signature(wrapped).parameters.values()}
    return taken | passed


def source(value: types.FunctionType, owner: type | None) -> Known | None:
    """The source of this very function: that of a wrapper, not of what it wraps."""
    try:
        lines, _ = inspect.getsourcelines(value.__code__)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    node = tree.body[0] if tree.body else None
    return Known(value, node, _defining(value, owner)) if isinstance(node, ast.FunctionDef) else None


def _defining(value: types.FunctionType, owner: type | None) -> type | None:
    """The class in whose body a method stands."""
    for one in owner.__mro__ if owner is not None else ():
        if value in (inspect.unwrap(held) if callable(held) else held for held in vars(one).values()) or value in vars(one).values():
            return one
    return None


def _uses(node: ast.AST, name: str) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The uses of a variable, each with the node that holds it."""
    for holder in ast.walk(node):
        for child in ast.iter_child_nodes(holder):
            if isinstance(child, ast.Name) and child.id == name:
                yield holder, child


def _taken(read: Known, name: str) -> set[str] | None:
    """The names that a function takes out of its dictionary; ANY where it may take out more."""
    parents = {child: node for node in ast.walk(read.node) for child in ast.iter_child_nodes(node)}
    found: set[str] = set()
    for holder, use in _uses(read.node, name):
        above = parents.get(holder)
        names: set[str] | None
        match holder:
            case ast.keyword(arg=None) | ast.If() | ast.Compare() | ast.UnaryOp() | ast.BoolOp() | ast.FormattedValue():
                names = set()
            case ast.Subscript(slice=key, ctx=context):
                names = _text(read, key) if isinstance(context, ast.Del) else set()
            case ast.Attribute(attr="pop") if isinstance(above, ast.Call) and above.args:
                names = _text(read, above.args[0])
            case ast.Attribute(attr=word) if word in _READS:
                names = set()
            case ast.Call(func=called, args=args) if use in args:
                names = _taken_by(read, called, args.index(use))
            case _:
                names = ANY
        if names is ANY:
            return ANY
        found |= names
    return found


def _text(read: Known, key: ast.expr) -> set[str] | None:
    """The texts that a key may be: itself, or any text that a wrapper was made with."""
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return {key.value}
    return {one for one in _made_with(read) if isinstance(one, str)} or ANY


def _made_with(read: Known) -> Iterator[Any]:
    """All that the variables hold from outside of a wrapper, members of collections one by one."""
    pending = [cell.cell_contents for cell in read.function.__closure__ or ()]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            pending += [*one.keys(), *one.values()]
        elif isinstance(one, (tuple, list, set, frozenset)):
            pending += one
        else:
            yield one


def _taken_by(read: Known, called: ast.expr, place: int) -> set[str] | None:
    """What a function takes out of a dictionary that it is given."""
    if isinstance(called, ast.Name) and called.id in read.locals and read.function.__closure__:
        held = [one for one in _made_with(read) if inspect.isfunction(one) and one.__code__.co_argcount == 1]
        return set() if all(_only_reads(one) for one in held) else ANY
    value = _callee(read, called)
    if value in (len, bool, str, repr, list, tuple, sorted, dict, print) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return set()
    inner = source(value, None) if inspect.isfunction(value) else None
    if inner is None or place >= len(inner.node.args.args):
        return ANY
    return _taken(inner, inner.node.args.args[place].arg)


def _only_reads(function: types.FunctionType) -> bool:
    """Whether nothing in a function's code can take a key out of a dictionary; it calls no function of its own."""
    code = function.__code__
    deletes = any(step.opname == "DELETE_SUBSCR" for step in dis.get_instructions(code))
    return not deletes and not {"pop", "popitem", "clear"} & set(code.co_names)


def _callee(read: Known, called: ast.expr) -> Any:
    """What is called, where that does not depend on the arguments; ANY where it does."""
    match called:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=word) if read.owner is not None:
            return getattr(super(read.owner, read.owner), word, ANY)
        case ast.Name(id="cls") if read.owner is not None:
            return read.owner
        case ast.Name(id=name) if name not in read.locals:
            return read.global_value(name)
        case ast.Attribute(value=inner, attr=word):
            held = _callee(read, inner)
            return ANY if held is ANY else getattr(held, word, ANY)
        case _:
            return ANY


def _sure(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that surely run when a function ends without an exception."""
    for node in body:
        yield node
        if isinstance(node, (ast.With, ast.Try)):
            yield from _sure(node.body)
        if any(isinstance(inner, (ast.Return, ast.Yield, ast.YieldFrom)) for inner in ast.walk(node)):
            return


def _passed_on(read: Known, depth: int) -> set[str] | None:
    """The names that the first sure receiver of `**kwargs` takes."""
    name = read.node.args.kwarg.arg if read.node.args.kwarg else ""
    for node in _sure(read.node.body):
        match node:
            case ast.If(test=ast.Name(id=tested), body=[*_, ast.Raise()]) if tested == name:
                return set()
            case ast.Expr() | ast.Assign() | ast.AnnAssign() | ast.Return() | ast.With():
                held = [item.context_expr for item in node.items] if isinstance(node, ast.With) else [node]
                for call in (inner for one in held for inner in ast.walk(one)):
                    if isinstance(call, ast.Call) and any(k.arg is None and isinstance(k.value, ast.Name) and k.value.id == name for k in call.keywords):
                        return _received(read, call, depth)
            case _:
                pass
    return ANY


def _received(read: Known, call: ast.Call, depth: int) -> set[str] | None:
    """The names that the function of a call takes, but those that the call gives itself."""
    value = _callee(read, call.func)
    if isinstance(value, functools.partial) or value is ANY:
        return ANY
    owner = read.owner if _is_method_of_super(call.func) else None
    more = more_names(value, owner, depth + 1)
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (ValueError, TypeError):
        return ANY
    if more is ANY:
        return ANY
    if _unbound(value, call.func):
        parameters = parameters[1:]
    named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]
    before = next((at for at, a in enumerate(call.args) if isinstance(a, ast.Starred)), len(call.args))
    filled = set(plain[:before])
    return (named | more) - filled - {k.arg for k in call.keywords if k.arg is not None}


def _is_method_of_super(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call)


def _unbound(value: Any, called: ast.expr) -> bool:
    """`super().__init__` of a class, not of an object: its first parameter is filled."""
    return _is_method_of_super(called) and inspect.isfunction(value)

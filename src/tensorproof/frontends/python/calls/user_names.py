"""The names that a program itself gives to what it passes to an operator, for messages: `h`, `self.c2`, `images[0]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.bindings.rows import rows
from tensorproof.ops.record import Requirement
from tensorproof.ops.statements import Broadcast, SameSize, Spoken
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Instance, List
from tensorproof.values.python_values import Layer

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

MOST_LETTERS = 32
"""The longest expression that stands for itself in a message."""
_ORDER = ("the first argument", "the second argument")


def in_user_names(
    m: Interpreter, requirement: Requirement, name: str, outcome: Outcome, args: Value, kwargs: Value, node: ast.AST, layer: Layer | None
) -> Requirement:
    """A requirement whose message speaks of its arguments as the program does."""
    wanted = _mentioned(requirement)
    if not wanted or requirement.code == "call/arguments":
        return requirement
    written = list(_written(m, args, kwargs, node, _is_written(m, name, layer, node)))
    owner = layer_text(m, layer, node) if layer is not None and layer.module is not None else ""
    names: dict[str, Spoken] = {}
    for ours in wanted:
        value = outcome.bound.get(ours)
        if isinstance(value, TensorType):
            names[ours] = _tensor(m, name, ours, value, written, layer, owner)
        elif isinstance(value, (tuple, list)) and value and all(isinstance(one, TensorType) for one in value):
            items = _items(m, value, written)
            names.update({f"{ours}[{i}]": Spoken(text, repr(one.shape)) for i, (one, text) in enumerate(zip(value, items))})
        elif owner and (ours.startswith("weight") or ours not in outcome.bound):  # what the call does not bind is the layer's own
            names[ours] = Spoken(f"{owner}.{ours}", "", owner)
        elif value is not None and not isinstance(value, (tuple, list)):
            names[ours] = Spoken(_theirs(name, ours, layer is not None), option=True)
    if owner:
        names["the layer"] = Spoken(owner)
    message = requirement.said(names)
    return requirement if message == requirement.message else replace(requirement, message=message)


def fix_in_user_names(m: Interpreter, fix: str, name: str, outcome: Outcome, args: Value, kwargs: Value, node: ast.AST) -> str:
    """A fix such as `target.squeeze(1)` with the program's own expression for the argument, where it has a short one."""
    ours, dot, method = fix.partition(".")
    value = outcome.bound.get("x" if ours == "input" else ours)
    if not dot or not isinstance(value, TensorType):
        return fix
    text = next((_short(expression) for one, expression in _written(m, args, kwargs, node, _is_written(m, name, None, node)) if one is value), "")
    return f"{text}.{method}" if text else fix


def _mentioned(requirement: Requirement) -> tuple[str, ...]:
    match requirement.statement:
        case SameSize(given=a, wanted=b):
            return tuple(dict.fromkeys((*requirement.about, a.name.partition("[")[0], b.name.partition("[")[0])))
        case Broadcast(names=given):
            return given
        case _:
            return requirement.about


def _tensor(m: Interpreter, name: str, ours: str, value: TensorType, written: list[tuple[Value, ast.expr | None]], layer: Layer | None, owner: str) -> Spoken:
    if layer is not None and layer.module is not None:
        held = next((n for n, t in layer.module.state().items() if t is value or m.memory.current(t) is value), None)
        if held is not None:
            return Spoken(f"{owner}.{held}", repr(value.shape), owner)
    shape = repr(value.shape)
    for at, (one, expression) in enumerate(written):
        if one is value:
            text = _short(expression)
            if text:
                return Spoken(text, shape)
            tensors = sum(isinstance(other, TensorType) for other, _ in written)
            return Spoken(_bound_name(m, value) or ("the input" if tensors == 1 else _ORDER[at] if at < 2 else f"the {ours}"), shape)
    bound = _bound_name(m, value)
    return Spoken(bound or ("the input" if ours == "x" else _theirs(name, ours, layer is not None)), shape)


def _theirs(name: str, ours: str, called: bool) -> str:
    """The library's own name of an argument."""
    for row in rows(name):
        for argument in (*(row.call_arguments or ()), *row.arguments) if called else row.arguments:
            if argument.ours == ours:
                return argument.theirs
    return ours


def _items(m: Interpreter, value: Any, written: list[tuple[Value, ast.expr | None]]) -> list[str]:
    """How the program writes the items of a list of tensors."""
    literal = next((e.elts for _, e in written if isinstance(e, (ast.List, ast.Tuple)) and len(e.elts) == len(value)), None)
    texts = [_short(e) if not isinstance(e, ast.Starred) else "" for e in literal] if literal is not None else [""] * len(value)
    return [text or _bound_name(m, one) or f"tensor {i}" for i, (one, text) in enumerate(zip(value, texts))]


def _bound_name(m: Interpreter, value: TensorType) -> str:
    where = m.made_at.get(id(value))
    return where[1] if where is not None and where[0] is value and not where[1].startswith("_") else ""


def _is_written(m: Interpreter, name: str, layer: Layer | None, node: ast.AST) -> bool:
    """Whether a call stands in the program as such: not one that a container or a model of a library makes at the place of its own call."""
    if not isinstance(node, ast.Call):
        return True
    if layer is not None:
        return isinstance(node.func, ast.Call) or _value(m, node.func) is layer
    match node.func:
        case ast.Attribute(attr=word) | ast.Name(id=word):
            return word == name.rpartition(".")[2]
        case _:
            return False


def _written(m: Interpreter, args: Any, kwargs: Any, node: ast.AST, sure: bool) -> Iterator[tuple[Value, ast.expr | None]]:
    """The values of a call, each with the expression that the program has in its place; without one inside a library's source.

    Where it is not sure that the call is the one that is written, an expression counts only if it has that value.
    """
    own = _in_program(m)
    positional = _positional(node, len(args)) if own else None
    keywords = {k.arg: k.value for k in node.keywords} if own and isinstance(node, ast.Call) else {}
    pairs = [(value, positional[at] if positional is not None else None) for at, value in enumerate(args)]
    for value, expression in (*pairs, *((value, keywords.get(key)) for key, value in kwargs.items())):
        now = _now(m, value)
        held = MISSING if expression is None else _value(m, expression)
        yield now, expression if (sure and held is MISSING) or (held is not MISSING and _now(m, held) is now) else None


def _in_program(m: Interpreter) -> bool:
    return bool(m.frames) and (m.frames[-1].module is None or not m.frames[-1].module.foreign)


def _now(m: Interpreter, value: Value) -> Value:
    return m.memory.current(value) if isinstance(value, TensorType) else value


def _positional(node: ast.AST, count: int) -> list[ast.expr] | None:
    """The expressions of `count` positional arguments, with the object of a method first."""
    match node:
        case ast.Call(func=func, args=given) if not any(isinstance(a, ast.Starred) for a in given):
            if len(given) == count:
                return list(given)
            return [func.value, *given] if isinstance(func, ast.Attribute) and len(given) + 1 == count else None
        case ast.BinOp(left=left, right=right) if count == 2:
            return [left, right]
        case ast.AugAssign(target=target, value=value) if count == 2:
            return [target, value]
        case ast.Compare(left=left, comparators=[right]) if count == 2:
            return [left, right]
        case ast.Subscript(value=value, slice=index) if count == 2:
            return [value, index]
        case ast.UnaryOp(operand=operand) if count == 1:
            return [operand]
        case _:
            return None


def _short(expression: ast.expr | None) -> str:
    """An expression as a message can quote it; empty where it is too long, or a constant."""
    if expression is None or isinstance(expression, ast.Constant):
        return ""
    text = ast.unparse(expression)
    if isinstance(expression, (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp)):
        text = f"({text})"
    return text if len(text) <= MOST_LETTERS and "\n" not in text else ""


def layer_text(m: Interpreter, layer: Layer, node: ast.AST) -> str:
    """How the program calls a layer: `self.c2`, `self.net[2]` for one inside a container, or by its class and the line that constructs it."""
    if isinstance(node, ast.Call) and _in_program(m):
        text = _short(node.func)
        callee = _value(m, node.func) if text else None
        if callee is layer or isinstance(node.func, ast.Call):
            return text or _by_class(layer)
        inside = _inside(callee, layer, text)
        if inside:
            return inside
    return _by_class(layer)


def _by_class(layer: Layer) -> str:
    return f"{layer.own.name.rpartition('.')[2]} (line {layer.span.line})"


def _inside(container: Value, layer: Layer, text: str) -> str:
    """The place of a layer in a container, if it is in it."""
    if not isinstance(container, Layer):
        return ""
    for at, child in enumerate(container.children):
        if child is layer:
            return f"{text}[{at}]"
        found = _inside(child, layer, f"{text}[{at}]")
        if found:
            return found
    return ""


def _value(m: Interpreter, expression: ast.expr) -> Value:
    """The value that a name, an attribute of an object or an item of a list has now, where that can be looked up without running anything."""
    match expression:
        case ast.Name(id=name):
            frame = m.frames[-1]
            return next((s.get(name) for s in (frame.space, *frame.scopes, frame.globals) if name in s), MISSING)
        case ast.Attribute(value=owner, attr=attribute):
            held = _value(m, owner)
            return held.space.get(attribute, MISSING) if isinstance(held, Instance) else MISSING
        case ast.Subscript(value=owner, slice=ast.Constant(value=int(at))):
            held = _value(m, owner)
            children = held.children if isinstance(held, Layer) else tuple(held.items) if isinstance(held, List) else ()
            return children[at] if -len(children) <= at < len(children) else MISSING
        case _:
            return MISSING

"""Compiles expressions, once, into nested closures of one argument: the frame."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import attributes
from tensorproof.frontends.python.branching.joining import may_be_missing
from tensorproof.frontends.python.calls import builtin_classes, calling, unknown_tensors
from tensorproof.frontends.python.compiling import imports
from tensorproof.frontends.python.compiling.comprehensions import comprehension
from tensorproof.frontends.python.containers import hashing, mappings
from tensorproof.frontends.python.containers.set_algebra import make_set
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.iteration import iteration
from tensorproof.frontends.python.operators import comparisons, operations, subscripts
from tensorproof.frontends.python.operators.formatting import concatenated, text
from tensorproof.frontends.python.scope import Run, Scope, inner_scopes
from tensorproof.frontends.python.summaries import summarised_entries, summarised_lists
from tensorproof.libraries.tensorflow import traced
from tensorproof.terms.predicates import Predicate, negate
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Choice, Code, Dict, Function, Later, List, Model
from tensorproof.values.python_values import COLLECTED, Unknown, is_truth

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

INDIRECT = (Choice, Later)


def expression(node: ast.expr, scope: Scope) -> Run:
    compile_one = _COMPILERS.get(type(node))
    if compile_one is None:
        words = f"{type(node).__name__} expression"
        return lambda frame: frame.machine.gap(words, node)
    return compile_one(node, scope)


def _constant(node: ast.Constant, scope: Scope) -> Run:
    value = node.value
    return lambda frame: value


def _name(node: ast.Name, scope: Scope) -> Run:
    name = node.id
    if name in scope.locals and not scope.is_module:

        def local(frame: Frame) -> Any:
            value: Any = frame.space.get(name, MISSING)
            if value is MISSING:
                if scope.is_class:
                    return enclosing(frame)
                raise frame.machine.raised("UnboundLocalError", f"'{name}' is used before it is assigned", node)
            return present(frame, value, name, node, "UnboundLocalError") if type(value) in INDIRECT else value

    depth = None if scope.is_class and name in scope.locals else scope.depth(name)

    def enclosing(frame: Frame) -> Any:
        value: Any
        if depth is not None and depth < len(frame.scopes):
            value = frame.scopes[depth].get(name, MISSING)
            if value is MISSING:
                raise frame.machine.raised("NameError", f"'{name}' is used before it is assigned", node)
            return present(frame, value, name, node) if type(value) in INDIRECT else value
        value = frame.globals.get(name, MISSING)
        if value is MISSING:
            value = imports.starred(frame, name, node) if frame.module is not None and frame.module.stars else MISSING
            value = frame.machine.modules.builtin(name) if value is MISSING else value
            if value is MISSING:
                if frame.module is not None and frame.module.hidden:
                    return Unknown(name)
                raise frame.machine.raised("NameError", f"the name '{name}' is not defined", node)
        return present(frame, value, name, node) if type(value) in INDIRECT else value

    if name in scope.globals or scope.is_module:

        def module_level(frame: Frame) -> Value:
            value = frame.globals.get(name, MISSING)
            return enclosing(frame) if value is MISSING or type(value) in INDIRECT else value

        return module_level
    return local if name in scope.locals else enclosing


def present(frame: Frame, value: Choice | Later, name: str, node: ast.AST, kind: str = "NameError") -> Value:
    """A name that only one side of a branch bound, or that a module bound which has not run yet."""
    if isinstance(value, Later):
        return frame.machine.modules.now(frame.machine, value, node)
    if not may_be_missing(value):
        return value

    def side(one: Value) -> Value:
        if one is MISSING:
            raise frame.machine.raised(kind, unassigned(name, value), node)
        return present(frame, one, name, node, kind) if type(one) is Choice else one

    return frame.machine.branching.choose(value.condition, lambda: side(value.then), lambda: side(value.other))


MOST_CONDITION = 60
"""The longest condition that a message shows."""


def unassigned(name: str, value: Choice) -> str:
    """The message for a name that only some branches bind."""
    set_when = value.condition if value.other is MISSING else negate(value.condition) if value.then is MISSING else None
    shown = repr(set_when) if set_when is not None and not isinstance(set_when, bool) else ""
    if isinstance(set_when, Predicate) and set_when.kind in ("and", "or"):
        shown = shown[1:-1]
    shown = re.sub(r"^(-?\d+) <= (.+)$", r"\2 >= \1", shown)
    return f"'{name}' may be unassigned here: it is set only {f'when {shown}' if 0 < len(shown) <= MOST_CONDITION else 'on some paths'}"


def _attribute(node: ast.Attribute, scope: Scope) -> Run:
    owner, name = expression(node.value, scope), node.attr
    return lambda frame: attributes.load(frame.machine, owner(frame), name, node)


def _call(node: ast.Call, scope: Scope) -> Run:
    callee = unknown_tensors.callee(node, scope) or expression(node.func, scope)
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return lambda frame: builtin_classes.zero_super(frame, node)
    parts: list[tuple[bool, Run]] = [(True, expression(a.value, scope)) if isinstance(a, ast.Starred) else (False, expression(a, scope)) for a in node.args]
    keywords = [(k.arg, expression(k.value, scope)) for k in node.keywords]
    plain = not any(starred for starred, _ in parts)
    runs = [run for _, run in parts]

    def run(frame: Frame) -> Any:
        function = callee(frame)
        if plain:
            args = tuple([part(frame) for part in runs])
        else:
            collected: list[Value] = []
            for starred, part in parts:
                value = part(frame)
                if not starred:
                    collected.append(value)
                    continue
                items = iteration.items(frame.machine, value, node)
                if items is None and function is zip and len(parts) == 1:
                    columns = summarised_lists.columns(frame.machine, value, node)
                    if columns is not None:
                        return columns
                if items is None:
                    return frame.machine.gap("call with * of an unknown value", node)
                collected.extend(items)
            args = tuple(collected)
        kwargs: dict[str, Value] = {}
        for key, part in keywords:
            value = part(frame)
            if key is not None:
                kwargs[key] = value
            elif (entries := mappings.unpacked(frame.machine, value, node)) is not None:
                summarised_entries.settle(frame.machine, entries)
                if OPEN in entries.items:
                    return frame.machine.gap("call with ** of a dict whose keys are not all known", node)
                _add_keywords(frame.machine, kwargs, entries.items, node)
            else:
                return frame.machine.gap("call with ** of an unknown value", node)
        frame.at = node
        return calling.call(frame.machine, function, args, kwargs, node)

    return run


def _binary(node: ast.BinOp, scope: Scope) -> Run:
    left, right, op = expression(node.left, scope), expression(node.right, scope), type(node.op)
    return lambda frame: operations.binary(frame.machine, op, left(frame), right(frame), node)


def _unary(node: ast.UnaryOp, scope: Scope) -> Run:
    operand, op = expression(node.operand, scope), type(node.op)
    return lambda frame: operations.unary(frame.machine, op, operand(frame), node)


def _compare(node: ast.Compare, scope: Scope) -> Run:
    first = expression(node.left, scope)
    rest = [(type(op), expression(c, scope)) for op, c in zip(node.ops, node.comparators)]
    if len(rest) == 1:
        op, right = rest[0]
        return lambda frame: comparisons.compare(frame.machine, op, first(frame), right(frame), node)

    def run(frame: Frame) -> Any:
        def step(left: Value, at: int) -> Value:
            op, right = rest[at]
            value = right(frame)
            result = comparisons.compare(frame.machine, op, left, value, node)
            if at + 1 == len(rest):
                return result
            return frame.machine.branching.choose(frame.machine.truth(result, node), lambda: step(value, at + 1), lambda: result)

        return step(first(frame), 0)

    return run


def _bool(node: ast.BoolOp, scope: Scope) -> Run:
    runs = [expression(v, scope) for v in node.values]
    is_and = isinstance(node.op, ast.And)

    def run(frame: Frame) -> Any:
        def step(at: int, is_open: bool = False) -> Value:
            value = runs[at](frame)
            if at + 1 == len(runs):  # under conditions, a truth without a name gets one, so that the join keeps what it says
                return frame.machine.truth(value, node) if is_open and is_truth(value) else value
            if (found := traced.branches(frame.machine, value)) is not None:
                return found.both(frame.machine, is_and, value, lambda: step(at + 1), node)
            t = frame.machine.truth(value, node)
            if isinstance(t, bool):
                return step(at + 1, is_open) if t is is_and else value
            if is_truth(value):
                value = not is_and  # what it is where it decides
            if is_and:
                return frame.machine.branching.choose(t, lambda: step(at + 1, True), lambda: value)
            return frame.machine.branching.choose(t, lambda: value, lambda: step(at + 1, True))

        return step(0)

    return run


def _if(node: ast.IfExp, scope: Scope) -> Run:
    test, then, other = expression(node.test, scope), expression(node.body, scope), expression(node.orelse, scope)

    def run(frame: Frame) -> Any:
        value = test(frame)
        if (found := traced.branches(frame.machine, value)) is not None:
            return found.chosen(frame.machine, value, lambda: then(frame), lambda: other(frame), node)
        t = frame.machine.truth(value, node)
        if isinstance(t, bool):
            return then(frame) if t else other(frame)
        return frame.machine.branching.choose(t, lambda: then(frame), lambda: other(frame))

    return run


def items_of(nodes: list[ast.expr], scope: Scope) -> Callable[[Frame], list[Value]]:
    """The values of a display, stars included."""
    parts = [(isinstance(n, ast.Starred), expression(n.value if isinstance(n, ast.Starred) else n, scope), n) for n in nodes]

    def run(frame: Frame) -> list[Any]:
        result: list[Value] = []
        for starred, part, node in parts:
            value = part(frame)
            if not starred:
                result.append(value)
                continue
            found = iteration.items(frame.machine, value, node)
            if found is None:
                items_shown = summarised_lists.parts(frame.machine, value, node)
                if items_shown is None and not isinstance(value, Unknown):
                    frame.machine.gap("* of an unknown value", node)
                found = [COLLECTED] if items_shown is None else list(items_shown)
            result.extend(found)
        return result

    return run


def _tuple(node: ast.Tuple, scope: Scope) -> Run:
    items = items_of(node.elts, scope)
    return lambda frame: tuple(items(frame))


def _list(node: ast.List, scope: Scope) -> Run:
    items = items_of(node.elts, scope)
    return lambda frame: List(frame.machine.heap.row(items(frame)))


def _set(node: ast.Set, scope: Scope) -> Run:
    items = items_of(node.elts, scope)
    return lambda frame: make_set(frame.machine, items(frame), node)


def _dict(node: ast.Dict, scope: Scope) -> Run:
    parts = [(None if k is None else expression(k, scope), expression(v, scope)) for k, v in zip(node.keys, node.values)]

    def run(frame: Frame) -> Any:
        made = Dict(frame.machine.heap.entries())
        for key, part in parts:
            if key is None:
                entries = mappings.unpacked(frame.machine, part(frame), node)
                if entries is None:
                    return frame.machine.gap("** of an unknown value", node)
                made.items.update(entries.items)
            else:
                name = hashing.key(frame.machine, key(frame), node)
                if isinstance(name, Unknown):
                    return name
                made.items[name] = part(frame)
        return made

    return run


def _subscript(node: ast.Subscript, scope: Scope) -> Run:
    owner, index = expression(node.value, scope), expression(node.slice, scope)
    return lambda frame: subscripts.load(frame.machine, owner(frame), index(frame), node)


def _slice(node: ast.Slice, scope: Scope) -> Run:
    parts = [None if p is None else expression(p, scope) for p in (node.lower, node.upper, node.step)]
    return lambda frame: slice(*(None if p is None else p(frame) for p in parts))


def _joined(node: ast.JoinedStr, scope: Scope) -> Run:
    parts: list[tuple[Any, Any, int]] = []
    for v in node.values:
        if isinstance(v, ast.FormattedValue):
            spec = None if v.format_spec is None else expression(v.format_spec, scope)
            parts.append((expression(v.value, scope), spec, v.conversion))
        else:
            parts.append((None, v.value if isinstance(v, ast.Constant) else "", -1))

    def run(frame: Frame) -> Any:
        shown: list[Value] = []
        for part, spec, conversion in parts:
            if part is None:
                shown.append(spec)
                continue
            value = text(frame.machine, part(frame), "" if spec is None else spec(frame), conversion, node)
            shown.append(value)
        return concatenated(frame.machine, shown)

    return run


def _add_keywords(m: Interpreter, kwargs: dict[str, Value], entries: Any, node: ast.AST) -> None:
    """`**entries`: texts, of which none was given before."""
    for key in entries:
        if isinstance(key, (int, float, tuple)) or key is None:
            raise m.raised("TypeError", "keywords must be texts", node)
        if isinstance(key, str) and key in kwargs:
            raise m.raised("TypeError", f"the argument {key} is given twice", node)
    kwargs.update(entries)


def _named(node: ast.NamedExpr, scope: Scope) -> Run:
    value, put = expression(node.value, scope), scope.target(node.target)

    def run(frame: Frame) -> Any:
        result = value(frame)
        put(frame, result)
        return result

    return run


def _lambda(node: ast.Lambda, scope: Scope) -> Run:
    code = Code("<lambda>", node, scope)
    defaults = [expression(d, scope) for d in node.args.defaults]
    keyword_defaults = [(a.arg, expression(d, scope)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None]

    def run(frame: Frame) -> Any:
        named = {k: d(frame) for k, d in keyword_defaults}
        return Function(code, inner_scopes(frame, scope), frame.module, tuple(d(frame) for d in defaults), named, frame.owner)

    return run


def _await(node: ast.Await, scope: Scope) -> Run:
    value = expression(node.value, scope)

    def run(frame: Frame) -> Any:
        found = value(frame)
        return found.space["result"] if isinstance(found, Model) and found.kind == "coroutine" else found

    return run


_COMPILERS: dict[type[ast.expr], Callable[[Any, Scope], Run]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Call: _call, ast.BinOp: _binary, ast.UnaryOp: _unary,
    ast.Compare: _compare, ast.BoolOp: _bool, ast.IfExp: _if, ast.Tuple: _tuple, ast.List: _list, ast.Set: _set, ast.Dict: _dict,
    ast.Subscript: _subscript, ast.Slice: _slice, ast.JoinedStr: _joined, ast.NamedExpr: _named, ast.Lambda: _lambda,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), comprehension),
    ast.Await: _await,
}  # fmt: skip

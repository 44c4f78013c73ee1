"""contextlib: contexts made of generators, stacks of contexts, suppressed exceptions; contextvars. The others are read from their source."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.values import MISSING, Args, Function, Key, Kwargs, Machine, Model, Native, Row, Value, slot

EXITS: Key[Row] = slot("exits")
_END: object = object()


def _contextmanager(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    function = args[0]

    def make(machine: Machine, given: Args, named: Kwargs, at: Any) -> Model:
        again = Native(getattr(function, "name", "context"), lambda mm, a, k, n: mm.call(function, given, named, n))
        held = {"generator": machine.call(function, given, named, at), "again": again, "swallows": _may_catch(function)}
        return Model("contextlib.generator", machine.heap.space(held))

    return Native(getattr(function, "name", "contextmanager"), make)


def _may_catch(function: Value) -> bool:
    """Whether a generator may take an exception that is thrown into it."""
    code = getattr(getattr(function, "code", None), "node", None)
    return code is None or any(isinstance(part, (ast.ExceptHandler, ast.With, ast.AsyncWith)) for part in ast.walk(code))


def _enter_generator(m: Machine, me: Model, node: ast.AST) -> Value:
    found = m.call(next, (me.space["generator"], _END), {}, node)
    if found is _END:
        raise m.raised("RuntimeError", "the generator of this context does not yield", node)
    return found


def _leave_generator(m: Machine, me: Model, raised: Any, node: ast.AST) -> bool:
    generator = me.space["generator"]
    if raised is None:
        if m.call(next, (generator, _END), {}, node) is not _END:
            raise m.raised("RuntimeError", "the generator of this context yields twice", node)
        return False
    if not m.throw(generator, raised, node):
        raise m.raised("RuntimeError", "the generator of this context yields again after an exception", node)
    return True


def _decorate(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A context as a decorator: every call runs inside a new one."""
    function = args[0]

    def run(machine: Machine, given: Args, named: Kwargs, at: Any) -> Any:
        inner = Model(me.kind, machine.heap.space(dict(me.space)))
        if "again" in me.space:
            machine.heap.set(inner.space, "generator", machine.call(me.space["again"], (), {}, at))
        _, leave = machine.enter(inner, at)
        found = machine.call(function, given, named, at)
        if leave is not None:
            leave(None)
        return found

    return Native(getattr(function, "name", "function"), run) if isinstance(function, (Function, Native)) else function


def _push(m: Machine, me: Model, leave: Value) -> None:
    m.heap.touch(me.space[EXITS])
    me.space[EXITS].append(leave)


def _enter_context(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    entered, leave = m.enter(args[0], node)
    if leave is not None:
        _push(m, me, leave)
    return entered


def _callback(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    def leave(raised: Value) -> bool:
        m.call(args[0], args[1:], kwargs, node)
        return False

    _push(m, me, leave)
    return args[0]


def _leave_stack(m: Machine, me: Model, raised: Value, node: ast.AST) -> bool:
    exits = me.space[EXITS][::-1]
    m.heap.touch(me.space[EXITS])
    me.space[EXITS].clear()
    swallowed = False
    for leave in exits:
        if callable(leave) and leave(None if swallowed else raised):
            swallowed = True
    return swallowed and raised is not None


def _pop_all(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    made = Model("contextlib.ExitStack", m.heap.space({"exits": m.heap.row(me.space[EXITS])}))
    m.heap.touch(me.space[EXITS])
    me.space[EXITS].clear()
    return made


def _close(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    _leave_stack(m, me, None, node)


def _context_variable(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    held = {"name": argument(args, kwargs, 0, "name"), "value": kwargs.get("default", MISSING), "default": kwargs.get("default", MISSING)}
    return Model("contextvars.ContextVar", m.heap.space(held))


def _value_of(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = me.space["value"]
    if found is MISSING and (args or "default" in kwargs):
        return argument(args, kwargs, 0, "default")
    if found is MISSING:
        raise m.raised("LookupError", f"the context variable {me.space['name']} has no value", node)
    return found


def _set_value(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    token = Model("contextvars.Token", m.heap.space({"var": me, "old_value": me.space["value"]}))
    m.heap.set(me.space, "value", argument(args, kwargs, 0, "value"))
    return token


def _reset_value(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    token = argument(args, kwargs, 0, "token")
    if isinstance(token, Model) and token.kind == "contextvars.Token":
        m.heap.set(me.space, "value", token.space["old_value"])
    else:
        m.heap.set(me.space, "value", m.gap("ContextVar.reset", node, "the token is not known"))


FUNCTIONS: dict[str, Run] = {
    "contextlib.contextmanager": _contextmanager,
    "contextlib.suppress": lambda m, a, k, n: Model("contextlib.suppress", m.heap.space({"wanted": a})),
    "contextlib.nullcontext": lambda m, a, k, n: Model("contextlib.nullcontext", m.heap.space({"given": argument(a, k, 0, "enter_result")})),
    "contextlib.ExitStack": lambda m, a, k, n: Model("contextlib.ExitStack", m.heap.space({"exits": m.heap.row()})),
    "contextvars.ContextVar": _context_variable,
}  # fmt: skip
KINDS = {
    "contextlib.generator": KindModel(enter=_enter_generator, leave=_leave_generator, call=_decorate),
    "contextlib.suppress": KindModel(
        enter=lambda m, me, node: None, leave=lambda m, me, raised, n: raised is not None and m.catches(raised, me.space["wanted"], n),
    ),
    "contextlib.nullcontext": KindModel(enter=lambda m, me, node: me.space["given"]),
    "contextlib.ExitStack": KindModel(
        methods={"enter_context": _enter_context, "callback": _callback, "pop_all": _pop_all, "close": _close},
        enter=lambda m, me, node: me, leave=_leave_stack,
    ),
    "contextvars.ContextVar": KindModel(methods={"get": _value_of, "set": _set_value, "reset": _reset_value}),
    "contextvars.Token": KindModel(),
}  # fmt: skip

"""functools: partial application, wrappers, caches, dispatch by type. Orderings and cached properties are read from their source."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from tensorproof.libraries import KindModel, Run
from tensorproof.values import MISSING, Args, Dict, Function, Key, Kwargs, List, Machine, Model, Native, Row, Set, Space, Value, slot

FIRST: Key[Args] = slot("args")
NAMED: Key[Dict] = slot("named")
KEPT: Key[Space] = slot("kept")
CHOICES: Key[Row] = slot("choices")


def _partial(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    if not args:
        raise m.raised("TypeError", "partial needs a function", node, "call/arguments")
    function, given, named = args[0], args[1:], dict(kwargs)
    if isinstance(function, Model) and function.kind == "functools.partial":
        given, named = (*function.space[FIRST], *given), {**function.space[NAMED].items, **named}
        function = function.space["func"]
    return Model("functools.partial", m.heap.space({"func": function, "args": given, "named": Dict(m.heap.entries(named))}))


def _update_wrapper(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    wrapper, wrapped = args[0], args[1] if len(args) > 1 else kwargs.get("wrapped")
    if isinstance(wrapper, Function):
        if wrapper.space is None:
            wrapper.space = m.heap.space()
        copied = {"__wrapped__": wrapped}
        if isinstance(wrapped, Function):
            copied = {**(wrapped.space or {}), **{n: m.attribute(wrapped, n, node) for n in ("__name__", "__qualname__", "__doc__")}, "__wrapped__": wrapped}
        for name, value in copied.items():
            m.heap.set(wrapper.space, name, value)
    return wrapper


def _wraps(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    wrapped = args[0] if args else kwargs.get("wrapped")
    return Native("functools.wraps", lambda machine, inner, named, at: _update_wrapper(machine, (inner[0], wrapped), {}, at))


def _reduce(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = m.iterate(args[1], node)
    if found is None:
        return m.gap("functools.reduce", node, "the items are not known")
    if len(args) > 2:
        found = [args[2], *found]
    if not found:
        raise m.raised("TypeError", "reduce of nothing has no value", node)
    total = found[0]
    for one in found[1:]:
        total = m.call(args[0], (total, one), {}, node)
    return total


def _cache(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A function whose results are kept. Called with settings it is a decorator."""
    if len(args) == 1 and not isinstance(args[0], (int, type(None), bool)) and not kwargs:
        return Model("functools.cached", m.heap.space({"__wrapped__": args[0], "kept": m.heap.entries()}))
    return Native("functools.lru_cache", lambda machine, inner, named, at: _cache(machine, inner, {}, at))


def _call_cached(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    place: Value = (args, tuple(sorted(kwargs.items(), key=lambda pair: pair[0])))
    for one in (*args, *kwargs.values()):
        if isinstance(one, (List, Dict)) or (isinstance(one, Set) and not one.frozen):
            raise m.raised("TypeError", f"a {type(one).__name__.lower()} cannot be kept in a cache: it may change", node)
    kept = me.space[KEPT]
    if place in kept:
        return kept[place]
    found = m.call(me.space["__wrapped__"], args, kwargs, node)
    m.heap.set(kept, place, found)
    return found


def _cached_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    return m.attribute(me.space["__wrapped__"], name, node) if name in ("__name__", "__qualname__", "__doc__", "__module__") else MISSING


def _clear(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    kept = me.space[KEPT]
    for place in list(kept):
        m.heap.delete(kept, place)


def _register(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if isinstance(args[0], Function) and len(args) == 1:
        noted = args[0].code.node.args.args[:1]
        cls = getattr(builtins, noted[0].annotation.id, None) if noted and isinstance(noted[0].annotation, ast.Name) else None
        cls = args[0].module.space.get(noted[0].annotation.id) if cls is None and noted and isinstance(noted[0].annotation, ast.Name) else cls
        return m.gap("singledispatch.register", node, "by an annotation") if cls is None else _register(m, me, (cls, args[0]), {}, node)
    cls = args[0]

    def keep(machine: Machine, given: Args, named: Kwargs, at: Value) -> Value:
        machine.heap.touch(me.space[CHOICES])
        me.space[CHOICES].append((cls, given[0]))
        return given[0]

    return keep(m, (args[1],), {}, node) if len(args) > 1 else Native("register", keep)


def _dispatch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if not args:
        raise m.raised("TypeError", "a function that dispatches by type needs an argument", node, "call/arguments")
    best: Any = None
    for cls, function in (pair for pair in me.space[CHOICES] if isinstance(pair, tuple)):
        fits = m.call(isinstance, (args[0], cls), {}, node)
        if not isinstance(fits, bool):
            return m.gap("singledispatch", node, "the type of the first argument is not known")
        if fits and (best is None or best[0] is cls or m.call(issubclass, (cls, best[0]), {}, node) is True):
            best = (cls, function)
    return m.call(me.space["__wrapped__"] if best is None else best[1], args, kwargs, node)


FUNCTIONS: dict[str, Run] = {
    "asyncio.run": lambda m, a, k, n: a[0].space["result"] if isinstance(a[0], Model) and a[0].kind == "coroutine" else m.gap("asyncio.run", n),
    "functools.partial": _partial, "functools.wraps": _wraps, "functools.update_wrapper": _update_wrapper, "functools.reduce": _reduce,
    "functools.lru_cache": _cache, "functools.cache": _cache,
    "functools.singledispatch": lambda m, a, k, n: Model("functools.singledispatch", m.heap.space({"__wrapped__": a[0], "choices": m.heap.row()})),
}  # fmt: skip
KINDS = {
    "functools.partial": KindModel(
        call=lambda m, me, a, k, n: m.call(me.space["func"], (*me.space[FIRST], *a), {**me.space[NAMED].items, **k}, n),
        attribute=lambda m, me, name, n: me.space[NAMED] if name == "keywords" else MISSING),
    "functools.cached": KindModel(call=_call_cached, attribute=_cached_attribute, binds=True, methods={"cache_clear": _clear}),
    "functools.singledispatch": KindModel(call=_dispatch, methods={"register": _register}),
}  # fmt: skip

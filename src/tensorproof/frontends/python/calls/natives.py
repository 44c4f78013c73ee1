"""Python's own functions and classes: those that look into values have a model here, the pure ones run as they are on plain values."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import functions, listing
from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.calls import builtin_classes, builtin_numbers, builtin_sequences
from tensorproof.frontends.python.calls.exceptions import exception_object
from tensorproof.frontends.python.containers.hashing import refuse_unhashable
from tensorproof.frontends.python.containers.plain_values import all_plain, host, wrapped
from tensorproof.frontends.python.containers.type_names import type_name
from tensorproof.frontends.python.operators import drawn_reals, host_calls
from tensorproof.frontends.python.operators.formatting import check_fields, own_text
from tensorproof.frontends.python.operators.type_rules import refuse_call
from tensorproof.frontends.python.summaries import summarised_results
from tensorproof.frontends.python.tensors.number_kinds import number_kind
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.predicates import Predicate
from tensorproof.values.objects import (
    Bound,
    Choice,
    Dict,
    Function,
    Instance,
    List,
    Model,
    Set,
)  # fmt: skip
from tensorproof.values.python_values import TEXT, WHOLE, Named, Unknown
from tensorproof.values.summaries import is_text, shown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value
Run = Callable[..., Any]


_PLACES = ("find", "rfind", "index", "rindex", "count")
"""Methods of texts that give whole numbers."""


def call(m: Interpreter, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    for i, one in enumerate(args):
        if type(one) is Choice:  # the call with each of the two values
            return m.branching.choose(
                one.condition,
                partial(call, m, callee, (*args[:i], one.then, *args[i + 1 :]), kwargs, node),
                partial(call, m, callee, (*args[:i], one.other, *args[i + 1 :]), kwargs, node),
            )
    args = m.memory.all_current(args)
    refuse_call(m, callee, args, kwargs, node)
    try:
        model = MODELS.get(callee)
    except TypeError:
        model = None
    if model is not None:
        try:
            return model(m, node, *args, **kwargs)
        except TypeError as error:
            if "positional argument" in str(error) or "keyword argument" in str(error):
                raise m.raised("TypeError", f"{getattr(callee, '__name__', 'this')} does not take these arguments", node, "call/arguments") from None
            raise
    name = getattr(callee, "__name__", type(callee).__name__)
    if isinstance(callee, type) and issubclass(callee, BaseException):
        return exception_object(m, callee.__name__, args, node)
    if not callable(callee):
        raise m.raised("TypeError", f"a {type_name(callee)} cannot be called", node)
    if isinstance(getattr(callee, "__self__", None), str) and name in _PLACES and any(isinstance(a, Unknown) for a in args):
        return Unknown("a place in a text", number="int")
    if not all_plain(args) or not all_plain(tuple(kwargs.values())):
        return _half_plain(m, callee, name, args, kwargs, node)
    return _run(m, callee, name, args, kwargs, node)


def _run(m: Interpreter, callee: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """Run a function of Python that is pure; any other is a gap."""
    pure = host_calls.resolved(callee, args)
    if pure is None:
        return m.gap(name, node, "no model")
    return wrapped(m, host_calls.plain(m, pure[0], pure[1], node, kwargs))


def _texts(m: Interpreter, args: tuple[Value, ...], node: ast.AST) -> bool:
    """Whether what is joined are texts, as far as that is known."""
    found = summarised_results.listed(m, args[0], node) if len(args) == 1 else None
    return found is not None and all(is_text(v) or (isinstance(v, (Unknown, Choice)) and not number_kind(v)) for v in shown(found))


def _half_plain(m: Interpreter, callee: Value, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """A pure function with the program's containers among its arguments: they are spelled out when all is concrete."""
    try:
        spelled = tuple(host(m, a) for a in args), {k: host(m, v) for k, v in kwargs.items()}
    except ValueError:
        text = getattr(callee, "__self__", None)
        if isinstance(text, str) and name in ("format", "format_map"):
            if name == "format":
                check_fields(m, text, args, kwargs, node)
            return TEXT
        if isinstance(text, str) and name == "join" and _texts(m, args, node):
            items = summarised_results.listed(m, args[0], node) or ()
            words = [one for one in items if type(one) is str]
            return text.join(words) if words and len(words) == len(items) else TEXT
        if any(isinstance(a, (Unknown, Term, Predicate, Choice)) for a in (*args, *kwargs.values())):
            refuse_call(m, callee, args, kwargs, node, True)
            return drawn_reals.whole(m, callee, args[0], node) if drawn_reals.rounds(callee) and args and drawn_reals.is_drawn(args[0]) else Unknown(name)
        return m.gap(name, node, "of values that it cannot look into")
    return _run(m, callee, name, spelled[0], spelled[1], node)


# --- models ---


def _print(m: Interpreter, node: ast.AST, *args: Value, **kwargs: Value) -> None:
    for one in args:
        if isinstance(one, Instance):  # its own text may fail
            own_text(m, one, ("__str__", "__repr__"), (), node)
    file = kwargs.get("file")
    if isinstance(file, Model) and file.kind == "io.StringIO":
        m.heap.set(file.space, "text", TEXT)


def _exec(m: Interpreter, node: ast.AST, *rest: Value) -> Value:
    """It may bind any name."""
    if m.frames and m.frames[-1].module is not None:
        m.frames[-1].module.hidden = True
    return m.gap("exec", node)


def _hash(m: Interpreter, node: ast.AST, value: Value) -> Value:
    if isinstance(value, Instance):
        refuse_unhashable(m, value, node)
        own, _ = in_class(m, value.cls, "__hash__")
        return m.call(Bound(own, value), (), {}, node) if isinstance(own, Function) else WHOLE if in_class(m, value.cls, "__eq__")[1] is not None else id(value)
    if isinstance(value, (List, Dict, Set)) and not (isinstance(value, Set) and value.frozen):
        raise m.raised("TypeError", f"a {type_name(value)} has no hash", node)
    if isinstance(value, str):  # another number in every run, and the same one within a run
        return m.symbol(f"hash({value!r})", -(2**63), 2**63 - 1, Origin.UNMODELLED)
    return hash(value) if isinstance(value, (int, float)) else WHOLE


def _id(m: Interpreter, node: ast.AST, value: Value) -> Value:
    return id(value)


def _object(m: Interpreter, node: ast.AST) -> Value:
    return Model("builtins.object", m.heap.space())


def _open(m: Interpreter, node: ast.AST, file: Value, mode: Value = "r", *rest: Value, **named: Value) -> Value:
    known = isinstance(file, (str, Model))
    if m.model_state["files"] and not (isinstance(mode, str) and mode in ("r", "rb", "rt")):
        from tensorproof.libraries.python.storage.saved_values import forget

        forget(m, file)
    return Model("file", m.heap.space({"path": file if known else None, "mode": mode if isinstance(mode, str) else "?", "at": 0, "name": file}))


def _dict_of_keys(m: Interpreter, node: ast.AST, keys: Value, value: Value = None) -> Value:
    found = m.iterate(keys, node)
    return Unknown("fromkeys") if found is None else Dict(m.heap.entries(dict.fromkeys(found, value)))


def _exit(m: Interpreter, node: ast.AST, *args: Value) -> Value:
    """`exit()` and `quit()` are `sys.exit()`."""
    return m.call(Named("sys.exit"), args, {}, node)


def _nothing(m: Interpreter, node: ast.AST, *args: Value, **kwargs: Value) -> None:
    """What shows something to the person at the terminal."""


_INTERACTIVE: dict[str, Run] = {"exit": _exit, "quit": _exit, **dict.fromkeys(("breakpoint", "help", "license", "credits", "copyright"), _nothing)}
"""Builtins for a person at the terminal; the module `site` adds most of them."""
MODELS: dict[Any, Run] = {
    **{getattr(builtins, name): run for name, run in _INTERACTIVE.items() if hasattr(builtins, name)},
    **builtin_classes.MODELS, **builtin_sequences.MODELS, **builtin_numbers.MODELS, **listing.MODELS,
    types.FunctionType: functions.copied,
    print: _print, id: _id, object: _object, open: _open, slice: lambda m, node, *a: slice(*a), input: lambda m, node, *a: TEXT,
    hash: _hash, exec: _exec, dict.fromkeys: _dict_of_keys,
    eval: lambda m, node, *a: m.gap("eval", node), __import__: lambda m, node, *a, **k: m.gap("__import__", node),
}  # fmt: skip

"""Small helpers for models: values in and out of the program's memory, nestings of lists and dicts, and functions that run as they are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Iterator as HostIterator
from typing import Any

from tensorproof.terms import BUDGETS, Outputs, Predicate, TensorType, Term
from tensorproof.values import TEXT, Args, Choice, Dict, Generator, Instance, Iterator, Kwargs, List, Machine, Model, Native, Set, Unknown, Value
from tensorproof.values.python_values import MESSAGE

HOSTS = frozenset(("decimal", "fractions", "_struct", "string", "datetime"))
"""Modules whose objects are kept as they are."""
_PLAIN = (str, int, float, complex, bool, bytes, type(None), range, slice, type(Ellipsis))


class Abstract(Exception):
    """A value that has no concrete form."""


MOST_PARTS = BUDGETS.containers.parts


def to_host(value: Value) -> Any:
    """A value as Python's own; `Abstract` when a part of it is not concrete, or when it has too many."""
    return _spelled(value, [MOST_PARTS])


def _spelled(value: Value, left: list[int]) -> Value:
    left[0] -= 1
    if left[0] < 0:
        raise Abstract
    match value:
        case Instance(native=List() | Dict() as inner):
            return _spelled(inner, left)
        case List():
            return [_spelled(v, left) for v in value.items]
        case Set():
            return {_spelled(v, left) for v in value.items}
        case Dict():
            return {_spelled(k, left): _spelled(v, left) for k, v in value.items.items()}
        case tuple():
            return tuple(_spelled(v, left) for v in value)
        case Term() | Predicate():
            raise Abstract
        case _ if isinstance(value, _PLAIN):
            return value
        case _:
            raise Abstract


def from_host(m: Machine, value: Value) -> Value:
    """Python's own containers as the program's."""
    if isinstance(value, list):
        return List(m.heap.row([from_host(m, v) for v in value]))
    if isinstance(value, dict):
        return Dict(m.heap.entries({k: from_host(m, v) for k, v in value.items()}))
    if isinstance(value, (set, frozenset)):
        return Set(m.heap.row(sorted(value, key=repr)), isinstance(value, frozenset))
    if type(value) is tuple:
        return tuple(from_host(m, v) for v in value)
    return value


def listed(m: Machine, items: Value) -> List:
    return List(m.heap.row(items))


def inner(value: Value) -> list[Value] | None:
    """What stands in a tuple, list or dict; None for any other value."""
    held = value.items if isinstance(value, (List, Dict)) else value
    return list(held.values()) if isinstance(held, dict) else list(held) if isinstance(held, (tuple, list)) else None


def leaves(value: Value) -> list[Value]:
    held = inner(value)
    return [value] if held is None else [leaf for one in held for leaf in leaves(one)]


def tensors_in(value: Value) -> list[TensorType]:
    """All tensors of a nesting, from left to right."""
    return [leaf for leaf in leaves(value) if isinstance(leaf, TensorType)]


def mapped(m: Machine, value: Value, change: Callable[[TensorType], Value]) -> Any:
    """A nesting of the program's with every tensor changed."""
    match value:
        case TensorType():
            return change(value)
        case List() | list():
            return List(m.heap.row(mapped(m, v, change) for v in inner(value) or ()))
        case Dict():
            return Dict(m.heap.entries({k: mapped(m, v, change) for k, v in value.items.items()}), ordered=value.ordered)
        case dict():
            return Dict(m.heap.entries({k: mapped(m, v, change) for k, v in value.items()}))
        case Outputs():
            return value.like(mapped(m, v, change) for v in value)
        case tuple() if type(value) is tuple:
            return tuple(mapped(m, v, change) for v in value)
        case Choice():
            return m.branching.choose(value.condition, lambda: mapped(m, value.then, change), lambda: mapped(m, value.other, change))
        case _:
            return value


def always(value: Value) -> Callable[[], Value]:
    """A function that gives this value: one side of a choice."""
    return lambda: value


def iterator(m: Machine, items: Any) -> Iterator:
    return Iterator(list(items), m.heap.cursor())


def lazy(m: Machine, steps: HostIterator[Value]) -> Generator:
    """A generator of the program whose values a model makes one by one."""
    frame = m.frames[-1].inner(m.heap.space(), ())
    return Generator(frame, _as_generator(steps), m.heap.clock)


def _as_generator(steps: HostIterator[Value]) -> Value:
    yield from steps


def native(function: Value, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """A pure function of Python, run as it is on concrete values."""
    return m.call(function, args, kwargs, node)


def nothing(*call: object) -> None:
    """A function, a method or a hook without effect."""


def unknown(reason: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A plain value from outside that no analysis can know."""
    return Unknown(reason)


def exception(kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    """A library's class of exceptions, called."""
    return Model("exception", m.heap.space({"kind": kind, "args": args}))


def quiet(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    """An object whose calls never touch a tensor."""
    return Model("quiet", m.heap.space())


_FUNCTION_NAMES = ("fn", "model", "obj", "func", "function")
"""How what is decorated is called where it is given by name."""


def kept(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Functions that give back what they get, as decorators do: without anything to keep they give the decorator."""
    given = [*args[:1], *(kwargs[name] for name in _FUNCTION_NAMES if name in kwargs)]
    if not given or given[0] is None:
        return Native("decorator", lambda machine, inner, named, at: inner[0])
    return given[0]


def argument(args: Args, kwargs: Kwargs, at: int, name: str, otherwise: Value = None) -> Value:
    """One argument, by its place or by its name."""
    return args[at] if len(args) > at else kwargs.get(name, otherwise)


def exception_text(kind: Value, given: Value) -> Value:
    """`str` of an exception that was raised with these values."""
    if given == ():
        return ""
    if not isinstance(given, tuple) or not all(isinstance(one, _PLAIN) for one in given):
        return MESSAGE if given == (MESSAGE,) else TEXT
    return str(given) if len(given) > 1 else repr(given[0]) if kind == "KeyError" else str(given[0])


def plainly(m: Machine, me: Value, word: str, node: ast.AST) -> Value:
    """An attribute as `object` itself looks it up: a `__getattribute__` of the class is passed over."""
    state = m.model_state.get("own lookup")
    if state is not None:
        state.append((me, word))
    return m.attribute(me, word, node)

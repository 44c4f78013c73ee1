"""Binds the arguments of a call to the parameters of a function of the program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.frontends.python.branching import questions
from tensorproof.values.heap import Space
from tensorproof.values.objects import Dict, Function
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def bind_arguments(m: Interpreter, function: Function, space: Space, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> None:
    """As Python binds them; a call that does not fit is the program's TypeError."""
    if function.wrapped:
        args, kwargs = _passed_on(function, args, kwargs)
    a = function.code.node.args
    positional = [*a.posonlyargs, *a.args]
    named = dict(kwargs)
    count = len(args)
    for parameter, value in zip(positional, args):
        space[parameter.arg] = value
    if count > len(positional) and a.vararg is None:
        raise m.raised("TypeError", f"{function.name} takes {len(positional)} positional arguments, {count} are given", node, "call/arguments")
    if a.vararg is not None:
        space[a.vararg.arg] = tuple(args[len(positional) :])
    first_default = len(positional) - len(function.defaults)
    only_positional = {p.arg for p in a.posonlyargs}
    for i, parameter in enumerate(positional):
        name = parameter.arg
        if i < count:
            if name in named and name not in only_positional:
                raise m.raised("TypeError", f"{function.name} gets the argument {name} twice", node, "call/arguments")
        elif name in named and name not in only_positional:
            space[name] = named.pop(name)
        elif i >= first_default:
            space[name] = function.defaults[i - first_default]
        else:
            raise m.raised("TypeError", f"{function.name} is missing the argument {name}", node, "call/arguments")
    for parameter in a.kwonlyargs:
        name = parameter.arg
        if name in named:
            space[name] = named.pop(name)
        elif name in function.keyword_defaults:
            space[name] = function.keyword_defaults[name]
        else:
            raise m.raised("TypeError", f"{function.name} is missing the argument {name}", node, "call/arguments")
    if a.kwarg is not None:
        space[a.kwarg.arg] = Dict(m.heap.entries(named))
    elif named:
        raise m.raised("TypeError", f"{function.name} has no argument named {next(iter(named))}", node, "call/arguments")
    for name, value in space.items():
        if type(value) is Unknown and not value.key:
            space[name] = questions.named(m, value, str(name), function.code.node)


def _passed_on(function: Function, args: tuple[Value, ...], kwargs: dict[str, Value]) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """What a decorator that is not known may pass on: the arguments that the function takes, and unknown ones for those that are missing."""
    a = function.code.node.args
    positional = [p.arg for p in (*a.posonlyargs, *a.args)]
    named = {p.arg for p in (*a.args, *a.kwonlyargs)}
    if a.vararg is None:
        args = args[: len(positional)]
    taken = {k: v for k, v in kwargs.items() if a.kwarg is not None or (k in named and k not in positional[: len(args)])}
    needed = positional[len(args) : len(positional) - len(function.defaults)]
    needed += [p.arg for p, default in zip(a.kwonlyargs, a.kw_defaults) if default is None]
    missing = {name: Unknown(name, key=f"{function.name}({name})") for name in needed if name not in taken}
    only = [p.arg for p in a.posonlyargs if p.arg in missing]
    return (*args, *(missing.pop(name) for name in only)), {**taken, **missing}

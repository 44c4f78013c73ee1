"""Binds the arguments of a call to the parameters of a function of the program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.values.heap import Space
from tensorproof.values.objects import Dict, Function

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter


def bind_arguments(m: Interpreter, function: Function, space: Space, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> None:
    """As Python binds them; a call that does not fit is the program's TypeError."""
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

"""`--vary NAME`: a command-line argument or a configuration value that is the user's to choose, whatever its default says."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from tensorproof.terms import BUDGETS, Origin, disj, eq
from tensorproof.values import MISSING, REAL, TEXT, Choice, Dict, List, Machine, Unknown, Value

LIMIT = 2**63
MOST_CHOICES = BUDGETS.containers.values_of_variable


def varies(m: Machine, name: Value, where: str = "") -> bool:
    """Whether the user lets this name vary; `where` says what has the name."""
    if not (m.directives.vary or m.directives.chosen) or not isinstance(name, str):
        return False
    word = name.replace("-", "_")
    if word in m.directives.vary or word in m.directives.chosen:
        m.directives.met.add(word)
        if where:
            m.directives.bound.setdefault(word, where)
        return True
    return False


def chosen_value(m: Machine, name: str) -> Value:
    """The value that the user chose in place of the program's, or MISSING."""
    return m.directives.chosen.get(name.replace("-", "_"), MISSING)


def refuse_given(m: Machine, names: Iterable[str]) -> None:
    """Note the chosen names to which the program's own arguments give a value."""
    reason = "also has a value among the program's own arguments; leave one of them out"
    m.directives.refused.update({name: reason for name in names if name in m.directives.chosen})


def refuse_type(m: Machine, name: str, value: Value, wanted: Any) -> None:
    """Note a chosen value that the type of a command-line argument does not take."""
    while isinstance(value, Choice):
        refuse_type(m, name, value.then, wanted)
        value = value.other
    fits = {int: not isinstance(value, (str, float)) and value is not REAL, float: not isinstance(value, str)}.get(wanted, True)
    if not fits:
        shown = "a real number" if value is REAL else repr(value)
        m.directives.refused[name] = f"has the type {wanted.__name__} in the program, and {shown} is not one"


def any_whole(m: Machine, name: str, choices: Any = None) -> Value:
    """A whole number that the user chooses, of a few where they are listed."""
    if (value := chosen_value(m, name)) is not MISSING:
        return value
    made = m.symbol(name, -LIMIT, LIMIT, Origin.USER)
    if choices:
        m.assume(disj(*(eq(made, c) for c in choices)))
    return made


def any_of(m: Machine, name: str, values: list[Value], node: ast.AST) -> Value:
    """One of a few values."""
    if values and all(type(v) is int for v in values):
        return any_whole(m, name, values)
    if len(values) > MOST_CHOICES:
        return TEXT if all(isinstance(v, str) for v in values) else Unknown(f"the value of {name}")
    result = values[-1]
    for depth, value in enumerate(reversed(values[:-1]), 1):
        result = Choice(m.open_truth(f"{name} is {value}", node), value, result, depth)
    return result


def any_like(m: Machine, name: str, default: Value, node: ast.AST) -> Value:
    """Any value of the kind that the default is of."""
    if (value := chosen_value(m, name)) is not MISSING:
        return value
    match default:
        case bool():
            return m.open_truth(name, node)
        case int():
            return any_whole(m, name)
        case float():
            return REAL
        case str():
            return TEXT
        case List():
            return List(m.heap.row([any_like(m, f"{name}[{i}]", v, node) for i, v in enumerate(default.items)]))
        case tuple():
            return tuple(any_like(m, f"{name}[{i}]", v, node) for i, v in enumerate(default))
        case Dict():
            return Dict(m.heap.entries({k: any_like(m, f"{name}.{k}", v, node) for k, v in default.items.items()}))
        case _:
            return Unknown(f"the value of {name}")


def varied(m: Machine, value: Value, node: ast.AST, inside: str = "") -> Value:
    """The data of a configuration file, in which some keys vary at any depth: by their names, or by their paths (`model.kernel`)."""
    if not (m.directives.vary or m.directives.chosen):
        return value
    if isinstance(value, Dict):
        for key, inner in list(value.items.items()):
            path = f"{inside}{key}"
            name = next((word for word in (path, key) if varies(m, word, f"key {path} of a configuration file")), None)
            m.heap.set(value.items, key, any_like(m, name, inner, node) if name is not None else varied(m, inner, node, f"{path}."))
    elif isinstance(value, List):
        for inner in value.items:
            varied(m, inner, node, inside)
    return value

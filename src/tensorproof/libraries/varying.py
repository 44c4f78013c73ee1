"""`--vary NAME`: a command-line argument or a configuration value that is the user's to choose, whatever its default says."""

from __future__ import annotations

from typing import Any

from tensorproof.terms.ints import Origin
from tensorproof.terms.predicates import disj, eq
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Choice, Dict, List
from tensorproof.values.python_values import REAL, TEXT, Unknown

LIMIT = 2**63
MOST_CHOICES = 7
"""More values than these are not told apart."""


def varies(m: Any, name: Any) -> bool:
    """Whether the user lets this name vary."""
    if not (m.told.vary or m.told.chosen) or not isinstance(name, str):
        return False
    word = name.replace("-", "_")
    if word in m.told.vary or word in m.told.chosen:
        m.told.met.add(word)
        return True
    return False


def chosen_value(m: Any, name: str) -> Any:
    """The value that the user chose in place of the program's, or MISSING."""
    return m.told.chosen.get(name.replace("-", "_"), MISSING)


def any_whole(m: Any, name: str, choices: Any = None) -> Any:
    """A whole number that the user chooses, of a few where they are listed."""
    if (value := chosen_value(m, name)) is not MISSING:
        return value
    made = m.symbol(name, -LIMIT, LIMIT, Origin.USER)
    if choices:
        m.assume(disj(*(eq(made, c) for c in choices)))
    return made


def any_of(m: Any, name: str, values: list[Any], node: Any) -> Any:
    """One of a few values."""
    if values and all(type(v) is int for v in values):
        return any_whole(m, name, values)
    if len(values) > MOST_CHOICES:
        return TEXT if all(isinstance(v, str) for v in values) else Unknown(f"the value of {name}")
    result = values[-1]
    for depth, value in enumerate(reversed(values[:-1]), 1):
        result = Choice(m.open_truth(f"{name} is {value}", node), value, result, depth)
    return result


def any_like(m: Any, name: str, default: Any, node: Any) -> Any:
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


def varied(m: Any, value: Any, node: Any) -> Any:
    """The data of a configuration file, in which some keys vary at any depth."""
    if not (m.told.vary or m.told.chosen):
        return value
    if isinstance(value, Dict):
        for key, inner in list(value.items.items()):
            m.heap.set(value.items, key, any_like(m, key, inner, node) if varies(m, key) else varied(m, inner, node))
    elif isinstance(value, List):
        for inner in value.items:
            varied(m, inner, node)
    return value

"""The program's containers as Python's own, and back: for pure functions that run as they are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.iteration import iteration
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import AT
from tensorproof.values.objects import (
    Bound,
    Choice,
    Class,
    Dict,
    Function,
    Generator,
    Instance,
    Iterator,
    List,
    Model,
    Native,
    Set,
)  # fmt: skip
from tensorproof.values.python_values import Layer, Method, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

_OPAQUE = (
    TensorType,
    Unknown,
    Named,
    Layer,
    Method,
    Instance,
    Class,
    Function,
    Bound,
    Native,
    Model,
    Choice,
    List,
    Dict,
    Set,
    Iterator,
    Generator,
    Term,
    Predicate,
)


MOST_PARTS = BUDGETS.containers.parts


def host(m: Interpreter, value: Value) -> Any:
    """A value as Python's own; ValueError when it holds something abstract, or too much."""
    return _spelled(m, value, [MOST_PARTS])


def _spelled(m: Interpreter, value: Value, left: list[int]) -> Value:
    left[0] -= 1
    if left[0] < 0:
        raise ValueError
    match value:
        case List():
            return [_spelled(m, v, left) for v in value.items]
        case Set():
            return {_spelled(m, v, left) for v in value.items}
        case Dict():
            return {_spelled(m, k, left): _spelled(m, v, left) for k, v in value.items.items()}
        case tuple():
            return tuple(_spelled(m, v, left) for v in value)
        case Iterator():
            return iter([_spelled(m, v, left) for v in value.items[value.state[AT] :]])
        case Generator():
            return iter([_spelled(m, v, left) for v in iteration.items(m, value, ast.Pass()) or ()])
        case Choice():
            return _spelled(m, value.then if deciding.decided(m, value.condition) else value.other, left)
        case _ if isinstance(value, _OPAQUE):
            raise ValueError
        case _:
            return value


def wrapped(m: Interpreter, value: Any) -> Value:
    """Python's own containers as the program's."""
    if type(value) is list:
        return List(m.heap.row(wrapped(m, v) for v in value))
    if type(value) is dict:
        return Dict(m.heap.entries({k: wrapped(m, v) for k, v in value.items()}))
    if type(value) in (set, frozenset):
        return Set(m.heap.row(value), type(value) is frozenset)
    if type(value) is tuple:
        return tuple(wrapped(m, v) for v in value)
    if hasattr(value, "__next__"):
        from itertools import islice

        found = list(islice(value, iteration.MOST_YIELDS + 1))
        return Unknown("an endless iterator") if len(found) > iteration.MOST_YIELDS else iteration.iterator(m, [wrapped(m, v) for v in found])
    return value


def all_plain(values: tuple[Value, ...]) -> bool:
    return all(not isinstance(v, _OPAQUE) and (not isinstance(v, tuple) or all_plain(v)) for v in values)

"""Numbers that were drawn between two ends, and whole numbers made of them: `int(6 * random.random())` is one of 0 to 5."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, TypeGuard

from tensorproof.libraries.whole_numbers import between
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import replace
from tensorproof.values.port import Machine, Value
from tensorproof.values.python_values import DRAWN, Unknown
from tensorproof.values.summaries import kind_of_all

_LIMITS = BUDGETS.containers


def is_drawn(value: Value) -> TypeGuard[Any]:
    return type(value) is Unknown and value.below is not None


def moved(word: str, a: Value, b: Value) -> Unknown | None:
    """What an operator makes of a drawn number and another number. None for anything else."""
    kinds = ["int" if type(x) is int else "float" if type(x) is float else x.number if type(x) is Unknown else "" for x in (a, b)]
    if not (is_drawn(a) or is_drawn(b)) or "" in kinds:
        return None
    number = "float" if word == "truediv" else kind_of_all(kinds, "float")
    if is_drawn(b) and (word == "add" or word == "mul"):
        a, b = b, a
    if is_drawn(a) and isinstance(b, (int, float)) and abs(b) < _LIMITS.end_of_drawn and a.steps < _LIMITS.steps_of_drawn:
        ends = _ends(word, a, b)
        if ends is not None:
            return replace(DRAWN, number=number, least=ends[0], below=ends[1], steps=a.steps + 1)
    return replace(DRAWN, number=number)


def _ends(word: str, a: Any, b: float) -> tuple[float, float] | None:
    match word:
        case "add":
            return a.least + b, a.below + b
        case "sub":
            return a.least - b, a.below - b
        case "mul" if b > 0 and a.number == "float":
            return a.least * b, a.below * b
        case "truediv" if b > 0 and a.number == "float":
            return a.least / b, a.below / b
        case "mod" if b > 0:
            return 0.0, b
        case _:
            return None


def turned(value: Any) -> Unknown:
    """A drawn number with the other sign, or without one."""
    return replace(DRAWN, number=value.number)


def rounds(callee: Value) -> TypeGuard[Callable[[float], int]]:
    """Whether a function of Python makes a whole number of any real one."""
    return callee is math.floor or callee is math.ceil or callee is math.trunc


def whole(m: Machine, turn: Callable[[float], int], value: Any, node: ast.AST) -> Value:
    """The whole number that a rounding function makes of a drawn number."""
    if value.number == "int":
        return value
    if not abs(value.least) < _LIMITS.end_of_drawn > abs(value.below):
        return replace(DRAWN, number="int")
    return between(m, turn.__name__, turn(value.least), turn(math.nextafter(value.below, value.least)), node)

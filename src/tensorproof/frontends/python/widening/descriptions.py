"""What descriptions of values name and stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType
from tensorproof.values.objects import Choice
from tensorproof.values.python_values import Unknown
from tensorproof.values.summaries import is_text, number_of

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def names_in(value: Value) -> set[str]:
    """The names of the symbols and flags that a term or a predicate stands on."""
    found: set[str] = set()
    pending: list[Any] = [value]
    while pending:
        one = pending.pop()
        if type(one) is Term:
            pending += (atom for monomial, _ in one.parts for atom, _ in monomial)
        elif isinstance(one, Predicate):
            if one.kind == "flag":
                found.add(one.args[0])
            pending += one.terms()
        elif hasattr(one, "kind"):
            if one.kind == "symbol":
                found.add(one.args[0])
            else:
                pending += one.args
    return found


def leaves(value: Value) -> list[Value]:
    return [*leaves(value.then), *leaves(value.other)] if type(value) is Choice else [value]


def strides(a: TensorType, b: TensorType) -> Value:
    return a.strides if a.strides == b.strides else UNKNOWN_STRIDES


def plain_unknown(value: Value) -> bool:
    """Something of which nothing is known."""
    return type(value) is Unknown and not value.text and not value.number and value.ratio is None


def stands_for(wide: Unknown, value: Value) -> bool:
    if wide.text:
        return is_text(value)
    if wide.number:
        kind = number_of(value)
        return kind == wide.number or (kind == "int" and wide.number == "float")
    return True

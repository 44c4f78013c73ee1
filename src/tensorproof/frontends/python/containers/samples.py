"""Values of Python in place of those that are not known but for their type: what Python refuses by type alone, it refuses for them too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate
from tensorproof.values.objects import OPEN, Dict, List, Set
from tensorproof.values.python_values import Unknown, is_truth

if TYPE_CHECKING:
    from tensorproof.values.machine import Value

_NUMBERS: dict[str, tuple[object, object]] = {"float": (0.5, 0.5), "int": (1, 1), "bool": (True, True), "real": (0.5, 1)}


def sample(value: Value, whole: bool = False) -> object:
    """A value of the same type; ValueError where that is not known. A number that may be whole is so in one of two samples."""
    match value:
        case None | bool() | int() | float() | complex() | str() | bytes() | range() | type():
            return value
        case Term():
            return 1
        case Predicate():
            return True
        case slice():
            return slice(sample(value.start, whole), sample(value.stop, whole), sample(value.step, whole))
        case List() if not value.view and not value.deque:
            return [sample(one, whole) for one in value.items]
        case Set():
            return (frozenset if value.frozen else set)(sample(one, whole) for one in value.items)
        case Dict() if OPEN not in value.items:
            return {key: sample(one, whole) for key, one in value.items.items() if sample(key) is key}
        case Unknown() if value.number or value.ratio is not None or value.text is not value.octets or is_truth(value):
            kind = value.number or ("float" if value.ratio is not None else "bool")
            return "a" if value.text else b"a" if value.octets else _NUMBERS[kind][whole]
        case _ if type(value) is tuple:
            return tuple(sample(one, whole) for one in value)
        case _:
            raise ValueError

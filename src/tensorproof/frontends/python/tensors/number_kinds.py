"""Which kind of number a value is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.terms.ints import Term
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Choice
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def number_kind(value: Value) -> str:
    """Whether a value is a real ("float") or a whole ("int") number of Python, known or not; "" if that is unknown."""
    if isinstance(value, Unknown):
        return "float" if value.ratio is not None else value.number
    if isinstance(value, TensorType):  # a number of NumPy
        scalar = value.framework == "numpy" and value.shape.known and not value.shape and value.dtype is not None
        return {"f": "float", "i": "int", "u": "int"}.get(value.dtype.kind, "") if scalar and value.dtype is not None else ""
    if type(value) is Choice:
        kinds = number_kind(value.then), number_kind(value.other)
        return kinds[0] if kinds[0] == kinds[1] else ""
    return "float" if isinstance(value, float) else "int" if isinstance(value, (int, Term)) else ""

"""Values that stand for any of several, such as an item at an unknown index: in the program form they are values of their own, of which nothing is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values.objects import List

if TYPE_CHECKING:
    from tensorproof.values.machine import Machine

DEEPEST = 5
"""How deep tensors are looked for."""


def standing(m: Machine, value: object, depth: int = DEEPEST) -> Any:
    """The value with tensors of its own where the program form is recorded."""
    if m.path.program is None or depth == 0:
        return value
    if isinstance(value, TensorType):
        return value.but()
    if isinstance(value, Outputs):
        return value.like(standing(m, v, depth - 1) for v in value)
    if type(value) is tuple:
        return tuple(standing(m, v, depth - 1) for v in value)
    if type(value) is List and any(map(_holds_tensors, value.items)):
        return List(m.heap.row(standing(m, v, depth - 1) for v in value.items), value.deque, value.most, value.several)
    return value


def _holds_tensors(value: object) -> bool:
    return isinstance(value, TensorType) or (isinstance(value, tuple) and any(map(_holds_tensors, value)))

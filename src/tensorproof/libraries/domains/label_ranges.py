"""Which whole numbers a tensor may hold: kept for labels from known data and for drawn numbers, through what only moves, cuts or casts them."""

from __future__ import annotations

from typing import Any

from tensorproof.terms import Dim, TensorType, learn
from tensorproof.values.port import Machine, Value


def note(m: Machine, tensor: TensorType, low: Dim, high: Dim) -> TensorType:
    """This tensor holds whole numbers from `low` on that stay below `high`."""
    learn(tensor, span=(low, high))
    m.ranged = True
    return tensor


def of(m: Machine, tensor: Value) -> tuple[Any, Any] | None:
    """What a tensor may hold: the least, and what all stay below."""
    if not isinstance(tensor, TensorType):
        return None
    if tensor.facts is not None and tensor.facts.span is not None:
        return tensor.facts.span
    if tensor.contents and all(type(v) is int or (type(v) is float and v.is_integer()) for v in tensor.contents):
        return int(min(tensor.contents)), int(max(tensor.contents)) + 1
    return None


def keep(m: Machine, old: Value, new: Value) -> Any:
    """A tensor made of some of the numbers of another."""
    if m.path.program is not None and isinstance(old, TensorType) and isinstance(new, TensorType):
        m.path.program.taken(old, new)
    known = of(m, old) if m.ranged or (isinstance(old, TensorType) and old.contents) else None
    if known is not None and isinstance(new, TensorType) and new is not old:
        note(m, new, *known)
    return new

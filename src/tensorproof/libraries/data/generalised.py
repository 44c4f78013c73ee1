"""What a collate function makes of any number of samples, from what it made of a few."""

from __future__ import annotations

from typing import Any

from tensorproof.terms import Shape, TensorType
from tensorproof.values import MISSING, Dict, List, Machine, Unknown, Value


def generalised(m: Machine, made: list[Any], sizes: tuple[int, ...], count: Value) -> Value:
    """The result for any number of samples that follows from those for these sizes; MISSING where none does."""
    first = made[0]
    if any(type(v) is not type(first) for v in made):
        return MISSING

    def parts(columns: Any) -> list[Value] | None:
        found = [generalised(m, column, sizes, count) for column in columns]
        return None if any(p is MISSING for p in found) else found

    match first:
        case TensorType():
            return _generalised_tensor(made, parts)
        case int() if not isinstance(first, bool):
            return _generalised_number(made, sizes, count)
        case tuple():
            alike = all(len(v) == len(first) for v in made)
            found = parts(map(list, zip(*made))) if alike else None
            return MISSING if found is None else tuple(found)
        case List():
            return _generalised_list(m, made, sizes, parts)
        case Dict():
            alike = all(list(v.items) == list(first.items) for v in made)
            found = parts([v.items[k] for v in made] for k in first.items) if alike else None
            return MISSING if found is None else Dict(m.heap.entries(dict(zip(first.items, found))))
        case Unknown():
            return first
        case _:
            return first if all(v is first or v == first for v in made) else MISSING


def _generalised_tensor(made: list[Any], parts: Any) -> Value:
    first = made[0]
    if not all(v.shape.known and len(v.shape) == len(first.shape) and v.dtype is first.dtype for v in made):
        return MISSING
    dims = parts([v.shape[i] for v in made] for i in range(len(first.shape)))
    return MISSING if dims is None else first.sized(Shape(dims))


def _generalised_number(made: list[Any], sizes: tuple[int, ...], count: Value) -> Value:
    """A number that is linear in the number of samples."""
    step, rest = divmod(made[1] - made[0], sizes[1] - sizes[0])
    if rest or any(v != made[0] + step * (s - sizes[0]) for v, s in zip(made, sizes)):
        return MISSING
    return made[0] - step * sizes[0] + step * count


def _generalised_list(m: Machine, made: list[Any], sizes: tuple[int, ...], parts: Any) -> Value:
    lengths = [len(v.items) for v in made]
    if lengths == list(sizes):
        return Unknown("a list of as many items as samples")
    if any(n != lengths[0] for n in lengths):
        return MISSING
    found = parts([v.items[i] for v in made] for i in range(lengths[0]))
    return MISSING if found is None else List(m.heap.row(found))

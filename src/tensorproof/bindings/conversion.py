"""Arrays of NumPy and nested lists among the arguments of TensorFlow's functions: which of them take the element type of the tensors they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.bindings.rows import Row
from tensorproof.ops.element_types import CONVERTED
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def kept_types(row: Row, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arrays and lists that become tensors on their own, before they meet the others."""

    def tensor(value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(tensor(v) for v in value)
        return value.but(framework="tf", weak=False) if isinstance(value, TensorType) and value.framework in CONVERTED else value

    found = [a.ours for a in row.arguments if a.theirs != "name" and arguments.get(a.ours) is not None]
    return {**arguments, **{n: tensor(arguments[n]) for n in (found[:1] if row.converts == "later" else found)}}


def tied_to_tensors(row: Row, arguments: dict[str, Any]) -> tuple[str, ...]:
    """Arrays and lists that will have the element type of a tensor beside them: what they hold is not checked."""
    sets: dict[str, list[str]] = {}
    for name, allowed in row.only.items():
        if isinstance(arguments.get(name), TensorType):
            sets.setdefault(allowed, []).append(name)
    free = {n for names in sets.values() for n in names if arguments[n].framework in CONVERTED}
    return tuple(n for names in sets.values() if not free.issuperset(names) for n in names if n in free)

"""The autograd state of a tensor: read where an operator left it, made where none did."""

from __future__ import annotations

from typing import Any

from tensorproof.terms.gradient import NO, WHOLE, Gradient, Node, Version
from tensorproof.terms.tensor import TensorType
from tensorproof.values import Key, Machine, Value, slot

FIRST: Key[Gradient] = slot("first")


def is_float(t: TensorType) -> bool | None:
    return None if t.dtype is None else t.dtype.kind in "fc"


def of(m: Machine, t: TensorType) -> Gradient:
    """The autograd state of a tensor as it is now."""
    t = m.memory.labelled(t)
    found = t.grad if t.grad is not None else _first_seen(m, t)
    if found.base is not None:
        base = of(m, found.base)
        if base is not found.shown and base.node is not (found.shown.node if found.shown is not None else None):  # written through the base: made anew
            node = Node("view", (base,), (), False, m.heap.space({"freed": WHOLE}), 0)
            return found.but(requires=base.requires, leaf=False if base.requires else base.leaf, node=node, shown=base)
    return found


def _first_seen(m: Machine, t: TensorType) -> Gradient:
    """A tensor that no operator made: a parameter is a leaf; of others it is not known."""
    record = m.memory.object_of(t)
    requires = True if t.requires_grad else False if t.parameter else None
    kept: Gradient | None = record.get(FIRST)
    if kept is None:
        record["version"], record["grad"] = Version(), NO
        kept = record[FIRST] = Gradient(requires, True if t.parameter else None, record, record)
    return kept if kept.requires is requires else kept.but(requires=requires)


def fresh(m: Machine, requires: bool | None, leaf: bool | None = True, **changes: Any) -> Gradient:
    """The state of a new tensor in memory of its own."""
    record = m.heap.space({"version": Version(), "grad": NO})
    return Gradient(requires, leaf, record, record, **changes)


def each(value: Value) -> list[TensorType]:
    if isinstance(value, TensorType):
        return [value] if value.framework == "torch" and not value.weak else []
    return [t for v in value for t in each(v)] if isinstance(value, (tuple, list)) else []

"""Limits of the whole numbers in a tensor: the places that argmax, max, sort and topk give, and what is computed from them.

All numbers lie within a limit; whether the ends occur is not known (`index_ranges` keeps ranges whose ends do occur, and reports by them). So a limit proves
that an index lies inside, and never that it lies outside.
"""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.domains.label_ranges import of as range_of
from tensorproof.ops.whole import Span, joined
from tensorproof.terms import Dim, TensorType, learn
from tensorproof.values import Dict, List, Machine, Value

Limit = tuple[Dim, Dim]
"""The least, and what all stay below."""


def of(m: Machine, tensor: Value) -> Limit | None:
    """The limit of a tensor, of its range where only that is known, or of a whole number."""
    if type(tensor) is int:
        return tensor, tensor + 1
    if not isinstance(tensor, TensorType):
        return None
    return tensor.facts.limit if tensor.facts is not None and tensor.facts.limit is not None else range_of(m, tensor)


def note(m: Machine, tensor: Value, limit: Limit | None, possible: bool = False) -> None:
    if limit is not None and isinstance(tensor, TensorType) and tensor.contents is None:
        learn(tensor, limit=limit, possible=possible)
        m.ranged = True


def collated(m: Machine, samples: list[Any], batch: Value) -> Value:
    """A batch of samples like these."""
    if isinstance(batch, TensorType):
        note(m, batch, _joined([of(m, one) for one in samples]))
    elif isinstance(batch, (List, tuple)):
        listed = [one.items if isinstance(one, List) else one for one in samples]
        if all(isinstance(one, (tuple, list)) for one in listed):
            for i, part in enumerate(batch.items if isinstance(batch, List) else batch):
                collated(m, [one[i] for one in listed if len(one) > i], part)
    elif isinstance(batch, Dict) and all(isinstance(one, Dict) for one in samples):
        for key, part in batch.items.items():
            collated(m, [one.items[key] for one in samples if key in one.items], part)
    return batch


def _joined(known: list[Limit | None]) -> Limit | None:
    found = joined([None if k is None else Span(*k) for k in known])
    return None if found is None else (found.low, found.past)

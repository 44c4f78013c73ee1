"""Batches that are taken one by one: `next(iter(loader))`, `itertools.cycle`, and generators that pass through a loader for ever."""

from __future__ import annotations

from typing import Any

from tensorproof.terms.ints import Term, ite, mod
from tensorproof.terms.predicates import conj, eq
from tensorproof.values.objects import Dict, List


def per_pass(found: Any) -> Any:
    """How many batches one pass gives."""
    total = found.times
    for condition, _ in found.rest:
        total = total + ite(condition, 1, 0)
    return total


def batch_at(m: Any, found: Any, at: Any, node: Any) -> Any:
    """The batch with this number, where the loader begins anew after its last."""
    regular = found.item(at)
    if not found.rest or found.times == 0:
        return regular if found.times != 0 else found.rest[0][1]
    condition, last = found.rest[0]
    if isinstance(found.times, int) and condition is True:
        return either(m, eq(mod(at, found.times + 1), found.times), last, regular)
    if not isinstance(at, Term) and at == 0:
        return regular
    name = m.name_here("a last batch", node)
    return either(m, conj(condition, m.open_truth(name, node)), last, regular)


def either(m: Any, condition: Any, a: Any, b: Any) -> Any:
    """One of two batches, part by part."""
    if isinstance(a, List) and isinstance(b, List) and len(a.items) == len(b.items):
        return List(m.heap.row(either(m, condition, x, y) for x, y in zip(a.items, b.items)))
    if isinstance(a, Dict) and isinstance(b, Dict) and list(a.items) == list(b.items):
        return Dict(m.heap.entries({k: either(m, condition, v, b.items[k]) for k, v in a.items.items()}))
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(either(m, condition, x, y) for x, y in zip(a, b))
    return m.branching.choose(condition, lambda: a, lambda: b)

"""Which samples a loader asks its dataset for: the indices that its sampler gives, where they are known."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from tensorproof.libraries.data.samples import is_concrete, item_of, length_of, sample_of, unknown_length
from tensorproof.terms import BUDGETS, Dim, Origin, Term, lower, upper
from tensorproof.values import MISSING, Choice, Generator, Instance, Iterator, List, Machine, Model, Unknown, Value

Indices = Sequence[Dim] | Unknown
MOST_VISITED = BUDGETS.containers.samples


def exists(value: Value) -> bool:
    """Whether a sampler is known to be there."""
    return value is not None and not isinstance(value, Unknown)


def count_of(m: Machine, sampler: Value, data: Value, node: ast.AST) -> Any:
    """How many samples a sampler gives; where there is none, how many the dataset has."""
    if isinstance(sampler, Choice):
        return m.branching.choose(sampler.condition, lambda: count_of(m, sampler.then, data, node), lambda: count_of(m, sampler.other, data, node))
    source = sampler if exists(sampler) else data
    return unknown_length(m, node) if isinstance(source, (Unknown, Generator, Iterator)) else length_of(m, source, node)


def asked(m: Machine, me: Instance | Model, size: Value, node: ast.AST) -> Indices | None:
    """The indices of one pass; of a list, those in complete batches where the rest is dropped."""
    sampler = me.space["sampler"]
    found = drawn(m, me, sampler, node)
    if me.space["drop_last"] is False or not isinstance(sampler, (List, tuple, range)) or not isinstance(size, int) or not isinstance(found, Sequence):
        return found
    return found[: len(found) // size * size] or None


def drawn(m: Machine, me: Instance | Model, sampler: Value, node: ast.AST) -> Indices | None:
    """The indices that a loader's sampler gives; None where they are those of the whole dataset."""
    data = me.space["dataset"]
    found = None if sampler is None else _of(m, sampler, data, node)
    if found is None and sampler is not None and isinstance(data, Instance) and m.in_class(data.cls, "__len__") is MISSING:
        return Unknown("an index that a sampler gives")
    return found


def _of(m: Machine, sampler: Value, data: Value, node: ast.AST) -> Indices | None:
    match sampler:
        case range():
            return sampler
        case List() | tuple():
            return listed(m, sampler, node)
        case Model() if "indices" in sampler.space:
            return _of(m, sampler.space["indices"], data, node)
        case Model() if "sampler" in sampler.space:
            return _of(m, sampler.space["sampler"], data, node)
        case Model() if "weights" in sampler.space:
            more = _more_than_there_are(m, sampler.space["weights"], data, node)
            return None if more is None else Unknown("an index whose weight may be zero")
        case Model() if "data_source" in sampler.space:
            return _more_than_there_are(m, sampler.space["data_source"], data, node)
        case Instance() if m.in_class(sampler.cls, "__iter__") is not MISSING:
            return listed(m, sampler, node)
    return None


def listed(m: Machine, source: Value, node: ast.AST) -> Sequence[Dim] | None:
    """Indices that are listed, where all are whole numbers."""
    found = m.iterate(source, node) or ()
    known = [i for i in found if type(i) is int or isinstance(i, Term)]
    return known if known and len(known) == len(found) else None


def _more_than_there_are(m: Machine, source: Value, data: Value, node: ast.AST) -> range | None:
    """The indices of a sampler that counts something else than the dataset, where that has more."""
    if source is data or isinstance(source, Unknown):
        return None
    count, whole = length_of(m, source, node), length_of(m, data, node)
    return range(count) if isinstance(count, int) and isinstance(whole, int) and count > whole else None


def visited(m: Machine, data: Value, indices: Indices | None, node: ast.AST) -> list[Value]:
    """The samples with these indices: few are made one by one; of more, two with any of them stand for all."""
    if indices is None:
        count = length_of(m, data, node)
        if not isinstance(count, int) or not 0 < count <= MOST_VISITED:
            return _any_two(m, data, node)
        indices = range(count)
    if isinstance(indices, Unknown):
        return [item_of(m, data, indices, node)]
    indices = list(dict.fromkeys(indices))
    if len(indices) <= MOST_VISITED:
        return [item_of(m, data, i, node) for i in indices]
    ends = [min(indices, key=lower), max(indices, key=upper)]
    counted = [i for i in indices if type(i) is int]
    between: list[Dim] = []
    if len(counted) == len(indices):
        between = [m.symbol(m.name_here("i", node), min(counted), max(counted), Origin.WORLD) for _ in ends]
    return [item_of(m, data, i, node) for i in (*ends, *between)]


def _any_two(m: Machine, data: Value, node: ast.AST) -> list[Value]:
    first = sample_of(m, data, node)
    return [first, first if is_concrete(first) else sample_of(m, data, node)]

"""Domains: facts about the elements of tensors. Each is a transfer function over the operators that a call applied.

What an operator does to elements is said by its declaration (`Op.values`, `Op.ones`), so spellings and frameworks do not matter here. Facts live with the
tensor (`terms/facts.py`); a write makes another of it (`frontends/python/memory.py`).
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

from tensorproof.libraries import whole_numbers
from tensorproof.libraries.domains import bounds, greatest, mask_ones, masks, matrices, number_ranges, signs
from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Op
from tensorproof.terms.facts import carry
from tensorproof.terms.tensor import TensorType
from tensorproof.values.port import Machine, Value


class Domain(Protocol):
    """One kind of fact."""

    def reads(self, op: Op) -> bool:
        """Whether an operator may make or keep such a fact."""

    def applied(self, m: Machine, one: Applied) -> None:
        """Keep what holds of the results of an operator."""


DOMAINS: tuple[Domain, ...] = (number_ranges, whole_numbers, greatest, mask_ones, signs, bounds, matrices)


@cache
def _concerned(op: Op) -> tuple[Domain, ...]:
    """The domains in which an operator may make or keep a fact, as its declaration says."""
    return tuple(domain for domain in DOMAINS if domain.reads(op))


def observe(m: Machine, applied: list[Applied]) -> bool:
    """Follow the operators of one call, in order. Whether any of them may have made or kept a fact."""
    found = False
    for one in applied:
        as_seen = masks.seen(m, one)
        for domain in _concerned(one.op):
            domain.applied(m, as_seen)
            found = True
    return found


def carried(m: Machine, made: Value, result: Value) -> None:
    """The results as operators made them have become these values of the program; the program form records that with the call."""
    if type(made) is TensorType and type(result) is TensorType:
        carry(made, result)
        return
    old, new = _each(made), _each(result)
    if len(old) == len(new):
        for a, b in zip(old, new):
            carry(a, b)


def same(m: Machine, old: TensorType, new: TensorType) -> None:
    """A new description of the same elements."""
    if old is not new:
        if m.path.program is not None:
            m.path.program.same(old, new)
        carry(old, new)


def _each(value: Value) -> list[TensorType]:
    if isinstance(value, TensorType):
        return [value]
    return [t for v in value for t in _each(v)] if isinstance(value, (tuple, list)) else []

"""Entries of a dict that only one side of a branch made: each is there under its condition, where the summary of the others still knows them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tensorproof.frontends.python.branching import deciding
from tensorproof.terms.ints import ite
from tensorproof.terms.predicates import Truth, disj
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Dict
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def held(owner: Dict, key: Value) -> Unknown | Truth:
    """Whether a dict with entries that may be there has this key."""
    entries = owner.items[OPEN].entries
    return Unknown("in", number="bool") if entries is None or isinstance(key, Unknown) else disj(*(condition for name, condition, _ in entries if name == key))


def entry(m: Interpreter, owner: Dict, key: Value, otherwise: Callable[[], Value]) -> Value:
    """The entry of a key that may be there, or what comes where it is not. MISSING where the entries are not known."""
    entries = owner.items[OPEN].entries if OPEN in owner.items else None
    if entries is None or isinstance(key, Unknown):
        return MISSING
    for name, condition, value in entries:
        if name == key:
            otherwise = partial(m.branching.choose, condition, partial(_same, value), otherwise)
    return otherwise()


def settle(m: Interpreter, owner: Dict) -> None:
    """Decide which of the entries that may be there are: what comes now asks for each of them."""
    entries = owner.items[OPEN].entries if OPEN in owner.items else None
    if entries is None:
        return
    there = [(name, value) for name, condition, value in entries if deciding.decided(m, condition)]
    m.heap.delete(owner.items, OPEN)
    for name, value in there:
        m.heap.set(owner.items, name, value)


def replaced(m: Interpreter, owner: Dict, key: Value) -> None:
    """The entry of a key is about to be written: it is no longer one of those that may be there."""
    old = owner.items.get(OPEN)
    if old is None or old.entries is None or isinstance(old.count, Unknown) or all(name != key for name, _, _ in old.entries):
        return
    there = disj(*(condition for name, condition, _ in old.entries if name == key))
    rest = tuple(one for one in old.entries if one[0] != key)
    m.heap.set(owner.items, OPEN, replace(old, count=old.count - ite(there, 1, 0), entries=rest))


def _same(value: Value) -> Value:
    return value


def absent(m: Interpreter, owner: Dict, known: Value, index: Value, node: ast.AST) -> Value:
    """What a dict gives for a key that it has not."""
    if owner.default is not None:
        value = m.call(owner.default, (), {}, node)
        m.heap.set(owner.items, known, value)
        return value
    if owner.counter:
        return 0
    if isinstance(index, TensorType) and not m.memory.is_own(index):
        return m.gap("dict", node, "whether this tensor is a key is not known")
    raise m.raised("KeyError", f"the key {index!r} is missing", node)

"""Batches that are taken one by one: `next(iter(loader))`, `itertools.cycle`, and generators that pass through a loader for ever."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import KindModel, Run, batches, registry
from tensorproof.terms import Dim, Origin, Term, conj, eq, ge, ite, lt, mod
from tensorproof.values import MISSING, Dict, Key, List, Machine, Model, Unknown, Value, slot

AT: Key[Dim] = slot("at")
RANGE: Key[range] = slot("range")
MAKE: Key[Run] = slot("make")
STREAM = "generator of batches"
NUMBERS = "numbers of batches"


def per_pass(found: Any) -> Any:
    """How many batches one pass gives."""
    total = found.times
    for condition, _ in found.rest:
        total = total + ite(condition, 1, 0)
    return total


def batch_at(m: Machine, found: Any, at: Any, node: ast.AST) -> Value:
    """The batch with this number, where the loader begins anew after its last."""
    if not found.rest or found.times == 0:
        return found.item(at) if found.times != 0 else found.rest[0][1] if found.rest else Unknown("a batch of an empty dataset")
    condition, last = found.rest[0]
    if isinstance(found.times, int) and condition is True:
        last_now = eq(mod(at, found.times + 1), found.times)
        return either(m, last_now, last, found.item(at)) if not isinstance(last_now, bool) else last if last_now else found.item(at)
    if at == 0:
        return found.item(at)
    return either(m, conj(condition, m.open_truth("a last batch", node)), last, found.item(at))


def either(m: Machine, condition: Any, a: Any, b: Value) -> Value:
    """One of two batches, part by part."""
    if isinstance(a, List) and isinstance(b, List) and len(a.items) == len(b.items):
        return List(m.heap.row(either(m, condition, x, y) for x, y in zip(a.items, b.items)))
    if isinstance(a, Dict) and isinstance(b, Dict) and list(a.items) == list(b.items):
        return Dict(m.heap.entries({k: either(m, condition, v, b.items[k]) for k, v in a.items.items()}))
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return tuple(either(m, condition, x, y) for x, y in zip(a, b))
    return m.branching.choose(condition, lambda: a, lambda: b)


ENDED = "data have ended"


def next_batch(m: Machine, me: Model, node: ast.AST) -> Value:
    """`next` of an iterator over data: its state is how many batches were taken."""
    found = registry.iterations(m, me if me.kind == "enumerate" else me.space["source"], node)
    if not found:
        return Unknown("next")
    at = me.space.get(AT, 0)
    if getattr(found, "times", None) is None or isinstance(at, Unknown):
        return _any_batch(m, me, found, node)
    if endless(me):
        m.heap.set(me.space, AT, at + 1)
        return batch_at(m, found, at, node)
    if isinstance(per_pass(found), Term):  # how many there are is known to the program's author
        if me.space.get("begun") is True and (ENDED, id(node)) not in m.model_state:
            m.model_state[(ENDED, id(node))] = node  # one end is followed: each begins a new iterator
            m.may_raise("StopIteration", "the data give no more batches", node)
        return _any_batch(m, me, found, node)
    total = per_pass(found)
    ended = ge(at, total)
    if ended is True or (ended is not False and m.handlers and m.ended_here(ended)):
        raise m.raised("StopIteration", f"the data give no more than {total} batches", node)
    if ended is not False and not m.handlers:
        m.demand("StopIteration", lt(at, total), f"batch {at!r} is asked for and the data give {total}", node)
    m.heap.set(me.space, AT, at + 1)
    if isinstance(at, int):
        return found.item(at) if at < found.times else found.rest[at - found.times][1]
    return batch_at(m, found, at, node)


def _any_batch(m: Machine, me: Model, found: Any, node: ast.AST) -> Value:
    """The first batch; after it any batch, and which one is not followed: a shape that hangs on it is neither proved nor blamed."""
    if me.space.get("begun") is not True:
        m.heap.set(me.space, "begun", True)
        return found[0][1]
    result = found[0][1]
    for _, other in found[1:]:
        drawn = m.symbol(m.name_here("the batch drawn", node), 0, 1, Origin.UNMODELLED)
        result = either(m, eq(drawn, 1), other, result)
    return result


def endless(value: Value) -> bool:
    """Whether a source begins anew after its last batch."""
    while isinstance(value, Model):
        if value.space.get("endless") is True or value.space.get("count") == "endless":
            return True
        value = value.space.get("source")
    return False


def stream(m: Machine, source: Model, make: Value, again: bool) -> Model:
    """A generator that gives `make(batch)` for each batch of the source, once or for ever."""
    return Model(STREAM, m.heap.space({"source": source, "make": make, "endless": again, "at": 0}))


def numbers(m: Machine, of: range) -> Model:
    """The numbers of a range, one for each batch."""
    return Model(NUMBERS, m.heap.space({"range": of}))


def _number_iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    """The last one is by itself, since its batch may be smaller."""
    of: range = me.space[RANGE]
    found = batches(len(of) - 1, lambda k: of.start + of.step * k, [(True, of[-1])])
    found.counted = True
    return found


def _stream_iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    found = registry.iterations(m, me.space["source"], node)
    if found is None or getattr(found, "times", None) is None:
        return found
    made: dict[int, tuple[Value, Value]] = {}

    def of(batch: Value) -> Any:
        if id(batch) not in made:
            made[id(batch)] = (batch, me.space[MAKE](m, batch))
        return made[id(batch)][1]

    if me.space["endless"]:
        count = m.symbol(m.name_here("iterations", node), 2, None, Origin.WORLD)
        return batches(count, lambda k: of(batch_at(m, found, k, node)))
    made_of = batches(found.times, lambda k: of(found.item(k)), [(condition, of(batch)) for condition, batch in found.rest])
    made_of.counted = found.counted
    return made_of


def _stream_next(m: Machine, me: Model, node: ast.AST) -> Value:
    plain = Model("data iterator", me.space)
    return me.space[MAKE](m, next_batch(m, plain, node))


def _items(m: Machine, me: Model, node: ast.AST) -> Value:
    found = None if me.space["endless"] else m.iterate(me.space["source"], node)
    return None if found is None else [me.space[MAKE](m, batch) for batch in found]


KINDS = {
    NUMBERS: KindModel(iterations=_number_iterations, items=lambda m, me, node: list(me.space[RANGE])),
    STREAM: KindModel(
        {"__next__": lambda m, me, a, k, n: _stream_next(m, me, n)},
        iterations=_stream_iterations, next=_stream_next, items=_items, length=None,
        attribute=lambda m, me, name, node: MISSING,
    ),
}  # fmt: skip

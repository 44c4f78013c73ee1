"""The program form of a path, as the interpreter makes it: what calls computed, what loops carry, and values that stand for several.

Everything here does nothing on a path without a recorder (`Path.program`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.program.form import Carried, Join, Record, Same
from tensorproof.terms.predicates import Truth
from tensorproof.terms.records import dataclass, replace
from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values.heap import MISSING, ORDER, Cursor, Difference, Mark, read
from tensorproof.values.objects import Choice, Dict, Instance, List, Model, Set
from tensorproof.values.python_values import Summary

if TYPE_CHECKING:
    import ast

    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

DEEPEST = 5
"""How deep tensors are looked for in lists, dicts and objects."""


# --- calls ---


def called(m: Interpreter, outcome: Outcome, result: Value, node: ast.AST) -> None:
    """The operators that a call applied, and the values of the program that their results have become."""
    program = m.path.program
    if program is None or outcome.guessed:
        return
    program.applied(outcome.applied, m.user_span(node), tuple(m.facts))
    made, now = _listed(outcome.made), _listed(result)
    if len(made) == len(now):
        for old, new in zip(made, now):
            if old.dtype is new.dtype and old.shape == new.shape:
                program.same(old, new)
                program.same(new, m.memory.current(new))  # a write in place may have changed what the tensor is beside its elements


def _listed(value: Value) -> list[TensorType]:
    if isinstance(value, TensorType):
        return [value]
    if isinstance(value, List):
        value = value.items
    return [t for v in value for t in _listed(v)] if isinstance(value, (tuple, list)) else []


class Sides:
    """Two sides of a branch when they are joined: a tensor that one of them leaves is what its memory has there by now."""

    def __init__(self, m: Interpreter, first: Difference, second: Difference, before: dict[tuple[int, Value], Value]) -> None:
        self.m = m
        places = {**first.values, **second.values}
        owners = {**second.owners, **first.owners}
        now = {place: read(owners[place[0]], place[1]) for place in places}
        self.first = {place: first.values[place] if place in first.values else before.get(place, now[place]) for place in places}
        self.second = {place: second.values.get(place, now[place]) for place in places}

    def follows(self, owner: Value, key: Value) -> bool:
        return _followed(self.m, owner, key)

    def join(self, condition: Truth | None, options: tuple[TensorType | None, ...], result: TensorType) -> None:
        assert self.m.path.program is not None
        both = self.first, self.second
        if condition is None:  # of which side each is, is not known
            held = tuple(_left(self.m, one, side) for one in options for side in both)
        else:
            held = tuple(_left(self.m, one, side) for one, side in zip(options, both))
        self.m.path.program.join(condition, held, result)


def _left(m: Interpreter, tensor: Value, side: Mapping[tuple[int, Value], Value]) -> Any:
    """What has become of a tensor, where these locations of memory hold something else than now; None where that is not known."""
    memory = m.memory
    held = memory.held.get(id(tensor))
    if held is None:
        return tensor
    now = side.get((id(held.own), "is"), held.own["is"])
    if now is not held.key and now is not held.shown:
        held = memory.held.get(id(now))
        if held is None:
            return None
    kind = memory.written(held)
    at = side.get((id(held.storage), "now"), held.storage["now"]), side.get((id(memory.writes), kind), memory.writes[kind])
    for known, made in ((held.at, held.shown), *((held.later,) if held.later is not None else ())):
        if known[0] is at[0] and known[1] is at[1]:
            return made
    return None


def seen(m: Interpreter, position: int) -> None:
    """Tensors that were joined since a position lie in memory from now on: what the program will find there has their elements."""
    program = m.path.program
    if program is not None:
        for one in program.records[position:]:
            if isinstance(one, Join):
                program.same(one.result, m.memory.current(one.result))


def begun(m: Interpreter, values: Iterable[Value]) -> None:
    """Values that were made for an iteration, or by a loop, lie in memory from now on."""
    program = m.path.program
    if program is not None:
        for one in {id(t): t for value in values for t in _tensors(value, DEEPEST)}.values():
            program.same(one, m.memory.current(one))


# --- loops ---


@contextmanager
def as_loop(m: Interpreter, node: ast.AST, open_end: bool = True) -> Iterator[None]:
    """What is run inside is one iteration of a loop, which stands for any number of them unless `open_end` is False."""
    program = m.path.program
    if program is None or not open_end:
        yield
        return
    mark, position = m.heap.mark(), program.position
    try:
        yield
        close(m, position, ended(m, mark, {}), None, node)
    finally:
        m.heap.forget(mark)


@dataclass(slots=True, eq=False)
class Turn:
    """One iteration that has ended: what each changed location held before the loop, at its start, and holds at its end; and what memory had of them."""

    places: dict[tuple[int, Value], tuple[Value, Value, Value]]
    begun: dict[int, Any]
    """What the tensors were at the start, by identity."""
    ended: dict[int, Any]


def ended(m: Interpreter, mark: Mark, starts: Mapping[tuple[int, Any], Any]) -> Turn:
    """The iteration since a mark; `starts` are the locations that began with something else than they held at the mark."""
    ends, before = m.heap.difference(mark), m.heap.before(mark)
    places = {
        place: (before[place], starts.get(place, before[place]), end) for place, end in ends.values.items() if _followed(m, ends.owners[place[0]], place[1])
    }
    first = {id(t): t for three in places.values() for value in three[:2] for t in _tensors(value, DEEPEST)}
    last = {id(t): t for three in places.values() for t in _tensors(three[2], DEEPEST)}
    return Turn(places, {i: _left(m, t, before) for i, t in first.items()}, {i: _left(m, t, {}) for i, t in last.items()})


def close(m: Interpreter, position: int, turn: Turn, after: Mapping[tuple[int, Value], Value] | None, node: ast.AST, runs: bool = True,
          most: float = math.inf) -> None:  # fmt: skip
    """Make a loop of the records since a position. `after`: what the locations hold after the loop, where that is not what the iteration ended with."""
    program = m.path.program
    if program is not None:
        body = program.cut(position)
        found = _from_first(body, carried(turn, after))
        program.loop(body, found, m.user_span(node), runs, most)
        begun(m, [one.after for one in found])


def _from_first(body: list[Record], found: list[Carried]) -> list[Carried]:
    """Let an iteration begin with the value that was made for it: the first records of the body say what that has become in memory."""
    made: dict[int, TensorType] = {}
    for one in body:
        if not isinstance(one, Same):
            break
        made[id(one.result)] = one.source
    ends = {id(t) for one in found for t in (*one.before, *one.end)}
    return [replace(c, start=made[id(c.start)]) if id(c.start) in made and id(made[id(c.start)]) not in ends else c for c in found]


def _followed(m: Interpreter, owner: Value, key: Value) -> bool:
    """Whether a location of memory holds values of the program."""
    return key is not ORDER and key != "now" and not isinstance(owner, Cursor) and owner is not m.memory.writes


def carried(turn: Turn, after: Mapping[tuple[int, Value], Value] | None) -> list[Carried]:
    found: list[Carried] = []
    for place, (before, start, end) in turn.places.items():
        last = end if after is None else after[place]
        if start is not end or start is not last:
            _pair(turn, found, (before, start, end, last), DEEPEST)
    return found


def _pair(turn: Turn, found: list[Carried], four: tuple[Any, Value, Any, Any], depth: int) -> None:
    """Find the tensors at each place of four values of the same form; where their forms differ, each tensor may be any of the others."""
    before, start, end, after = four
    if all(isinstance(v, TensorType) for v in (start, end, after)) and (isinstance(before, TensorType) or before is MISSING):
        first = (turn.begun.get(id(before)),) if before is not MISSING else ()
        found.append(Carried(first, turn.begun.get(id(start)), (turn.ended.get(id(end)),), after))
        return
    parts = [_parts(v) for v in four]
    alike = depth and all(p is not None and None not in map(_plain, p) for p in parts[1:]) and len({len(p) for p in parts if p is not None}) == 1
    if alike and (parts[0] is not None or before is MISSING) and type(start) is type(end) is type(after):
        firsts = parts[0] if parts[0] is not None else [MISSING] * len(parts[1] or ())
        for group in zip(firsts, parts[1] or (), parts[2] or (), parts[3] or ()):
            _pair(turn, found, group, depth - 1)
        return
    begun = [turn.begun.get(id(t)) for value in (before, start) for t in _tensors(value, depth)]
    every = (*begun, *(turn.ended.get(id(t)) for t in _tensors(end, depth)))
    for one in {id(t): t for t in _tensors(start, depth)}.values():
        found.append(Carried(every, turn.begun.get(id(one)), every, None))
    for one in {id(t): t for t in _tensors(after, depth)}.values():
        found.append(Carried(every, one, every, one))


def _plain(part: Value) -> Value:
    """None for a part that stands for many."""
    return None if type(part) is Summary else part if part is not None else MISSING


def _parts(value: Value) -> list[Value] | None:
    """The parts of a list, tuple, dict or object; None for any other value."""
    if type(value) is tuple or isinstance(value, Outputs):
        return list(value)
    if isinstance(value, (List, Set)):
        return list(value.items)
    if isinstance(value, Dict):
        return list(value.items.values())
    if isinstance(value, (Instance, Model)):
        return list(value.space.values())
    return None


def _tensors(value: Value, depth: int) -> list[TensorType]:
    """All tensors in a value."""
    if isinstance(value, TensorType):
        return [value]
    if depth <= 0:
        return []
    if type(value) is Choice:
        inside: list[Value] = [value.then, value.other]
    elif type(value) is Summary:
        inside = [value.first, value.second]
    else:
        inside = _parts(value) or []
    return [t for v in inside for t in _tensors(v, depth - 1)]

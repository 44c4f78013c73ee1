"""The program form of a path, as the interpreter makes it: what calls computed, what loops carry, and values that stand for several.

Everything here does nothing on a path without a recorder (`Path.program`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.call import Outcome
from tensorproof.program.form import Carried, Join, Record, Same
from tensorproof.program.recorder import Recorder
from tensorproof.terms.tensor import Outputs, TensorType
from tensorproof.values.heap import MISSING, ORDER, Cursor, Mark
from tensorproof.values.objects import Choice, Dict, Instance, List, Model, Set
from tensorproof.values.python_values import Many

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

DEEPEST = 5
"""How deep tensors are looked for in lists, dicts and objects."""


# --- calls ---


def called(m: Interpreter, outcome: Outcome, result: Any, node: Any) -> None:
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


def _listed(value: Any) -> list[TensorType]:
    if isinstance(value, TensorType):
        return [value]
    if isinstance(value, List):
        value = value.items
    return [t for v in value for t in _listed(v)] if isinstance(value, (tuple, list)) else []


def of_location(m: Interpreter, owner: Any, key: Any) -> Recorder | None:
    """The recorder for what is joined in a location, where it holds values of the program."""
    return m.path.program if m.path.program is not None and _followed(m, owner, key) else None


def seen(m: Interpreter, position: int) -> None:
    """Tensors that were joined since a position lie in memory from now on: what the program will find there has their elements."""
    program = m.path.program
    if program is not None:
        for one in program.records[position:]:
            if isinstance(one, Join):
                program.same(one.result, m.memory.current(one.result))


def begun(m: Interpreter, values: Iterable[Any]) -> None:
    """An iteration begins with descriptions that were made for it."""
    program = m.path.program
    if program is not None:
        for one in {id(t): t for value in values for t in _tensors(value, DEEPEST)}.values():
            program.same(one, m.memory.current(one))


# --- loops ---


@contextmanager
def as_loop(m: Interpreter, node: Any, open_end: bool = True) -> Iterator[None]:
    """What is run inside is one iteration of a loop, which stands for any number of them unless `open_end` is False."""
    program = m.path.program
    if program is None or not open_end:
        yield
        return
    mark, position = m.heap.mark(), program.position
    try:
        yield
        close(m, position, [(*three, three[2]) for three in places_of(m, mark, {}).values()], node)
    finally:
        m.heap.forget(mark)


def close(m: Interpreter, position: int, places: list[tuple[Any, Any, Any, Any]], node: Any, runs: bool = True) -> None:
    """Make a loop of the records since a position. `places`: what each changed location held before, at the start and the end of an iteration, and after."""
    program = m.path.program
    if program is not None:
        body, found = program.cut(position), carried(places)
        program.loop([*_heads(m, found), *body], found, m.user_span(node), runs)
        begun(m, [one.after for one in found])


def _heads(m: Interpreter, found: list[Carried]) -> list[Record]:
    """What an iteration begins with, as memory has it: an operator gets the description that memory made of a tensor when it was first seen."""
    starts = [one.start for one in found if one.start is not None]
    held = [(start, m.memory.held[id(start)].shown) for start in starts if id(start) in m.memory.held]
    return [Same(start, shown) for start, shown in held if start is not shown]


def _followed(m: Interpreter, owner: Any, key: Any) -> bool:
    """Whether a location of memory holds values of the program."""
    return key is not ORDER and key != "now" and not isinstance(owner, Cursor) and owner is not m.memory.writes


def places_of(m: Interpreter, mark: Mark, starts: Mapping[tuple[int, Any], Any]) -> dict[tuple[int, Any], tuple[Any, Any, Any]]:
    """What each location that was written since the mark held there, at the start of the iteration, and holds now."""
    ends, before = m.heap.difference(mark), m.heap.before(mark)
    return {
        place: (before[place], starts.get(place, before[place]), end)
        for place, end in ends.values.items()
        if _followed(m, ends.owners[place[0]], place[1])
    }


def carried(places: list[tuple[Any, Any, Any, Any]]) -> list[Carried]:
    found: list[Carried] = []
    for before, start, end, after in places:
        if start is not end or start is not after:
            _pair(found, (before, start, end, after), DEEPEST)
    return found


def _pair(found: list[Carried], four: tuple[Any, Any, Any, Any], depth: int) -> None:
    """Find the tensors at each place of four values of the same form; where their forms differ, each tensor may be any of the others."""
    before, start, end, after = four
    if all(isinstance(v, TensorType) for v in (start, end, after)) and (isinstance(before, TensorType) or before is MISSING):
        found.append(Carried((before,) if before is not MISSING else (), start, (end,), after))
        return
    parts = [_parts(v) for v in four]
    alike = depth and all(p is not None and None not in map(_plain, p) for p in parts[1:]) and len({len(p) for p in parts if p is not None}) == 1
    if alike and (parts[0] is not None or before is MISSING) and type(start) is type(end) is type(after):
        firsts = parts[0] if parts[0] is not None else [MISSING] * len(parts[1] or ())
        for group in zip(firsts, parts[1] or (), parts[2] or (), parts[3] or ()):
            _pair(found, group, depth - 1)
        return
    sides = [_tensors(v, depth) for v in four]
    options = tuple(dict.fromkeys(map(id, (*sides[0], *sides[1], *sides[2]))))
    known = {id(t): t for side in sides for t in side}
    every = tuple(known[i] for i in options)
    for one in {id(t): t for t in (*sides[1], *sides[3])}.values():
        found.append(Carried(every, one, every, one))


def _plain(part: Any) -> Any:
    """None for a part that stands for many."""
    return None if type(part) is Many else part if part is not None else MISSING


def _parts(value: Any) -> list[Any] | None:
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


def _tensors(value: Any, depth: int) -> list[TensorType]:
    """All tensors in a value."""
    if isinstance(value, TensorType):
        return [value]
    if depth <= 0:
        return []
    if type(value) is Choice:
        inside: list[Any] = [value.then, value.other]
    elif type(value) is Many:
        inside = [value.first, value.second]
    else:
        inside = _parts(value) or []
    return [t for v in inside for t in _tensors(v, depth - 1)]


"""Loops of the program form: the body is gone through until what it begins with covers what it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.numerics.grids.grid import Box, Grid, aligned
from tensorproof.engines.numerics.growth import growing
from tensorproof.engines.numerics.value import ENDLESS, Value, either, limits
from tensorproof.program.form import Carried, Loop, written
from tensorproof.terms.budgets import BUDGETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorproof.engines.numerics.walk import Walk

EXACT = 3
"""How many times a loop is gone through before bounds that still move are widened."""
MOST = BUDGETS.numerics.loop_iterations
STEPS = np.array([0.0, 1.0, 2.0, 16.0, 256.0, 65504.0, 1e9, 1e18, 3.4e38, 1e300, float("inf")])
_LADDER = np.concatenate([-STEPS[:0:-1], STEPS])

State = dict[int, Value | None]


class _Never:
    """A place that holds nothing before the first iteration."""


NEVER = _Never()
Begin = list["Value | _Never | None"]


def loop(walk: Walk, one: Loop) -> None:
    """Bounds of all iterations; after it the carried values have those of the last one."""
    places = list(one.carried)
    first: Begin = [_joined(walk, c.before) if c.before else NEVER for c in places]
    outside: State = {id(c.start): walk.values.get(id(c.start)) for c in places if c.start is not None}
    kept: State = {i: walk.values[i] for i in written(one.body) if i in walk.values and i not in outside}
    begin, state = list(first), dict(kept)
    judge, walk.judge = walk.judge, None
    again, walk.again = walk.again, True
    counted = dict(walk.analysis.unbounded)
    for turn in range(MOST):
        ends = _turn(walk, one, places, begin, state)
        wider: Begin = [_next(b, e, turn) for b, e in zip(begin, ends)]
        later: State = {i: _grown(v, walk.values.get(i), turn) for i, v in state.items()}
        if all(map(_rests, wider, begin, first)) and all(_rests(later[i], state[i], kept[i]) for i in state):
            break
        begin, state = wider, later
    else:
        begin, state = [None] * len(begin), dict.fromkeys(state)
        ends = _turn(walk, one, places, begin, state)
    narrow: Begin = [e if isinstance(f, _Never) else _either(f, e) for f, e in zip(first, ends)]
    settled = {i: _either(kept[i], walk.values.get(i)) for i in state}
    grows = growing([walk.setting.type_of(c.after) if c.after is not None else None for c in places], first, narrow, one.most,
                    lambda now: _turn(walk, one, places, list(now), dict(kept)))  # fmt: skip
    walk.judge = judge
    walk.analysis.unbounded.clear()
    walk.analysis.unbounded.update(counted)
    walk.growing, around = [narrow[i] for i in grows], walk.growing
    ends = _turn(walk, one, places, narrow, settled)
    walk.growing, walk.again = around, again
    _restore(walk, outside)
    for c, f, e in zip(places, first, ends):
        if c.after is not None:
            last = e if (one.runs and c.after is not c.start) or isinstance(f, _Never) else _either(f, e)
            walk.put(c.after, last, tuple(t for t in (*c.before, *c.end) if t is not None), "a loop carries it")


def _restore(walk: Walk, values: State) -> None:
    for i, value in values.items():
        if value is None:
            walk.values.pop(i, None)
        else:
            walk.values[i] = value


def _turn(walk: Walk, one: Loop, places: list[Carried], begin: Begin, state: State) -> list[Value | None]:
    """One time through the body: what it ends with."""
    _restore(walk, state)
    merged: dict[int, Value | _Never | None] = {}
    for c, value in zip(places, begin):
        if c.start is None:
            continue
        before = merged.get(id(c.start), NEVER)
        merged[id(c.start)] = value if isinstance(before, _Never) else before if isinstance(value, _Never) else _either(before, value)
    for c in places:
        if c.start is not None:
            value = merged[id(c.start)]
            origin = tuple(t for t in (*c.before, *c.end) if t is not None and t is not c.start)
            walk.put(c.start, None if isinstance(value, _Never) else value, origin, "a loop carries it")
    walk.run(one.body)
    return [_joined(walk, c.end) for c in places]


def _joined(walk: Walk, options: Sequence[object]) -> Value | None:
    made: Value | None = None
    for i, one in enumerate(options):
        value = walk.of(one)  # type: ignore[arg-type]
        made = value if not i else _either(made, value)
    return made


def _either(a: Value | None, b: Value | None) -> Value | None:
    if a is None or b is None or a.grid.shape != b.grid.shape:
        return None
    return either(a, b)


def _next(old: Value | _Never | None, new: Value | None, turn: int) -> Value | None:
    return new if isinstance(old, _Never) else _grown(old, new, turn)


def _grown(old: Value | None, new: Value | None, turn: int) -> Value | None:
    """What the next time begins with: both, and wider where that still grows."""
    made = _either(old, new)
    if made is None or old is None or turn < EXACT:
        return made
    shape, cuts, (was, now) = aligned([old.grid, made.grid])
    lo = np.where(now.lo < was.lo, -_step(-now.lo), now.lo)
    hi = np.where(now.hi > was.hi, _step(now.hi), now.hi)
    least, most = (-np.inf, np.inf) if made.marks & ENDLESS else limits(None) if now.dtype.kind == "f" else (-(2.0**63), 2.0**63)
    return Value(Grid(shape, cuts, Box(np.maximum(lo, least), np.minimum(hi, most), False, now.dtype)), made.marks)


def _step(end: Any) -> Any:
    """The least step at or above each number; for a negative one, the least that is near enough to zero."""
    return _LADDER[np.minimum(np.searchsorted(_LADDER, end), len(_LADDER) - 1)]


def _rests(wider: object, begin: object, first: object) -> bool:
    """Whether an iteration begins with what covers its end. What only the first one begins with has relations that do not hold for the others."""
    return wider is begin or (begin is not first and _equal(wider, begin))


def _equal(a: object, b: object) -> bool:
    if not isinstance(a, Value) or not isinstance(b, Value):
        return a is b
    if a.grid.shape != b.grid.shape or a.marks != b.marks:
        return False
    _, _, (x, y) = aligned([a.grid, b.grid])
    return bool((x.lo == y.lo).all() and (x.hi == y.hi).all())

"""Calls of which something is not known: every alternative is tried, and what they agree on is kept.

An input of unknown rank is tried with each rank; an unknown argument with the values that its kind allows (`unknown_arguments.py`). A call is refused
where every alternative is. What was found is never a proof that the call works: who calls counts what is unknown as a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product, takewhile
from typing import Any

from tensorproof.bindings.outcome import Outcome
from tensorproof.ops.session import Session
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Dim, Origin, Term, lower, symbol, upper
from tensorproof.terms.records import dataclass, replace
from tensorproof.terms.shapes import Segment, Shape, is_open, open_shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, Outputs, TensorType

Run = Callable[[Any, Any], Outcome]
_LARGEST = 1 << 40
_MOST_RANKS = BUDGETS.deciding.ranks_tried


@dataclass(frozen=True, slots=True)
class Tried:
    """One alternative: the axes that were put for segments, and what the call gave."""

    axes: dict[str, tuple[Dim, ...]]
    outcome: Outcome


# --- unknown ranks ---


def segments(value: object) -> dict[str, Segment]:
    """The segments of open shapes among the tensors of some arguments, by name."""
    if isinstance(value, TensorType):
        if value.shape.known:
            return {}
        return {s.name: s for s in value.shape if type(s) is Segment and is_open(s)}
    if isinstance(value, dict):
        value = tuple(value.values())
    found: dict[str, Segment] = {}
    if isinstance(value, (tuple, list)):
        for one in value:
            found |= segments(one)
    return found


_PLAIN = frozenset((int, float, bool, str, type(None)))


def any_open(values: Iterable[Any]) -> bool:
    """Whether a tensor of unknown rank is among some arguments."""
    for value in values:
        kind = value.__class__
        if kind in _PLAIN:
            continue
        if kind is TensorType:
            if not value.shape.known:
                return True
        elif isinstance(value, (tuple, list, dict)) and value and any_open(value.values() if isinstance(value, dict) else value):
            return True
    return False


def by_rank(run: Run, args: Any, kwargs: Any, session: Session) -> Outcome | None:
    """The outcome that all possible ranks of the inputs agree on; None where a plain call says as much or more."""
    found = segments((args, kwargs))
    if not found:
        return None
    if len(found) > len(_MOST_RANKS):
        return _by_common_rank(run, args, kwargs, found, session)
    session.segments.update(found)
    plain = run(args, kwargs)
    understood = plain.refused is None and plain.unknown is None and not plain.requirements and _names(plain.outputs) <= found.keys()
    if understood and _names(plain.outputs):
        return plain

    def at(ranks: tuple[int, ...]) -> Tried:
        return _at(run, args, kwargs, dict(zip(found, ranks)))

    few = list(product(*(_possible(segment, _MOST_RANKS[len(found) - 1]) for segment in found.values())))
    tried: list[Tried] = []
    for ranks in few:
        tried.append(at(ranks))
        if understood and tried[-1].outcome.refused is None:  # a result without axes holds for the ranks that are accepted
            return plain
    if all(one.outcome.refused is not None for one in tried):  # a refusal says that every rank is refused
        more = product(*(_possible(segment, _MOST_RANKS[max(len(found) - 2, 0)]) for segment in found.values()))
        if any(at(ranks).outcome.refused is None for ranks in more if ranks not in few):
            return plain if understood else None
    return agreed(tried, session)


def _at(run: Run, args: Any, kwargs: Any, ranks: dict[str, int]) -> Tried:
    """The call with so many axes in place of each segment."""
    axes: dict[str, tuple[Dim, ...]] = {name: tuple(_axis(name, i) for i in range(rank)) for name, rank in ranks.items()}
    originals: dict[int, Any] = {}
    return Tried(axes, _restored(run(_ranked(args, axes, originals), _ranked(kwargs, axes, originals)), originals))


def _by_common_rank(run: Run, args: Any, kwargs: Any, found: dict[str, Segment], session: Session) -> Outcome | None:
    """Many tensors in one list, of which all must have as many axes: where one has an axis more than the others, the call is refused."""
    listed = next((v for v in (*args, *kwargs.values()) if isinstance(v, (list, tuple)) and segments(v).keys() == found.keys()), ())
    opened = [(name, len(one.shape) - 1) for one in listed if isinstance(one, TensorType) for name in segments(one)]
    beside = dict(opened)
    if len(opened) != len(found) or not all(isinstance(one, TensorType) for one in listed):
        return None
    session.segments.update(found)
    least = max(int(lower(segment.rank)) + beside[name] for name, segment in found.items())
    tried: dict[int, Tried] = {rank: _at(run, args, kwargs, {n: rank - k for n, k in beside.items()}) for rank in range(least, least + _MOST_RANKS[1])}
    fits = next((rank for rank, one in tried.items() if one.outcome.refused is None), None)
    if fits is None:
        return None
    for name in beside:
        if _at(run, args, kwargs, {n: fits - k + (n == name) for n, k in beside.items()}).outcome.refused is None:
            return None
    return agreed(list(tried.values()), session)


def _possible(segment: Segment, most: int) -> range:
    """The numbers of axes that a segment may stand for, of which so many are tried."""
    least = int(lower(segment.rank))
    return range(least, int(min(upper(segment.rank), least + most - 1)) + 1)


def _names(value: object) -> set[str]:
    """The names of all segments in some results."""
    if isinstance(value, TensorType):
        return {axis.name for axis in value.shape if type(axis) is Segment}
    return set().union(*map(_names, value)) if isinstance(value, (tuple, list)) and value else set()


def _axis(name: str, i: int) -> Term:
    return symbol(f"{name}.{i}", 1, None, Origin.UNMODELLED)


def _ranked(value: Any, axes: dict[str, tuple[Dim, ...]], originals: dict[int, Any]) -> Any:
    """Arguments with axes in place of segments."""
    if isinstance(value, TensorType):
        if value.shape.known or not segments(value):
            return value
        sizes: list[Any] = []
        for axis in value.shape:
            sizes += axes[axis.name] if type(axis) is Segment and axis.name in axes else (axis,)
        made = value.sized(Shape(sizes), contents=value.contents, strides=None if value.strides is None else UNKNOWN_STRIDES)
        originals[id(made)] = (made, value)
        return made
    if isinstance(value, dict):
        return {k: _ranked(v, axes, originals) for k, v in value.items()}
    return type(value)(_ranked(v, axes, originals) for v in value) if type(value) in (tuple, list) else value


def _restored(outcome: Outcome, originals: dict[int, Any]) -> Outcome:
    """An outcome that speaks of the arguments as they were given."""

    def back(value: Any) -> Any:
        if id(value) in originals:
            return originals[id(value)][1]
        return type(value)(map(back, value)) if type(value) in (tuple, list) else value

    outcome.bound = {name: back(value) for name, value in outcome.bound.items()}
    outcome.written = [back(value) for value in outcome.written]
    outcome.applied = [replace(one, arguments={k: back(v) for k, v in one.arguments.items()}) for one in outcome.applied]
    return outcome


# --- what alternatives agree on ---


class _Differ(Exception):
    """Results that no one value describes."""


@dataclass(frozen=True, slots=True)
class _Joining:
    """How results are joined: `all_tried` where the alternatives are all that there are, and so the sizes between which a result's lie."""

    session: Session
    all_tried: bool


def agreed(tried: list[Tried], session: Session, all_tried: bool = True) -> Outcome | None:
    """What holds whichever alternative is the true one; None where that is not known. `all_tried` is False where other values of a number are possible."""
    if any(one.outcome.unknown is not None for one in tried):
        return None
    accepted = [one for one in tried if one.outcome.refused is None]
    if not accepted:
        return _refused([one.outcome for one in tried])
    first = accepted[0].outcome
    if len(accepted) == 1 and not segments(first.outputs):
        return replace(first, guessed=True)
    try:
        made = _joined([one.outcome.outputs for one in accepted], [one.axes for one in accepted], _Joining(session, all_tried))
    except _Differ:
        return None
    common = [r for r in first.requirements if all(any(r.code == o.code and r.predicate == o.predicate for o in one.outcome.requirements) for one in accepted)]
    pairs: dict[int, Any] = {}
    _paired(first.outputs, made, pairs)
    _paired(first.made, made, pairs)
    applied = [replace(one, results=tuple(pairs[id(r)][1] if id(r) in pairs else r for r in one.results)) for one in first.applied]
    return replace(first, outputs=made, made=made, requirements=common, applied=applied, guessed=True)


def agreed_alternatives(outcomes: list[Outcome], session: Session, all_tried: bool = True) -> Outcome | None:
    """What holds whichever of some calls the program makes."""
    return outcomes[0] if len(outcomes) == 1 else agreed([Tried({}, one) for one in outcomes], session, all_tried)


_OF_RANK = ("/rank", "/axis", "/dimensions", "call/arguments")


def _refused(outcomes: list[Outcome]) -> Outcome | None:
    """The refusal that says most: one that speaks of sizes, where there is one."""
    telling = [o for o in outcomes if o.refused is not None and not o.refused.code.endswith(_OF_RANK)]
    return telling[0] if telling else None


def _paired(old: Any, new: Any, pairs: dict[int, Any]) -> None:
    if isinstance(old, TensorType):
        pairs[id(old)] = (old, new)
    elif isinstance(old, tuple) and isinstance(new, tuple):
        for a, b in zip(old, new):
            _paired(a, b, pairs)


def _joined(values: list[Any], axes: list[dict[str, tuple[Dim, ...]]], how: _Joining) -> Any:
    first = values[0]
    if isinstance(first, TensorType) and all(isinstance(v, TensorType) for v in values):
        return _tensor(values, axes, how)
    if isinstance(first, (tuple, list)):
        if any(type(v) is not type(first) or len(v) != len(first) for v in values):
            raise _Differ
        made = [_joined([v[i] for v in values], axes, how) for i in range(len(first))]
        return first.like(made) if isinstance(first, Outputs) else type(first)(made)
    if all(type(v) is type(first) and v == first for v in values):
        return first
    if all(type(v) in (int, Term) for v in values):
        return _size(values, how)
    raise _Differ


def _tensor(tensors: list[TensorType], axes: list[dict[str, tuple[Dim, ...]]], how: _Joining) -> TensorType:
    first = tensors[0]
    if any(t.layout != first.layout or t.framework != first.framework for t in tensors):
        raise _Differ
    same = all(t.dtype is first.dtype for t in tensors)
    return first.but(
        shape=_shape([t.shape for t in tensors], axes, how), dtype=first.dtype if same else None, contents=None, facts=None,
        weak=all(t.weak for t in tensors), strides=None if all(t.strides is None for t in tensors) else UNKNOWN_STRIDES,
        device=first.device if all(t.device == first.device for t in tensors) else None,
    )  # fmt: skip


def _shape(shapes: list[Shape], axes: list[dict[str, tuple[Dim, ...]]], how: _Joining) -> Shape:
    first = shapes[0]
    if all(s == first for s in shapes):
        return first
    if not all(s.known for s in shapes):
        if all(len(s) == len(first) and all(a == b or Segment not in (type(a), type(b)) for a, b in zip(s, first)) for s in shapes):
            return Shape(first[i] if type(first[i]) is Segment else _size([s[i] for s in shapes], how) for i in range(len(first)))
        tails = [_tail(s) for s in shapes]
        shown = min(map(len, tails))
        return Shape((*_unknown(how.session, 0, False), *(_size([t[len(t) - shown + i] for t in tails], how) for i in range(shown))))
    for name in axes[0] if len(shapes) > 1 else ():
        around = _around(shapes, [put[name] for put in axes])
        if around is not None:
            return Shape((*around[0], how.session.segments[name], *around[1]))
    least, most = min(map(len, shapes)), max(map(len, shapes))
    lead = 0 if most == least else _alike(shapes, range(least - _alike(shapes, range(-1, -least - 1, -1))))
    tail = [_size([s[i - least] for s in shapes], how) for i in range(lead, least)]
    return Shape(tail) if most == least else Shape((*first[:lead], *_unknown(how.session, most - least, bounded(axes)), *tail))


def _alike(shapes: list[Shape], places: Iterable[int]) -> int:
    """At how many of these places, one after the other, the shapes have the same size."""
    return sum(1 for _ in takewhile(lambda i: all(s[i] == shapes[0][i] for s in shapes), places))


def _around(shapes: list[Shape], inner: list[tuple[Dim, ...]]) -> tuple[Shape, Shape] | None:
    """The axes before and behind those that were put for a segment, where all shapes hold them between the same ones."""
    room = min(len(s) - len(put) for s, put in zip(shapes, inner))
    for lead in range(room + 1):
        parts = [(s[:lead], s[lead : lead + len(put)], s[lead + len(put) :]) for s, put in zip(shapes, inner)]
        if all(part[1] == put and part[::2] == parts[0][::2] for part, put in zip(parts, inner)):
            return Shape(parts[0][0]), Shape(parts[0][2])
    return None


def _tail(shape: Shape) -> tuple[Dim, ...]:
    """The last axes of a shape, behind all of which the number is not known."""
    at = max((i + 1 for i, axis in enumerate(shape) if type(axis) is Segment), default=0)
    return tuple(shape[at:])


def _size(sizes: list[Dim], how: _Joining) -> Dim:
    if all(size == sizes[0] for size in sizes):
        return sizes[0]
    if not how.all_tried:
        return how.session.fresh("size")
    return how.session.fresh("size", int(min(max(lower(size), 0) for size in sizes)), _most(sizes))


def _most(sizes: list[Dim]) -> int | None:
    most = max(upper(size) for size in sizes)
    return int(most) if most < _LARGEST else None


def bounded(axes: list[dict[str, tuple[Dim, ...]]]) -> bool:
    """Whether no higher rank than those that were accepted was left untried."""
    return bool(axes) and all(len(put) == 1 and len(next(iter(put.values()))) < _MOST_RANKS[0] - 1 for put in axes)


def _unknown(session: Session, most: int, known: bool) -> Shape:
    """A shape of unknown rank, which has at most so many axes where that is known."""
    session.made += 1
    name = f"shape{session.site}#{session.made}"
    session.names.add(name)
    return open_shape(name, 0, most if known else None)

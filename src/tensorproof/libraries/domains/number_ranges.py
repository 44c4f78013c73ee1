"""The whole numbers in a tensor, as a domain: ranges whose ends occur (`label_ranges`) and limits within which all lie (`index_limits`).

Drawn numbers, the labels of a known dataset and all positions of an axis have a range: both its ends are there for some run, so an end that lies outside of
an axis is an error. What may hold fewer numbers (a choice by value, a largest position) has a limit, which proves that an index lies inside.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

from tensorproof.libraries.domains import index_limits, label_ranges
from tensorproof.ops.applied import Applied, given_values, parts
from tensorproof.ops.record import Op, Values
from tensorproof.ops.whole import Span, joined
from tensorproof.terms import BOOL, DType, TensorType, Term, learn
from tensorproof.values.port import Machine, Value

_KEEPING = frozenset(["moves", "cuts", "selects", "joins", "mixes", "fills"])
_MAKING = frozenset(["draws", "places", "totals", "counts"])
_POOLS = {f"max_pool{n}d": n for n in (1, 2, 3)}


@cache
def _facts(op: Op) -> tuple[bool, bool]:
    """Whether an operator makes ranges or bounds by itself, and whether it keeps those of its inputs."""
    facts = [op.values, *(out.values for out in op.outputs if out.values is not None)]
    makes = any(v.kind in _MAKING or v.whole is not None or (v.kind == "bounded" and v.over) for v in facts) or op.name in _POOLS
    return makes, makes or any(v.kind in _KEEPING for v in facts)


def reads(op: Op) -> bool:
    return _facts(op)[1]


def applied(m: Machine, one: Applied) -> None:
    """Called for every operator that was applied."""
    makes, keeps = _facts(one.op)
    if not makes and not (keeps and (m.ranged or _known(one))):
        return
    for at, made in enumerate(one.results):
        if made.contents is None and made.dtype is not None:
            values = given_values(one, at)
            found = _span(m, values, one, at, made)
            if found is not None and _holds(made.dtype, found):
                note(m, made, found)
                chance = one.op.random or any(t.facts is not None and t.facts.chance for t in parts(one).tensors)
                if chance and found.plain:  # what is drawn below a size of the data, and shifted by others, is taken to fit: edges of graphs in a batch
                    learn(made, chance=True)


def _known(one: Applied) -> bool:
    """Whether the numbers of the first input, or of some of several, are known one by one, lie within ends, or are truth values."""
    first = one.arguments.get(one.op.inputs[0].name if one.op.inputs else str(one.op.values.over))
    tensors = first if isinstance(first, (tuple, list)) else (first,)
    return any(isinstance(t, TensorType) and (t.contents is not None or t.dtype is BOOL or _within(t)) for t in tensors)


def _within(t: TensorType) -> bool:
    return t.facts is not None and (t.facts.limit is not None or t.facts.span is not None)


def note(m: Machine, made: TensorType, span: Span) -> None:
    if span.attained:
        label_ranges.note(m, made, span.low, span.past)
    else:
        index_limits.note(m, made, (span.low, span.past), span.possible)


def span_of(m: Machine, value: Any) -> Span | None:
    """The whole numbers that a tensor or a number may hold."""
    if type(value) in (int, Term):
        return Span(value, value + 1, True)
    if not isinstance(value, TensorType):
        return None
    known = label_ranges.of(m, value)
    if known is not None:
        return Span(*known, attained=True)
    limit = index_limits.of(m, value)
    if limit is not None:
        return Span(*limit, possible=value.facts is not None and value.facts.possible)
    if value.contents is not None and len(value.contents) == 1 and type(value.contents[0]) is Term:
        return Span(value.contents[0], value.contents[0] + 1, True)
    return Span(0, 2, possible=True) if value.dtype is BOOL else None


def _span_in(m: Machine, value: Any) -> Span | None:
    """The whole numbers that a tensor, a number or several tensors may hold."""
    return joined([span_of(m, t) for t in value]) if isinstance(value, tuple) else span_of(m, value)


def _span(m: Machine, values: Values, one: Applied, at: int, made: TensorType) -> Span | None:
    given = one.arguments
    if at == 1 and one.op.name in _POOLS:
        return _pooled(one, _POOLS[one.op.name])
    match values.kind:
        case "moves" | "cuts":
            return span_of(m, _nth(given[values.over], at))
        case "selects":
            found = _column(given) or span_of(m, given[values.over])
            return found if found is None or (values.by and _by_place(m, given[str(values.by)])) else Span(found.low, found.past)
        case "joins":
            return joined([span_of(m, t) for t in _parts(given, values.over)], all_occur=True)
        case "mixes" if values.whole is None:
            over = "value" if given.get("index") in (slice(None), (slice(None),), Ellipsis) else values.over  # x[:] = value writes all
            return joined([span_of(m, t) for t in _parts(given, over)])
        case "places":
            found = _positions(
                one.results[0] if values.end else given[values.over], given[values.by] if isinstance(values.by, str) else values.by, values.every
            )
            return Span(found.low, found.past + values.high, possible=True) if found is not None and type(values.high) is int and values.high else found
        case "draws" if made.dtype is not None and (made.dtype.kind in "iu" or one.op.random):
            return _drawn(*(given[v] if isinstance(v, str) else v for v in (values.low, values.high, values.step)))
        case "bounded" if values.over:
            return _coordinates(given[values.over], at, len(one.results))
        case "totals" | "counts" if values.whole is None:
            return _counted(given["x"], made)
        case "fills" if made.dtype is not None and made.dtype.kind in "iu" and isinstance(values.by, str):
            return span_of(m, given[values.by])
    if values.whole is None:
        return None
    known = {p.name: _span_in(m, given[p.name]) for p in one.op.inputs if given.get(p.name) is not None}
    found = values.whole(known | {p.name: given.get(p.name) for p in one.op.attributes})
    if found is not None and not found.attained and values.kind == "sums" and _every_pair(given["x"], given["y"]):
        found = Span(found.low, found.past, all(s is not None and s.attained for s in known.values()), found.possible)
    return found if found is None or (made.dtype is not None and made.dtype.kind in "iu") or _whole(found) else None


def _pooled(one: Applied, n: int) -> Span | None:
    """The positions of the greatest elements, in the plane of one channel: up to the last one that a window covers."""
    x, pooled = one.arguments["x"], one.results[0].shape
    if not isinstance(x, TensorType) or not x.shape.concrete or not pooled.concrete:
        return None
    given: list[Any] = [one.arguments.get(word) for word in ("kernel", "stride", "padding", "dilation")]
    kernel, stride, padding, dilation = (v if isinstance(v, (tuple, list)) else (v,) * n for v in given)
    last = 0
    for axis in range(n):
        size, step = x.shape[axis - n], stride[axis] or kernel[axis]
        if any(type(v) is not int for v in (kernel[axis], step, padding[axis], dilation[axis])):
            return None
        last = last * size + min(size - 1, (pooled[axis - n] - 1) * step - padding[axis] + (kernel[axis] - 1) * dilation[axis])
    return Span(0, last + 1, x.facts is not None and x.facts.drawn is not None)


def _every_pair(x: Value, y: Value) -> bool:
    """Whether each element of one meets each of the other, of which one is known: so the ends of both meet."""
    if not isinstance(x, TensorType) or not isinstance(y, TensorType) or not x.shape.known or not y.shape.known or (x.contents is None and y.contents is None):
        return False
    return all(1 in pair for pair in zip(reversed(x.shape), reversed(y.shape)))


def _column(given: dict[str, Any]) -> Span | None:
    """The numbers of one column, where they are known by columns: `x[:, 0]`."""
    x, index = given["x"], given.get("index")
    rows = x.facts.rows if isinstance(x, TensorType) and x.facts is not None else None
    if rows is None or type(index) is not tuple or len(index) <= rows[0] or any(part != slice(None) for part in index[: rows[0]]):
        return None
    at = index[rows[0]]
    low, high = rows[1][at] if type(at) is int and -len(rows[1]) <= at < len(rows[1]) else (inf, inf)
    return Span(int(low), int(high) + 1, possible=True) if x.dtype.kind in "iu" and abs(low) < inf and abs(high) < inf else None


def _coordinates(x: Value, at: int, axes: int) -> Span | None:
    """The positions of some elements: along one axis, or in one row for each element."""
    if isinstance(x, tuple):
        return Span(0, x[at], possible=True)
    if not isinstance(x, TensorType) or not x.shape.known or not len(x.shape):
        return None
    if axes == len(x.shape):
        return Span(0, x.shape[at], possible=True)
    return Span(0, max(x.shape)) if x.shape.concrete else None


def _counted(x: Value, made: TensorType) -> Span | None:
    """How many elements of a mask may be set, along the axes that are counted."""
    if not isinstance(x, TensorType) or x.dtype is not BOOL or not x.shape.concrete or not made.shape.concrete or not made.shape.numel:
        return None
    return Span(0, x.shape.numel // made.shape.numel + 1, possible=x.facts is None or type(x.facts.ones) is not int)


def _whole(found: Span) -> bool:
    """Whether both ends are numbers that every float type of 32 bits holds."""
    return type(found.low) is int and type(found.past) is int and found.low >= -(1 << 24) and found.past <= 1 << 24


def _nth(value: Value, at: int) -> Value:
    return value[at] if isinstance(value, tuple) and at < len(value) else value


def _parts(given: dict[str, Any], over: str) -> list[Value]:
    return [t for name in over.split() for t in (given[name] if isinstance(given[name], tuple) else (given[name],))]


def _by_place(m: Machine, index: Value) -> bool:
    """Whether an index takes elements by their place alone: a choice by value may leave some numbers out."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, TensorType):
            if part.dtype is BOOL or label_ranges.of(m, part) is None:
                return False
        elif not isinstance(part, (slice, int, Term)) and part is not None and part is not Ellipsis:
            return False
    return True


def _positions(x: Value, axis: Value, every: bool) -> Span | None:
    if not isinstance(x, TensorType) or not x.shape.known:
        return None
    if axis is None:
        return Span(0, x.shape.numel, every, not every)
    return Span(0, x.shape[axis], every, not every) if type(axis) is int and -len(x.shape) <= axis < len(x.shape) else None


def _drawn(low: Any, high: Any, step: Value) -> Span | None:
    if any(type(v) not in (int, Term) for v in (low, high)) or type(step) is not int or step == 0:
        return None
    if step == 1:
        return Span(low, high, True)
    if type(low) is not int or type(high) is not int or (high - low) * step <= 0:
        return None
    last = low + (high - low - (1 if step > 0 else -1)) // step * step
    return Span(min(low, last), max(low, last) + 1, True)


def _holds(dtype: DType, known: Span) -> bool:
    """Whether an element type holds these numbers as they are."""
    if dtype.label in ("int64", "int32", "float32", "float64"):
        return True
    if dtype.kind not in "iu" or type(known.low) is not int or type(known.past) is not int:
        return False
    least = -(1 << (dtype.bits - 1)) if dtype.kind == "i" else 0
    return least <= known.low and known.past <= least + (1 << dtype.bits)

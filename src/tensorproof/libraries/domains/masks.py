"""What a mask implies of the numbers that it was compared from: `x[x < 9]` holds numbers below 9, and `x[x == 9] = 0` leaves none of 9.

A description never changes, and a write makes another one, so the tensor that a mask speaks of (`Facts.implied`) is found again by its identity. Whole
numbers are bounded only where something is known of them: those that were given to the program are taken to fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Any

from tensorproof.libraries.domains import bounds
from tensorproof.libraries.domains.number_ranges import span_of
from tensorproof.ops.applied import Applied
from tensorproof.ops.ones import Pairs, opposite
from tensorproof.ops.record import Op
from tensorproof.terms import BOOL, TensorType, Term, learn, maximum, minimum
from tensorproof.terms.facts import Facts
from tensorproof.terms.records import replace
from tensorproof.values.port import Machine

Ends = tuple[Any, Any] | None
"""The least and the greatest, None for those of the tensor itself."""
Implied = tuple[TensorType, Ends, Ends]
"""A tensor, and the ends of its elements where the mask holds, and where it does not."""


@cache
def _kind(op: Op) -> str:
    """What an operator is to masks: it makes or joins them, or takes elements by them."""
    values = op.values
    if op.opposite:
        return "compares" if isinstance(op.ones, Pairs) else ""
    if op.ones is opposite or isinstance(op.ones, Pairs) or (values.over and values.kind in ("moves", "cuts", "bounded")):
        return "implies"
    return "takes" if isinstance(values.by, str) and values.by and (values.kind in ("selects", "mixes") or values.whole is not None) else ""


def seen(m: Machine, one: Applied) -> Applied:
    """An application as the elements see it that its mask lets through; and what the mask that it makes implies."""
    kind = _kind(one.op)
    if not kind or kind == "takes":
        return _through(m, one) if kind else one
    implied = _compared(m, one) if kind == "compares" else _implied(one)
    for made in one.results if implied else ():
        if made.contents is None:
            learn(made, implied=implied)
    return one


def _of(value: Any) -> tuple[Implied, ...]:
    return (value.facts.implied or ()) if isinstance(value, TensorType) and value.facts is not None else ()


def _whole(end: Any) -> Any:
    """A finite end as a whole number."""
    return int(end) if type(end) is float and abs(end) < inf else end


def _compared(m: Machine, one: Applied) -> tuple[Implied, ...]:
    assert isinstance(one.op.ones, Pairs)
    x, y, holds = one.arguments["x"], one.arguments["y"], one.op.ones.function
    below, same, above = holds(0, 1), holds(0, 0), holds(1, 0)
    found = (_against(m, x, y, below, same, above), _against(m, y, x, above, same, below))
    return tuple(t for t in found if t is not None)


def _against(m: Machine, x: Any, y: Any, below: bool, same: bool, above: bool) -> Implied | None:
    """What a comparison with y implies of x, which holds where x is below, the same, or above."""
    if not isinstance(x, TensorType) or x.contents is not None or x.facts is None or x.dtype is None:
        return None
    ends, others = _ends(m, x), _ends(m, y)
    if ends is None or others is None or any(type(a) is Term and type(b) is float for a, b in ((ends[0], others[0]), (ends[1], others[1]))):
        return None
    step = 1 if x.dtype.kind in "iu" else 0
    if step:
        if any(type(end) is float and abs(end) < inf and end % 1 for end in others):
            return None
        others = _whole(others[0]), _whole(others[1])
    return x, _part(ends, others, step, below, same, above), _part(ends, others, step, not below, not same, not above)


def _part(ends: tuple[Any, Any], others: tuple[Any, Any], step: int, below: bool, same: bool, above: bool) -> tuple[Any, Any]:
    """The ends of those numbers that are below, the same, or above some others."""
    (least, most), (low, high) = ends, others
    if below and above:
        whole = step and not same and low == high
        return (low + 1, most) if whole and least == low else (least, low - 1) if whole and most == low else ends
    if not below:
        least = _pick(maximum, max, least, low if same else low + step)
    if not above:
        most = _pick(minimum, min, most, high if same else high - step)
    return least, most


def _ends(m: Machine, x: Any) -> Ends:
    span = span_of(m, x) if not isinstance(x, TensorType) or (x.dtype is not None and x.dtype.kind in "iu") else None
    return (span.low, span.past - 1) if span is not None else bounds.of(x)


def _pick(terms: Callable[..., Any], numbers: Callable[..., Any], a: Any, b: Any) -> Any:
    return numbers(a, b) if float in (type(a), type(b)) else terms(a, b)


def _implied(one: Applied) -> tuple[Implied, ...]:
    values, function = one.op.values, one.op.ones
    if values.kind == "bounded":  # the positions of a vector at which its mask holds
        mask = one.arguments[values.over]
        return _of(mask) if isinstance(mask, TensorType) and mask.shape.known and len(mask.shape) == 1 else ()
    if values.kind in ("moves", "cuts"):
        places: Any = one.arguments.get(values.over)
        given = _of(places) if len(one.results) == 1 else ()
        return tuple((of, yes, no if values.kind == "moves" else None) for of, yes, no in given) if given and places.dtype is not BOOL else ()
    x, y = one.arguments["x"], one.arguments.get("y")
    if not isinstance(x, TensorType) or x.dtype is not BOOL:
        return ()
    if function is opposite:
        return tuple((of, no, yes) for of, yes, no in _of(x))
    if not isinstance(function, Pairs) or not isinstance(y, TensorType) or y.dtype is not BOOL or not _of(x) + _of(y):
        return ()
    table = [bool(function.function(a, b)) for a, b in ((0, 0), (0, 1), (1, 1))]
    if table not in ([False, False, True], [False, True, True]):
        return ()
    turned = table[1]
    first, second = ({id(of): (of, no, yes) if turned else (of, yes, no) for of, yes, no in _of(t)} for t in (x, y))
    found: list[Implied] = []
    for key in first | second:
        of, yes, no = first.get(key) or second[key]
        if key in first and key in second:
            yes, no = _inside(yes, second[key][1]), _around(no, second[key][2])
        else:
            no = None
        found.append((of, no, yes) if turned else (of, yes, no))
    return tuple(found)


def _inside(a: Ends, b: Ends) -> Ends:
    return (a or b) if a is None or b is None else (_pick(maximum, max, a[0], b[0]), _pick(minimum, min, a[1], b[1]))


def _around(a: Ends, b: Ends) -> Ends:
    return None if a is None or b is None else (_pick(minimum, min, a[0], b[0]), _pick(maximum, max, a[1], b[1]))


def _through(m: Machine, one: Applied) -> Applied:
    values, given = one.op.values, one.arguments
    mask = given.get(str(values.by))
    if isinstance(mask, tuple):
        mask = mask[0] if len(mask) == 1 else None
    implied = _of(mask)
    if not implied:
        return one
    changed: dict[str, Any] = {}
    for at, name in enumerate(values.over.split()):
        for of, yes, no in implied:
            ends = no if at else yes
            if given[name] is of and ends is not None:
                changed[name] = _bounded(m, of, ends)
    return replace(one, arguments={**given, **changed}) if changed else one


def _bounded(m: Machine, x: TensorType, ends: tuple[Any, Any]) -> TensorType:
    """A tensor like x whose elements lie between these ends."""
    old, span = x.facts or Facts(), span_of(m, x)
    new = Facts(chance=old.chance, steps=old.steps, whole=old.whole, possible=span is not None and span.may)
    if span is not None:
        return x.but(facts=replace(new, limit=(ends[0], ends[1] + 1)))
    return x.but(facts=replace(new, bounds=(max(float(ends[0]), -inf), float(ends[1]))))

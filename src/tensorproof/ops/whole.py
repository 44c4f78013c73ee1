"""Bounds of whole numbers: what a result can hold, given what the inputs can hold. Declarations name these rules (`Values.whole`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.terms.ints import Dim, Term, maximum, minimum
from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Whole numbers from `low` on and below `past`. `attained`: both ends occur for some data, so an end that lies outside of a range is an error.
    `possible`: they are places among numbers of which nothing is known, or computed from random numbers, so each may be meant."""

    low: Dim
    past: Dim
    attained: bool = False
    possible: bool = False

    @property
    def may(self) -> bool:
        """Whether each number may occur for some data."""
        return self.attained or self.possible

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.past - self.low == 1

    @property
    def plain(self) -> bool:
        """Whether both ends are known numbers."""
        return type(self.low) is int and type(self.past) is int


Spans = Mapping[str, Any]
"""A `Span` or None for each tensor that was given, and plain attributes, by name."""


def joined(spans: list[Span | None], all_occur: bool = False) -> Span | None:
    """The numbers of several tensors."""
    known = [s for s in spans if s is not None]
    if not known or len(known) < len(spans):
        return None
    attained = all_occur and all(s.attained for s in known)
    first, possible = known[0], not attained and (any(s.possible for s in known) or all(s.may for s in known))
    if all(s.low == first.low and s.past == first.past for s in known):
        return Span(first.low, first.past, attained, possible)
    return Span(minimum(*(s.low for s in known)), maximum(*(s.past for s in known)), attained, possible)


def _of_both(low: Dim, past: Dim, x: Span, y: Span) -> Span:
    """What is monotone in x and in y: its ends occur where those of one do and the other is one number, and may occur where those of both may."""
    attained = x.attained and y.attained and (x.exact or y.exact)
    return Span(low, past, attained, not attained and x.may and y.may)


def sums(a: Spans) -> Span | None:
    x, y = a["x"], a["y"]
    if x is None or y is None or a["alpha"] != 1:
        return None
    return _of_both(x.low + y.low, x.past + y.past - 1, x, y)


def differences(a: Spans) -> Span | None:
    x, y = a["x"], a["y"]
    if x is None or y is None or a["alpha"] != 1:
        return None
    return _of_both(x.low - y.past + 1, x.past - y.low, x, y)


def products(a: Spans) -> Span | None:
    x, y = a["x"], a["y"]
    if x is None or y is None:
        return None
    if not y.exact:
        x, y = y, x
    if y.exact and type(y.low) is int and y.low > 0:
        return _of_both(x.low * y.low, (x.past - 1) * y.low + 1, x, y)
    if not x.plain or not y.plain:
        return None
    ends = [p * q for p in (x.low, x.past - 1) for q in (y.low, y.past - 1)]
    return _of_both(min(ends), max(ends) + 1, x, y)


def quotients(a: Spans) -> Span | None:
    """Of a division that rounds to whole numbers."""
    x, y = a["x"], a["y"]
    if x is None or y is None or a["rounding"] is None or not x.plain or not y.plain or y.low <= 0 or (a["rounding"] != "floor" and x.low < 0):
        return None
    if y.exact:
        return _of_both(x.low // y.low, (x.past - 1) // y.low + 1, x, y)
    return Span(0, (x.past - 1) // y.low + 1, possible=x.may and y.may) if x.low >= 0 else None


def remainders(a: Spans) -> Span | None:
    """Of a remainder with the sign of the divisor."""
    x, y = a["x"], a["y"]
    if y is None or type(y.low) is not int or y.low <= 0:
        return None
    if x is None or not x.plain:
        return Span(0, y.past - 1)
    if x.low >= 0 and x.past <= y.low:
        return Span(x.low, x.past, x.attained, x.possible)
    attained = y.exact and x.attained and y.attained and x.past - x.low >= y.low
    return Span(0, y.past - 1, attained, not attained and x.may and y.may)


def limited(a: Spans) -> Span | None:
    """Of numbers that are kept between a least and a greatest one."""
    x, low, high = a["x"], a.get("low"), a.get("high")
    given = [a[name] for name in ("low", "high") if name in a]
    if x is not None and x.plain and all(s is not None and s.plain and s.exact for s in given):
        least, most = x.low, x.past - 1
        if low is not None:
            least, most = max(least, low.low), max(most, low.low)
        if high is not None:
            least, most = min(least, high.low), min(most, high.low)
        attained = x.attained and all(s.attained for s in given)
        return Span(least, most + 1, attained, not attained and x.may)
    return Span(low.low, high.past) if low is not None and high is not None else None


def greater(a: Spans) -> Span | None:
    """Of the greater of two numbers."""
    return _chosen(a["x"], a["y"], max)


def less(a: Spans) -> Span | None:
    return _chosen(a["x"], a["y"], min)


def _chosen(x: Span | None, y: Span | None, choose: Any) -> Span | None:
    if x is None or y is None or not x.plain or not y.plain:
        return None
    return _of_both(choose(x.low, y.low), choose(x.past, y.past), x, y)


def filled(a: Spans) -> Span | None:
    """Of numbers some of which are replaced by one."""
    return joined([a["x"], Span(a["value"], a["value"] + 1, True)]) if type(a["value"]) in (int, Term) else None


def padded(a: Spans) -> Span | None:
    """Of numbers beside which some are written, or which are repeated. One below zero is a mark, and no place."""
    mode, inside, value = a.get("mode", "constant"), a["x"] if "x" in a else a["xs"], a.get("value", a.get("padding_value")) or 0
    if inside is None or mode in ("linear_ramp", "empty"):
        return None
    if mode != "constant":
        return Span(inside.low, inside.past, possible=inside.may)
    if type(value) not in (int, float) or value < 0 or value % 1 or not inside.plain:
        return None
    return Span(min(inside.low, int(value)), max(inside.past, int(value) + 1), possible=inside.may)

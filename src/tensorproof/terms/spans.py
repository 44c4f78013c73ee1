"""Arithmetic of spans: pairs of a least and a greatest value, either of which may be infinite."""

from __future__ import annotations

INF = float("inf")
Bound = float  # an int, or plus or minus infinity
Span = tuple[Bound, Bound]


def _times(a: Bound, b: Bound) -> Bound:
    if a == 0 or b == 0:
        return 0
    try:
        return a * b
    except OverflowError:
        return INF if (a > 0) == (b > 0) else -INF


def multiplied(a: Span, b: Span) -> Span:
    if a[0] == a[1]:  # a coefficient, as most factors are
        low, high = _times(a[0], b[0]), _times(a[0], b[1])
        return (low, high) if low <= high else (high, low)
    if 0 <= a[0] < a[1] and 0 <= b[0] <= b[1]:
        return _times(a[0], b[0]), _times(a[1], b[1])
    corners = (_times(a[0], b[0]), _times(a[0], b[1]), _times(a[1], b[0]), _times(a[1], b[1]))
    return min(corners), max(corners)


def raised(span: Span, power: int) -> Span:
    if power == 1 and span[0] <= span[1]:
        return span
    result: Span = (1, 1)
    for _ in range(power):
        result = multiplied(result, span)
    if power % 2 == 0:
        return max(0, result[0]), result[1]
    return result


def _floor(a: Bound, b: Bound) -> Bound:
    if b in (INF, -INF):
        return 0 if a == 0 or (a > 0) == (b > 0) else -1
    if a in (INF, -INF):
        return a if b > 0 else -a
    return a // b


def divided(a: Span, b: Span) -> Span:
    """The quotients, rounded down. A divisor is taken to be non-zero."""
    (al, ah), (bl, bh) = a, b
    if bl <= 0 <= bh:
        if bl < 0:
            reach = max(abs(al), abs(ah))
            return -reach, reach
        bl = 1
    corners = (_floor(al, bl), _floor(al, bh), _floor(ah, bl), _floor(ah, bh))
    return min(corners), max(corners)

"""The facts of values that many declarations share: what moves, cuts, selects, joins, draws or fills elements."""

from __future__ import annotations

from tensorproof.ops import whole
from tensorproof.ops.record import Values

MOVES = Values("moves", over="x")
"""All elements of x in other places or another form."""
RESHAPES = Values("moves", over="x", reshapes=True)
"""All elements of x in their row-major order, in another shape."""
CUTS = Values("cuts", over="x")
"""Elements of x that are taken by their place."""
SELECTS = Values("selects", over="x")
"""Elements of x that are chosen by their values."""
LEAST = Values("selects", over="x", end="least")
GREATEST = Values("selects", over="x", end="greatest")
JOINS = Values("joins", over="xs")
FILLS = Values("fills", by="value")
FILLED = Values(whole=whole.filled, over="value x", by="mask")
PADDED = Values(whole=whole.padded)
SUMS = Values("sums", whole=whole.sums)
DIFFERENCES = Values("sums", whole=whole.differences)
PRODUCTS = Values("multiplies", whole=whole.products)
QUOTIENTS = Values("divides", whole=whole.quotients)
REMAINDERS = Values("divides", whole=whole.remainders)
LIMITED = Values(whole=whole.limited)
GREATER = Values("mixes", over="x y", whole=whole.greater)
LESS = Values("mixes", over="x y", whole=whole.less)


def moves(over: str) -> Values:
    return Values("moves", over=over)


def selects(by: str, over: str = "x") -> Values:
    """Elements chosen by the indices or the mask in `by`."""
    return Values("selects", over=over, by=by)


def mixes(over: str, by: str = "") -> Values:
    """Each element is one of some tensor in `over`: of the first where the mask in `by` holds, where there is one, and of the second where it does not."""
    return Values("mixes", over=over, by=by)


def places(along: str | int | None, over: str = "x") -> Values:
    return Values("places", over=over, by=along)


def orders(along: str | int | None, over: str = "x") -> Values:
    """Every position along an axis."""
    return Values("places", over=over, by=along, every=True)


def draws(low: str | int, high: str | int, step: str | int = 1) -> Values:
    return Values("draws", low=low, high=high, step=step)


def drawn(distribution: str, over: str = "") -> Values:
    """Random numbers of a distribution, whose parameters are in `over` or have their own names (ops/distributions.py)."""
    return Values("drawn", distribution=distribution, over=over)

"""Where the values of an operator are not finite: the safe region of a hazard, in words and as a truth of each element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.record import Hazard, Interval, Region
from tensorproof.terms.dtypes import FLOAT32, DType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def holds(np: Numpy, hazard: Hazard, a: Arguments) -> Array:
    """Whether each element is in the safe region. Of bounds it is true, false, or open, as any comparison of them."""
    if not isinstance(hazard.safe, Interval):
        return hazard.safe(np, a)
    x, region = a[hazard.about], hazard.safe
    above = np.greater(x, region.lo) if region.lo_open else np.greater_equal(x, region.lo)
    below = np.less(x, region.hi) if region.hi_open else np.less_equal(x, region.hi)
    within = np.logical_and(above, below)
    return within if region.hole is None else np.logical_and(within, np.not_equal(x, region.hole))


def said(hazard: Hazard) -> str:
    """The safe region in words."""
    if not isinstance(hazard.safe, Interval):
        return hazard.words
    region = hazard.safe
    if region.hole is not None:
        return f"{hazard.about} is not {region.hole:g}"
    return f"{hazard.about} is in {'(' if region.lo_open else '['}{region.lo:g}, {region.hi:g}{')' if region.hi_open else ']'}"


def computed_type(a: Arguments) -> DType:
    """The element type of the result, where that is a float; whole numbers are computed in float32."""
    made: DType | None = a["results"][0] if a["results"] else None
    return made.real if made is not None and made.kind in "fc" else FLOAT32


def overflow(op: str, function: str, inverse: Callable[[float], float], both: bool = False) -> tuple[Hazard, ...]:
    """Nothing happens up to the number whose `function` is the greatest of the element type; with `both`, in either direction."""

    def safe(np: Numpy, a: Arguments) -> Array:
        most = inverse(computed_type(a).greatest)
        return np.logical_and(np.less_equal(a["x"], most), np.greater_equal(a["x"], -most if both else -math.inf))

    subject = "|x|" if both else "x"
    return (Hazard(f"{op}/overflow", "x", safe, "inf", f"{function}({subject}) is at most the greatest number of the element type"),)


def slope(code: str, about: str, words: str, safe: Region, only: str = "tf") -> tuple[Hazard, ...]:
    """A hazard of the derivative that one framework has."""
    return (Hazard(code, about, safe, "nan in the gradient at 0", words, only=only),)


def region(code: str, about: str, words: str, yields: str, safe: Region) -> tuple[Hazard, ...]:
    """A hazard about several inputs or attributes."""
    return (Hazard(code, about, safe, yields, words),)

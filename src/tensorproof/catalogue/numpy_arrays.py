"""Operators that NumPy has and torch has not."""

from __future__ import annotations

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Promote
from tensorproof.ops.families import NUMERIC, reduction, same_shape
from tensorproof.ops.inputs import Choice, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import BOOL, COMPLEX128, FLOAT64
from tensorproof.terms.ints import maximum, minimum
from tensorproof.terms.predicates import ge
from tensorproof.terms.shapes import Shape


def _convolved(c: Call) -> Shape:
    n, m = c.dims["N"], c.dims["M"]
    c.require("empty", ge(n, 1), "x has no elements", "x")
    c.require("empty", ge(m, 1), "y has no elements", "y")
    match c["mode"]:
        case "full":
            return Shape((n + m - 1,))
        case "same":
            return Shape((maximum(n, m),))
        case _:
            return Shape((maximum(n, m) - minimum(n, m) + 1,))


PTP = reduction("ptp", NUMERIC, nonempty=True, dtype=Like("x"), doc="The greatest less the least.")
ISCOMPLEX = Op("iscomplex", (Tensor("x", "...", NUMERIC),), (), same_shape, BOOL)


def _interpolated(c: Call) -> Shape:
    c.require("points", ge(c.dims["P"], 1), "there are no points to interpolate between", "xp")
    return c.shape("x")


INTERP = Op(
    "interp",
    inputs=(Tensor("x", "...", NUMERIC), Tensor("xp", "P", NUMERIC), Tensor("fp", "P", NUMERIC)),
    shape=_interpolated,
    dtype=lambda c: COMPLEX128 if (c.dtype("fp") or FLOAT64).is_complex else FLOAT64,
    codes={"P": "points"},
    doc="Values between known points, on straight lines.",
)
CONVOLVE = Op(
    "convolve_vectors",
    inputs=(Tensor("x", "N", NUMERIC), Tensor("y", "M", NUMERIC)),
    attributes=(Choice("mode", ("full", "same", "valid"), "full"),),
    shape=_convolved,
    dtype=Promote("x", "y"),
    doc="The discrete convolution (or correlation) of two vectors.",
)

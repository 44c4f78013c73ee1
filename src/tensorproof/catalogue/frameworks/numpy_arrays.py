"""Operators that NumPy has and torch has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Promote
from tensorproof.ops.evaluation import Arguments, numpy_reduction
from tensorproof.ops.facts import mixes
from tensorproof.ops.families import NUMERIC, reduction, replaced, same_shape
from tensorproof.ops.inputs import Anything, Axis, Bool, Choice, Ints, Tensor, Tensors, is_size
from tensorproof.ops.record import Op, Values
from tensorproof.terms.dtypes import BOOL, COMPLEX128, FLOAT64
from tensorproof.terms.ints import maximum, minimum
from tensorproof.terms.predicates import disj, ge
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _convolved(c: Call) -> Shape:
    n, m = c.dims["N"], c.dims["M"]
    c.require("empty", disj(ge(n, 1), c["padded"]), "x has no elements", "x")
    c.require("empty", ge(m, 1), "y has no elements", "y")
    match c["mode"]:
        case "full":
            return Shape((n + m - 1,))
        case "same":
            return Shape((maximum(n, m),))
        case _:
            return Shape((maximum(n, m) - minimum(n, m) + 1,))


def between_extremes(np: Numpy, a: Arguments) -> Array:
    most, least = numpy_reduction("max")(np, a), numpy_reduction("min")(np, a)
    return np.not_equal(most, least) if a["x"].dtype.kind == "b" else np.subtract(most, least)


PTP = reduction(
    "ptp", NUMERIC, nonempty=True, dtype=Like("x"), doc="The greatest less the least.",
    evaluate=between_extremes,
)  # fmt: skip
ISCOMPLEX = Op("iscomplex", (Tensor("x", "...", NUMERIC),), (), same_shape, BOOL, evaluate=lambda np, a: np.not_equal(np.imag(a["x"]), 0))


def _interpolated(c: Call) -> Shape:
    c.require("points", ge(c.dims["P"], 1), "there are no points to interpolate between", "xp")
    return c.shape("x")


def interpolated(np: Numpy, a: Arguments) -> Array:
    return np.interp(np.asarray(a["x"]), np.asarray(a["xp"]), np.asarray(a["fp"]), left=a["left"], right=a["right"], period=a["period"])


INTERP = Op(
    "interp",
    inputs=(Tensor("x", "...", NUMERIC), Tensor("xp", "P", NUMERIC), Tensor("fp", "P", NUMERIC)),
    attributes=(Anything("left"), Anything("right"), Anything("period")),
    shape=_interpolated,
    dtype=lambda c: COMPLEX128 if (c.dtype("fp") or FLOAT64).is_complex else FLOAT64,
    codes={"P": "points"},
    values=Values("convex", over="fp left right"),
    doc="Values between known points, on straight lines; `left` and `right` beyond them, unless they go on with a `period`.",
    evaluate=interpolated,
)
CONVOLVE = Op(
    "convolve_vectors",
    inputs=(Tensor("x", "N", NUMERIC), Tensor("y", "M", NUMERIC)),
    attributes=(Choice("mode", ("full", "same", "valid"), "full"), Bool("padded", False)),  # padded: x may be empty, since it is padded before
    shape=_convolved,
    dtype=Promote("x", "y"),
    doc="The discrete convolution of two vectors.",
    evaluate=lambda np, a: np.convolve(a["x"], a["y"], a["mode"]) if len(a["x"]) else np.zeros(max(len(a["y"]) - 1, 0)),
)


def _grown(c: Call) -> Shape:
    x, dim, index = c.shape("x"), c["dim"], c["index"]
    n = x[dim]
    if is_size(index) and not len(c.shape("values")):
        return replaced(x, dim, n + 1)
    return replaced(x, dim, c.fresh("grown", n if isinstance(n, int) else 0))


INSERT = Op(
    "insert",
    inputs=(Tensor("x", "_ ..."), Tensor("values", "...", scalar=True)),
    attributes=(Anything("index"), Axis("dim", 0)),
    shape=_grown,
    dtype=Like("x"),
    data_dependent=True,
    values=mixes("x values"),
    doc="x with values put in before places along an axis.",
    evaluate=lambda np, a: np.insert(np.asarray(a["x"]), a["index"], np.asarray(a["values"]), axis=a["dim"]),
)
RANDOM_DISTRIBUTION = Op(
    "random_distribution",
    inputs=(Tensors("parameters"),),
    attributes=(Ints("size", None, least=0, optional=True, shape=True), Anything("distribution")),
    shape=lambda c: Shape(c["size"]) if c["size"] is not None else c.broadcast(*(p.shape for p in c["parameters"]), about="parameters"),
    dtype=FLOAT64,
    random=True,
    values=Values("drawn", by="distribution", over="parameters"),
    doc="Independent draws of a distribution, which NumPy names, with parameters that broadcast.",
)

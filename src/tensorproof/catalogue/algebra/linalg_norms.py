"""Norms of vectors and of matrices, and the condition number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.algebra.linalg import MATRIX, matrix, real
from tensorproof.ops.call import Call, any_rank
from tensorproof.ops.element_types import ToFloat
from tensorproof.ops.families import NUMERIC, reduced_shape
from tensorproof.ops.hazards import slope
from tensorproof.ops.inputs import Anything, Axes, Bool, ElementType, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Dim, minimum
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.shapes import Shape, shape_from

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import linalg as f
else:
    f = later("catalogue.algebra.formulas.linalg")


def norm_type(c: Call) -> DType | None:
    """Norms are real; `dtype` may widen, and not narrow, what is summed."""
    dtype, given = c.dtype("x"), c["dtype"]
    if c.option("floats_only") and dtype is not None and not (dtype.is_float or dtype.is_complex):
        raise c.refuse("dtype", f"{c.name} is for floats and complex numbers, not {dtype!r}", "x")
    if given is None or dtype is None:
        made = dtype if dtype is None or c.option("floats_only") else ToFloat("x")(c)
        return None if made is None else made.real
    if given.is_complex is not dtype.is_complex or not (given.is_float or given.is_complex):
        raise c.refuse("dtype", f"dtype = {given!r} is not of the kind of x, {dtype!r}", ("dtype", "x"))
    if given.bits < dtype.bits or (given.bits == dtype.bits and given is not dtype):
        raise c.refuse("dtype", f"dtype = {given!r} would lose digits of {dtype!r}", ("dtype", "x"))
    result: DType | None = given.real
    return result


@any_rank
def vector_norm_shape(c: Call) -> Shape:
    power, x, axes = c["ord"], c.shape("x"), c["dim"]
    if not x.known:
        whole = axes is None and not c["keepdim"]
        return Shape() if whole else shape_from(f"norm{c.session.site}#{c.session.made}", [x])
    if power is None or isinstance(power, str):
        raise c.refuse("ord", f"ord must be a number, and is {power!r}", "ord")
    if isinstance(power, (int, float)) and (power < 0 or power == float("inf")):  # an extreme of nothing has no value
        sizes = list(x) if axes is None else [x[a] for a in axes if a < len(x)]
        for size in sizes:
            c.require("empty", ge(size, 1), f"the norm of order {power!r} over an axis of size 0 has no value", ("x", "ord"))
    return reduced_shape(c)


KEEP = Bool("keepdim", False)
VECTOR_NORM = Op(
    "vector_norm", (Tensor("x", "...", NUMERIC),), (Anything("ord", 2), Axes("dim", None, empty_is_all=True), KEEP, ElementType()),
    vector_norm_shape, norm_type, doc="The norm of vectors along axes.",
    evaluate=f.vector_norm,
    gradient_hazards=slope("vector_norm/gradient", "x ord", "the norm is not 0", f.has_length),
)  # fmt: skip

ORDERS = ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf"))


def matrix_norm_shape(c: Call) -> Shape:
    axes, power, x = c["dim"], c["ord"], c.shape("x")
    c.require("axis", len(axes) == 2, f"a matrix norm is over two axes, and {len(axes)} are named", "dim")
    if power not in ORDERS:
        raise c.refuse("ord", f"the matrix norm has no order {power!r}", "ord")
    rows, columns = x[axes[0]], x[axes[1]]
    if power in (-1, -2, float("-inf")):  # the least of nothing has no value
        least = columns if power == -1 else rows if power == float("-inf") else minimum(rows, columns)
        c.require("empty", disj(ge(least, 1), eq(reduced_shape(c).numel, 0)), f"the matrices are empty: {rows!r} by {columns!r}", "x")
    if power in ("nuc", 2, -2):
        dtype = norm_type(c)
        c.require(
            "dtype",
            not c.option("typed_kernels") or dtype is None or dtype.bits >= 32,
            f"the norm {power!r} needs singular values, which {dtype!r} has not",
            "x",
        )
    return reduced_shape(c)


MATRIX_NORM = Op(
    "matrix_norm", (Tensor("x", "... _ _", NUMERIC),), (Anything("ord", "fro"), Axes("dim", (-2, -1), optional=False), KEEP, ElementType()),
    matrix_norm_shape, norm_type, doc="The norm of matrices along two axes.",
    evaluate=f.matrix_norm,
)  # fmt: skip


def cond_shape(c: Call) -> tuple[Dim, ...]:
    power = c["ord"]
    if power is not None and power not in ORDERS:
        raise c.refuse("ord", f"the condition number has no order {power!r}", "ord")
    if power not in (None, 2, -2):
        c.equal("square", c.dims["M"], c.dims["N"], "the matrix must be square for this order, and is {a} by {b}", "x")
    return c.lead["x"]


COND = matrix("cond", MATRIX, cond_shape, Anything("ord"), dtype=real, doc="The condition number.", evaluate=f.condition)

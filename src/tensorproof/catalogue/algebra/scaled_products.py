"""Matrix products of small floats with scales, and of groups of rows with a matrix each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Given, Like, Same
from tensorproof.ops.inputs import ElementType, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import BFLOAT16, FLOAT8S, FLOAT16, FLOAT32, FLOATS, INT32, DType
from tensorproof.terms.ints import maximum
from tensorproof.terms.predicates import conj, disj, eq
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import contraction as contraction_products
else:
    contraction_products = later("catalogue.algebra.formulas.contraction")


def scaled_mm_shape(c: Call) -> Shape:
    """Scales are single numbers, or one for each row of x and column of y."""
    n, m = c.dims["N"], c.dims["M"]
    a, b = c.shape("scale_x"), c.shape("scale_y")
    singles = conj(eq(a.numel, 1), eq(b.numel, 1))
    rowwise = conj(eq(a[0], n), eq(a[1], 1), eq(b[0], 1), eq(b[1], m)) if len(a) == len(b) == 2 else False
    c.require("scale", disj(singles, rowwise), f"scales {a!r} and {b!r} must hold one number each, or be ({n!r}, 1) and (1, {m!r})", ("scale_x", "scale_y"))
    if c.given("bias"):
        c.require("bias", eq(c.shape("bias").numel, m), f"bias {c.shape('bias')!r} must hold {m!r} numbers", ("bias", "y"))
    return Shape((n, m))


SCALED_MM = Op(
    "scaled_mm",
    inputs=(
        Tensor("x", "N K", FLOAT8S), Tensor("y", "K M", FLOAT8S), Tensor("scale_x", "...", frozenset({FLOAT32}), draw="1"),
        Tensor("scale_y", "...", frozenset({FLOAT32}), draw="1"),
        Tensor("bias", "...", FLOATS, optional=True, draw="M"),
    ),
    attributes=(ElementType(),),
    shape=scaled_mm_shape,
    dtype=Given("dtype", Like("x")),
    codes={"K": "inner"},
    doc="The product of two matrices of small floats, each with its scale.",
    evaluate=contraction_products.scaled_product,
)  # fmt: skip


def grouped_mm_shape(c: Call) -> Shape:
    """A matrix is cut into groups at the offsets (their ends), along the rows of x, the columns of y, or what is summed over."""
    x, y = c.shape("x"), c.shape("y")
    whole = len(x) == 3 and len(y) == 3
    c.require("offsets", whole is not c.given("offsets"), "offsets are needed where an operand is one matrix, and not taken where both are batches", "offsets")
    c.equal("inner", x[-1], y[-2], "x sums over {a} and y over {b}; they must be equal", ("x", "y"))
    for name in ("x", "y"):
        operand = c.tensor(name)
        if operand.strides is None and operand.dtype is not None:
            fits = eq(maximum(operand.shape[-1], 1) * (operand.dtype.bits // 8) % 16, 0)
            c.require("aligned", fits, f"a row of {name} {operand.shape!r} must fill a multiple of 16 bytes", name)
    groups = c.shape("offsets")[0] if c.given("offsets") else x[0]
    for name, shape in (("x", x), ("y", y)):
        if len(shape) == 3:
            c.equal("batch", shape[0], groups, f"{name} holds {{a}} matrices for {{b}} groups", (name, "offsets"))
    return Shape((x[-2], y[-1]) if len(x) != len(y) else (groups, x[-2], y[-1]))


def grouped_mm_type(c: Call) -> DType | None:
    made = Same("x", "y")(c)
    c.require("dtype", c["dtype"] in (None, made) or made is None, f"the result has element type {made!r}, and no other", "dtype")
    return made


GROUPED_MM = Op(
    "grouped_mm",
    inputs=(
        Tensor("x", "_ _ | _ _ _", frozenset({FLOAT16, BFLOAT16, FLOAT32}), draw="N 8*K | B N 8*K"),
        Tensor("y", "_ _ | _ _ _", frozenset({FLOAT16, BFLOAT16, FLOAT32}), draw="8*K 8*M | B 8*K 8*M"),
        Tensor("offsets", "B", frozenset({INT32}), optional=True, default=None, values="index"),
    ),
    attributes=(ElementType(),),
    shape=grouped_mm_shape,
    dtype=grouped_mm_type,
    doc="Products of groups of rows, each with its own matrix.",
    evaluate=contraction_products.grouped_product,
)

"""Contractions: matmul and its relatives, linear layers, tensordot. Einsum is in `einsum`, distances are in `distance`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Promote, Same, Within
from tensorproof.ops.evaluation import numpy
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Axis, Bool, Int, Ints, Number, Tensor, Tensors
from tensorproof.ops.later import later
from tensorproof.ops.record import DTypeRule, Evaluate, Op, Values
from tensorproof.terms.dtypes import COMPLEX32, FULL_COMPLEXES, NUMBERS, REALS, DType
from tensorproof.terms.ints import ite
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.promotion import Operand
from tensorproof.terms.records import replace
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import contraction as contraction_products
else:
    contraction_products = later("catalogue.algebra.formulas.contraction")


def Agreed(*names: str) -> DTypeRule:
    """One element type for all; some libraries promote to it."""
    return lambda c: (Promote if c.option("products") == "promoted" else Same)(*names)(c)


def matmul_shape(c: Call) -> Shape:
    x, y = c.shape("x"), c.shape("y")
    lead = c.broadcast(x[:-2], y[:-2], about=("x", "y"), code="batch")
    rows = (c.dims["N"],) if len(x) > 1 else ()
    columns = (c.dims["M"],) if len(y) > 1 else ()
    return Shape((*lead, *rows, *columns))


MATRIX_PRODUCT = numpy("matmul", "x", "y")


def contraction(name: str, x: str, y: str, out: str, doc: str = "", evaluate: Evaluate = MATRIX_PRODUCT) -> Op:
    """Two inputs that share the axis K (and B, where there is a batch)."""
    return Op(
        name, (Tensor("x", x, NUMERIC), Tensor("y", y, NUMERIC)), shape=out, dtype=Agreed("x", "y"),
        codes={"K": "inner", "B": "batch"}, evaluate=evaluate, values=Values("dot", over="K"), doc=doc,
    )  # fmt: skip


MATMUL = Op(
    "matmul",
    inputs=(Tensor("x", "... N K | K", NUMERIC), Tensor("y", "... K M | K", NUMERIC)),
    dtype=Agreed("x", "y"),
    shape=matmul_shape,
    codes={"K": "inner"},
    evaluate=MATRIX_PRODUCT,
    values=Values("dot", over="K"),
    order="compact",
    doc="The product of two matrices, of batches of them, or of vectors.",
)
MM = replace(contraction("mm", "N K", "K M", "N M", "The product of two matrices."), order="compact")
BMM = replace(contraction("bmm", "B N K", "B K M", "B N M", "The products of two equal batches of matrices."), order="compact")
MV = replace(contraction("mv", "N K", "K", "N", "A matrix times a vector."), order="compact")
DOT = contraction("dot", "K", "K", "", "The sum of the products of two vectors.")
VDOT = contraction(
    "vdot",
    "K",
    "K",
    "",
    "The sum of the products of two vectors; complex numbers of the first are conjugated.",
    contraction_products.conjugate_dot,
)


def inner_shape(c: Call) -> Shape:
    x, y = c.shape("x"), c.shape("y")
    if not x or not y:
        return x or y
    c.equal("inner", x[-1], y[-1], "the last axes are {a} and {b}, and must be equal", ("x", "y"))
    return Shape((*x[:-1], *y[:-1]))


def inner_dtype(c: Call) -> DType | None:
    if not c.rank("x") or not c.rank("y"):
        return Promote("x", "y")(c)
    return summable(c, Agreed("x", "y")(c))


def summable(c: Call, dtype: DType | None) -> DType | None:
    """With `typed_kernels` neither truth values nor the wide unsigned types are multiplied and summed."""
    if c.option("typed_kernels") and dtype is not None and dtype not in REALS | FULL_COMPLEXES:
        raise c.refuse("dtype", f"{c.name} does not multiply and sum elements of type {dtype!r}", tuple(p.name for p in c.op.inputs))
    return dtype


INNER = Op(
    "inner", (Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)), (), inner_shape, inner_dtype, codes={"K": "inner"},
    evaluate=numpy("inner", "x", "y"),
)  # fmt: skip
OUTER = Op("outer", (Tensor("x", "N", NUMERIC), Tensor("y", "M", NUMERIC)), (), "N M", Promote("x", "y"), evaluate=numpy("outer", "x", "y"))


def vecdot_shape(c: Call) -> Shape:
    """The axis counts in the broadcast shape."""
    made, dim = c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y")), c["dim"]
    if c.rank("x") == c.rank("y") == 1:  # a dot product, whatever dim says
        c.equal("size", c.shape("x")[0], c.shape("y")[0], "the vectors have {a} and {b} elements, and must have the same", ("x", "y"))
        return Shape()
    reach = max(len(made), 1)
    c.require("axis", -reach <= dim < reach, f"dim = {dim} is out of range for {made!r}", "dim")
    return Shape(size for i, size in enumerate(made) if i != dim % reach)


VECDOT = Op(
    "vecdot", (Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)), (Int("dim", -1),), vecdot_shape, Agreed("x", "y"),
    values=Values("dot", over="dim"), doc="The sum of products along one axis of two tensors that broadcast.",
    evaluate=contraction_products.summed_along,
)  # fmt: skip


def added(name: str, x: str, y: str, out: str, dtypes: Any = NUMERIC, doc: str = "") -> Op:
    """beta * start + alpha * (x times y): `start` broadcasts to the product."""

    def shape(c: Call) -> Shape:
        made = Shape(c.dims[axis] for axis in out.split())
        start = c.shape("start")
        _fits(c, start, made)
        if name == "addmv" and len(start) <= 1 and not c.name.endswith("_"):  # without elements to multiply torch gives back what is added, as it stands
            nothing = eq(c.shape("x").numel, 0)
            return start if nothing is True else made if nothing is False or not start else Shape((ite(nothing, start[0], made[0]),))
        return made

    def dtype(c: Call) -> DType | None:
        common = Same("start", "x", "y")(c) if name != "addr" else Within(_expanded_first, NUMBERS - {COMPLEX32})(c)
        for factor in ("beta", "alpha"):
            whole = common is not None and not (common.is_float or common.is_complex)
            fraction = isinstance(c[factor], float) and whole and name == "addr"
            if fraction or (isinstance(c[factor], complex) and common is not None and not common.is_complex):
                raise c.refuse(factor, f"{factor} = {c[factor]!r} does not multiply elements of type {common!r}", factor)
        return common

    return Op(
        name, (Tensor("start", "...", dtypes, draw=f"{out} | {out.split()[-1]} | "), Tensor("x", x, dtypes), Tensor("y", y, dtypes)),
        (Number("beta", 1), Number("alpha", 1)), shape, dtype, codes={"K": "inner", "B": "batch"},
        evaluate=contraction_products.added_sum if name == "addbmm" else contraction_products.added_product, doc=doc,
    )  # fmt: skip


def _expanded_first(c: Call) -> DType | None:
    """The common element type of the operands, where a number that is added has been expanded to a matrix before they meet."""
    operands = [c.tensor(name) for name in ("start", "x", "y")]
    typed = [Operand(v.dtype, v.weak, False) for v in operands if v.dtype is not None]
    if len(typed) < len(operands):
        return None
    if (common := c.common_type(typed)) is None:
        raise c.refuse("dtype", f"dtypes {', '.join(repr(v.dtype) for v in operands)} cannot be mixed in {c.name}", ("start", "x", "y"))
    return common


def _fits(c: Call, start: Shape, made: Shape) -> None:
    """`start` must expand to the product's shape."""
    c.require("start", len(start) <= len(made), f"the added tensor {start!r} has more axes than the product {made!r}", "start")
    for a, b in zip(reversed(start), reversed(made)):
        c.require("start", disj(eq(a, b), eq(a, 1)), f"the added tensor {start!r} does not expand to the product {made!r}", ("start", "x", "y"))


ADDMM = replace(added("addmm", "N K", "K M", "N M", doc="A matrix product added to a tensor."), order="compact")
ADDMV = added("addmv", "N K", "K", "N", doc="A matrix times a vector, added to a tensor.")
ADDR = added("addr", "N", "M", "N M", doc="An outer product added to a matrix.")
ADDBMM = replace(added("addbmm", "B N K", "B K M", "N M", doc="The sum of a batch of matrix products, added to a matrix."), order="compact")
BADDBMM = replace(added("baddbmm", "B N K", "B K M", "B N M", doc="A batch of matrix products, added to a tensor."), order="compact")


def _dot(c: Call, x: Shape, y: Shape) -> Shape:
    """The last axis of x with the last but one of y; a number scales."""
    if not len(x) or not len(y):
        return Shape((*x, *y))
    at = max(len(y) - 2, 0)
    c.equal("inner", x[-1], y[at], "the summed axes are {a} and {b}, and must be equal", "xs")
    return Shape((*x[:-1], *y[:at], *y[at + 1 :]))


def multi_dot_shape(c: Call) -> Shape:
    shapes = [x.shape for x in c["xs"]]
    last = len(shapes) - 1
    if c["two_of_any_rank"] and last == 1:
        return _dot(c, *shapes)
    c.require("xs", last > 0 or not c["vectors"], "a chain needs at least two tensors", "xs")
    for i, shape in enumerate(shapes):
        vector = c["vectors"] and i in (0, last) and len(shape) == 1
        c.require("rank", vector or len(shape) == 2, f"tensor {i} has rank {len(shape)}, and must be a matrix (or a vector at an end)", "xs")
    for i, (a, b) in enumerate(pairwise(shapes)):
        c.equal("inner", a[-1], b[0], f"tensors {i} and {i + 1} do not chain: {{a}} columns and {{b}} rows", "xs")
    if last == 0:
        made: Shape = shapes[0]
        return made
    return Shape((*shapes[0][:-1], *shapes[last][1:]))


MULTI_DOT = Op(
    "multi_dot", (Tensors("xs", "...", NUMERIC),), (Bool("vectors", True), Bool("two_of_any_rank", False)), multi_dot_shape,
    lambda c: summable(c, Agreed("xs")(c)) if len(c["xs"]) > 1 else c["xs"][0].dtype,
    doc="The product of a chain of matrices, in the cheapest order.",
    evaluate=contraction_products.chained,
)  # fmt: skip

LINEAR = Op(
    "linear",
    inputs=(Tensor("x", "... K", NUMERIC), Tensor("weight", "M K | K", NUMERIC), Tensor("bias", "...", NUMERIC, optional=True)),
    dtype=Agreed("x", "weight", "bias"),
    shape=lambda c: _biased(c, Shape((*c.lead["x"], *((c.dims["M"],) if c.rank("weight") == 2 else ())))),
    codes={"K": "features", "M": "bias"},
    values=Values("dot", over="K"),
    order="compact",
    doc="x times the transpose of weight, plus bias.",
    evaluate=contraction_products.linear_map,
)


def _biased(c: Call, made: Shape) -> Shape:
    if not c.given("bias") or not c.shape("bias").known:
        return made
    bias = c.shape("bias")
    if c.rank("weight") == 1:
        c.require("rank", len(bias) == 0 and len(made) == 0, "a weight of rank 1 takes a bias of rank 0, for one vector", ("weight", "bias"))
        return made
    if len(bias) == 1:  # the usual call: name the two sizes
        c.require(
            "bias",
            disj(eq(bias[0], made[-1]), eq(bias[0], 1)),
            f"bias has size {bias[0]!r}, and the output has {made[-1]!r} features",
            ("bias", "weight"),
        )
        return made
    target = (1, *made) if len(made) == 1 else made
    c.require("bias", len(bias) <= len(target), f"bias {bias!r} has more axes than the output {made!r}", "bias")
    for a, b in zip(reversed(bias), reversed(target)):
        c.require("bias", disj(eq(a, b), eq(a, 1)), f"bias {bias!r} does not expand to the output {made!r}", ("bias", "weight"))
    return made


def bilinear_shape(c: Call) -> Shape:
    a, b = c.lead["x"], c.lead["y"]
    for axis in ("I", "J"):
        c.require("features", ge(c.dims[axis], 1), "an input without features cannot be flattened into rows", ("x", "y"))
    c.require("batch", len(a) == len(b), f"x and y have {len(a)} and {len(b)} leading axes, and must have the same", ("x", "y"))
    for i, (m, n) in enumerate(zip(a, b)):
        c.equal("batch", m, n, f"axis {i} of x and y is {{a}} and {{b}}; they must be equal", ("x", "y"))
    return Shape((*a, c.dims["M"]))


BILINEAR = Op(
    "bilinear",
    inputs=(
        Tensor("x", "... I", NUMERIC),
        Tensor("y", "... J", NUMERIC),
        Tensor("weight", "M I J", NUMERIC),
        Tensor("bias", "M", NUMERIC, optional=True),
    ),
    dtype=Agreed("x", "y", "weight", "bias"),
    shape=bilinear_shape,
    codes={"I": "features", "J": "features", "M": "bias"},
    order="compact",
    doc="x times weight times y, for each output feature, plus bias.",
    evaluate=contraction_products.bilinear_product,
)


def tensordot_shape(c: Call) -> Shape:
    """`dim` lists the summed axes of x, `dim2` those of y, in pairs."""
    x, y = c.shape("x"), c.shape("y")
    ours, theirs = _axes(c, c["dim"], "x"), _axes(c, c["dim2"], "y")
    c.require(
        "axes",
        len(ours) == len(theirs),
        f"{len(ours)} axes of x and {len(theirs)} axes of y are named; the numbers must be equal",
        ("dim", "dim2"),
    )
    for i, j in zip(ours, theirs):
        a, b = x[i], y[j]
        same = disj(eq(a, b), eq(a, 1), eq(b, 1)) if c.option("sums_beside_one") else eq(a, b)
        c.require("inner", same, f"axis {i} of x is {a!r} and axis {j} of y is {b!r}, and must be equal", ("x", "y"))
    return Shape((*(s for i, s in enumerate(x) if i not in ours), *(s for i, s in enumerate(y) if i not in theirs)))


def _axes(c: Call, axes: Any, owner: str) -> tuple[int, ...]:
    rank = c.rank(owner)
    for axis in axes:
        c.require(
            "axis",
            isinstance(axis, int) and -max(rank, 1) <= axis < max(rank, 1) and rank > 0,
            f"axis {axis!r} is out of range for {owner} of rank {rank}",
            owner,
        )
    found = tuple(a % rank for a in axes)
    c.require("axis", len(set(found)) == len(found), f"an axis of {owner} is named twice: {axes!r}", owner)
    return found


TENSORDOT = Op(
    "tensordot",
    inputs=(Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)),
    attributes=(Ints("dim"), Ints("dim2")),
    shape=tensordot_shape,
    dtype=Agreed("x", "y"),
    values=Values("dot", over="dim"),
    order="compact",
    doc="The sum of products over pairs of axes.",
    evaluate=contraction_products.contracted,
)


def kron_shape(c: Call) -> Shape:
    x, y = c.shape("x"), c.shape("y")
    n = max(len(x), len(y))
    return Shape(a * b for a, b in zip((1,) * (n - len(x)) + tuple(x), (1,) * (n - len(y)) + tuple(y)))


KRON = Op(
    "kron",
    (Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)),
    (),
    kron_shape,
    Promote("x", "y"),
    doc="The Kronecker product.",
    evaluate=numpy("kron", "x", "y"),
)


def cross_shape(c: Call) -> Shape:
    x, y = c.shape("x"), c.shape("y")
    if c.option("one_rank"):
        c.require("rank", len(x) == len(y), f"x has rank {len(x)} and y has rank {len(y)}, and they must be equal", ("x", "y"))
    made = c.broadcast(x, y, about=("x", "y"))
    if c["dim"] is None:
        first = next((i for i, size in enumerate(x) if eq(size, 3) is not False), None)
        if first is None:
            raise c.refuse("size", f"no axis of x has size 3: {x!r}", "x")
        if eq(x[first], 3) is True:
            c.require("size", eq(y[first], 3), f"axis {first} is 3 in x and {y[first]!r} in y, and must be 3 in both", ("x", "y"))
        else:
            c.require("size", disj(*(eq(size, 3) for size in x)), f"no axis of {x!r} has size 3", "x")
        return made
    at = c["dim"] - len(x)
    for name, shape in (("x", x), ("y", y)):
        c.require("rank", len(shape) >= -at, f"{name} has no axis {at}: {shape!r}", name)
        c.require("size", eq(shape[at], 3), f"the axis of the product is {shape[at]!r} in {name}, and must be 3", name)
    return made


CROSS = Op(
    "cross", (Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)), (Axis("dim", None, optional=True, scalar_ok=False),), cross_shape, Agreed("x", "y"),
    doc="The vector product in three dimensions.",
    order="rows", evaluate=contraction_products.cross_product,
)  # fmt: skip

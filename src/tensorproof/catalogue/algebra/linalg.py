"""Matrices: factorisations, eigenvalues, determinants, inverses, powers. Norms are in `linalg_norms`, systems of equations in `linalg_solvers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Promote, Same, ToFloat, Within
from tensorproof.ops.families import NUMERIC, same_shape
from tensorproof.ops.inputs import Anything, Attribute, Bool, Choice, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import NON_NEGATIVE, DTypeRule, Evaluate, Interval, Op, Out, Values
from tensorproof.terms.dtypes import FULL_COMPLEXES, INT32, INT64, LINALG, PRODUCTS, REALS, DType
from tensorproof.terms.ints import Dim, minimum
from tensorproof.terms.predicates import disj, eq, ge
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import linalg as f
    from tensorproof.catalogue.algebra.formulas import linalg_ldl
else:
    f = later("catalogue.algebra.formulas.linalg")
    linalg_ldl = later("catalogue.algebra.formulas.linalg_ldl")

SQUARE = Tensor("x", "... N N", NUMERIC)
MATRIX = Tensor("x", "... M N", NUMERIC)
CODES = {"N": "square", "M": "rows"}
FLOAT = Within(ToFloat("x"), LINALG)
"""Whole numbers become floats where a framework takes them; torch's tables refuse them."""


def real(c: Call) -> DType | None:
    dtype = FLOAT(c)
    return None if dtype is None else dtype.real


def complexified(c: Call) -> DType | None:
    dtype = FLOAT(c)
    return None if dtype is None else dtype.complexified


def smaller(c: Call) -> Dim:
    return minimum(c.dims["M"], c.dims["N"])


def typed(c: Call, shape: Any, dtype: DType | None) -> TensorType:
    """An output whose element type is not that of the others."""
    return TensorType(shape if isinstance(shape, Shape) else Shape(shape), dtype, device=c.tensor("x").device)


def matrix(
    name: str, x: Tensor, shape: Any, *attributes: Attribute, dtype: DTypeRule | DType = FLOAT, outputs: tuple[Out, ...] = (), doc: str = "",
    evaluate: Evaluate | None = None, order: str = "", arbitrary: str = "",
    half: str = "", unordered: bool = False,
) -> Op:  # fmt: skip
    """A function of one matrix, or of a batch of them."""
    return Op(
        name, (x,), attributes, shape, dtype, outputs=outputs, codes=CODES, evaluate=evaluate, order=order, arbitrary=arbitrary, half=half,
        unordered=unordered, doc=doc,
    )  # fmt: skip


# --- factorisations -----------------------------------------------------------------------------------------------------------

UPPER = Bool("upper", False)
INFO = Out("info", INT32)
DEFINITE = Tensor("x", "... N N", NUMERIC, values="spd")
CHOLESKY = matrix(
    "cholesky", DEFINITE, same_shape, UPPER, order="own", doc="The triangular factor of a positive definite matrix.", evaluate=f.cholesky, half="symmetric",
)  # fmt: skip
CHOLESKY_EX = matrix(
    "cholesky_ex",
    SQUARE,
    lambda c: [c.shape("x"), c.lead["x"]],
    UPPER,
    outputs=(Out("L"), INFO),
    order="own",
    doc="The same, with a status.",
    evaluate=f.cholesky_status,
    half="symmetric",
)
CHOLESKY_INVERSE = matrix(
    "cholesky_inverse", SQUARE, same_shape, UPPER, order="own", doc="The inverse, from the triangular factor.", evaluate=f.cholesky_inverse, half="triangular",
)  # fmt: skip


def qr_shape(c: Call) -> list[Any]:
    lead, m, n, k = c.lead["x"], c.dims["M"], c.dims["N"], smaller(c)
    match c["mode"]:
        case "r":
            return [(0,), (*lead, k, n)]
        case "complete":
            return [(*lead, m, m), (*lead, m, n)]
        case _:
            return [(*lead, m, k), (*lead, k, n)]


QR = matrix(
    "qr", MATRIX, qr_shape, Choice("mode", ("reduced", "complete", "r"), "reduced"), outputs=(Out("Q"), Out("R")),
    order="own", doc="An orthogonal and a triangular factor.",
    evaluate=f.qr,
)  # fmt: skip
GEQRF = matrix(
    "geqrf", MATRIX, lambda c: [c.shape("x"), (*c.lead["x"], smaller(c))], outputs=(Out("a"), Out("tau")),
    order="own", doc="The compact form of a QR factorisation.",
    evaluate=f.compact_qr,
)  # fmt: skip


def svd_shape(c: Call) -> list[Any]:
    lead, m, n, k = c.lead["x"], c.dims["M"], c.dims["N"], smaller(c)
    wide = c["full_matrices"]
    return [(*lead, m, m if wide else k), typed(c, (*lead, k), real(c)), (*lead, n if wide else k, n)]


SVD = matrix(
    "svd",
    MATRIX,
    svd_shape,
    Bool("full_matrices", True),
    outputs=(Out("U"), Out("S"), Out("Vh")),
    order="own",
    doc="The singular value decomposition.",
    evaluate=f.svd,
    arbitrary="full_matrices",
)
SVDVALS = matrix(
    "svdvals", MATRIX, lambda c: (*c.lead["x"], smaller(c)), dtype=real, doc="The singular values.",
    evaluate=lambda np, a: f.singular_values(np, a["x"]),
)  # fmt: skip
EIG = matrix(
    "eig", SQUARE, lambda c: [(*c.lead["x"], c.dims["N"]), c.shape("x")], dtype=complexified, outputs=(Out("eigenvalues"), Out("eigenvectors")),
    order="own", doc="Eigenvalues and eigenvectors, complex.",
    evaluate=f.eig, unordered=True,
)  # fmt: skip
EIGVALS = matrix(
    "eigvals", SQUARE, "... N", dtype=complexified, doc="Eigenvalues, complex.", evaluate=lambda np, a: np.linalg.eigvals(a["x"]), unordered=True,
)  # fmt: skip


def triangle(c: Call) -> Shape:
    """U and L, in either case, say which half of the matrix is read."""
    word = c["triangle"]
    c.require(
        "triangle",
        not isinstance(word, str) or word.upper() in ("U", "L"),
        f"the half that is read must be 'U' or 'L', and is {word!r}",
        "triangle",
    )
    return Shape((*c.lead["x"], c.dims["N"]))


EIGH = matrix(
    "eigh", SQUARE, lambda c: [typed(c, triangle(c), real(c)), c.shape("x")], Anything("triangle", "L"),
    outputs=(Out("eigenvalues"), Out("eigenvectors")), order="own", doc="Eigenvalues and eigenvectors of a symmetric matrix.",
    evaluate=f.eigh, half="symmetric",
)  # fmt: skip
EIGVALSH = matrix(
    "eigvalsh", SQUARE, triangle, Anything("triangle", "L"), dtype=real, doc="Eigenvalues of a symmetric matrix.",
    evaluate=lambda np, a: np.linalg.eigvalsh(a["x"], a["triangle"].upper()), half="symmetric",
)  # fmt: skip


def lu_shape(c: Call) -> list[Any]:
    lead, m, n, k = c.lead["x"], c.dims["M"], c.dims["N"], smaller(c)
    return [(*lead, m, m) if c["pivot"] else (0,), (*lead, m, k), (*lead, k, n)]


PIVOT = Bool("pivot", True)
LU = matrix("lu", MATRIX, lu_shape, PIVOT, outputs=(Out("P"), Out("L"), Out("U")), order="own", doc="A permutation and two triangular factors.", evaluate=f.lu)
LU_FACTOR = matrix(
    "lu_factor", MATRIX, lambda c: [c.shape("x"), (*c.lead["x"], smaller(c))], PIVOT, outputs=(Out("LU"), Out("pivots", INT32)),
    order="own", doc="The compact form of an LU factorisation.",
    evaluate=f.lu_factor,
)  # fmt: skip
LU_FACTOR_EX = matrix(
    "lu_factor_ex", MATRIX, lambda c: [c.shape("x"), (*c.lead["x"], smaller(c)), c.lead["x"]], PIVOT,
    outputs=(Out("LU"), Out("pivots", INT32), INFO), order="own", doc="The same, with a status.",
    evaluate=f.lu_status,
)  # fmt: skip
LDL_FACTOR = matrix(
    "ldl_factor", SQUARE, lambda c: [c.shape("x"), (*c.lead["x"], c.dims["N"])], Bool("hermitian", False),
    outputs=(Out("LD"), Out("pivots", INT32)), order="own", doc="The compact form of an LDL factorisation.",
    evaluate=linalg_ldl.ldl,
)  # fmt: skip
LDL_FACTOR_EX = matrix(
    "ldl_factor_ex", SQUARE, lambda c: [c.shape("x"), (*c.lead["x"], c.dims["N"]), c.lead["x"]], Bool("hermitian", False),
    outputs=(Out("LD"), Out("pivots", INT32), INFO), order="own", doc="The same, with a status.",
    evaluate=linalg_ldl.ldl_status,
)  # fmt: skip


def lowrank_shape(c: Call) -> list[Any]:
    q = minimum(c["q"], smaller(c))
    lead = c.lead["x"]
    if c.given("y"):
        for a, b in zip(reversed(c.shape("y")), reversed(c.shape("x"))):
            c.require("shape", disj(eq(a, b), eq(a, 1)), f"M {c.shape('y')!r} does not broadcast to the matrix {c.shape('x')!r}", ("x", "y"))
    return [(*lead, c.dims["M"], q), typed(c, (*lead, q), real(c)), (*lead, c.dims["N"], q)]


_COSINES = Values("bounded", bounds=Interval(-1.0, 1.0))
SVD_LOWRANK = Op(
    "svd_lowrank", (MATRIX, Tensor("y", "...", NUMERIC, optional=True, default=None)), (Int("q", 6, least=0), Int("niter", 2)), lowrank_shape,
    lambda c: one_type(c, "x", "y") if c.given("y") else FLOAT(c),
    outputs=(Out("U", values=_COSINES), Out("S", values=Values("bounded", bounds=NON_NEGATIVE)), Out("V", values=_COSINES)), order="own", random=True,
    doc="An approximate singular value decomposition of rank q, from random vectors.",
)  # fmt: skip


# --- numbers of a matrix ------------------------------------------------------------------------------------------------------

DET = matrix("det", SQUARE, "...", doc="The determinant.", evaluate=lambda np, a: np.linalg.det(a["x"]))
LOGDET = matrix(
    "logdet", SQUARE, "...", Bool("definite", False), evaluate=f.log_determinant,
    doc="The logarithm of the determinant. `definite`: that of a positive definite matrix, of which the lower half is read.",
)  # fmt: skip
SLOGDET = matrix(
    "slogdet", SQUARE, lambda c: [c.lead["x"], typed(c, c.lead["x"], real(c))], outputs=(Out("sign"), Out("logabsdet")),
    doc="The determinant's sign and the logarithm of its size.",
    evaluate=lambda np, a: tuple(np.linalg.slogdet(a["x"])),
)  # fmt: skip
INV = matrix("inv", SQUARE, same_shape, order="own", doc="The inverse.", evaluate=lambda np, a: np.linalg.inv(a["x"]))
INV_EX = matrix(
    "inv_ex", SQUARE, lambda c: [c.shape("x"), c.lead["x"]], outputs=(Out("inverse"), INFO), order="own", doc="The inverse, with a status.",
    evaluate=f.inverse_status,
)  # fmt: skip


def tolerant(then: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """`atol` and `rtol` may be tensors, which broadcast with the batch; a Hermitian matrix is square."""

    def shape(c: Call) -> Any:
        if c["hermitian"] and not (c.option("empty_unchecked") and eq(c.shape("x").numel, 0) is True):
            c.equal("square", c.dims["M"], c.dims["N"], "a Hermitian matrix is square, and this has {a} rows and {b} columns", "x")
        given = [c[name] for name in ("atol", "rtol") if isinstance(c[name], TensorType)]
        for one in given:
            if one.dtype is not None and one.dtype.is_complex:
                raise c.refuse("dtype", "a tolerance must not be complex", ("atol", "rtol"))
        c.lead["x"] = tuple(c.broadcast(c.lead["x"], *(one.shape for one in given), about=("x", "atol", "rtol")))
        return then(c)

    return shape


TOLERANCES = (Anything("atol"), Anything("rtol"), Bool("hermitian", False))
PINV = matrix("pinv", MATRIX, tolerant(lambda c: (*c.lead["x"], c.dims["N"], c.dims["M"])), *TOLERANCES, doc="The pseudo-inverse.", evaluate=f.pseudo_inverse)
MATRIX_RANK = matrix("matrix_rank", MATRIX, tolerant(lambda c: c.lead["x"]), *TOLERANCES, dtype=INT64, doc="The numerical rank.", evaluate=f.rank)


def power_type(c: Call) -> DType | None:
    """The first power is the matrix itself, of whatever type; with `typed_kernels` truth values are not multiplied."""
    dtype = c.dtype("x")
    multiplied = REALS | FULL_COMPLEXES | (PRODUCTS if c.rank("x") == 2 else frozenset())
    if c.option("typed_kernels") and c["n"] not in (0, 1) and dtype is not None and dtype not in multiplied:
        raise c.refuse("dtype", f"{c.name} does not multiply elements of type {dtype!r}", "x")
    return dtype


MATRIX_POWER = matrix(
    "matrix_power",
    SQUARE,
    same_shape,
    Int("n"),
    dtype=power_type,
    order="own",
    doc="The matrix times itself, n times; inverted where n is negative.",
    evaluate=f.power,
)
MATRIX_EXP = matrix("matrix_exp", SQUARE, same_shape, dtype=Like("x"), doc="The exponential of a matrix.", evaluate=f.exponential)


def trace_type(c: Call) -> DType | None:
    dtype = c.dtype("x")
    return INT64 if c.option("widens") and dtype is not None and dtype.kind in "iub" else dtype


TRACE = Op("trace", (Tensor("x", "M N", NUMERIC),), (), "", trace_type, doc="The sum of the diagonal.", evaluate=lambda np, a: np.sum(np.diagonal(a["x"])))


def householder_shape(c: Call) -> Shape:
    m, n, k = c.dims["M"], c.dims["N"], c.dims["K"]
    c.require("rows", ge(m, n), f"the matrix must not have more columns than rows: {m!r} by {n!r}", "x")
    c.require("reflections", ge(n, k), f"there are {k!r} reflections for {n!r} columns", ("tau", "x"))
    _same_lead(c, "x", "tau")
    return c.shape("x")


def _same_lead(c: Call, x: str, y: str) -> None:
    a, b = c.lead[x], c.lead[y]
    c.require("batch", len(a) == len(b), f"{x} and {y} have {len(a)} and {len(b)} batch axes, and must have the same", (x, y))
    for m, n in zip(a, b):
        c.equal("batch", m, n, f"batch axes of {x} and {y} are {{a}} and {{b}}, and must be equal", (x, y))


HOUSEHOLDER = Op(
    "householder_product", (MATRIX, Tensor("tau", "... K", NUMERIC)), (), householder_shape, lambda c: one_type(c, "x", "tau"),
    order="own", doc="The orthogonal matrix of a compact QR factorisation.",
    evaluate=f.reflections,
)  # fmt: skip


def one_type(c: Call, *names: str) -> DType | None:
    """torch's factors must agree in type."""
    return (Same if c.option("one_type") else Promote)(*names)(c)


def ormqr_shape(c: Call) -> Shape:
    side, k = c.shape("y")[-2 if c["left"] else -1], c.dims["K"]
    m, n = c.dims["M"], c.dims["N"]
    c.require("rows", eq(side, m), f"the multiplied side is {side!r}, and the reflections have {m!r} rows", ("x", "y"))
    c.require("reflections", eq(k, minimum(side, n)), f"there are {k!r} reflections, and must be {minimum(side, n)!r}", ("tau", "x", "y"))
    _same_lead(c, "x", "tau")
    _same_lead(c, "x", "y")
    return c.shape("y")


ORMQR = Op(
    "ormqr",
    inputs=(MATRIX, Tensor("tau", "... K", NUMERIC), Tensor("y", "... _ _", NUMERIC)),
    attributes=(Bool("left", True), Bool("transpose", False)),
    shape=ormqr_shape,
    dtype=lambda c: one_type(c, "x", "tau", "y"),
    order="own",
    doc="A matrix times the orthogonal factor of a compact QR factorisation.",
    evaluate=f.times_reflections,
)

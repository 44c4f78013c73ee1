"""Systems of linear equations, least squares and tensor equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.algebra.linalg import CODES, FLOAT, INFO, one_type, real, smaller, typed
from tensorproof.ops.call import Call
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Anything, Bool, Choice, Int, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op, Out
from tensorproof.terms.dtypes import INT32, INT64, DType
from tensorproof.terms.ints import Dim, ite, minimum, product
from tensorproof.terms.predicates import Truth, conj, eq, ge, gt
from tensorproof.terms.shapes import Shape, unknown_shape

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import linalg_ldl, linalg_systems
else:
    linalg_systems = later("catalogue.algebra.formulas.linalg_systems")
    linalg_ldl = later("catalogue.algebra.formulas.linalg_ldl")

SQUARE = Tensor("x", "... N N", NUMERIC)
RIGHT = Tensor("y", "...", NUMERIC, draw="... N K | ... N | ... K N")
"""The right-hand sides."""


def agreed(c: Call) -> DType | None:
    return one_type(c, "x", "y")


def vectors(c: Call, rows: Dim) -> bool:
    """Whether the right-hand sides are vectors: of rank 1, or of exactly the batch and the rows of x."""
    x, y = c.shape("x"), c.shape("y")
    if len(y) == 1:
        return True
    if len(y) != len(x) - 1 or c["vectors_have_rank_one"]:
        return False
    match: Truth = conj(*(eq(a, b) for a, b in zip(y, (*x[:-2], rows))))
    if match is not True and match is not False:
        raise c.give_up("whether the right-hand sides are vectors depends on sizes")
    return match


def solve_shape(c: Call) -> Shape:
    n, lead, y = c.dims["N"], c.lead["x"], c.shape("y")
    c.require("rank", len(y) >= 1, "the right-hand side must have rank 1 or more", "y")
    if vectors(c, n):
        c.require("left", c["left"], "vectors stand on the right: left=False takes matrices", ("y", "left"))
        c.equal("rows", y[-1], n, "there are {a} right-hand values for {b} equations", ("x", "y"))
        batch = c.broadcast(lead, y[:-1], about=("x", "y"), code="batch")
        return Shape((*batch, n))
    return matrices(c, n, c["left"])


def matrices(c: Call, n: Dim, left: bool, y: str = "y") -> Shape:
    """Right-hand sides that are matrices, on either side; batches broadcast."""
    given = c.shape(y)
    c.require("rank", len(given) >= 2, f"{y} must be a matrix, and has rank {len(given)}", y)
    side = given[-2] if left else given[-1]
    c.equal(
        "rows",
        side,
        n,
        "the right-hand side has {a} rows, and the system has {b}" if left else "it has {a} columns, and the system has {b}",
        ("x", y),
    )
    batch = c.broadcast(c.lead["x"], given[:-2], about=("x", y), code="batch")
    return Shape((*batch, *given[-2:]))


LEFT, RANK_ONE = Bool("left", True), Bool("vectors_have_rank_one", False)
SOLVE = Op(
    "solve",
    (SQUARE, RIGHT),
    (LEFT, RANK_ONE),
    solve_shape,
    agreed,
    codes=CODES,
    order="own",
    evaluate=linalg_systems.solved,
    doc="The solution of a square system; `vectors_have_rank_one`: of several, the right-hand sides are matrices.",
)
SOLVE_EX = Op(
    "solve_ex", (SQUARE, RIGHT), (LEFT, RANK_ONE), lambda c: [solve_shape(c), c.lead["x"]], agreed, outputs=(Out("result"), INFO), codes=CODES,
    order="own", doc="The solution of a square system, with a status.",
    evaluate=linalg_systems.solved_status,
)  # fmt: skip
SOLVE_TRIANGULAR = Op(
    "solve_triangular", (SQUARE, RIGHT), (Bool("upper"), LEFT, Bool("unitriangular", False)), lambda c: matrices(c, c.dims["N"], c["left"]),
    lambda c: c.dtype("x") if c.option("type_of_x") else agreed(c),
    codes=CODES, order="own", doc="The solution of a triangular system.",
    evaluate=linalg_systems.triangular, half="triangular",
)  # fmt: skip
CHOLESKY_SOLVE = Op(
    "cholesky_solve", (SQUARE, RIGHT), (Bool("upper", False),), lambda c: matrices(c, c.dims["N"], True), agreed, codes=CODES,
    order="own", doc="The solution of a positive definite system, from its triangular factor.",
    evaluate=linalg_systems.from_cholesky, half="triangular",
)  # fmt: skip


def triangular_solve_shape(c: Call) -> list[Shape]:
    made = matrices(c, c.dims["N"], True)
    return [made, Shape((*made[:-2], c.dims["N"], c.dims["N"]))]


TRIANGULAR_SOLVE = Op(
    "triangular_solve", (SQUARE, RIGHT), (Bool("upper", True), Bool("transpose", False), Bool("unitriangular", False)), triangular_solve_shape,
    agreed, outputs=(Out("solution"), Out("cloned_coefficient")), codes=CODES, order="own", doc="The solution of a triangular system, and the system.",
    evaluate=linalg_systems.triangular_and_system, half="triangular",
)  # fmt: skip

PIVOTS = Tensor("pivots", "... P", frozenset({INT32}), values="pivots", draw="... N")


def pivoted(c: Call, sizes: Dim) -> None:
    c.equal("pivots", c.dims["P"], sizes, "there are {a} pivots for {b} rows", ("pivots", "x"))
    lead, own = c.lead["x"], c.lead["pivots"]
    c.require("pivots", len(lead) == len(own), f"the factors have {len(lead)} batch axes, and the pivots {len(own)}", ("pivots", "x"))
    for a, b in zip(own, lead):
        c.equal("pivots", a, b, "batch axes of pivots and factors are {a} and {b}", ("pivots", "x"))


def factored_shape(c: Call) -> Shape:
    pivoted(c, c.dims["N"])
    return matrices(c, c.dims["N"], c["left"] is not False)


LU_SOLVE = Op(
    "lu_solve", (SQUARE, PIVOTS, RIGHT), (LEFT, Bool("adjoint", False)), factored_shape, agreed, codes=CODES,
    order="own", doc="The solution of a system, from its LU factors.",
    evaluate=linalg_systems.from_lu,
)  # fmt: skip
LDL_SOLVE = Op(
    "ldl_solve", (SQUARE, PIVOTS, RIGHT), (Bool("hermitian", False),), factored_shape, agreed, codes=CODES,
    order="own", doc="The solution of a system, from its LDL factors.",
    evaluate=linalg_ldl.ldl_solution,
)  # fmt: skip


def unpack_shape(c: Call) -> list[Any]:
    lead, m, n, k = c.lead["x"], c.dims["M"], c.dims["N"], smaller(c)
    if c["unpack_data"] or c["unpack_pivots"]:
        c.require("dtype", c.dtype("x") is None or c.dtype("x") in NUMERIC, f"factors have no element type {c.dtype('x')!r}", "x")
    if c["unpack_pivots"]:
        own, dtype = c.shape("pivots"), c.dtype("pivots")
        c.require("dtype", dtype in (None, INT32), f"pivots must be int32, and are {dtype!r}", "pivots")
        c.require("rank", len(own) > 0, "pivots must have rank 1 or more", "pivots")
        c.dims["P"], c.lead["pivots"] = own[-1], tuple(own[:-1])
        pivoted(c, k)
    data = [(*lead, m, k), (*lead, k, n)] if c["unpack_data"] else [(0,), (0,)]
    return [(*lead, m, m) if c["unpack_pivots"] else (0,), *data]


LU_UNPACK = Op(
    "lu_unpack", (Tensor("x", "... M N", draw="... M N"), Tensor("pivots", values="pivots", draw="... N")),
    (Bool("unpack_data", True), Bool("unpack_pivots", True)), unpack_shape, lambda c: c.dtype("x"),
    outputs=(Out("P"), Out("L"), Out("U")), codes=CODES, order="own", doc="The factors that a compact LU factorisation holds.",
    evaluate=linalg_systems.unpacked,
)  # fmt: skip


# --- least squares ------------------------------------------------------------------------------------------------------------


def lstsq_shape(c: Call) -> list[Any]:
    """Solution, residuals, rank and singular values; the driver decides which of the last three are empty."""
    m, n, lead, y = c.dims["M"], c.dims["N"], c.lead["x"], c.shape("y")
    driver = c["driver"] or "gelsy"
    flat = len(y) == len(c.shape("x")) - 1
    c.require(
        "rank",
        flat or len(y) == len(c.shape("x")),
        f"the right-hand side has rank {len(y)}, and the matrix {len(c.shape('x'))}",
        ("x", "y"),
    )
    c.require("rank", len(y) >= 1, "the right-hand side must have rank 1 or more", "y")
    rows, columns = (y[-1], ()) if flat else (y[-2], (y[-1],))
    c.equal("rows", rows, m, "there are {a} right-hand values for {b} equations", ("x", "y"))
    if flat:
        if any(a == 1 and b != 1 for a, b in zip(y, lead)):
            raise c.give_up("vectors that torch takes for matrices")
        for a, b in zip(y, lead):
            c.equal("batch", a, b, "vectors need the matrices' own batch: {a} and {b} differ", ("x", "y"))
    batch = c.broadcast(lead, y[: len(y) - 1 - len(columns)], about=("x", "y"), code="batch")
    if driver in ("gelsd", "gelss") and columns and eq(columns[0], 0) is True:
        raise c.give_up(f"the kernels behind {driver} fail or end the process where there are no right-hand sides")
    solution = Shape((*batch, n, *columns))
    empty = Shape((0,))
    spare = gt(m, n)
    residuals = empty
    if driver != "gelsy" and spare is not False:
        full = Shape((*batch, *(columns or (1,))))
        if spare is True and driver == "gels":  # the others have none where a matrix is not of full rank
            residuals = full
        elif len(full) == 1:
            residuals = (
                Shape((ite(spare, full[0], 0),)) if driver == "gels" else Shape((c.fresh("residuals", 0, full[0] if isinstance(full[0], int) else None),))
            )
        else:
            residuals = unknown_shape(f"residuals#{c.session.made}")
    values = (*lead, minimum(m, n)) if driver in ("gelsd", "gelss") else (0,)
    return [solution, typed(c, residuals, real(c)), typed(c, empty if driver == "gels" else lead, INT64), typed(c, values, real(c))]


LSTSQ = Op(
    "lstsq",
    inputs=(Tensor("x", "... M N", NUMERIC), Tensor("y", "...", NUMERIC, draw="... M | ... M K")),
    attributes=(Anything("rcond"), Choice("driver", (None, "gels", "gelsy", "gelsd", "gelss"), None)),
    shape=lstsq_shape,
    dtype=agreed,
    outputs=(Out("solution"), Out("residuals"), Out("rank"), Out("singular_values")),
    codes=CODES,
    data_dependent=True,
    order="own",
    doc="The least-squares solution of a system.",
    evaluate=linalg_systems.least_squares,
)


# --- tensor equations ---------------------------------------------------------------------------------------------------------


def tensorinv_shape(c: Call) -> Shape:
    x, at = c.shape("x"), c["ind"]
    within = isinstance(at, int) and (at <= len(x) or (bool(c.option("cuts")) and len(x) > 0))  # none are left behind
    c.require("ind", within, f"ind = {at!r} is more than the rank {len(x)}", ("ind", "x"))
    before, after = product(x[:at]), product(x[at:])
    c.require(
        "square",
        eq(before, after),
        f"the axes before {at} hold {before!r} elements and those after it {after!r}; they must be equal",
        ("x", "ind"),
    )
    return Shape((*x[at:], *x[:at]))


TENSORINV = Op(
    "tensorinv",
    (Tensor("x", "...", NUMERIC),),
    (Int("ind", 2, least=1),),
    tensorinv_shape,
    FLOAT,
    order="own",
    doc="The inverse for tensordot.",
    evaluate=linalg_systems.tensor_inverse,
)


def tensorsolve_shape(c: Call) -> Shape:
    x, y, axes = c.shape("x"), c.shape("y"), c["dim"]
    short = bool(c.option("cuts")) and len(y) >= len(x)  # x is cut at a negative place, or not at all
    c.require("rank", short or len(y) <= len(x), f"y has rank {len(y)}, more than x's {len(x)}", ("x", "y"))
    if axes:
        rank = len(x) or int(bool(c.option("missing_axis")))  # 0 and -1 may name the missing axis
        least = 0 if c.option("cuts") else -rank
        inside = all(isinstance(a, int) and least <= a < rank for a in axes)
        c.require("axis", inside and len({a % max(1, len(x)) for a in axes}) == len(axes), f"dims = {axes!r} does not name axes of {x!r}", ("dim", "x"))
        moved = [a % max(1, len(x)) for a in axes if len(x)]
        x = Shape((*(s for i, s in enumerate(x) if i not in moved), *(x[i] for i in moved)))
    made = Shape(x[len(y) - len(x) :] if short else x[len(y) :])
    have, want = product(made), product(x[: len(y)])
    if short:
        c.require("square", eq(have * have, product(x)), f"the unknowns are {have!r}, and x has {product(x)!r} elements", ("x", "y"))
        c.require("rows", eq(product(y), have), f"y has {product(y)!r} values for {have!r} equations", ("x", "y"))
        return made
    c.require("square", eq(have, want), f"the unknowns are {have!r} and the equations {want!r}; they must be equal", ("x", "y"))
    c.require("rows", eq(product(y), want), f"y has {product(y)!r} values for {want!r} equations", ("x", "y"))
    return made


TENSORSOLVE = Op(
    "tensorsolve", (Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)), (Ints("dim", None, optional=True),), tensorsolve_shape, agreed,
    order="own", doc="The x with tensordot(a, x) = b.",
    evaluate=linalg_systems.tensor_solution,
)  # fmt: skip


def lobpcg_shape(c: Call) -> list[Any]:
    """k eigenvalues and vectors; k comes from the guess X where it is not given."""
    m, lead = c.dims["N"], c.lead["x"]
    k = c["k"]
    if k is None:
        k = c.shape("guess")[-1] if c.given("guess") else 1
    n = c.shape("guess")[-1] if c.given("guess") else c["n"] if c["n"] is not None else k
    if c.given("y"):
        c.require("shape", len(c.shape("y")) == len(c.shape("x")), "A and B must have the same shape", ("x", "y"))
        for a, b in zip(c.shape("y"), c.shape("x")):
            c.equal("shape", a, b, "A and B must have the same shape: {a} and {b} differ", ("x", "y"))
    c.require("n", ge(n, 1), f"there must be at least one vector, and there are {n!r}", ("n", "guess"))
    c.require("k", ge(n, k), f"{k!r} eigenvalues do not come from {n!r} vectors", ("k", "n", "guess"))
    c.require("size", ge(m, 3 * n), f"the matrix has {m!r} rows, and needs three for each of {n!r} vectors", ("x", "k"))
    if c.given("guess"):
        c.equal("rows", c.shape("guess")[-2], m, "the guess has {a} rows, and the matrix {b}", ("guess", "x"))
        if not lead:
            c.require("rank", len(c.shape("guess")) == 2, f"the guess for one matrix is a matrix, and has shape {c.shape('guess')!r}", ("guess", "x"))
        else:
            c.equal("batch", product(c.shape("guess")[:-2]), product(lead), "there are {a} guesses for {b} matrices", ("guess", "x"))
    return [(*lead, k), (*lead, m, k)]


LOBPCG = Op(
    "lobpcg",
    inputs=(
        Tensor("x", "... N N", NUMERIC, values="spd"),
        Tensor("y", "... N N", NUMERIC, optional=True, default=None, values="spd"),
        Tensor("guess", "... _ _", NUMERIC, optional=True, default=None, draw="... N _"),
    ),
    attributes=(Int("k", None, least=0, optional=True), Int("n", None, optional=True)),
    shape=lobpcg_shape,
    dtype=lambda c: one_type(c, *(n for n in ("x", "y", "guess") if c.given(n))),
    outputs=(Out("eigenvalues"), Out("eigenvectors")),
    codes=CODES,
    order="own",
    doc="A few extreme eigenvalues of a symmetric matrix, with their vectors, sought from random vectors.",
    random=True,
)

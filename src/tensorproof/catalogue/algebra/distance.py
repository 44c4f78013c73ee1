"""Distances and similarities between vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Promote, Same, Within, float_of, promoted
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Anything, Bool, Choice, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import BOOL, FLOATS, FULL_FLOATS, DType
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.algebra.formulas import looked_up
else:
    looked_up = later("catalogue.algebra.formulas.looked_up")


MANY_ROWS = 25


def by_product(p: object, mode_number: object, mode: str, rows: tuple[Any, ...]) -> bool:
    """Whether torch gets Euclidean distances from a product of matrices: where that is asked for, or of many rows."""
    if p != 2 or mode_number == 2 or mode.startswith("donot"):
        return False
    return mode_number == 1 or mode == "use_mm_for_euclid_dist" or any(type(n) is int and n > MANY_ROWS for n in rows)


def cdist_type(c: Call) -> DType | None:
    """With `typed_kernels` half precision is taken by products of matrices alone, and where there is nothing to compute."""
    dtype, p = Same("x", "y")(c), c["p"]
    if dtype not in FULL_FLOATS and dtype is not None and c.option("typed_kernels"):
        rows = (c.shape("x")[-2], c.shape("y")[-2])
        if not all(type(n) is int for n in rows) or not isinstance(p, (int, float)):
            raise c.give_up("the numbers of rows decide whether half precision is taken")
        taken = 0 in (*rows, c.shape("x")[-1]) or by_product(p, c["mode_number"], c["compute_mode"], rows)
        c.require("dtype", taken, f"{c.name} takes {dtype!r} for Euclidean distances of more than 25 rows alone", ("x", "y"))
    return dtype


CDIST = Op(
    "cdist",
    inputs=(Tensor("x", "... N K", FLOATS), Tensor("y", "... M K", FLOATS)),
    attributes=(
        Float("p", 2.0, least=0.0),
        Anything("mode_number", like=(Choice("mode_number", (None, 0, 1, 2)),)),
        Choice(
            "compute_mode",
            ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"),
            "use_mm_for_euclid_dist_if_necessary",
        ),
    ),
    shape="... N M",
    dtype=cdist_type,
    codes={"K": "features"},
    order="compact",
    doc="The p-norm distance of each row of x to each row of y.",
    evaluate=looked_up.cdist,
)
PDIST = Op(
    "pdist", (Tensor("x", "N _", FULL_FLOATS),), (Float("p", 2.0, least=0.0),), "N*(N-1)//2", lambda c: c.dtype("x"),
    doc="The p-norm distances of all pairs of rows.",
    evaluate=looked_up.pdist,
)  # fmt: skip


def pairwise_shape(c: Call) -> Shape:
    made = c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y"))
    return Shape((*made[:-1], *((1,) if c["keepdim"] and len(made) else ())))


def pairwise_type(c: Call) -> DType | None:
    """The difference has a small float added to it: whole numbers become floats, complex ones real."""
    common = promoted(c, ("x", "y"))
    if c.option("no_truth_values") and BOOL in (c.dtype("x"), c.dtype("y")):
        raise c.refuse("dtype", "truth values have no difference", ("x", "y"))
    dtype = float_of(c, common)
    return None if dtype is None else dtype.real


PAIRWISE_DISTANCE = Op(
    "pairwise_distance",
    inputs=(Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)),
    attributes=(Float("p", 2.0), Float("eps", 1e-6), Bool("keepdim", False)),
    shape=pairwise_shape,
    dtype=pairwise_type,
    doc="The p-norm distance of corresponding vectors along the last axis.",
    evaluate=looked_up.pairwise_distance,
)


def similarity_shape(c: Call) -> Shape:
    made, dim = c.broadcast(c.shape("x"), c.shape("y"), about=("x", "y")), c["dim"]
    reach = max(len(made), 1)
    if isinstance(dim, int):
        c.require("axis", -reach <= dim < reach, f"dim = {dim} is out of range for {made!r}", "dim")
        return Shape(size for i, size in enumerate(made) if i != dim % reach)
    raise c.give_up("dim is not known")


COSINE_SIMILARITY = Op(
    "cosine_similarity",
    inputs=(Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC)),
    attributes=(Int("dim", 1), Float("eps", 1e-8)),
    shape=similarity_shape,
    dtype=Within(Promote("x", "y"), FLOATS),
    doc="The cosine of the angle between vectors along an axis.",
    evaluate=looked_up.cosine_similarity,
)

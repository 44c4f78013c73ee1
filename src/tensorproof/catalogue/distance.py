"""Distances and similarities between vectors."""

from __future__ import annotations

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Promote, Same, Within, float_of, promoted
from tensorproof.ops.families import NUMERIC
from tensorproof.ops.inputs import Anything, Bool, Choice, Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import BOOL, FLOATS, FULL_FLOATS, DType
from tensorproof.terms.shapes import Shape

looked_up = later("catalogue.looked_up")

CDIST = Op(
    "cdist",
    inputs=(Tensor("x", "... N K", FULL_FLOATS), Tensor("y", "... M K", FULL_FLOATS)),
    attributes=(
        Float("p", 2.0, least=0.0),
        Anything("way", like=(Choice("way", (None, 0, 1, 2)),)),
        Choice(
            "compute_mode",
            ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"),
            "use_mm_for_euclid_dist_if_necessary",
        ),
    ),
    shape="... N M",
    dtype=Same("x", "y"),
    codes={"K": "features"},
    order="compact", doc="The p-norm distance of each row of x to each row of y.",
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

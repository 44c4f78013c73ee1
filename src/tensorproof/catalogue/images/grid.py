"""Sampling images at the points of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like, Same
from tensorproof.ops.inputs import Bool, Choice, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import FLOATS, FULL_COMPLEXES, REALS
from tensorproof.terms.ints import minimum
from tensorproof.terms.predicates import conj, disj, eq, ge
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.images.formulas import grid as grid_points
else:
    grid_points = later("catalogue.images.formulas.grid")


def _affine_grid_shape(c: Call) -> Shape:
    size = c["size"]
    c.require("size", len(size) in (4, 5), f"size must be that of a batch of images or volumes, 4 or 5 numbers, and is {size!r}", "size")
    n = len(size) - 2
    fits = conj(eq(c.dims["rows"], n), eq(c.dims["columns"], n + 1))
    c.require("theta", fits, f"x {c.shape('x')!r} must hold matrices of {n} x {n + 1} for size {size!r}", ("x", "size"))
    c.equal("batch", c.dims["N"], size[0], "x has {a} matrices and size a batch of {b}", ("x", "size"))
    for one in (size[0], *size[2:]):
        c.require("size", ge(one, 1 if c["checked"] else 0), f"size must be positive throughout, and is {size!r}", "size")
    if c["checked"]:  # torch looks no further when the corners of a single row or column are aligned
        aligned = bool(c["align_corners"]) and eq(minimum(*size[2:]), 1)
        c.require("size", disj(ge(size[1], 1), aligned), f"size must be positive throughout, and is {size!r}", "size")
    return Shape((size[0], *size[2:], n))


AFFINE_GRID = Op(
    "affine_grid",
    inputs=(Tensor("x", "N rows columns", REALS | FULL_COMPLEXES),),
    attributes=(Ints("size", one=False, shape=True), Bool("align_corners", None, optional=True), Bool("checked", False)),
    shape=_affine_grid_shape,
    dtype=Like("x"),
    evaluate=grid_points.affine_grid,
)


def _grid_sample_shape(c: Call) -> Shape:
    x, grid = c.shape("x"), c.shape("grid")
    n = len(x) - 2
    c.require("rank", len(x) == len(grid), f"x {x!r} and grid {grid!r} must have the same rank", ("x", "grid"))
    c.equal("coordinates", grid[-1], n, "the last axis of grid has {a} coordinates and must have {b}", ("grid", "x"))
    c.require("mode", c["mode"] != "bicubic" or n == 2, "mode 'bicubic' is for images only", ("mode", "x"))
    for size in x[2:]:
        c.require("empty", ge(size, 1), f"x {x!r} has no pixels to sample", "x")
    return Shape((*x[:2], *grid[1:-1]))


GRID_SAMPLE = Op(
    "grid_sample",
    inputs=(Tensor("x", "N C Y X | N C Z Y X", FLOATS), Tensor("grid", "N _ _ _ | N _ _ _ _", FLOATS)),
    attributes=(
        Choice("mode", ("bilinear", "nearest", "bicubic"), "bilinear"),
        Choice("padding_mode", ("zeros", "border", "reflection"), "zeros"),
        Bool("align_corners", None, optional=True),
        Bool("points_inside", False),
    ),
    shape=_grid_sample_shape,
    dtype=Same("x", "grid"),
    codes={"N": "batch"},
    order="rows",
    evaluate=grid_points.sampled,
    doc="Samples of images at points; `points_inside`: mode 'bicubic' too brings points inside before it looks at the pixels around them.",
)

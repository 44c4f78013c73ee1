"""Resizing images: interpolation to a size or by a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.inputs import Bool, Choice, Floats, Ints, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import Op
from tensorproof.ops.window import scaled
from tensorproof.terms.dtypes import FLOATS, FULL_COMPLEXES, FULL_FLOATS, REALS_OR_BOOL, UINT8
from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.catalogue.images.formulas import resize_weights
else:
    resize_weights = later("catalogue.images.formulas.resize_weights")

RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "lanczos": 4, "trilinear": 5}
"""The modes that work on one rank only."""
_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear", "lanczos")
_SMOOTHED = ("bilinear", "bicubic", "lanczos")


def _check_dtype(c: Call, sizes: Shape, made: list[Dim]) -> None:
    """With `typed_kernels` there are kernels for bytes in two dimensions and for picking neighbours. Smoothing has none for half precision, and none is needed
    where every size stays."""
    dtype, mode, smooth = c.dtype("x"), c["mode"], c["antialias"]
    taken = FULL_FLOATS | {UINT8} if smooth else FLOATS if mode in ("linear", "trilinear", "area") else FLOATS | {UINT8}
    if c.option("typed_kernels") and dtype is not None and dtype not in taken:
        copied = bool(smooth) and conj(*(eq(a, b) for a, b in zip(sizes, made, strict=True)))
        words = f"mode {mode!r}{' with antialias' if smooth else ''} does not take elements of type {dtype!r}"
        c.require("dtype", copied, words, ("x", "mode"))


def _check_modes(c: Call, rank: int) -> None:
    mode = c["mode"]
    wanted = RANKS.get(mode, rank)
    c.require("mode", rank == wanted, f"mode {mode!r} needs x of rank {wanted}, and it has rank {rank}", ("mode", "x"))
    if c["align_corners"] is not None:
        c.require("align_corners", mode in _ALIGNED, f"align_corners means nothing in mode {mode!r}", ("align_corners", "mode"))
    if c["antialias"]:
        c.require("antialias", mode in _SMOOTHED and rank == 4, f"antialias needs an image and mode bilinear, bicubic or lanczos, not {mode!r}", "antialias")
    else:
        c.require("antialias", mode != "lanczos", "mode 'lanczos' needs antialias=True", ("antialias", "mode"))


def _wanted(c: Call, sizes: Shape) -> list[Dim]:
    """The spatial sizes asked for, by number or by factor."""
    size, scale, n = c["size"], c["scale"], len(sizes)
    c.require("size", size is None or scale is None, "only one of size and scale_factor may be given", ("size", "scale"))
    if size is not None:
        c.require("size", len(size) == n, f"size must be {n} numbers, one for each spatial axis, and is {size!r}", ("size", "x"))
        c.require("recompute", not c["recompute"], "recompute_scale_factor means nothing beside a size", "recompute")
        return list(size)
    if scale is None:
        raise c.refuse("size", "either size or scale_factor must be given", ("size", "scale"))
    factors = scale if isinstance(scale, tuple) else (scale,) * n
    c.require("scale", len(factors) == n, f"scale_factor must be one number or {n}, and is {scale!r}", ("scale", "x"))
    made = [scaled(own, factor) for own, factor in zip(sizes, factors, strict=True)]
    return [c.fresh("resized", 1) if one is None else one for one in made]


def _interpolated(c: Call) -> Shape:
    x = c.shape("x")
    _check_modes(c, len(x))
    made, area = _wanted(c, Shape(x[2:])), c["mode"] == "area"
    for own in x[2:] if area and len(x) < 5 else x[1:]:
        c.require("empty", ge(own, 1), f"x {x!r} has an axis without elements", "x")
    for size in made:
        c.require("size", ge(size, 0 if area else 1), f"an axis cannot be resized to {size!r} elements", ("size", "scale", "x"))
    _check_dtype(c, Shape(x[2:]), made)
    return Shape((*x[:2], *made))


INTERPOLATE = Op(
    "interpolate",
    inputs=(Tensor("x", "N C X | N C Y X | N C Z Y X", REALS_OR_BOOL | FULL_COMPLEXES),),
    attributes=(
        Ints("size", None, optional=True, one=False),
        Floats("scale", None),
        Choice("mode", ("nearest", "nearest-exact", "area", *RANKS), "nearest"),
        Bool("align_corners", None, optional=True),
        Bool("recompute", None, optional=True),
        Bool("antialias", False),
    ),
    shape=_interpolated,
    dtype=Like("x"),
    order="format",
    evaluate=resize_weights.interpolated,
)

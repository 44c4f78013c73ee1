"""NumPy's functions of sampled values: interp, gradient, convolve."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy_joins import of_rank
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Choice, Tensor
from tensorproof.terms.dtypes import BOOL, COMPLEX128, FLOAT64
from tensorproof.terms.predicates import eq, ge


@takes(Tensor("xp", "P"), Tensor("fp", "P"))
def interp(a: dict[str, Any], run: Run) -> Any:
    xp, fp = a["xp"], a["fp"]
    if len(xp.shape) != 1 or len(fp.shape) != 1:
        raise run.refuse("rank", f"points are vectors, and are {xp.shape!r} and {fp.shape!r}", ("xp", "fp"))
    run.require("points", eq(xp.shape[0], fp.shape[0]), f"there are {xp.shape[0]!r} points and {fp.shape[0]!r} values", ("xp", "fp"))
    run.require("points", ge(xp.shape[0], 1), "there are no points to interpolate between", ("xp",))
    if a["x"].dtype is not None and a["x"].dtype.is_complex:
        raise run.refuse("dtype", "the places must be real", ("x",))
    if xp.dtype is not None and xp.dtype.is_complex:
        raise run.refuse("dtype", "the points must be real", ("xp",))
    return a["x"].but(dtype=COMPLEX128 if fp.dtype is not None and fp.dtype.is_complex else FLOAT64, contents=None)


def gradient(a: dict[str, Any], run: Run) -> Any:
    x, axis = a["x"], a["axis"]
    axes = tuple(range(len(x.shape))) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if not axes:
        raise run.give_up("a gradient over no axis")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    for one in axes:
        if not -len(x.shape) <= one < len(x.shape):
            raise run.refuse("axis", f"axis {one} is out of range for {x.shape!r}", ("axis",))
        run.require("size", ge(x.shape[one], a["edge_order"] + 1), f"an axis of {x.shape[one]!r} is too short for a gradient", ("x",))
    made = x.but(dtype=x.dtype if x.dtype is not None and x.dtype.kind in "fc" else FLOAT64, contents=None)
    return made if len(axes) == 1 else tuple(made for _ in axes)


@takes(Choice("mode", ("full", "same", "valid"), "full"))
def convolve(a: dict[str, Any], run: Run) -> Any:
    return run("convolve_vectors", x=of_rank(a["x"], 1), y=of_rank(a["y"], 1), mode=a["mode"])

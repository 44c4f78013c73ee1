"""NumPy's functions of sampled values: interp, gradient, convolve."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.joins import of_rank
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.ops.inputs import is_number
from tensorproof.terms import BOOL, COMPLEX128, FLOAT64, TensorType, eq, ge, lt


def interp(a: dict[str, Value], run: Run) -> TensorType:
    xp, fp = tensor_in(a, "xp"), tensor_in(a, "fp")
    if len(xp.shape) != 1 or len(fp.shape) != 1:
        raise run.refuse("rank", f"points are vectors, and are {xp.shape!r} and {fp.shape!r}", ("xp", "fp"))
    run.require("points", eq(xp.shape[0], fp.shape[0]), f"there are {xp.shape[0]!r} points and {fp.shape[0]!r} values", ("xp", "fp"))
    run.require("points", ge(xp.shape[0], 1), "there are no points to interpolate between", ("xp",))
    dtype = tensor_in(a, "x").dtype
    if dtype is not None and dtype.is_complex:
        raise run.refuse("dtype", "the places must be real", ("x",))
    if xp.dtype is not None and xp.dtype.is_complex:
        raise run.refuse("dtype", "the points must be real", ("xp",))
    dtype = COMPLEX128 if fp.dtype is not None and fp.dtype.is_complex else FLOAT64
    return run.typed("interp", dtype, x=a["x"], xp=xp, fp=fp, left=a["left"], right=a["right"], period=a["period"])


def gradient(a: dict[str, Any], run: Run) -> Value:
    x, axis = tensor_in(a, "x"), a["axis"]
    axes = tuple(range(len(x.shape))) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if not axes or (isinstance(a["edge_order"], int) and a["edge_order"] < 1):
        raise run.give_up("a gradient over no axis, or of no order at the edges")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    for one in axes:
        if not -len(x.shape) <= one < len(x.shape):
            raise run.refuse("axis", f"axis {one} is out of range for {x.shape!r}", ("axis",))
        run.require("size", ge(x.shape[one], a["edge_order"] + 1), f"an axis of {x.shape[one]!r} is too short for a gradient", ("x",))
    if x.dtype is not None and x.dtype.kind in "iu":
        x = run("cast", x=x, dtype=FLOAT64)
    spacing = a["varargs"] if len(a["varargs"]) != 1 else a["varargs"][0]
    options = {"x": x, "spacing": spacing if spacing != () else None, "dim": tuple(axes), "edge_order": a["edge_order"]}
    known = all(is_number(one) for one in a["varargs"])
    made = run("gradient", **options) if known else run.shaped("gradient", [x.shape] * len(axes), x.dtype, **options)
    return made[0] if len(axes) == 1 else tuple(made)


def convolve(a: dict[str, Value], run: Run) -> TensorType:
    return run("convolve_vectors", x=of_rank(tensor_in(a, "x"), 1, run), y=of_rank(tensor_in(a, "y"), 1, run), mode=a["mode"])


def correlate(a: dict[str, Value], run: Run) -> TensorType:
    """A convolution with the conjugate of y, from its end on."""
    x, y = of_rank(tensor_in(a, "x"), 1, run), of_rank(tensor_in(a, "y"), 1, run)

    def turned(one: TensorType) -> TensorType:
        return run("flip", x=run("conj", x=one), dim=(0,))

    if lt(x.shape[0], y.shape[0]) is True:  # the longer vector comes first, which decides what "same" cuts off
        return turned(run("convolve_vectors", x=y, y=turned(x), mode=a["mode"]))
    return run("convolve_vectors", x=x, y=turned(y), mode=a["mode"])

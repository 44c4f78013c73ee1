"""Spellings of reductions that need more than a renaming: old forms of var and norm, histograms, unique in ATen."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Anything, Axes
from tensorproof.terms import FULL_COMPLEXES, REALS, REALS_OR_BOOL, SOMEWHERE, UINT8, Shape, TensorType, eq


def into(a: dict[str, Value], run: Run) -> Value:
    """Extremes are written only into tensors of their own element type."""
    given, dtype = a["out"], tensor_in(a, "x").dtype
    for out in given if isinstance(given, (tuple, list)) else (given,):
        if isinstance(out, TensorType) and None not in (out.dtype, dtype) and out.dtype is not dtype:
            raise run.refuse("out", f"out has element type {out.dtype!r}, and x has {dtype!r}; they must be one", ("out", "x"))
    return run.default(a)


def extreme_along(a: dict[str, Value], run: Run) -> Value:
    """The number in a tensor without axes is its own extreme, of whatever type."""
    x = tensor_in(a, "x")
    fits = x.dtype is None or x.dtype in REALS_OR_BOOL or (x.shape.known and not len(x.shape))
    run.require("dtype", fits, f"{run.name} does not order elements of type {x.dtype!r}", ("x",))
    return run.default(a)


def scan(a: dict[str, Value], run: Run) -> Value:
    """In place, `dtype` must be the tensor's own."""
    if run.row.inplace and a["dtype"] not in (None, tensor_in(a, "x").dtype):
        raise run.refuse("inplace", f"dtype = {a['dtype']!r} is not that of the tensor written in place, {tensor_in(a, 'x').dtype!r}", ("dtype", "x"))
    return run.default(a)


def differences(a: dict[str, Any], run: Run) -> Value:
    """Bytes are refused, other elements that have no differences are where there is an axis."""
    x: TensorType = a["x"]
    if x.dtype is not None and x.dtype not in REALS - {UINT8} | FULL_COMPLEXES and (x.dtype is UINT8 or (a["dim"] != () and x.shape.rank != 0)):
        raise run.refuse("dtype", f"{run.name} does not take element type {x.dtype!r}", ("x",))
    return run.default(a)


def neighbours(a: dict[str, Any], run: Run) -> Value:
    """diff: x itself where no difference is taken, whatever the axis and the element types."""
    x: TensorType = a["x"]
    if a["n"] == 0:
        for name in ("prepend", "append"):
            more = a[name]
            fits = more is None or eq(more.shape.rank, x.shape.rank)
            run.require("rank", fits, f"{name} must have as many axes as x, and is {more.shape!r}" if more is not None else "", (name, "x"))
            if more is not None and x.shape.known and isinstance(a["dim"], int):
                run.require("axis", -len(x.shape) <= a["dim"] < len(x.shape), f"x {x.shape!r} has no axis {a['dim']}", ("dim", "x"))
        return run("diff", x=x, n=0)
    return run.default(a)


@takes(Anything("p", "fro"), Axes("dim", None))
def norm(a: dict[str, Value], run: Run) -> TensorType:
    """torch.norm: "fro" and "nuc" are norms of matrices, a number is one of vectors."""
    p, dim, x = a["p"], a["dim"], tensor_in(a, "x")
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else None if dim is None else (dim,)
    shared = {"x": x, "keepdim": a["keepdim"], "dtype": a.get("dtype")}
    if p == "fro" and (axes is None or len(axes) <= 2):
        return run("vector_norm", ord=2, dim=dim, **shared)
    if isinstance(p, str):
        if axes is None and x.shape.known:
            axes = tuple(range(len(x.shape)))
        if axes is None:
            raise run.give_up("the rank is not known")
        if p not in ("fro", "nuc"):
            raise run.refuse("p", f"p must be a number, 'fro' or 'nuc', and is {p!r}", ("p",))
        if len(axes) != 2:
            raise run.refuse("axis", f"the norm {p!r} is over two axes, and {len(axes)} are named", ("p", "dim"))
        return run("matrix_norm", ord=p, dim=axes, **shared)
    return run("vector_norm", ord=2 if p is None else p, dim=dim, **shared)


def histogramdd(a: dict[str, Value], run: Run) -> Value:
    """The counts, and the edges as a tuple of their own."""
    hist, *edges = run("histogramdd", **{k: a[k] for k in ("x", "bins", "range", "weight", "density")})
    return hist, tuple(run.noted(e, base=SOMEWHERE) for e in edges)


def unique_all(a: dict[str, Value], run: Run) -> Value:
    """ATen always returns three tensors; what was not asked for is empty."""
    values, inverse, counts = run.several({**a, "dim": a.get("dim"), "sorted": a.get("sorted", True), "return_inverse": True, "return_counts": True})
    if a.get("dim") is not None:  # along an axis all three are always full
        return values, inverse, counts
    wanted = a.get("return_inverse", False), a.get("return_counts", False)
    empty = inverse.but(shape=Shape((0,)), contents=None)
    return values, inverse if wanted[0] else empty, counts if wanted[1] else empty

"""Spellings of linear algebra that need more than a renaming: torch's old names, `norm`, tolerances."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.bindings.names import versions
from tensorproof.ops.inputs import Anything
from tensorproof.terms import TensorType, conj, eq, ge, le, minimum


def qr(a: dict[str, Value], run: Run) -> Value:
    """torch.qr: `some` is the reduced form."""
    return run("qr", x=a["x"], mode="reduced" if a["some"] else "complete")


def svd(a: dict[str, Value], run: Run) -> Value:
    """torch.svd gives V, and not its transpose; without vectors the sides are square and hold zeros."""
    u, s, vh = run("svd", x=a["x"], full_matrices=not a["some"] or not a["compute_uv"])
    if not a["compute_uv"]:
        return run("full_like", x=u, value=0), s, run("full_like", x=vh, value=0)
    v = run("matrix_transpose", x=vh)
    return u, s, run("conj", x=v) if vh.dtype is not None and vh.dtype.is_complex else v


def norm(a: dict[str, Value], run: Run) -> TensorType:
    """linalg.norm: of all elements, of vectors along one axis, or of matrices along two."""
    dim, order, x = a["dim"], a["ord"], tensor_in(a, "x")
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else None if dim is None else (dim,)
    shared = {"x": x, "keepdim": a["keepdim"], "dtype": a.get("dtype")}
    if axes is not None and len(axes) not in (1, 2):
        raise run.refuse("axis", f"dim must name one axis or two, and names {len(axes)}", ("dim",))
    if order is None:
        return run("vector_norm", ord=2, dim=dim, **shared)
    if not x.shape.known and axes is None:
        raise run.give_up("the rank is not known")
    if axes is None:
        if len(x.shape) not in (1, 2):
            raise run.refuse("rank", f"without dim the tensor must have rank 1 or 2, and has {len(x.shape)}", ("x",))
        axes = tuple(range(len(x.shape)))
    if len(axes) == 2:
        return run("matrix_norm", ord=order, dim=axes, **shared)
    return run("vector_norm", ord=order, dim=axes, **shared)


def pca_lowrank(a: dict[str, Any], run: Run) -> Value:
    q, sides = a["q"], tensor_in(a, "x").shape[-2:]
    if not tensor_in(a, "x").shape.known:
        raise run.give_up("the rank is not known")
    if q is None:
        q = minimum(6, *sides)
    run.require("q", conj(ge(q, 0), le(q, minimum(*sides))), f"q = {q!r} must lie between 0 and the smaller of {sides!r}", ("q", "x"))
    return run("svd_lowrank", x=a["x"], q=q, niter=a["niter"])


def lu(a: dict[str, Value], run: Run) -> Value:
    """torch.lu: the compact factors, and a status where one is asked for."""
    found = run("lu_factor_ex", x=a["x"], pivot=a["pivot"])
    return tuple(found) if a["get_infos"] else tuple(found[:2])


REPLACEMENTS = {
    "symeig": "torch.linalg.eigh",
    "eig": "torch.linalg.eig",
    "lstsq": "torch.linalg.lstsq",
    "solve": "torch.linalg.solve",
    "matrix_rank": "torch.linalg.matrix_rank",
}


@takes(Anything("rest"))
def removed(a: dict[str, Value], run: Run) -> TensorType:
    """Names that torch keeps only to say that they are gone."""
    name = run.name.rpartition(".")[2]
    if versions.had(run.name):
        raise run.give_up("it was there in the version that the program is for, and has no rule")
    raise run.refuse("removed", f"{run.name} was removed from torch; {REPLACEMENTS[name]} takes its place", ("x",))


def old_cholesky(a: dict[str, Value], run: Run) -> Value:
    """torch.cholesky looks at nothing where there are no elements."""
    x = tensor_in(a, "x")
    return x if x.shape.known and eq(x.shape.numel, 0) is True else run.default(a)


def determinant(a: dict[str, Value], run: Run) -> Value:
    """ATen's determinants give the LU factors too."""
    made = run("slogdet" if run.row.op == "slogdet" else "det", x=a["x"])
    return (*(made if isinstance(made, tuple) else (made,)), *run("lu_factor", x=a["x"]))


def solve_ex(a: dict[str, Value], run: Run) -> Value:
    """ATen's solver gives the LU factors too."""
    result, info = run("solve_ex", x=a["x"], y=a["y"], left=a["left"])
    return (result, *run("lu_factor", x=a["x"]), info)

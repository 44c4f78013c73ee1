"""Spellings of linear algebra, products and transforms that need more than a renaming: torch's old names, `norm`, tolerances."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.bindings.names import versions
from tensorproof.catalogue.algebra.einsum import EQUATIONS
from tensorproof.ops.inputs import Anything, Choice, Tensors, as_size
from tensorproof.terms import TensorType, conj, eq, ge, le, minimum


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


def _plain(a: dict[str, Any], run: Run) -> tuple[int, ...]:
    """The kernels themselves take axes from the front, each once."""
    axes = tuple(a["dim"])
    rank = len(tensor_in(a, "x").shape)
    if any(isinstance(d, int) and d < 0 for d in axes):
        raise run.give_up("an axis counted from the end, which the kernels take now and then")
    fits = all(isinstance(d, int) and 0 <= d < rank for d in axes) and len(set(axes)) == len(axes)
    run.require("axis", len(axes) > 0 or run.row.op == "fftn", "at least one axis must be transformed", ("dim",))
    run.require("axis", fits, f"dim must name different axes from 0 to {rank - 1}, and is {axes!r}", ("dim",))
    return axes


def complex_to_complex(a: dict[str, Value], run: Run) -> TensorType:
    return run("fftn", x=a["x"], dim=_plain(a, run))


def real_to_complex(a: dict[str, Value], run: Run) -> TensorType:
    return run("rfftn" if a["onesided"] else "fftn", x=a["x"], dim=_plain(a, run))


def complex_to_real(a: dict[str, Any], run: Run) -> TensorType:
    """The last axis gets its length back; the others stay."""
    last = tensor_in(a, "x").shape[_plain(a, run)[-1]]
    run.require("length", eq(last, a["length"] // 2 + 1), f"{last!r} frequencies are not half a spectrum of {a['length']!r}", ("length", "x"))
    return run("irfftn", x=a["x"], dim=_plain(a, run), size=(*(-1 for _ in a["dim"][:-1]), a["length"]))


def tensordot(a: dict[str, Value], run: Run) -> TensorType:
    """`dims` is a number n (the last n axes of x with the first n of y), or the two lists of axes."""
    dims = as_size(a["dims"])
    rank, other = tensor_in(a, "x").shape.rank, tensor_in(a, "y").shape.rank
    if isinstance(dims, TensorType) and dims.contents is not None and len(dims.shape) == 2 and dims.shape[0] == 2:
        half = len(dims.contents) // 2
        dims = (dims.contents[:half], dims.contents[half:])
    if isinstance(dims, int):
        if dims < 0:
            raise run.refuse("axes", f"dims must not be negative, and is {dims}", ("dims",))
        if not isinstance(rank, int) or not isinstance(other, int):
            raise run.give_up("a rank is not known")
        if dims > min(rank, other):
            raise run.refuse("axes", f"dims = {dims} is more than the rank of {tensor_in(a, 'x').shape!r} or {tensor_in(a, 'y').shape!r}", ("dims",))
        return run("tensordot", x=a["x"], y=a["y"], dim=tuple(range(rank - dims, rank)), dim2=tuple(range(dims)))
    if not isinstance(dims, (tuple, list)):
        raise run.give_up("dims is not known")
    pair: list[Any] = list(dims)
    if len(pair) != 2 or (run.row.framework == "torch" and not all(isinstance(v, (tuple, list)) for v in pair)):
        raise run.refuse("axes", f"dims must be a number or two lists, and is {dims!r}", ("dims",))
    ours, theirs = ((as_size(v),) if not isinstance(v, (tuple, list)) else tuple(as_size(w) for w in v) for v in pair)
    return run("tensordot", x=a["x"], y=a["y"], dim=ours, dim2=theirs)


@takes(Anything("operands", like=(Tensors("operands", draw="@equation"),)), Anything("equation", like=(Choice("equation", EQUATIONS),)))
def einsum(a: dict[str, Any], run: Run) -> TensorType:
    """The equation and its operands, or operands each followed by its list of subscripts."""
    equation, operands = a["equation"], a["operands"]
    if isinstance(equation, TensorType) and isinstance(operands, list):  # one operand and its subscripts
        operands = (operands,)
    if isinstance(equation, str):
        given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
        if not given:
            raise run.refuse("operands", "an equation needs at least one operand", ("operands",))
        if not all(isinstance(x, TensorType) for x in given):
            raise run.refuse("operands", "every operand must be a tensor", ("operands",))
        if run.row.framework == "torch" and any(x.framework == "numpy" for x in given):
            raise run.refuse("call/arguments", f"{run.name} takes tensors, and one operand is a NumPy array: write torch.from_numpy(…)", ("operands",))
        return run("einsum", equation=equation, xs=tuple(given))
    items: list[Any] = [equation, *operands]
    if not isinstance(equation, TensorType):
        raise run.give_up("the equation is not known")
    xs = items[0 : len(items) // 2 * 2 : 2]
    lists = items[1::2]
    if len(items) < 2 or not all(isinstance(x, TensorType) for x in xs) or not all(isinstance(s, (tuple, list)) for s in lists):
        raise run.refuse("operands", "each tensor must be followed by its list of subscripts", ("operands",))
    text = ",".join(_letters(s, run) for s in lists)
    if len(items) % 2:
        text += "->" + _letters(items[-1], run)
    return run("einsum", equation=text, xs=tuple(xs))


def _letters(subscripts: Any, run: Run) -> str:
    """0 to 25 are A to Z, 26 to 51 are a to z, as torch orders them."""
    made: list[str] = []
    for one in subscripts:
        if one is ...:
            made.append("...")
        elif isinstance(one, int) and 0 <= one < 52:
            made.append(chr(ord("A") + one) if one < 26 else chr(ord("a") + one - 26))
        else:
            raise run.refuse("equation", f"a subscript must be a whole number from 0 to 51 or ..., and is {one!r}", ("equation",))
    return "".join(made)


def scaled_mm_lists(a: dict[str, Any], run: Run) -> Value:
    """Each side's scale may come in a list; a list of two (a scale of scales) is not modelled."""
    scales: dict[str, Any] = {}
    for name in ("scale_x", "scale_y"):
        given = a[name] if isinstance(a[name], (tuple, list)) else (a[name],)
        if len(given) != 1 or not isinstance(given[0], TensorType):
            raise run.give_up(f"{name} in several levels is not modelled")
        scales[name] = given[0]
    return run.default({**a, **scales})

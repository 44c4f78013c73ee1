"""Functions of `tf.linalg`, products among them."""

from __future__ import annotations

import builtins
from typing import Any

from tensorproof.bindings.adapt import graphdef_algebra, tensorflow
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, modern, same_types, somewhere, vector, whole
from tensorproof.bindings.adapt.tf_arguments import Loosely, real
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Bool, Choice, Int, Tensor, Tensors
from tensorproof.terms.dtypes import FLOATS, INDEX
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.tensor import TensorType

_indices = builtins.range


@takes(Tensor("x", "... N N"))
def logdet(a: Arguments, run: Run) -> TensorType:
    return real(graphdef_algebra.determinant(a, run))


@takes(Tensor("x", "... N K"), Tensor("y", "... K M"), *(Bool(n, False) for n in ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")))
def matmul(a: Arguments, run: Run) -> TensorType:
    for side in ("a", "b"):
        both = a.get(f"transpose_{side}") and a.get(f"adjoint_{side}")
        run.require("transpose", not both, "a matrix is transposed or adjoined, not both", (f"transpose_{side}", f"adjoint_{side}"))
    out = a.get("output_type")
    given = {
        "x": a["x"], "y": a["y"], "dtype": out, "adj_x": a.get("transpose_a") or a.get("adjoint_a"), "adj_y": a.get("transpose_b") or a.get("adjoint_b"),
    }  # fmt: skip
    return graphdef_algebra.batch_matmul(given, run)


@takes(Tensor("x", "... N K"), Tensor("y", "... K"), Bool("transpose_a", False), Bool("adjoint_a", False))
def matvec(a: Arguments, run: Run) -> TensorType:
    y = a["y"]
    at_least(run, y, 1, "y")
    column = anew(y, (*y.shape, 1)) if y.shape.known else y
    made = matmul({**a, "y": column}, run)
    return anew(made, made.shape[:-1]) if made.shape.known else made


@takes(Tensor("x"), Tensor("y"), Loosely("dim", least=0, most=2))
def tensordot(a: Arguments, run: Run) -> TensorType:
    """Axes as a number, or as two lists."""
    x, y, axes = a["x"], a["y"], whole(a["dim"])
    same_types(run, a, "x", "y")
    if not x.shape.known or not y.shape.known:
        return anew(x, somewhere(run))
    if isinstance(axes, TensorType):
        if axes.contents is None or len(axes.shape) != 2:
            raise run.give_up("the axes are not known")
        half = len(axes.contents) // 2
        axes = (axes.contents[:half], axes.contents[half:])
    if isinstance(axes, int):
        run.require(
            "axes",
            0 <= axes <= min(len(x.shape), len(y.shape)),
            f"{axes} axes cannot be contracted of x {x.shape!r} and y {y.shape!r}",
            ("dim",),
        )
        first, second = list(_indices(len(x.shape) - axes, len(x.shape))), list(_indices(0, axes))
    else:
        first, second = ([v] if isinstance(v, int) else list(v) for v in axes)
    run.require("axes", len(first) == len(second), f"{len(first)} axes of x go with {len(second)} of y", ("dim",))
    first, second = [axis(run, v, len(x.shape)) for v in first], [axis(run, v, len(y.shape)) for v in second]
    for i, j in zip(first, second):
        run.require(
            "inner", eq(x.shape[i], y.shape[j]), f"the contracted axes are {x.shape[i]!r} and {y.shape[j]!r}, and must be equal", ("x", "y")
        )
    left = [n for i, n in enumerate(x.shape) if i not in first]
    return anew(x, (*left, *(n for j, n in enumerate(y.shape) if j not in second)))


@takes(Choice("equation", ("i->", "ij->ji", "ij,jk->ik", "ij,ij->", "bij,bjk->bik", "i,j->ij", "i,i->")), Tensors("xs"))
def einsum(a: Arguments, run: Run) -> TensorType:
    kind = same_types(run, a, "xs")
    usable = kind is None or len(a["xs"]) == 1 or kind.is_complex or kind in FLOATS | INDEX
    run.require("dtype", usable, f"elements of type {kind!r} are not multiplied and summed", ("xs",))
    if any(not x.shape.known for x in a["xs"]):
        return anew(a["xs"][0], somewhere(run))
    tensorflow.labels_agree(run, a["equation"], tuple(a["xs"]))
    made: TensorType = run("einsum", xs=tuple(a["xs"]), equation=a["equation"])
    return made


@takes(Anything("ord"), Axes("dim", None), Bool("keepdim", None, optional=True))
def norm(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    dim = a.get("dim")
    run.require(
        "axis",
        not isinstance(dim, (tuple, list)) or len(dim) == 2,
        f"a norm is taken over one axis, two, or all, not over {dim!r}",
        ("dim",),
    )
    return _reduced_like(a["x"], a.get("dim"), bool(a.get("keepdim")), run)


def _reduced_like(x: TensorType, dim: Any, keep: bool, run: Run) -> TensorType:
    if not x.shape.known:
        return anew(x, somewhere(run) if dim is not None or keep else ())
    dims = None if dim is None else [axis(run, d, len(x.shape)) for d in vector(run, dim, "dim", scalar=True) or ()]
    gone = set(_indices(0, len(x.shape)) if dims is None else dims)
    return anew(x, [1 if i in gone else n for i, n in enumerate(x.shape) if keep or i not in gone])


@takes(Tensor("x", "... N M"))
def trace(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 2)
    return anew(a["x"], a["x"].shape[:-2] if a["x"].shape.known else somewhere(run))


@takes(Tensor("x", "... N M"))
def matrix_transpose(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    return anew(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]) if x.shape.known else somewhere(run))


@takes(Tensor("x", "... N"), Int("offset", 0), Int("num_rows", -1), Int("num_cols", -1))
def diag(a: Arguments, run: Run) -> TensorType:
    if a.get("num_rows", -1) != -1 or a.get("num_cols", -1) != -1 or not isinstance(a.get("offset", 0), int):
        raise run.give_up("a band of diagonals")
    at_least(run, a["x"], 1)
    made: TensorType = run("diag_embed", x=a["x"], offset=a.get("offset") or 0, dim1=-2, dim2=-1).but(strides=None)
    return made


@takes(Tensor("x", "... N M"), Int("offset", 0))
def diag_part(a: Arguments, run: Run) -> TensorType:
    if not isinstance(a.get("offset", 0), int):
        raise run.give_up("a band of diagonals")
    x, k = a["x"], a.get("offset") or 0
    at_least(run, x, 2)
    made = run("diagonal", x=x, offset=k, dim1=-2, dim2=-1).but(strides=None)
    rows, columns = x.shape[-2:]
    run.require("offset", k == 0 or conj(ge(k, 1 - rows), ge(columns, k + 1)), f"there is no diagonal {k} in {x.shape!r}", ("offset", "x"))
    result: TensorType = made
    return result


@takes(Tensor("x", "... N M"), Int("low", loose=True), Int("high", loose=True))
def band_part(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 2)
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "... N N"), Tensor("y", "... N M"))
def solve(a: Arguments, run: Run) -> TensorType:
    made = graphdef_algebra.matrix_solve(a, run)
    x, y = a["x"], a["y"]
    if x.shape.known and y.shape.known:
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    return made


@takes(Tensor("x", "... N M"), Bool("full_matrices", False), Bool("compute_uv", True))
def svd(a: Arguments, run: Run) -> Any:
    made = graphdef_algebra.svd(a, run)
    return (real(made[0]), *made[1:]) if a["compute_uv"] else real(made[0])


@takes(Tensor("x", "... N N"))
def eigh(a: Arguments, run: Run) -> Any:
    values, vectors = graphdef_algebra.eigen({**a, "compute_v": True}, run)
    return real(values) if "numpy" in run.name else values, vectors


@takes(Tensor("x", "... N N"))
def eigvalsh(a: Arguments, run: Run) -> TensorType:
    return graphdef_algebra.eigen({**a, "compute_v": True}, run)[0]

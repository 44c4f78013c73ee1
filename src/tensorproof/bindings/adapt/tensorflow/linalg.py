"""Functions of `tf.linalg`, products among them."""

from __future__ import annotations

import builtins

from tensorproof.bindings.adapt.tensorflow import shared as tensorflow
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, axis, broadcast_of, known_axis, somewhere, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import FLOATS, INDEX, Shape, TensorType, conj, eq, ge, minimum, product

_indices = builtins.range


def logdet(a: Arguments, run: Run) -> TensorType:
    x = square(run, a["x"])
    dtype = None if x.dtype is None else x.dtype.real
    return run.shaped("logdet", Shape(x.shape[:-2]) if x.shape.known else somewhere(run), dtype, x=x, definite=True)


def square(run: Run, x: TensorType, name: str = "x") -> TensorType:
    """x, which must be a square matrix or a batch of them."""
    at_least(run, x, 2, name)
    if x.shape.known:
        n, m = x.shape[-2:]
        run.require("square", eq(n, m), f"{name} must be a square matrix, and is {x.shape!r}", (name,))
    return x


def of_square(a: Arguments, run: Run) -> TensorType:
    """A function of square matrices that gives such, or without so many of the last axes as the row says."""
    x, gone = square(run, _adjoint(run, a["x"]) if a.get("adjoint") else a["x"]), a.get("gone", 0)
    if not x.shape.known and gone:
        return with_shape(run, run.row.op, x, somewhere(run))
    return with_shape(run, run.row.op, x, x.shape[: len(x.shape) - gone] if gone else x.shape)


def _adjoint(run: Run, x: TensorType) -> TensorType:
    """The conjugate of the transposed matrices."""
    turned = x if x.dtype is not None and not x.dtype.is_complex else run.typed("conj", x.dtype, x=x)
    return _turned(run, turned)


def _turned(run: Run, x: TensorType) -> TensorType:
    return run("matrix_transpose", x=x)


def matmul(a: Arguments, run: Run) -> TensorType:
    for side in ("a", "b"):
        both = a.get(f"transpose_{side}") and a.get(f"adjoint_{side}")
        run.require("transpose", not both, "a matrix is transposed or adjoined, not both", (f"transpose_{side}", f"adjoint_{side}"))
    sides: list[TensorType] = []
    for name, side in (("x", "a"), ("y", "b")):
        at_least(run, a[name], 2, name)
        one = a[name]
        if a.get(f"adjoint_{side}"):
            one = _adjoint(run, one)
        elif a.get(f"transpose_{side}"):
            one = _turned(run, one)
        sides.append(one)
    same_types(run, a, "x", "y")
    x, y = sides
    dtype = a.get("output_type") or x.dtype
    if not x.shape.known or not y.shape.known:
        return run.shaped("matmul", somewhere(run), dtype, x=x, y=y)
    return run.typed("matmul", dtype, x=x, y=y)


def matvec(a: Arguments, run: Run) -> TensorType:
    y = a["y"]
    at_least(run, y, 1, "y")
    column = run("unsqueeze", x=y, dim=len(y.shape)) if y.shape.known else y
    made = matmul({**a, "y": column}, run)
    return with_shape(run, "squeeze", made, made.shape[:-1], dim=(len(made.shape) - 1,)) if made.shape.known else made


def tensordot(a: Arguments, run: Run) -> TensorType:
    """Axes as a number, or as two lists."""
    x, y, axes = a["x"], a["y"], whole(a["dim"])
    same_types(run, a, "x", "y")
    if not x.shape.known or not y.shape.known:
        return run.shaped("tensordot", somewhere(run), x.dtype, x=x, y=y, dim=(), dim2=())
    if isinstance(axes, TensorType):
        if axes.contents is None or len(axes.shape) != 2:
            raise run.give_up("the axes are not known")
        half = len(axes.contents) // 2
        axes = (axes.contents[:half], axes.contents[half:])
    if isinstance(axes, int):
        run.require("axes", 0 <= axes <= min(len(x.shape), len(y.shape)), f"{axes} axes cannot be contracted of x {x.shape!r} and y {y.shape!r}", ("dim",))
        first, second = list(_indices(len(x.shape) - axes, len(x.shape))), list(_indices(0, axes))
    else:
        first, second = ([v] if isinstance(v, int) else list(v) for v in axes)
    run.require("axes", len(first) == len(second), f"{len(first)} axes of x go with {len(second)} of y", ("dim",))
    first, second = [known_axis(run, v, len(x.shape)) for v in first], [known_axis(run, v, len(y.shape)) for v in second]
    ours, theirs = [x.shape[i] for i in first], [y.shape[j] for j in second]
    if conj(*(eq(m, n) for m, n in zip(ours, theirs))) is False:
        return _dot_of_rows(run, x, y, first, second)
    for m, n in zip(ours, theirs):
        run.require("inner", eq(m, n), f"the contracted axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    left = [n for i, n in enumerate(x.shape) if i not in first]
    shape = Shape((*left, *(n for j, n in enumerate(y.shape) if j not in second)))
    return run.shaped("tensordot", shape, x.dtype, x=x, y=y, dim=tuple(first), dim2=tuple(second))


def _dot_of_rows(run: Run, x: TensorType, y: TensorType, first: list[int], second: list[int]) -> TensorType:
    """Contracted axes that differ: TensorFlow makes one axis of them on each side, and compares their lengths alone."""
    ours, theirs = product(x.shape[i] for i in first), product(y.shape[j] for j in second)
    message = f"the contracted axes have {ours!r} and {theirs!r} elements, and must have equally many"
    run.require("inner", eq(ours, theirs), message, ("x", "y"))
    kept, others = [i for i in _indices(len(x.shape)) if i not in first], [j for j in _indices(len(y.shape)) if j not in second]
    free, outer = tuple(x.shape[i] for i in kept), tuple(y.shape[j] for j in others)
    rows = run("reshape", x=run("permute", x=x, dim=(*kept, *first)), size=(*free, ours))
    columns = run("reshape", x=run("permute", x=y, dim=(*second, *others)), size=(ours, *outer))
    return run.shaped("tensordot", Shape((*free, *outer)), x.dtype, x=rows, y=columns, dim=(len(free),), dim2=(0,))


def einsum(a: Arguments, run: Run) -> TensorType:
    kind = same_types(run, a, "xs")
    usable = kind is None or len(a["xs"]) == 1 or kind.is_complex or kind in FLOATS | INDEX
    run.require("dtype", usable, f"elements of type {kind!r} are not multiplied and summed", ("xs",))
    if any(not x.shape.known for x in a["xs"]):
        return run.shaped("einsum", somewhere(run), a["xs"][0].dtype, xs=tuple(a["xs"]), equation=a["equation"])
    tensorflow.labels_agree(run, a["equation"], tuple(a["xs"]))
    return run("einsum", xs=tuple(a["xs"]), equation=a["equation"])


def norm(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    dim = a.get("dim")
    run.require("axis", not isinstance(dim, (tuple, list)) or len(dim) == 2, f"a norm is taken over one axis, two, or all, not over {dim!r}", ("dim",))
    x, keep, order = a["x"], bool(a.get("keepdim")), a.get("ord", "euclidean")
    axes = None if dim is None else tuple(axis(run, d, len(x.shape)) if x.shape.known else d for d in vector(run, dim, "dim", scalar=True) or ())
    euclidean = order in ("euclidean", "fro") or (order == 2 and not isinstance(dim, (tuple, list)))
    op = "vector_norm" if euclidean or axes is None or len(axes) < 2 else "matrix_norm"
    if not x.shape.known:
        return with_shape(run, op, x, somewhere(run) if dim is not None or keep else (), ord=2 if euclidean else order, dim=axes, keepdim=keep)
    gone = set(_indices(0, len(x.shape)) if axes is None else axes)
    shape = [1 if i in gone else n for i, n in enumerate(x.shape) if keep or i not in gone]
    return with_shape(run, op, x, shape, ord=2 if euclidean else order, dim=axes, keepdim=keep)


def matrix_transpose(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 2)
    return _adjoint(run, a["x"]) if a.get("conjugate") else _turned(run, a["x"])


def diag_part(a: Arguments, run: Run) -> TensorType:
    if not isinstance(a.get("offset", 0), int):
        raise run.give_up("a band of diagonals")
    x, k = a["x"], a.get("offset") or 0
    at_least(run, x, 2)
    made = run("diagonal", x=x, offset=k, dim1=-2, dim2=-1)
    rows, columns = x.shape[-2:]
    run.require("offset", k == 0 or conj(ge(k, 1 - rows), ge(columns, k + 1)), f"there is no diagonal {k} in {x.shape!r}", ("offset", "x"))
    return made


def band_part(a: Arguments, run: Run) -> TensorType:
    """So many diagonals below and above the main one; all, where the number is negative."""
    x = a["x"]
    at_least(run, x, 2)
    kept = []
    for name in ("low", "high"):
        n = whole(a[name])
        kept.append(run.session.number_in(n) if isinstance(n, TensorType) else n)
    if not x.shape.known:
        return with_shape(run, "tril", with_shape(run, "triu", x, x.shape, offset=-kept[0]), x.shape, offset=kept[1])
    rows, columns = x.shape[-2:]
    low, high = (side if type(n) is int and n < 0 else n for n, side in zip(kept, (rows, columns)))
    return with_shape(run, "tril", with_shape(run, "triu", x, x.shape, offset=-low), x.shape, offset=high)


def solve(a: Arguments, run: Run) -> TensorType:
    x, y = square(run, a["x"]), a["y"]
    same_types(run, a, "x", "y")
    at_least(run, y, 2, "y")
    if a.get("adjoint"):
        x = _adjoint(run, x)
    if x.shape.known and y.shape.known:
        run.require("rows", eq(x.shape[-1], y.shape[-2]), f"the matrix has {x.shape[-1]!r} rows and the right side {y.shape[-2]!r}", ("x", "y"))
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    return run.shaped("solve", y.shape if y.shape.known and x.shape.known else somewhere(run), x.dtype, x=x, y=y)


def triangular_solve(a: Arguments, run: Run) -> TensorType:
    x, y, lower = square(run, a["x"]), a["y"], a.get("lower", True)
    same_types(run, a, "x", "y")
    at_least(run, y, 2, "y")
    if a.get("adjoint"):
        x, lower = _adjoint(run, x), not lower
    if not x.shape.known or not y.shape.known:
        return run.shaped("solve_triangular", somewhere(run), x.dtype, x=x, y=y, upper=not lower)
    run.require("rows", eq(x.shape[-1], y.shape[-2]), f"the matrix has {x.shape[-1]!r} rows and the right side {y.shape[-2]!r}", ("x", "y"))
    lead = broadcast_of(run, [Shape(x.shape[:-2]), Shape(y.shape[:-2])], ("x", "y"), "add/broadcast")
    return run.shaped("solve_triangular", Shape((*lead, *y.shape[-2:])), x.dtype, x=x, y=y, upper=not lower)


def svd(a: Arguments, run: Run) -> Value:
    """The singular values, and the two factors: the second is not transposed."""
    x = a["x"]
    at_least(run, x, 2)
    real = None if x.dtype is None else x.dtype.real
    if not x.shape.known:
        shapes = [somewhere(run) for _ in _indices(3)]
    else:
        *lead, m, n = x.shape
        k = minimum(m, n)
        left, right = (m, n) if a.get("full_matrices") else (k, k)
        shapes = [Shape((*lead, m, left)), Shape((*lead, k)), Shape((*lead, right, n))]
    u, values, right_turned = run.shaped("svd", shapes, x.dtype, real, x.dtype, x=x, full_matrices=bool(a.get("full_matrices")))
    return (values, u, _adjoint(run, right_turned)) if a["compute_uv"] else values


def qr(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 2)
    mode = "complete" if a.get("full_matrices") else "reduced"
    if not x.shape.known:
        return tuple(run.shaped("qr", [somewhere(run), somewhere(run)], x.dtype, x.dtype, x=x, mode=mode))
    return tuple(run.typed("qr", x.dtype, x.dtype, x=x, mode=mode))


def eigh(a: Arguments, run: Run) -> Value:
    x = square(run, a["x"])
    shapes = [Shape(x.shape[:-1]) if x.shape.known else somewhere(run), x.shape if x.shape.known else somewhere(run)]
    return tuple(run.shaped("eigh", shapes, x.dtype, x.dtype, x=x))

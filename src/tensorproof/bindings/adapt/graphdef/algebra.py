"""GraphDef nodes of products, matrices and Fourier transforms."""

from __future__ import annotations

from tensorproof.bindings.adapt.graphdef.elementwise import narrowed
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, labels_agree, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, somewhere, vector, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import COMPLEX64, FLOAT32, Dim, Shape, TensorType, Term, broadcast, eq, ite, minimum


def matmul(a: Arguments, run: Run) -> TensorType:
    x, y = narrowed(run, a["x"], 2), narrowed(run, a["y"], 2, "y")
    if a["transpose_a"]:
        x = run("matrix_transpose", x=x)
    if a["transpose_b"]:
        y = run("matrix_transpose", x=y)
    return run("matmul", x=x, y=y)


def _adjoint(run: Run, x: TensorType) -> TensorType:
    """The matrices transposed, and conjugated where they are complex."""
    return run("adjoint" if x.dtype is not None and x.dtype.is_complex else "matrix_transpose", x=x)


def batch_matmul(a: Arguments, run: Run) -> TensorType:
    x, y = a["x"], a["y"]
    at_least(run, x, 2)
    at_least(run, y, 2, "y")
    if not run.name.endswith("V3"):
        same_types(run, a, "x", "y")
    dtype = a.get("dtype") or x.dtype
    if not x.shape.known or not y.shape.known:
        return run.shaped("matmul", somewhere(run), dtype, x=x, y=y)
    x = _adjoint(run, x) if a["adj_x"] else x
    y = _adjoint(run, y) if a["adj_y"] else y
    if run.name.endswith("BatchMatMul"):
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    return run.typed("matmul", dtype, x=x, y=y)


def einsum(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "xs")
    equation = a["equation"]
    text = equation.decode("latin-1") if isinstance(equation, bytes) else equation
    if any(not x.shape.known for x in a["xs"]):
        return run.shaped("einsum", somewhere(run), a["xs"][0].dtype, xs=a["xs"], equation=text)
    labels_agree(run, text, tuple(a["xs"]))
    return run("einsum", xs=a["xs"], equation=text)


def cross(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = a["x"], a["y"]
    at_least(run, x, 1)
    if x.shape.known and y.shape.known:
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have the same shape", ("x", "y"))
        for m, n in zip(x.shape, y.shape):
            run.require("shape", eq(m, n), f"x {x.shape!r} and y {y.shape!r} must have the same shape", ("x", "y"))
        run.require("three", eq(x.shape[-1], 3), f"the last axis must have size 3, and has {x.shape[-1]!r}", ("x",))
    return with_shape(run, "cross", x, x.shape, y=y, dim=len(x.shape) - 1 if x.shape.known else -1)


def _square(run: Run, x: TensorType, name: str = "x") -> Shape:
    """The shape of square matrices."""
    at_least(run, x, 2, name)
    if not x.shape.known:
        return x.shape
    *lead, n, m = x.shape
    run.require("square", eq(n, m), f"{name} must be a square matrix, and is {x.shape!r}", (name,))
    side = m if isinstance(n, Term) else n
    return Shape((*lead, side, side))


def square_matrix(a: Arguments, run: Run) -> TensorType:
    """A function of square matrices, or of their adjoints."""
    shape = _square(run, a["x"])
    x = _adjoint(run, a["x"]) if a.get("adjoint") and shape.known else a["x"]
    return with_shape(run, run.row.op, x, shape)


def matrix_solve(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y, square = a["x"], a["y"], _square(run, a["x"])
    at_least(run, y, 2, "y")
    flipped = bool(a.get("adjoint"))
    half = {"upper": bool(a["lower"]) is flipped} if run.row.op == "solve_triangular" else {}
    if not square.known or not y.shape.known:
        return with_shape(run, run.row.op, x, somewhere(run), y=y, **half)
    run.require("rows", eq(square[-1], y.shape[-2]), f"the matrix has {square[-1]!r} rows and the right side {y.shape[-2]!r}", ("x", "y"))
    if run.name.endswith("MatrixSolve"):
        run.require("rank", len(square) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(square[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    stated = lambda holds, m, n: run.require("broadcast", holds, f"the batch axes {m!r} and {n!r} do not broadcast", ("x", "y"))
    lead = broadcast([Shape(square[:-2]), Shape(y.shape[:-2])], stated)
    return with_shape(run, run.row.op, _adjoint(run, x) if flipped else x, (*lead, square[-1], y.shape[-1]), y=y, **half)


def _nothing(run: Run, x: TensorType) -> TensorType:
    return run.typed("empty", x.dtype, size=(0,), dtype=x.dtype)


def svd(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    """Singular values, left vectors and right vectors, as columns."""
    x, full = a["x"], a["full_matrices"]
    at_least(run, x, 2)
    if not x.shape.known:
        u, s, v = run.shaped("svd", [somewhere(run) for _ in range(3)], x.dtype, x=x, full_matrices=full)
        return s, u, v
    *lead, m, n = x.shape
    p = minimum(m, n)
    shapes = [(*lead, m, m if full else p), (*lead, p), (*lead, n if full else p, n)]
    u, s, v = run.shaped("svd", shapes, x.dtype, x=x, full_matrices=full)
    if not a["compute_uv"]:
        return s, _nothing(run, x), _nothing(run, x)
    return s, u, _adjoint(run, v)


def eigen(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, shape = a["x"], _square(run, a["x"])
    shapes = [shape[:-1], shape] if shape.known else [somewhere(run), somewhere(run)]
    values, vectors = run.shaped("eigh", shapes, x.dtype, x=x)
    return values, vectors if a["compute_v"] or not shape.known else _nothing(run, x)


def fft(a: Arguments, run: Run) -> TensorType:
    """Along the last axes, so many as the row says."""
    x, n = a["x"], a["axes"]
    at_least(run, x, n)
    last = tuple(range(len(x.shape) - n, len(x.shape))) if x.shape.known else tuple(range(-n, 0))
    return with_shape(run, run.row.op, x, x.shape, dim=last[0] if n == 1 else last)


def _length(run: Run, value: Value, x: TensorType) -> Dim:
    size = vector(run, value, "size")
    if size is None:
        return run.fresh("length")
    run.require("size", len(size) == 1, f"the length of the transform is a vector of 1, not of {len(size)}", ("size",))
    result: Dim = run.fresh("length") if size[0] is None else size[0]
    if isinstance(result, int) and result < 0:
        raise run.give_up(f"a length of {result}, which TensorFlow refuses when the node runs")
    if eq(result, 0) is True and (not x.shape.known or eq(x.shape.numel, 0) is not True):
        raise run.give_up("a transform of no elements")  # it ends the process
    return result


def rfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    dtype = a.get("dtype") or COMPLEX64
    n = _length(run, a["size"], x)
    shape = (*x.shape[:-1], ite(eq(n, 0), 0, n // 2 + 1)) if x.shape.known else somewhere(run)
    return run.shaped("rfft", shape, dtype, x=x, n=n, dim=len(x.shape) - 1 if x.shape.known else -1)


def irfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, a["size"], x)
    shape = (*x.shape[:-1], n) if x.shape.known else somewhere(run)
    return run.shaped("irfft", shape, a.get("dtype") or FLOAT32, x=x, n=n, dim=len(x.shape) - 1 if x.shape.known else -1)

"""GraphDef nodes of products, matrices and Fourier transforms."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import DTYPE
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, labels_agree, ranked, same_types, somewhere, tensor, vector
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Bool, Ints, Tensor, Tensors
from tensorproof.terms.dtypes import COMPLEX64, FLOAT32
from tensorproof.terms.ints import Dim, Term, ite, minimum
from tensorproof.terms.predicates import eq
from tensorproof.terms.tensor import TensorType


@takes(Tensor("x", "N K"), Tensor("y", "K M"), Bool("transpose_a", False), Bool("transpose_b", False))
def matmul(a: Arguments, run: Run) -> TensorType:
    x, y = ranked(run, a["x"], 2), ranked(run, a["y"], 2, "y")
    if a["transpose_a"]:
        x = anew(x, x.shape[::-1])
    if a["transpose_b"]:
        y = anew(y, y.shape[::-1])
    made: TensorType = run("matmul", x=x, y=y)
    return made


@takes(Tensor("x", "... N K"), Tensor("y", "... K M"), Bool("adj_x", False), Bool("adj_y", False), DTYPE)
def batch_matmul(a: Arguments, run: Run) -> TensorType:
    x, y = a["x"], a["y"]
    at_least(run, x, 2)
    at_least(run, y, 2, "y")
    if not run.name.endswith("V3"):
        same_types(run, a, "x", "y")
    dtype = a.get("dtype") or x.dtype
    if not x.shape.known or not y.shape.known:
        return tensor(somewhere(run), dtype)
    if a["adj_x"]:
        x = anew(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]))
    if a["adj_y"]:
        y = anew(y, (*y.shape[:-2], y.shape[-1], y.shape[-2]))
    if run.name.endswith("BatchMatMul"):
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    made = run("matmul", x=x.but(dtype=None), y=y.but(dtype=None))
    result: TensorType = made.but(dtype=dtype)
    return result


@takes(Tensors("xs"), Anything("equation"))
def einsum(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "xs")
    equation = a["equation"]
    text = equation.decode("latin-1") if isinstance(equation, bytes) else equation
    if any(not x.shape.known for x in a["xs"]):
        return anew(a["xs"][0], somewhere(run))
    labels_agree(run, text, tuple(a["xs"]))
    made: TensorType = run("einsum", xs=a["xs"], equation=text)
    return made


def cross(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = a["x"], a["y"]
    at_least(run, x, 1)
    if x.shape.known and y.shape.known:
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have one shape", ("x", "y"))
        for m, n in zip(x.shape, y.shape):
            run.require("shape", eq(m, n), f"x {x.shape!r} and y {y.shape!r} must have one shape", ("x", "y"))
        run.require("three", eq(x.shape[-1], 3), f"the last axis must have size 3, and has {x.shape[-1]!r}", ("x",))
    return anew(x, x.shape)


def _square(run: Run, x: TensorType, name: str = "x") -> TensorType:
    at_least(run, x, 2, name)
    if not x.shape.known:
        return x
    *lead, n, m = x.shape
    run.require("square", eq(n, m), f"{name} must be a square matrix, and is {x.shape!r}", (name,))
    side = m if isinstance(n, Term) else n
    return anew(x, (*lead, side, side))


@takes(Tensor("x", "... N N"))
def square_matrix(a: Arguments, run: Run) -> TensorType:
    return _square(run, a["x"])


@takes(Tensor("x", "... N N"))
def determinant(a: Arguments, run: Run) -> TensorType:
    x = _square(run, a["x"])
    return anew(x, x.shape[:-2] if x.shape.known else somewhere(run))


@takes(Tensor("x", "... N N"), Tensor("y", "... N M"))
def matrix_solve(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "y")
    x, y = _square(run, a["x"]), a["y"]
    at_least(run, y, 2, "y")
    if not x.shape.known or not y.shape.known:
        return anew(x, somewhere(run))
    run.require("rows", eq(x.shape[-1], y.shape[-2]), f"the matrix has {x.shape[-1]!r} rows and the right side {y.shape[-2]!r}", ("x", "y"))
    if run.name.endswith("MatrixSolve"):
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    lead = run("add", x=anew(x, x.shape[:-2]).but(dtype=None), y=anew(y, y.shape[:-2]).but(dtype=None)).shape
    return anew(x, (*lead, x.shape[-1], y.shape[-1]))


@takes(Tensor("x", "... N M"), Bool("compute_uv", True), Bool("full_matrices", False))
def svd(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return tuple(anew(x, somewhere(run)) for _ in range(3))
    *lead, m, n = x.shape
    p = minimum(m, n)
    if not a["compute_uv"]:
        return anew(x, (*lead, p)), anew(x, (0,)), anew(x, (0,))
    full = a["full_matrices"]
    return anew(x, (*lead, p)), anew(x, (*lead, m, m if full else p)), anew(x, (*lead, n, n if full else p))


@takes(Tensor("x", "... N M"), Bool("full_matrices", False))
def qr(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return anew(x, somewhere(run)), anew(x, somewhere(run))
    *lead, m, n = x.shape
    p = m if a["full_matrices"] else minimum(m, n)
    return anew(x, (*lead, m, p)), anew(x, (*lead, p, n))


@takes(Tensor("x", "... N N"), Bool("compute_v", True))
def eigen(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = _square(run, a["x"])
    if not x.shape.known:
        return anew(x, somewhere(run)), anew(x, somewhere(run))
    return anew(x, x.shape[:-1]), anew(x, x.shape) if a["compute_v"] else anew(x, (0,))


def _transform(n: int) -> Any:
    @takes(Tensor("x"))
    def fft(a: Arguments, run: Run) -> TensorType:
        at_least(run, a["x"], n)
        return anew(a["x"], a["x"].shape)

    return fft


fft1, fft2, fft3 = _transform(1), _transform(2), _transform(3)
_LENGTH = Ints("size", loose=True, one=False, least=1)


def _length(run: Run, value: Any) -> Dim:
    size = vector(run, value, "size")
    if size is None:
        made: Dim = run.fresh("length")
        return made
    run.require("size", len(size) == 1, f"the length of the transform is a vector of 1, not of {len(size)}", ("size",))
    result: Dim = run.fresh("length") if size[0] is None else size[0]
    return result


@takes(Tensor("x", "... N"), _LENGTH, DTYPE)
def rfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    dtype = a.get("dtype") or COMPLEX64
    n = _length(run, a["size"])
    return tensor((*x.shape[:-1], ite(eq(n, 0), 0, n // 2 + 1)) if x.shape.known else somewhere(run), dtype)


@takes(Tensor("x", "... N"), _LENGTH, DTYPE)
def irfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, a["size"])
    return tensor((*x.shape[:-1], n) if x.shape.known else somewhere(run), a.get("dtype") or FLOAT32)

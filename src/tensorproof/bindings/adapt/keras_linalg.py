"""Products and linear algebra of `keras.ops`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import numpy_algebra
from tensorproof.bindings.adapt.keras_ops import as_float, common
from tensorproof.bindings.adapt.numpy_arrays import tensor
from tensorproof.bindings.adapt.numpy_reductions import word
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axes, Choice, Tensor
from tensorproof.terms.dtypes import FLOAT32, INT32
from tensorproof.terms.predicates import eq
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def matmul(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    if x.dtype is not None and y.dtype is not None and x.dtype.label == y.dtype.label == "int8":
        dtype = INT32
    return run("matmul", x=x.but(dtype=FLOAT32, contents=None), y=y.but(dtype=FLOAT32, contents=None)).but(dtype=dtype)


def dot(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    return numpy_algebra.dot({"x": x, "y": y}, run).but(dtype=dtype)


@takes(Tensor("x", "... 3"), Tensor("y", "... 3"))
def cross(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    b = {**a, "x": x.but(dtype=FLOAT32), "y": y.but(dtype=FLOAT32)}
    return numpy_algebra.cross(b, run).but(dtype=common(x, y))


def linalg(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    if run.row.op == "qr":
        word(run, a, "mode", ("reduced", "complete"))
    made = run.default({**a, "x": x.but(dtype=as_float(x.dtype), contents=None)})
    if run.row.op == "eigh" and x.dtype is not None and x.dtype.is_complex:
        return tuple(m.but(dtype=x.dtype) for m in made)
    if run.row.op == "matrix_rank":
        return made.but(dtype=INT32)
    return tuple(made) if isinstance(made, tuple) else made


def svd(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    x = x.but(dtype=as_float(x.dtype), contents=None)
    return tuple(run("svd", x=x, full_matrices=a["full_matrices"])) if a["compute_uv"] else run("svdvals", x=x)


def solve(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    dtype = as_float(common(x, y))
    if len(x.shape) < 2 or len(y.shape) < 1:
        raise run.refuse("rank", f"a matrix and a right side are wanted, and they are {x.shape!r} and {y.shape!r}", ("x", "y"))
    if len(x.shape) != len(y.shape):
        raise run.give_up("a right side of another rank")
    run.require("square", eq(x.shape[-1], x.shape[-2]), f"the matrix must be square, and is {x.shape!r}", ("x",))
    run.require("rows", eq(x.shape[-2], y.shape[-2]), f"the matrix has {x.shape[-2]!r} rows and the right side {y.shape[-2]!r}", ("x", "y"))
    if tuple(x.shape[:-2]) != tuple(y.shape[:-2]) and run.row.op == "solve_triangular":
        raise run.give_up("batches that may broadcast")
    for n, m in zip(x.shape[:-2], y.shape[:-2]):
        run.require("batch", eq(n, m), f"the batches {x.shape[:-2]!r} and {y.shape[:-2]!r} differ", ("x", "y"))
    return y.but(dtype=dtype, contents=None)


def lstsq(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    if len(x.shape) != 2 or len(y.shape) not in (1, 2):
        raise run.refuse("rank", f"a matrix and a vector or a matrix are wanted, and they are {x.shape!r} and {y.shape!r}", ("x", "y"))
    run.require("rows", eq(x.shape[0], y.shape[0]), f"x has {x.shape[0]!r} rows and y {y.shape[0]!r}", ("x", "y"))
    return TensorType(Shape((x.shape[1], *y.shape[1:])), as_float(common(x, y)))


@takes(Choice("ord", (None, 1, 2), None, optional=True), Axes("dim", None))
def norm(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    made = numpy_algebra.norm({**a, "x": x, "dim": tuple(a["dim"]) if isinstance(a["dim"], list) else a["dim"]}, run)
    return made.but(dtype=as_float(x.dtype))

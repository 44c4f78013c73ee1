"""Products, linear algebra and transforms of signals of `keras.ops`."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.ops import as_float, common
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms import INT32, TensorType, eq, ge


def matmul(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    if x.dtype is not None and y.dtype is not None and x.dtype.label == y.dtype.label == "int8":
        dtype = INT32
    return run.typed("matmul", dtype, x=x, y=y)


def dot(a: dict[str, Value], run: Run) -> TensorType:
    """The last axis of x with the last but one of y; a number multiplies."""
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    if not x.shape.known or not y.shape.known:
        raise run.give_up("a rank is not known")
    if not len(x.shape) or not len(y.shape):
        return run.typed("mul", dtype, x=x, y=y)
    return run.typed("tensordot", dtype, x=x, y=y, dim=(len(x.shape) - 1,), dim2=(max(len(y.shape) - 2, 0),))


def cross(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor_in(a, "x"), tensor_in(a, "y")
    axes = [a["axis"]] * 3 if a["axis"] is not None else [a["axisa"], a["axisb"], a["axisc"]]
    if axes != [-1, -1, -1]:
        raise run.give_up("vectors along another axis than the last")
    if any(v.shape.known and (not len(v.shape) or v.shape[-1] != 3) for v in (x, y)):
        raise run.give_up("vectors of another number of elements than three")
    return run.typed("cross", common(x, y), x=x, y=y, dim=-1)


def _floating(run: Run, x: TensorType) -> TensorType:
    """x as floats."""
    dtype = as_float(x.dtype)
    return x if dtype is x.dtype else run("cast", x=x, dtype=dtype)


def linalg(a: dict[str, Value], run: Run) -> Value:
    x = tensor(a["x"])
    if run.row.op == "qr":
        word(run, a, "mode", ("reduced", "complete"))
    if run.row.op == "eigh" and x.dtype is not None and x.dtype.is_complex:
        values, vectors = run("eigh", x=x)
        return run("cast", x=values, dtype=x.dtype), vectors
    if run.row.op == "matrix_rank":
        return run.typed("matrix_rank", INT32, x=_floating(run, x))
    made = run.default({**a, "x": _floating(run, x)})
    return tuple(made) if isinstance(made, tuple) else made


def svd(a: dict[str, Value], run: Run) -> Value:
    x = _floating(run, tensor(a["x"]))
    return tuple(run("svd", x=x, full_matrices=a["full_matrices"])) if a["compute_uv"] else run("svdvals", x=x)


def solve(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor_in(a, "x"), tensor_in(a, "y")
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
    own = {"upper": not a["lower"]} if run.row.op == "solve_triangular" else {}
    with Steps(run, dtype).settled():
        return run.typed(run.row.op, dtype, x=x, y=y, **own)


def lstsq(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor_in(a, "x"), tensor_in(a, "y")
    if len(x.shape) != 2 or len(y.shape) not in (1, 2):
        raise run.refuse("rank", f"a matrix and a vector or a matrix are wanted, and they are {x.shape!r} and {y.shape!r}", ("x", "y"))
    run.require("rows", eq(x.shape[0], y.shape[0]), f"x has {x.shape[0]!r} rows and y {y.shape[0]!r}", ("x", "y"))
    dtype = as_float(common(x, y))
    with Steps(run, dtype).settled():
        sides = y if len(y.shape) == 2 else run("unsqueeze", x=y, dim=-1)
        made = run.typed("lstsq", dtype, x=x, y=sides)[0]
        return made if len(y.shape) == 2 else run("squeeze", x=made, dim=-1)


def norm(a: dict[str, Value], run: Run) -> TensorType:
    """Of vectors along an axis, of matrices along two; of all elements where none is named."""
    x, dim, ord_ = tensor(a["x"]), a["dim"], a["ord"]
    dim = tuple(dim) if isinstance(dim, list) else dim
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    dtype = as_float(x.dtype)
    if dim is None and ord_ is not None and len(x.shape) not in (1, 2):
        raise run.refuse("ord", f"a norm of order {ord_!r} is one of a vector or of a matrix, and x is {x.shape!r}", ("x", "ord"))
    axes = tuple(range(len(x.shape))) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    if len(axes) == 2 and ord_ is not None:
        if len(x.shape) and axes[0] % len(x.shape) == axes[1] % len(x.shape):
            raise run.give_up("one axis that is named twice")
        return run.typed("matrix_norm", dtype, x=x, ord=ord_, dim=axes, keepdim=a["keepdim"])
    if len(axes) > 2 and dim is not None:
        raise run.refuse("axis", f"a norm is along one axis or two, and {dim!r} are named", ("dim",))
    return run.typed("vector_norm", dtype, x=x, ord=2 if ord_ is None else ord_, dim=dim, keepdim=a["keepdim"])


def extract_sequences(a: dict[str, Any], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if len(x.shape) < 1:
        raise run.refuse("rank", "a number has no sequences", ("x",))
    if a["length"] == 0:
        raise run.give_up("sequences of no elements")
    run.require("length", ge(a["length"], 1), f"a sequence has at least one element, and not {a['length']!r}", ("length",))
    if isinstance(a["step"], int) and a["step"] < 0:
        raise run.give_up("a stride that goes back")
    run.require("step", ge(a["step"], 1), f"the stride is at least 1, and not {a['step']!r}", ("step",))
    with Steps(run, x.dtype).settled():
        return run.typed("windows", x.dtype, x=x, dim=-1, size=a["length"], step=a["step"], short=True)


def _parts(run: Run, pair: Value) -> TensorType:
    """Complex numbers are given as their two parts."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(p, TensorType) for p in pair):
        raise run.refuse("parts", "complex numbers are a pair of real and imaginary parts", ("pair",))
    x, y = pair
    for n, m in zip(x.shape, y.shape):
        run.require("parts", eq(n, m), f"the parts have shapes {x.shape!r} and {y.shape!r}", ("pair",))
    run.require("parts", len(x.shape) == len(y.shape), f"the parts have shapes {x.shape!r} and {y.shape!r}", ("pair",))
    with Steps(run, x.dtype).settled():
        made: TensorType = run.typed("complex", None if x.dtype is None else x.dtype.complexified, x=x, y=y)
    return made


def _pair(run: Run, made: TensorType) -> tuple[TensorType, TensorType]:
    real = None if made.dtype is None else made.dtype.real
    return (run.typed("real", real, x=made), run.typed("imag", real, x=made))


def transformed(a: dict[str, Any], run: Run) -> Value:
    """Along the last axes, so many as the row says."""
    x, n = _parts(run, a["pair"]), a["axes"]
    if len(x.shape) < n:
        raise run.refuse("rank", f"{n} axes are transformed, and this is {x.shape!r}", ("pair",))
    return _pair(run, run.typed(run.row.op, x.dtype, x=x, **({"dim": (-2, -1)} if n == 2 else {})))


def rfft(a: dict[str, Value], run: Run) -> Value:
    return _pair(run, run("rfft", x=a["x"], n=a["n"]))


def irfft(a: dict[str, Value], run: Run) -> TensorType:
    return run("irfft", x=_parts(run, a["pair"]), n=a["n"])


def real_view(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    return run.typed("view_as_real", x.dtype.real if x.dtype is not None and x.dtype.is_complex else None, x=x)

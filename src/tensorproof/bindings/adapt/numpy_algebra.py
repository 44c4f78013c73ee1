"""NumPy's products, numpy.linalg and numpy.fft."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import contraction
from tensorproof.bindings.adapt.numpy_arrays import flat, tensor, typed, written
from tensorproof.bindings.adapt.numpy_reductions import no_list, word
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axes, Axis, Choice, Int, Ints, Tensor
from tensorproof.terms.dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.ints import minimum
from tensorproof.terms.predicates import eq, ge, ne
from tensorproof.terms.promotion import Operand, promote
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def product(a: dict[str, Any], run: Run) -> Any:
    return written(typed(run.default({k: v for k, v in a.items() if k != "dtype"}), a, run), a, run)


def matvec(a: dict[str, Any], run: Run) -> Any:
    return _with_vector(a, run, "x", "y")


def vecmat(a: dict[str, Any], run: Run) -> Any:
    return _with_vector(a, run, "y", "x")


def _with_vector(a: dict[str, Any], run: Run, matrix: str, vector: str) -> Any:
    m, v = a[matrix], a[vector]
    if len(m.shape) < 2 or len(v.shape) < 1:
        raise run.refuse("rank", f"a matrix and a vector are multiplied, and they are {m.shape!r} and {v.shape!r}", ("x", "y"))
    row = vector == "x"
    wide = v.but(shape=Shape((*v.shape[:-1], 1, v.shape[-1]) if row else (*v.shape, 1)))
    made = run("matmul", x=wide, y=m) if row else run("matmul", x=m, y=wide)
    return made.but(shape=Shape((*made.shape[:-2], made.shape[-1]) if row else made.shape[:-1]))


def dot(a: dict[str, Any], run: Run) -> Any:
    """Numbers scale; else the last axis of x with the last but one of y."""
    x, y = tensor(a["x"]), tensor(a["y"])
    if len(x.shape) == 0 or len(y.shape) == 0:
        return run("mul", x=x, y=y)
    return written(run("tensordot", x=x, y=y, dim=(len(x.shape) - 1,), dim2=(max(len(y.shape) - 2, 0),)), a, run)


def multi_dot(a: dict[str, Any], run: Run) -> Any:
    """Two arrays are given to dot, which takes any ranks."""
    return dot({**a, "x": a["xs"][0], "y": a["xs"][1]}, run) if len(a["xs"]) == 2 else run.default(a)


def vdot(a: dict[str, Any], run: Run) -> Any:
    x, y = flat(a["x"]), flat(a["y"])
    return run("tensordot", x=x, y=y, dim=(0,), dim2=(0,))


def outer(a: dict[str, Any], run: Run) -> Any:
    x, y = flat(a["x"]), flat(a["y"])
    return written(run("mul", x=x.but(shape=Shape((x.shape[0], 1))), y=y.but(contents=None)), a, run)


def outer_vectors(a: dict[str, Any], run: Run) -> Any:
    for name in ("x", "y"):
        if len(a[name].shape) != 1:
            raise run.refuse("rank", f"two vectors are multiplied, and one is {a[name].shape!r}", (name,))
    return outer(a, run)


@takes(Tensor("x", "... 3"), Tensor("y", "... 3"))
def cross(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    if x.dtype is BOOL and y.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x", "y"))
    if (a["axisa"], a["axisb"], a["axisc"], a["axis"]) not in ((-1, -1, -1, None), (-1, -1, -1, -1)):
        raise run.give_up("other axes than the last")
    if len(x.shape) == 0 or len(y.shape) == 0:
        raise run.refuse("rank", "vectors have an axis", ("x", "y"))
    for name, v in (("x", x), ("y", y)):
        if isinstance(v.shape[-1], int) and v.shape[-1] == 2:
            raise run.give_up("vectors of two components")
        run.require("size", eq(v.shape[-1], 3), f"a vector has 3 components, and {name} has {v.shape[-1]!r}", (name,))
    return run("mul", x=x, y=y).but(contents=None)


@takes(Axis("dim", -1))
def cross3(a: dict[str, Any], run: Run) -> Any:
    x, y, dim = a["x"], a["y"], a["dim"]
    if dim != -1:
        raise run.give_up("another axis than the last")
    return cross({"x": x, "y": y, "axisa": -1, "axisb": -1, "axisc": -1, "axis": None}, run)


@takes(*getattr(contraction.einsum, "parameters", {}).values())
def einsum(a: dict[str, Any], run: Run) -> Any:
    return written(typed(contraction.einsum(a, run), a, run), a, run)


def no_halves(a: dict[str, Any], run: Run) -> None:
    for name in ("x", "y"):
        v = a.get(name)
        if isinstance(v, TensorType) and v.dtype is FLOAT16:
            raise run.refuse("dtype", "numpy.linalg takes no float16", (name,))


def _floats(x: TensorType) -> TensorType:
    """Whole numbers are computed as float64."""
    return x.but(dtype=FLOAT64, contents=None) if x.dtype is not None and x.dtype.kind in "iub" else x


def linalg(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    b = {k: _floats(v) if isinstance(v, TensorType) else v for k, v in a.items()}
    if "y" in b and isinstance(b["x"], TensorType) and b["x"].dtype is not None and b["y"].dtype is not None:
        common = promote("numpy", [Operand(b["x"].dtype), Operand(b["y"].dtype)])
        b["x"], b["y"] = b["x"].but(dtype=common), b["y"].but(dtype=common)
    if run.row.op in ("eigh", "eigvalsh") and isinstance(a.get("triangle"), str) and a["triangle"].upper() not in ("L", "U"):
        raise run.refuse("triangle", f"UPLO must be 'L' or 'U', and is {a['triangle']!r}", ("triangle",))
    return run.default(b)


@takes(Choice("mode", ("reduced", "complete", "r"), "reduced"))
def qr(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    if a["mode"] == "raw":
        raise run.give_up("mode='raw'")
    word(run, a, "mode", ("reduced", "complete", "r"))
    made = run("qr", x=_floats(a["x"]), mode=a["mode"])
    return made[1] if a["mode"] == "r" else made


def svd(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x = _floats(a["x"])
    return run("svd", x=x, full_matrices=a["full_matrices"]) if a["compute_uv"] else run("svdvals", x=x)


def eig(a: dict[str, Any], run: Run) -> Any:
    """Real where all eigenvalues are: the element type cannot be told."""
    no_halves(a, run)
    made = run(run.row.op, x=_floats(a["x"]))
    loose = a["x"].dtype is None or not a["x"].dtype.is_complex
    if not loose:
        return made
    return tuple(m.but(dtype=None) for m in made) if isinstance(made, tuple) else made.but(dtype=None)


def _hermitian(a: dict[str, Any], run: Run) -> None:
    shape = a["x"].shape
    if a.get("hermitian") and any(isinstance(n, int) and n == 0 for n in shape):
        raise run.give_up("an empty hermitian matrix")
    if a.get("hermitian") and len(shape) >= 2:
        run.require("square", eq(shape[-1], shape[-2]), f"a hermitian matrix is square, and this one is {shape!r}", ("x",))


def pinv(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    _hermitian(a, run)
    return run("pinv", x=_floats(a["x"]))


def matrix_rank(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x = a["x"]
    _hermitian(a, run)
    if len(x.shape) < 2:
        return TensorType(Shape(), INT64)
    return run("matrix_rank", x=_floats(x)).but(dtype=INT64)


def lstsq(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x, y = _floats(a["x"]), _floats(a["y"])
    if len(x.shape) != 2 or len(y.shape) not in (1, 2):
        raise run.refuse("rank", f"a matrix and a vector or a matrix are wanted, and they are {x.shape!r} and {y.shape!r}", ("x", "y"))
    run.require("rows", eq(x.shape[0], y.shape[0]), f"x has {x.shape[0]!r} rows and y {y.shape[0]!r}", ("x", "y"))
    dtype = promote("numpy", [Operand(x.dtype or FLOAT64), Operand(y.dtype or FLOAT64)])
    assert dtype is not None
    rest = y.shape[1] if len(y.shape) == 2 else 1
    found = run.fresh("residuals", 0, rest if isinstance(rest, int) else None)
    small = minimum(x.shape[0], x.shape[1])
    return (
        TensorType(Shape((x.shape[1], *y.shape[1:])), dtype), TensorType(Shape((found,)), dtype.real), TensorType(Shape(), INT32),
        TensorType(Shape((small,)), dtype.real),
    )  # fmt: skip


def _normed(x: TensorType) -> DType | None:
    if x.dtype is None:
        return None
    return FLOAT64 if x.dtype.kind in "iub" else x.dtype.real


_ORDERS = Choice("ord", (None, 1, 2, float("inf"), -float("inf")), None, optional=True)


@takes(_ORDERS, Axes("dim", None))
def norm(a: dict[str, Any], run: Run) -> Any:
    """Without `ord` the norm of everything; one axis: of vectors; two: of matrices."""
    x, dim, order = a["x"], a["dim"], a["ord"]
    no_list(a, run)
    axes = None if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    rank = len(x.shape)
    if axes is None and order is not None:
        if rank not in (1, 2):
            raise run.refuse("rank", f"a norm of order {order!r} is one of a vector or a matrix, and this is {x.shape!r}", ("x",))
        axes = tuple(range(rank))
    if axes is not None and len(axes) not in (1, 2):
        raise run.refuse("axis", f"a norm goes over one axis or two, and {len(axes)} are named", ("dim",))
    if axes is not None and len(axes) == 1 and isinstance(order, str):
        raise run.refuse("ord", f"a vector has no norm {order!r}", ("ord",))
    if axes is not None and len(axes) == 2 and order not in (None, "fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")):
        raise run.refuse("ord", f"a matrix has no norm {order!r}", ("ord",))
    if order not in (None, "fro") and any(isinstance(n, int) and n == 0 for n in x.shape):
        raise run.give_up("a norm of an empty array")
    if order is not None and axes is not None:
        extremes = (float("inf"), -float("inf")) if len(axes) == 1 else (1, -1, 2, -2, float("inf"), -float("inf"))
        if order in extremes:
            at = axes if len(axes) == 1 or order in (2, -2) else (axes[1] if order in (1, -1) else axes[0],)
            for i in at if len(axes) == 1 else ():
                run.require("empty", ge(x.shape[i], 1), "an empty vector has no largest element", ("x",))
            if len(axes) == 2 and any(isinstance(x.shape[i], int) and x.shape[i] == 0 for i in axes):
                raise run.give_up("a norm of an empty matrix")
    made = run("sum", x=x, dim=axes, keepdim=a["keepdim"])
    return made.but(dtype=_normed(x), contents=None)


@takes(Choice("ord", (1, 2, 3), 2))
def vector_norm(a: dict[str, Any], run: Run) -> Any:
    no_list(a, run)
    return run("sum", x=a["x"], dim=a["dim"], keepdim=a["keepdim"]).but(dtype=_normed(a["x"]), contents=None)


@takes(Choice("ord", ("fro",), "fro"))
def matrix_norm(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) < 2:
        raise run.refuse("rank", f"a matrix has two axes, and this is {a['x'].shape!r}", ("x",))
    return norm({**a, "dim": (-2, -1)}, run)


@takes(_ORDERS)
def cond(a: dict[str, Any], run: Run) -> Any:
    no_halves(a, run)
    x = a["x"]
    if len(x.shape) < 2:
        raise run.refuse("rank", f"a matrix has two axes, and this is {x.shape!r}", ("x",))
    for n in x.shape[-2:]:
        run.require("empty", ge(n, 1), "an empty matrix has no condition number", ("x",))
    if a["ord"] not in (None, 2, -2):
        run.require("square", eq(x.shape[-1], x.shape[-2]), f"the inverse of a square matrix is taken, and this one is {x.shape!r}", ("x",))
    return TensorType(Shape(x.shape[:-2]), _normed(_floats(x)))


@takes(Int("n", None, least=1, optional=True), Ints("size", None, least=1, optional=True))
def fourier(a: dict[str, Any], run: Run) -> Any:
    """float16 and float32 are transformed in single precision."""
    x = a["x"]
    if x.dtype is FLOAT16:
        x = x.but(dtype=FLOAT32)
    elif x.dtype is not None and x.dtype.kind in "iub":
        x = x.but(dtype=FLOAT64, contents=None)
    if len(x.shape) == 0:
        if run.row.op in ("fftn", "ifftn") and a["dim"] is None and a["size"] is None:
            return a["x"]
        raise run.refuse("rank", "a number has no axis to transform", ("x",))
    if run.row.op.endswith("n") and isinstance(a["dim"], (tuple, list)) and len({d % len(x.shape) for d in a["dim"]}) < len(a["dim"]):
        raise run.give_up("an axis is transformed twice")
    if run.row.op.endswith("n") and a["dim"] is not None and not isinstance(a["dim"], (tuple, list)):
        raise run.refuse("axis", f"the axes are a list, and {a['dim']!r} is not", ("dim",))
    if x.dtype is not None and x.dtype.is_complex and run.row.op in ("rfft", "rfftn", "ihfft"):
        raise run.refuse("dtype", f"{run.row.op} takes real numbers", ("x",))
    word(run, a, "norm", (None, "backward", "ortho", "forward"))
    b = {**a, "x": x}
    if isinstance(a.get("size"), (tuple, list)):
        axes = a["dim"] if a["dim"] is not None else tuple(range(-len(a["size"]), 0))
        if len(axes) == len(a["size"]) and all(-len(x.shape) <= d < len(x.shape) for d in axes):
            b["size"] = tuple(x.shape[d] if n == -1 else n for n, d in zip(a["size"], axes))
    if run.row.op == "irfftn" and x.dtype is not None and not x.dtype.is_complex:
        b["x"] = x.but(dtype=x.dtype.complexified)
    return written(run.default(b), a, run)


def shifted(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) == 0:
        raise run.refuse("rank", "a number has no axis", ("x",))
    return run.default(a)


def vecdot(a: dict[str, Any], run: Run) -> Any:
    """The axis counts in each operand by itself; the others broadcast."""
    x, y, dim = a["x"], a["y"], a["dim"]
    moved_: list[TensorType] = []
    for name, v in (("x", x), ("y", y)):
        if not -len(v.shape) <= dim < len(v.shape):
            raise run.refuse("axis", f"axis {dim} is out of range for {name} {v.shape!r}", ("dim", name))
        at = dim % len(v.shape)
        moved_.append(v.but(shape=Shape((*v.shape[:at], *v.shape[at + 1 :], v.shape[at])), contents=None))
    p, q = moved_
    run.require(
        "inner", eq(p.shape[-1], q.shape[-1]), f"vectors of {p.shape[-1]!r} and {q.shape[-1]!r} elements have no dot product", ("x", "y")
    )
    made = run("mul", x=p, y=q)
    return written(typed(made.but(shape=Shape(made.shape[:-1])), a, run), a, run)


@takes(Int("n", least=1))
def frequencies(a: dict[str, Any], run: Run) -> Any:
    run.require("n", ne(a["n"], 0), "a window of no samples has no frequencies", ("n",))
    if isinstance(a["n"], int) and a["n"] < 0:
        raise run.give_up("a negative number of samples")
    run.require("spacing", a["d"] != 0, "the spacing of samples must not be 0", ("d",))
    return run.default({**a, "dtype": FLOAT64})

"""NumPy's products, numpy.linalg and numpy.fft."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import tensor, typed, written
from tensorproof.bindings.adapt.numpy.reductions import no_list, word
from tensorproof.bindings.adapt.torch import linalg as of_torch
from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.inputs import Int, Ints
from tensorproof.terms import BOOL, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, DType, Operand, Shape, TensorType, eq, ge, gt, minimum, ne, promote


def product(a: dict[str, Value], run: Run) -> Any:
    return written(run.default({k: v if k not in ("x", "y") else typed(tensor(v), a, run) for k, v in a.items() if k != "dtype"}), a, run)


def dot(a: dict[str, Value], run: Run) -> Value:
    """Numbers scale, over no axis; else the last axis of x with the last but one of y."""
    x, y = tensor(a["x"]), tensor(a["y"])
    ours, theirs = ((len(x.shape) - 1,), (max(len(y.shape) - 2, 0),)) if len(x.shape) and len(y.shape) else ((), ())
    return written(run("tensordot", x=x, y=y, dim=ours, dim2=theirs), a, run)


def tensordot(a: dict[str, Value], run: Run) -> Value:
    """NumPy compares the sizes pair by pair, and stops at the first that differ or that there is not."""
    x, y, dims = tensor_in(a, "x"), tensor_in(a, "y"), a["dims"]
    if isinstance(dims, int) and len(x.shape) >= dims > len(y.shape):
        for n, m in zip(x.shape[len(x.shape) - dims :], y.shape):
            run.require("tensordot/axes", eq(n, m), f"the last {dims} axes of {x.shape!r} do not fit the first of {y.shape!r}", ("dims", "x", "y"))
    return of_torch.tensordot(a, run)


def multi_dot(a: dict[str, Value], run: Run) -> Value:
    """Two arrays are given to dot, which takes any ranks."""
    return written(run("multi_dot", xs=a["xs"], two_of_any_rank=True), a, run)


def cross(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor_in(a, "x"), tensor_in(a, "y")
    if (a["axisa"], a["axisb"], a["axisc"], a["axis"]) not in ((-1, -1, -1, None), (-1, -1, -1, -1)):
        raise run.give_up("other axes than the last")
    if len(x.shape) == 0 or len(y.shape) == 0:
        raise run.refuse("rank", "vectors have an axis", ("x", "y"))
    for name, v in (("x", x), ("y", y)):
        if isinstance(v.shape[-1], int) and v.shape[-1] == 2:
            raise run.give_up("vectors of two components")
        run.require("size", eq(v.shape[-1], 3), f"a vector has 3 components, and {name} has {v.shape[-1]!r}", (name,))
    made = run("cross", x=x, y=y, dim=-1)
    if x.dtype is BOOL and y.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x", "y"))
    return made


def cross3(a: dict[str, Value], run: Run) -> TensorType:
    x, y, dim = tensor_in(a, "x"), tensor_in(a, "y"), a["dim"]
    if dim != -1:
        raise run.give_up("another axis than the last")
    return cross({"x": x, "y": y, "axisa": -1, "axisb": -1, "axisc": -1, "axis": None}, run)


@takes(*getattr(of_torch.einsum, "parameters", {}).values())
def einsum(a: dict[str, Value], run: Run) -> Value:
    """Operands may be numbers."""
    operands = a["operands"]
    numbers = tuple(map(_operand, operands)) if isinstance(operands, tuple) else operands
    return written(typed(of_torch.einsum({**a, "equation": _operand(a["equation"]), "operands": numbers}, run), a, run), a, run)


def _operand(value: Value) -> Value:
    return tensor(value) if isinstance(value, (int, float, complex)) else value


def no_halves(a: dict[str, Value], run: Run) -> None:
    for name in ("x", "y"):
        v = a.get(name)
        if isinstance(v, TensorType) and v.dtype is FLOAT16:
            raise run.refuse("dtype", "numpy.linalg takes no float16", (name,))


def _floats(x: TensorType, run: Run) -> TensorType:
    """Whole numbers are computed as float64."""
    return _as(x, FLOAT64, run) if x.dtype is not None and x.dtype.kind in "iub" else x


def _as(x: TensorType, dtype: DType | None, run: Run) -> TensorType:
    if dtype is None or x.dtype is dtype:
        return x
    return run("cast", x=x, dtype=dtype)


def linalg(a: dict[str, Any], run: Run) -> Value:
    no_halves(a, run)
    b = {k: _floats(v, run) if isinstance(v, TensorType) else v for k, v in a.items()}
    if "y" in b and isinstance(b["x"], TensorType) and b["x"].dtype is not None and b["y"].dtype is not None:
        common = promote("numpy", [Operand(b["x"].dtype), Operand(b["y"].dtype)])
        b["x"], b["y"] = _as(b["x"], common, run), _as(b["y"], common, run)
    if run.row.op in ("eigh", "eigvalsh") and isinstance(a.get("triangle"), str) and a["triangle"].upper() not in ("L", "U"):
        raise run.refuse("triangle", f"UPLO must be 'L' or 'U', and is {a['triangle']!r}", ("triangle",))
    return run.default(b)


def qr(a: dict[str, Value], run: Run) -> Value:
    no_halves(a, run)
    if a["mode"] == "raw":
        raise run.give_up("mode='raw'")
    word(run, a, "mode", ("reduced", "complete", "r"))
    made = run("qr", x=_floats(tensor_in(a, "x"), run), mode=a["mode"])
    return made[1] if a["mode"] == "r" else made


def svd(a: dict[str, Value], run: Run) -> Value:
    no_halves(a, run)
    x = _floats(tensor_in(a, "x"), run)
    return run("svd", x=x, full_matrices=a["full_matrices"]) if a["compute_uv"] else run("svdvals", x=x)


def eig(a: dict[str, Value], run: Run) -> Value:
    """Real where all eigenvalues are: the element type is unknown."""
    no_halves(a, run)
    given = tensor_in(a, "x")
    x = _floats(given, run)
    if given.dtype is not None and given.dtype.is_complex:
        return run(run.row.op, x=x)
    return run.typed(run.row.op, None, x=x)


def _hermitian(a: dict[str, Value], run: Run) -> None:
    shape = tensor_in(a, "x").shape
    if a.get("hermitian") and any(isinstance(n, int) and n == 0 for n in shape):
        raise run.give_up("an empty hermitian matrix")
    if a.get("hermitian") and len(shape) >= 2:
        run.require("square", eq(shape[-1], shape[-2]), f"a hermitian matrix is square, and this one is {shape!r}", ("x",))


def _tolerance(a: dict[str, Value]) -> Value:
    return a["rtol"] if a.get("rtol") is not None else a.get("rcond")


def pinv(a: dict[str, Value], run: Run) -> TensorType:
    no_halves(a, run)
    _hermitian(a, run)
    return run("pinv", x=_floats(tensor_in(a, "x"), run), rtol=_tolerance(a), hermitian=bool(a["hermitian"]))


def matrix_rank(a: dict[str, Value], run: Run) -> TensorType:
    """The rank of what is no matrix: 0 where all is zero, else 1."""
    no_halves(a, run)
    x = tensor_in(a, "x")
    _hermitian(a, run)
    if len(x.shape) < 2:
        return run("cast", x=run("any", x=x), dtype=INT64)
    return run.typed("matrix_rank", INT64, x=_floats(x, run), atol=a["tol"], rtol=a["rtol"], hermitian=bool(a["hermitian"]))


def lstsq(a: dict[str, Value], run: Run) -> Value:
    no_halves(a, run)
    x, y = _floats(tensor_in(a, "x"), run), _floats(tensor_in(a, "y"), run)
    if len(x.shape) != 2 or len(y.shape) not in (1, 2):
        raise run.refuse("rank", f"a matrix and a vector or a matrix are wanted, and they are {x.shape!r} and {y.shape!r}", ("x", "y"))
    run.require("rows", eq(x.shape[0], y.shape[0]), f"x has {x.shape[0]!r} rows and y {y.shape[0]!r}", ("x", "y"))
    dtype = promote("numpy", [Operand(x.dtype or FLOAT64), Operand(y.dtype or FLOAT64)])
    assert dtype is not None
    rest = y.shape[1] if len(y.shape) == 2 else 1
    spare = gt(x.shape[0], x.shape[1])  # without equations to spare there are no residuals
    found = 0 if spare is False else run.fresh("residuals", 0, rest if isinstance(rest, int) else None)
    shapes = [Shape((x.shape[1], *y.shape[1:])), Shape((found,)), Shape(), Shape((minimum(x.shape[0], x.shape[1]),))]
    types = (dtype, dtype.real, INT32, dtype.real)
    return tuple(run.shaped("lstsq", shapes, *types, x=_as(x, dtype, run), y=_as(y, dtype, run), rcond=a["rcond"], driver="gelsd"))


def _normed(x: TensorType) -> DType | None:
    if x.dtype is None:
        return None
    return FLOAT64 if x.dtype.kind in "iub" else x.dtype.real


_MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf"))


def _check_matrix_order(x: TensorType, order: Value, axes: tuple[int, ...], run: Run) -> None:
    if order not in _MATRIX_ORDERS:
        raise run.refuse("ord", f"a matrix has no norm {order!r}", ("ord",))
    if order not in (None, "fro") and any(isinstance(n, int) and n == 0 for n in x.shape):
        raise run.give_up("a norm of an empty array")


def norm(a: dict[str, Value], run: Run) -> TensorType:
    """Without `ord` the norm of everything; one axis: of vectors; two: of matrices."""
    x, dim, order = tensor_in(a, "x"), a["dim"], a["ord"]
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
    if axes is not None and len(axes) == 2:
        _check_matrix_order(x, order, axes, run)
    if order not in (None, "fro") and any(isinstance(n, int) and n == 0 for n in x.shape):
        raise run.give_up("a norm of an empty array")
    if order in (float("inf"), -float("inf")) and axes is not None and len(axes) == 1:
        run.require("empty", ge(x.shape[axes[0]], 1), "an empty vector has no largest element", ("x",))
    if axes is not None and len(axes) == 2 and order not in (None, "fro"):
        return _norm_of_matrices(x, order, axes, bool(a["keepdim"]), run)
    number = 2 if order in (None, "fro") else order
    return run.typed("vector_norm", _normed(x), x=x, ord=number, dim=axes, keepdim=a["keepdim"])


def _norm_of_matrices(x: TensorType, order: Value, axes: tuple[int, ...], keepdim: bool, run: Run) -> TensorType:
    """An extreme of the columns' or rows' sums, or a norm of the singular values."""
    rank, dtype = len(x.shape), _normed(x)
    for axis in axes:
        if not -rank <= axis < rank:
            raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim", "x"))
    row, column = (axis % rank for axis in axes)
    if row == column:
        raise run.refuse("axis", f"a matrix has two axes, and {axes!r} names one twice", ("dim",))
    if order in (1, -1, float("inf"), -float("inf")):
        summed, searched = (row, column) if order in (1, -1) else (column, row)
        sums = run.typed("vector_norm", dtype, x=x, ord=1, dim=(summed,), keepdim=True)
        made = run("amax" if order > 0 else "amin", x=sums, dim=(searched,), keepdim=True)
        return made if keepdim else run("squeeze", x=made, dim=(row, column))
    values = run.typed("svdvals", dtype, x=run("movedim", x=x, source=(row, column), target=(-2, -1)))
    made = run.typed("vector_norm", dtype, x=values, ord={2: float("inf"), -2: -float("inf"), "nuc": 1}[order], dim=(-1,))
    for axis in sorted((row, column)) if keepdim else ():
        made = run("unsqueeze", x=made, dim=axis)
    return made


def vector_norm(a: dict[str, Value], run: Run) -> TensorType:
    no_list(a, run)
    return run.typed("vector_norm", _normed(tensor_in(a, "x")), x=a["x"], ord=a["ord"], dim=a["dim"], keepdim=a["keepdim"])


def matrix_norm(a: dict[str, Value], run: Run) -> TensorType:
    x, order = tensor_in(a, "x"), a["ord"]
    if len(x.shape) < 2:
        raise run.refuse("rank", f"a matrix has two axes, and this is {x.shape!r}", ("x",))
    _check_matrix_order(x, order, (-2, -1), run)
    return run.typed("matrix_norm", _normed(x), x=x, ord="fro" if order is None else order, keepdim=a["keepdim"])


def cond(a: dict[str, Value], run: Run) -> TensorType:
    no_halves(a, run)
    x = tensor_in(a, "x")
    if len(x.shape) < 2:
        raise run.refuse("rank", f"a matrix has two axes, and this is {x.shape!r}", ("x",))
    for n in x.shape[-2:]:
        run.require("empty", ge(n, 1), "an empty matrix has no condition number", ("x",))
    if a["ord"] not in (None, 2, -2):
        run.require("square", eq(x.shape[-1], x.shape[-2]), f"the inverse of a square matrix is taken, and this one is {x.shape!r}", ("x",))
    return run.typed("cond", _normed(x), x=_floats(x, run), ord=a["ord"])


@takes(Int("n", None, least=1, optional=True), Ints("size", None, least=1, optional=True))
def fourier(a: dict[str, Any], run: Run) -> Value:
    """float16 and float32 are transformed in single precision."""
    x, several = tensor_in(a, "x"), run.row.op.endswith("n")
    if run.row.op in ("fftn", "ifftn") and _no_axes(a):
        return run.typed(run.row.op, x.dtype, x=x, dim=())
    x = _as(x, FLOAT32, run) if x.dtype is FLOAT16 else _floats(x, run)
    if several and a["dim"] is not None and not isinstance(a["dim"], (tuple, list)):
        raise run.refuse("axis", f"the axes are a list, and {a['dim']!r} is not", ("dim",))
    axes = _transformed(a, run)
    if len({d % len(x.shape) for d in axes}) < len(axes):
        raise run.give_up("an axis is transformed twice")
    if x.dtype is not None and x.dtype.is_complex and run.row.op in ("rfft", "rfftn", "ihfft"):
        raise run.refuse("dtype", f"{run.row.op} takes real numbers", ("x",))
    word(run, a, "norm", (None, "backward", "ortho", "forward"))
    b = {**a, "x": x}
    if isinstance(a.get("size"), (tuple, list)):
        b["size"] = tuple(x.shape[d] if n == -1 else n for n, d in zip(a["size"], axes))
    if run.row.op == "irfftn" and x.dtype is not None and not x.dtype.is_complex:
        b["x"] = _as(x, x.dtype.complexified, run)
    made = run.one(b)
    if tensor_in(a, "x").dtype is FLOAT16 and made.dtype is FLOAT32 and (not several or _one_axis(a)):
        made = _as(made, FLOAT16, run)  # real numbers are given in the precision of what came in
    return written(made, a, run)


def _transformed(a: dict[str, Any], run: Run) -> tuple[int, ...]:
    """The axes. NumPy counts lengths that are given before it looks at the axes, and asks the shape for those that are not."""
    rank, dim = len(a["x"].shape), a["dim"]
    sizes = a.get("size") if run.row.op.endswith("n") else None if a["n"] is None else (a["n"],)
    axes = (dim,) if isinstance(dim, int) else tuple(range(rank) if sizes is None else range(-len(sizes), 0)) if dim is None else tuple(dim)
    if sizes is not None and len(sizes) != len(axes):
        raise run.refuse("size", f"size names {len(sizes)} lengths for {len(axes)} axes", ("size", "dim"))
    if rank == 0 and not axes:
        raise run.refuse("rank", "a number has no axis to transform", ("x",))
    for at, axis in enumerate(axes):
        if not -rank <= axis < rank:
            length = None if sizes is None or (not isinstance(dim, int) and sizes[at] == -1) else sizes[at]
            says = f"axis {axis} has no length" if length is None else f"axis {axis} cannot be made {length!r} long"
            code, about = ("rank", ("x",)) if rank == 0 else ("size", ("size", "x")) if dim is None else ("axis", ("dim", "x"))
            raise run.refuse(code, f"{says}: x has {rank} dimensions", about)
    return axes


def _one_axis(a: dict[str, Value]) -> bool:
    given = a["dim"] if a["dim"] is not None else a["size"]
    return len(given) == 1 if isinstance(given, (tuple, list)) else len(tensor_in(a, "x").shape) == 1


def _no_axes(a: dict[str, Value]) -> bool:
    """Whether nothing is transformed."""
    size, dim = a["size"], a["dim"]
    number = len(tensor_in(a, "x").shape) == 0
    return (number and size is None and dim is None) or (dim is None and size in ((), [])) or (dim in ((), []) and size in (None, (), []))


def vecdot(a: dict[str, Any], run: Run) -> Value:
    """The axis counts in each operand by itself; the others broadcast."""
    dim = a["dim"]
    moved: list[TensorType] = []
    for name in ("x", "y"):
        v = a[name]
        if not -len(v.shape) <= dim < len(v.shape):
            raise run.refuse("axis", f"axis {dim} is out of range for {name} {v.shape!r}", ("dim", name))
        v = typed(v, a, run)
        moved.append(v if dim % len(v.shape) == len(v.shape) - 1 else run("movedim", x=v, source=(dim,), target=(-1,)))
    p, q = (v.shape[-1] for v in moved)
    run.require("inner", eq(p, q), f"vectors of {p!r} and {q!r} elements have no dot product", ("x", "y"))
    return written(run("vecdot", x=moved[0], y=moved[1], dim=-1), a, run)


def frequencies(a: dict[str, Any], run: Run) -> Value:
    run.require("n", ne(a["n"], 0), "a window of no samples has no frequencies", ("n",))
    if isinstance(a["n"], int) and a["n"] < 0:
        raise run.give_up("a negative number of samples")
    run.require("spacing", a["d"] != 0, "the spacing of samples must not be 0", ("d",))
    return run.default({**a, "dtype": FLOAT64})

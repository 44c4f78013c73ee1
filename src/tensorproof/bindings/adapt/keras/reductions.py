"""Functions of `keras.ops` that reduce, count, order or bin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.bindings.adapt.keras.ops import as_float, asked, common, has_axis
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.steps import Steps
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.ops.inputs import is_size
from tensorproof.terms import BOOL, FLOAT32, FLOAT64, INT32, INT64, PY_FLOAT, UINT32, DType, Shape, TensorType, conj, eq, ge, le, lt, product


def over(run: Run, op: str, dtype: DType | None, a: dict[str, Value], **more: Value) -> TensorType:
    """Apply a reduction; no axes at all leave every element as it is, which is the reduction of a new axis."""
    if a["dim"] in ((), []):
        return run.typed(op, dtype, x=run("unsqueeze", x=a["x"], dim=-1), dim=(-1,), **more)
    return run.typed(op, dtype, x=a["x"], dim=a["dim"], keepdim=a.get("keepdim", False), **more)


def _checked(a: dict[str, Value], run: Run) -> DType | None:
    """The element type of x, which has the axes that are named."""
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    return x.dtype


def summed(a: dict[str, Value], run: Run) -> TensorType:
    """Sums and products of small whole numbers are widened to 32 bits."""
    return over(run, run.row.op, asked(a, _widened(_checked(a, run))), a)


def _widened(dtype: DType | None) -> DType | None:
    if dtype is None or not (dtype is BOOL or dtype.is_integer) or dtype.bits >= 32:
        return dtype
    return UINT32 if dtype.kind == "u" else INT32


def nanprod(a: dict[str, Value], run: Run) -> TensorType:
    dtype = _checked(a, run)
    if dtype is None or not dtype.is_float:
        return over(run, "prod", _widened(dtype), a)
    whole = run.typed("where", dtype, condition=run.typed("isnan", BOOL, x=a["x"]), x=1, y=a["x"])
    return over(run, "prod", dtype, {**a, "x": whole})


def _reduced(rule: Callable[[DType | None], DType | None], **more: Value) -> Callable[[dict[str, Value], Run], TensorType]:
    """The row's reduction, its result of the element type that a rule makes of that of x."""
    return lambda a, run: over(run, run.row.op, rule(_checked(a, run)), a, **more)


averaged = _reduced(as_float)
spread = _reduced(as_float, correction=0)
span = _reduced(lambda dtype: dtype, empty=True)
truth = _reduced(lambda dtype: BOOL)
count_nonzero = _reduced(lambda dtype: INT32)


def extreme(a: dict[str, Value], run: Run) -> TensorType:
    """`initial` counts as one more element, and is all that there is of an empty array."""
    dtype = _checked(a, run)
    initial = a.get("initial")
    made = over(run, run.row.op, dtype, a, **({} if initial is None else {"empty": True}))
    return made if initial is None else run.typed("maximum" if run.row.op == "amax" else "minimum", dtype, x=made, y=initial)


def arg(a: dict[str, Value], run: Run) -> TensorType:
    _checked(a, run)
    return run.typed(run.row.op, INT32, x=a["x"], dim=a["dim"], keepdim=a["keepdim"])


def nanarg(a: dict[str, Value], run: Run) -> TensorType:
    """-1 where every element is NaN."""
    dtype = _checked(a, run)
    if dtype is None or not dtype.is_float:
        return arg(a, run)
    missing = run.typed("isnan", BOOL, x=a["x"])
    worst = float("-inf") if run.row.op == "argmax" else float("inf")
    found = arg({**a, "x": run.typed("where", dtype, condition=missing, x=worst, y=a["x"])}, run)
    none = run.typed("all", BOOL, x=missing, dim=a["dim"], keepdim=a["keepdim"])
    return run.typed("where", INT32, condition=none, x=-1, y=found)


def average(a: dict[str, Value], run: Run) -> TensorType:
    _checked(a, run)
    return over(run, "mean", common(tensor_in(a, "x"), more=(PY_FLOAT,)), a)


def weighted_average(a: dict[str, Any], run: Run) -> TensorType:
    """The sum of the products over the sum of the weights."""
    x, w = tensor(a["x"]), a["weights"]
    if w is None:
        return average(a, run)
    has_axis(run, x, a["dim"])
    dtype = common(x, w, more=(PY_FLOAT,))
    alike = len(w.shape) == len(x.shape)
    if not alike and (a["dim"] is None or len(w.shape) != 1):
        raise run.refuse("weights", f"weights {w.shape!r} do not fit x {x.shape!r}", ("weights", "x"))
    along: Any = a["dim"]
    for n, m in zip(w.shape, x.shape if alike else [x.shape[along]]):
        run.require("weights", eq(n, m), f"weights {w.shape!r} do not fit x {x.shape!r}", ("weights", "x"))
    laid = w if alike else run("reshape", x=w, size=tuple(w.shape[0] if i == along % len(x.shape) else 1 for i in range(len(x.shape))))
    total = run.typed("sum", dtype, x=run.typed("mul", dtype, x=x, y=laid), dim=along)
    return run.typed("div", dtype, x=total, y=run.typed("sum", dtype, x=w, dim=along if alike else None))


def quantile(a: dict[str, Value], run: Run) -> TensorType:
    q = tensor(a["q"])
    run.require("rank", len(q.shape) <= 1, f"the fractions are a number or a vector, and are {q.shape!r}", ("q",))
    share = a["q"]
    if run.row.name.endswith("percentile"):
        share = share / 100 if isinstance(share, (int, float)) else run.typed("div", FLOAT32, x=q, y=100)
    return _quantile(a, share, run)


def median(a: dict[str, Value], run: Run) -> TensorType:
    """The mean of the two middle elements where their number is even."""
    _checked(a, run)
    return _quantile(a, 0.5, run)


def _quantile(a: dict[str, Value], q: Value, run: Run) -> TensorType:
    """Over one axis, or over several or all as if they were one; the axis of q comes first."""
    x, dim, keep = tensor(a["x"]), a["dim"], a["keepdim"]
    dtype = as_float(x.dtype)
    rule = {"interpolation": a.get("method", "linear")}
    if run.row.op == "nanquantile" and 0 in x.shape:
        raise run.give_up("an array without elements")
    if dim in ((), []):
        return run.typed(run.row.op, dtype, x=run("unsqueeze", x=x, dim=-1), q=q, dim=-1, **rule)
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else None if dim is None else (dim,)
    if axes is None or len(axes) == 1:
        return run.typed(run.row.op, dtype, x=x, q=q, dim=None if axes is None else axes[0], keepdim=keep, **rule)
    if not x.shape.known:
        raise run.give_up("the rank is not known")
    rank = len(x.shape)
    if any(not -rank <= d < rank for d in axes):
        raise run.refuse("axis", f"dim = {dim!r} is out of range: x has {rank} dimensions", ("dim", "x"))
    gone = [d % rank for d in axes]
    left = [i for i in range(rank) if i not in gone]
    turned = run("permute", x=x, dim=(*left, *gone))
    whole = run("reshape", x=turned, size=(*(x.shape[i] for i in left), product(x.shape[i] for i in gone)))
    made = run.typed(run.row.op, dtype, x=whole, q=q, dim=-1, **rule)
    if not keep:
        return made
    lead = tensor(q).shape
    return run("reshape", x=made, size=(*lead, *(1 if i in gone else n for i, n in enumerate(x.shape))))


def cumulative(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    dtype = asked(a, x.dtype)
    x = x if dtype is not BOOL or x.dtype is BOOL else run("cast", x=x, dtype=BOOL)
    flat_x, dim = (run("reshape", x=x, size=(x.shape.numel,)), 0) if a["dim"] is None else (x, a["dim"])
    return run.typed(run.row.op, INT32 if dtype is BOOL else dtype, x=flat_x, dim=dim)


def nancumulative(a: dict[str, Value], run: Run) -> TensorType:
    """NaN counts as nothing."""
    x = tensor(a["x"])
    clean = run.typed("nan_to_num", x.dtype, x=x, nan=0.0 if run.row.op == "cumsum" else 1.0)
    return cumulative({**a, "x": clean}, run)


def trapezoid(a: dict[str, Any], run: Run) -> TensorType:
    y, x = tensor(a["y"]), a["x"]
    dtype = as_float(y.dtype)
    y = run("cast", x=y, dtype=dtype) if y.dtype is not dtype else y
    if x is None:
        return run.typed("trapezoid", dtype, y=y, dx=a["dx"], dim=a["dim"])
    fits = len(y.shape) > 0 and (tuple(x.shape) == tuple(y.shape) or (len(x.shape) == 1 and x.shape[0] == y.shape[a["dim"]]))
    if not fits:
        raise run.give_up("places that broadcast against the values")
    x = run("cast", x=x, dtype=dtype) if x.dtype is not dtype else x
    return run.typed("trapezoid", dtype, y=y, x=x, dim=a["dim"])


def sorted(a: dict[str, Value], run: Run) -> TensorType:
    has_axis(run, tensor(a["x"]), a["dim"])
    return run("sort", x=a["x"], dim=a["dim"])[0]


def argsorted(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor(a["x"])
    x, dim = (run("reshape", x=x, size=(x.shape.numel,)), 0) if a["dim"] is None else (x, a["dim"])
    return run.typed("argsort", INT32, x=x, dim=dim)


def searchsorted(a: dict[str, Value], run: Run) -> TensorType:
    if len(tensor_in(a, "x").shape) != 1:
        raise run.refuse("rank", f"places are sought in a vector, and it is {tensor_in(a, 'x').shape!r}", ("x",))
    word(run, a, "side", ("left", "right"))
    n = tensor_in(a, "x").shape[0]
    dtype = INT64 if isinstance(n, int) and n >= 2**31 else INT32
    return run.typed("searchsorted", dtype, x=a["x"], y=a["y"], right=a["side"] == "right")


def bincount(a: dict[str, Any], run: Run) -> TensorType:
    x, w = tensor_in(a, "x"), a["weight"]
    dtype = None if w is None else common(w, x) if w.dtype is None else w.dtype if w.dtype.is_float else None
    if len(x.shape) <= 1:
        least = max(a["minlength"], 0) if isinstance(a["minlength"], int) else a["minlength"]
        return run.typed("bincount", dtype, x=x if len(x.shape) else run("reshape", x=x, size=(1,)), weight=w, minlength=least)
    hot = run.typed("one_hot_axis", dtype, x=x, depth=run.fresh("counts", 0))
    if w is not None:
        hot = run.typed("mul", dtype, x=hot, y=run("unsqueeze", x=w, dim=-1))
    return run.typed("sum", dtype, x=hot, dim=-2)


def histogram(a: dict[str, Any], run: Run) -> Value:
    if not is_size(a["bins"]):
        raise run.refuse("bins", "the number of bins is a whole number", ("bins",))
    run.require("bins", ge(a["bins"], 1), f"there must be at least one bin, and there are {a['bins']!r}", ("bins",))
    dtype = tensor_in(a, "x").dtype
    dtype = dtype if dtype is not None and dtype.is_float else None
    return tuple(run.typed("histogram", dtype, dtype, x=a["x"], bins=a["bins"], range=a["range"]))


def corrcoef(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    if len(x.shape) > 2:
        raise run.refuse("rank", f"observations are a matrix, and they are {x.shape!r}", ("x",))
    dtype = FLOAT64 if x.dtype is INT64 else as_float(x.dtype)
    if len(x.shape) < 2:
        return run.typed("corrcoef", dtype, x=x, whole_mean=x.dtype is INT64)
    n = x.shape[0]
    if n == 1:  # one variable gives a matrix too
        return run("reshape", x=run.typed("corrcoef", dtype, x=x, whole_mean=x.dtype is INT64), size=(1, 1))
    return run.shaped("corrcoef", Shape((n, n)), dtype, x=x, whole_mean=x.dtype is INT64)


def correlate(a: dict[str, Value], run: Run) -> TensorType:
    x, y = tensor_in(a, "x"), tensor_in(a, "y")
    if a["mode"] == "valid" and len(x.shape) == len(y.shape) == 1 and lt(x.shape[0], y.shape[0]) is True:
        raise run.give_up("a vector that is shorter than the one it is correlated with: TensorFlow refuses it or reads beyond its end")
    dtype = common(x, y)
    dtype = dtype if dtype is None or dtype.is_float else FLOAT64 if dtype is INT64 else FLOAT32
    x, y = (v if v.dtype is dtype or dtype is None else run("cast", x=v, dtype=dtype) for v in (x, y))
    return run.typed("convolve_vectors", dtype, x=x, y=run("flip", x=y), mode=a["mode"], padded=a["mode"] == "full")


def unique(a: dict[str, Any], run: Run) -> Value:
    x = tensor(a["x"])
    if a.get("size") is not None:
        raise run.give_up("a fixed number of values")
    axis = a["dim"]
    if axis is not None and not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    asked_for = {k: bool(a[k]) for k in ("return_index", "return_inverse", "return_counts")}
    made = run.typed("unique", x.dtype, None, None, None, x=x, dim=axis, sorted=bool(a["sorted"]), empty_slices=True, **asked_for)
    return tuple(made) if isinstance(made, tuple) else made


def segment(a: dict[str, Value], run: Run) -> TensorType:
    x, index = tensor_in(a, "x"), tensor_in(a, "index")
    if len(index.shape) != 1 or len(x.shape) < 1:
        raise run.refuse("rank", f"the segments are a vector, and they are {index.shape!r}", ("index",))
    run.require("count", eq(index.shape[0], x.shape[0]), f"{index.shape[0]!r} segments are named for {x.shape[0]!r} rows", ("index", "x"))
    n = run.fresh("segments", 0) if a["classes"] is None else a["classes"]
    with Steps(run, x.dtype).settled():
        return run.typed("unsorted_segment", x.dtype, x=x, index=index, count=n, reduction=a["reduction"])


def top_k(a: dict[str, Any], run: Run) -> Value:
    x = tensor(a["x"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "a number has no largest elements", ("x",))
    run.require("k", conj(ge(a["k"], 0), le(a["k"], x.shape[-1])), f"{a['k']!r} elements are wanted of {x.shape[-1]!r}", ("k", "x"))
    return tuple(run.typed("topk", x.dtype, INT32, x=x, k=a["k"], dim=-1, sorted=bool(a["sorted"])))


def in_top_k(a: dict[str, Value], run: Run) -> TensorType:
    target, x = tensor_in(a, "target"), tensor_in(a, "x")
    if len(target.shape) != 1 or len(x.shape) != 2:
        raise run.refuse("rank", f"targets are a vector and predictions a matrix, and are {target.shape!r} and {x.shape!r}", ("target", "x"))
    run.require("batch", eq(target.shape[0], x.shape[0]), f"there are {target.shape[0]!r} targets and {x.shape[0]!r} predictions", ("target", "x"))
    known = target.contents
    if x.shape[1] == 0 or (known is not None and not all(isinstance(v, int) and ge(v, 0) is True and lt(v, x.shape[1]) is True for v in known)):
        raise run.give_up("targets that may be no classes")
    own = run("gather", x=x, index=run("unsqueeze", x=target, dim=1), dim=1)
    better = run.typed("count_nonzero", INT32, x=run.typed("gt", BOOL, x=x, y=own), dim=1)
    return run.typed("lt", BOOL, x=better, y=a["k"])


def logsumexp(a: dict[str, Value], run: Run) -> TensorType:
    return over(run, "logsumexp", tensor(a["x"]).dtype, a)

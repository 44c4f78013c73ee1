"""NumPy's reductions, scans, sorts and statistics, with its own element types."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy_arrays import flat, tensor, typed, written
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Axis, Int, Number, Tensor, is_number, is_size
from tensorproof.terms.dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, INT64
from tensorproof.terms.ints import Term, maximum
from tensorproof.terms.predicates import conj, disj, eq, ge, le, lt
from tensorproof.terms.promotion import Operand, promote
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def _masked(a: dict[str, Any], run: Run) -> None:
    mask = a.get("where")
    if isinstance(mask, TensorType):
        run("where", condition=mask.but(dtype=BOOL), x=a["x"], y=a["x"])


def no_list(a: dict[str, Any], run: Run) -> None:
    """NumPy takes a tuple of axes, and no list."""
    if isinstance(a.get("dim"), list):
        raise run.refuse("axis", f"several axes are given as a tuple, not as the list {a['dim']!r}", ("dim",))


def reduced(a: dict[str, Any], run: Run) -> Any:
    _masked(a, run)
    no_list(a, run)
    x: TensorType = a["x"]
    if (
        run.row.name.endswith("nanmean")
        and a["dtype"] is not None
        and x.dtype is not None
        and x.dtype.kind in "fc"
        and a["dtype"].kind not in "fc"
    ):
        raise run.refuse("dtype", f"the mean of {x.dtype!r} is no {a['dtype']!r}", ("x", "dtype"))
    if run.row.op in ("amax", "amin") and is_number(a.get("initial")):
        return written(run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"]).but(dtype=x.dtype), a, run)
    if a["dim"] in ((), []) and x.shape.known:
        return written(run.default({**a, "dim": None}).but(shape=x.shape, contents=None), a, run)
    if run.row.name.endswith("ptp") and x.dtype is BOOL:
        raise run.refuse("dtype", "the extent of truth values is not defined: NumPy does not subtract them", ("x",))
    return written(run.default(a), a, run)


@takes(Number("ddof", 0), Number("correction", None, optional=True))
def spread(a: dict[str, Any], run: Run) -> Any:
    _masked(a, run)
    no_list(a, run)
    if a.get("correction") is not None and a["ddof"] != 0:
        raise run.refuse("correction", "ddof and correction say the same thing: give one of them", ("ddof", "correction"))
    correction = a["ddof"] if a.get("correction") is None else a["correction"]
    if a["dim"] in ((), []) and a["x"].shape.known:
        return a["x"].but(dtype=run(run.row.op, x=a["x"], dim=None).dtype, contents=None)
    made = run(run.row.op, x=a["x"], dim=a["dim"], keepdim=a["keepdim"], correction=correction)
    return written(typed(made, a, run), a, run)


def arg(a: dict[str, Any], run: Run) -> Any:
    if isinstance(a["dim"], (tuple, list)):
        raise run.refuse("axis", "one axis is searched, not several", ("dim",))
    return written(run.default(a), a, run)


def middle(a: dict[str, Any], run: Run) -> Any:
    """The median: whole numbers become float64."""
    return _float(a, run, run("sum", x=a["x"], dim=a["dim"], keepdim=a["keepdim"]))


def _float(a: dict[str, Any], run: Run, made: TensorType) -> Any:
    dtype = a["x"].dtype
    return written(made.but(dtype=dtype if dtype is None or dtype.kind in "fc" else FLOAT64, contents=None), a, run)


@takes(Tensor("q", "Q | ", values="unit", scalar=True), Axes("dim", None))
def quantile(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "complex numbers have no order", ("x",))
    fraction = tensor(a["q"]).dtype
    if x.dtype is BOOL and fraction is not None and fraction.kind in "iub":
        raise run.give_up("whole fractions of truth values")
    if x.dtype is BOOL:
        raise run.refuse("dtype", "quantiles of truth values are not defined: NumPy does not subtract them", ("x",))
    q = tensor(a["q"])
    if q.dtype is not None and q.dtype.is_complex:
        raise run.refuse("dtype", "the fractions must be real", ("q",))
    made = run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"])
    dtype = (
        promote("numpy", [Operand(FLOAT64 if x.dtype.kind in "iu" else x.dtype), Operand(q.dtype or FLOAT64, q.weak)])
        if x.dtype is not None
        else None
    )
    if q.dtype is not None and q.dtype.kind in "iub":
        dtype = None  # NumPy's own rule for whole fractions is erratic
    return written(made.but(shape=Shape((*q.shape, *made.shape)), dtype=dtype, contents=None), a, run)


@takes(Tensor("weights", "...", optional=True, default=None))
def average(a: dict[str, Any], run: Run) -> Any:
    x, w = a["x"], a["weights"]
    made = run("mean", x=x, dim=a["dim"], keepdim=a["keepdim"])
    if w is not None:
        axes = a["dim"] if isinstance(a["dim"], (tuple, list)) else (a["dim"],)
        same = len(w.shape) == len(x.shape)
        if not same and (a["dim"] is None or len(w.shape) != len(axes)):
            raise run.refuse("weights", f"weights {w.shape!r} do not fit x {x.shape!r} without their axis", ("weights", "x"))
        against = x.shape if same else [x.shape[i] for i in axes]
        for n, m in zip(w.shape, against):
            run.require("weights", eq(n, m), f"weights {w.shape!r} do not fit x {x.shape!r}", ("weights", "x"))
        made = made.but(
            dtype=None
            if None in (made.dtype, w.dtype)
            else promote("numpy", [Operand(made.dtype), Operand(w.dtype)] + ([Operand(FLOAT64)] if w.dtype.kind in "iub" else []))
        )
    return (made, made) if a["returned"] else made


def cumulative(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if a["dim"] is None:
        x, dim = flat(x), 0
    else:
        dim = a["dim"]
    if len(x.shape) == 0:
        x = x.but(shape=Shape((1,)))
    dtype = a.get("dtype")
    if dtype is None and x.dtype is not None and x.dtype.kind in "iub":
        dtype = run("sum", x=x).dtype
    made = run(run.row.op, x=x, dim=dim)
    return written(made if dtype is None else made.but(dtype=dtype), a, run)


@takes(Tensor("prepend", "...", optional=True, default=None), Tensor("append", "...", optional=True, default=None))
def diff(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) == 0:
        raise run.refuse("rank", "differences need at least one axis", ("x",))
    return run.default(a)


def ediff1d(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    size = maximum(x.shape.numel - 1, 0)
    for name in ("to_begin", "to_end"):
        if a[name] is not None:
            size = size + (
                a[name].shape.numel if isinstance(a[name], TensorType) else len(a[name]) if isinstance(a[name], (list, tuple)) else 1
            )
    if x.dtype is BOOL:
        raise run.refuse("dtype", "NumPy does not subtract truth values", ("x",))
    return x.but(shape=Shape((size,)), contents=None, strides=None)


def _ordered(x: TensorType) -> TensorType:
    """NumPy orders complex numbers too, by their real parts first."""
    return x.but(dtype=FLOAT32) if x.dtype is not None and x.dtype.is_complex else x


@takes(Axis("dim", -1, optional=True))
def sorted(a: dict[str, Any], run: Run) -> Any:
    x = a["x"] if a["dim"] is not None else flat(a["x"])
    dim = 0 if a["dim"] is None else a["dim"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number cannot be sorted", ("x",))
    return run("sort", x=_ordered(x), dim=dim)[0].but(dtype=x.dtype)


@takes(Axis("dim", -1, optional=True))
def argsorted(a: dict[str, Any], run: Run) -> Any:
    x = a["x"] if a["dim"] is not None and len(a["x"].shape) else flat(a["x"])
    return run("argsort", x=_ordered(x), dim=0 if a["dim"] is None else a["dim"]).but(dtype=INT64)


@takes(Int("kth"), Axis("dim", -1, optional=True))
def partitioned(a: dict[str, Any], run: Run) -> Any:
    made = sorted(a, run) if run.row.op == "sort" else argsorted(a, run)
    flat = a["dim"] is None
    size = made.shape[0 if flat else a["dim"]] if len(made.shape) else 1
    for k in a["kth"] if isinstance(a["kth"], (tuple, list)) else (a["kth"],):
        if is_size(k):
            run.require(
                "kth",
                disj(eq(size, 0), conj(lt(k, size), ge(k, 0 - size))),
                f"element {k!r} does not exist on an axis of {size!r}",
                ("kth", "x"),
            )
    return made


def unique(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if a["dim"] is None:
        made = run("unique", x=x, return_inverse=True, return_counts=True)
        values = made[0] if isinstance(made, tuple) else made
    else:
        if not -len(x.shape) <= a["dim"] < len(x.shape):
            raise run.refuse("axis", f"axis {a['dim']} is out of range for {x.shape!r}", ("dim", "x"))
        at = a["dim"] % len(x.shape)
        many = run.fresh("unique", 0, x.shape[at] if isinstance(x.shape[at], int) else None)
        values = x.but(shape=Shape((*x.shape[:at], many, *x.shape[at + 1 :])), contents=None, strides=None)
    outs: list[Any] = [values]
    count = values.shape[a["dim"] if a["dim"] is not None else 0]
    line = TensorType(Shape((count,)), INT64)
    if a["return_index"]:
        outs.append(line)
    if a["return_inverse"]:
        shape = x.shape if a["dim"] is None else Shape((x.shape[a["dim"]],))
        outs.append(TensorType(shape, INT64))
    if a["return_counts"]:
        outs.append(line)
    return tuple(outs) if len(outs) > 1 else values


@takes(Tensor("x", "N"), Tensor("y", "...", scalar=True))
def searchsorted(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) != 1:
        raise run.refuse("rank", f"places are sought in a vector, and it is {a['x'].shape!r}", ("x",))
    y = tensor(a["y"])
    word(run, a, "side", ("left", "right"))
    if run.row.name.endswith("digitize") and "c" in [v.dtype.kind for v in (y, a["x"]) if v.dtype is not None]:
        raise run.refuse("dtype", "complex numbers have no order", ("x", "y"))
    order = a.get("sorter")
    if isinstance(order, TensorType):
        whole = order.dtype is None or order.dtype.is_integer
        run.require("sorter", whole, f"sorter holds places, whole numbers, and has element type {order.dtype!r}", ("sorter",))
        run.require("sorter", len(order.shape) == 1, f"sorter is a vector, and it is {order.shape!r}", ("sorter",))
        run.require(
            "sorter",
            eq(order.shape[0], a["x"].shape[0]),
            f"sorter has {order.shape[0]!r} elements and x has {a['x'].shape[0]!r}",
            ("sorter", "x"),
        )
    return y.but(dtype=INT64, contents=None, weak=False)


def word(run: Run, a: dict[str, Any], name: str, options: tuple[Any, ...]) -> None:
    if name in a and a[name] not in options:
        raise run.refuse(name, f"{name} must be one of {', '.join(map(repr, options))}, and is {a[name]!r}", (name,))


@takes(Anything("bins", 10), Anything("range"))
def histogram(a: dict[str, Any], run: Run) -> Any:
    bins = a["bins"]
    if isinstance(bins, str):
        n: Any = run.fresh("bins", 1)
    elif isinstance(bins, TensorType):
        n = bins.shape[0] - 1
    else:
        n = len(bins) - 1 if isinstance(bins, (list, tuple)) else bins
        run.require("bins", ge(n, 1), f"there must be at least one bin, and there are {n!r}", ("bins",))
    weight = a["weight"]
    if isinstance(weight, TensorType):
        run.require(
            "weight", len(weight.shape) == len(a["x"].shape), f"weights {weight.shape!r} do not fit {a['x'].shape!r}", ("weight", "x")
        )
        for p, q in zip(weight.shape, a["x"].shape):
            run.require("weight", eq(p, q), f"weights {weight.shape!r} do not fit {a['x'].shape!r}", ("weight", "x"))
    counted = FLOAT64 if a["density"] else INT64 if weight is None else weight.dtype
    x = a["x"].dtype
    edges = FLOAT32 if x is FLOAT32 else FLOAT16 if x is FLOAT16 else FLOAT64
    return (TensorType(Shape((n,)), counted), TensorType(Shape((n + 1,)), edges if is_size(bins) else FLOAT64))


def cov(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if a.get("fweights") is not None or a.get("aweights") is not None:
        raise run.give_up("weighted observations")
    if len(x.shape) > 2:
        raise run.refuse("rank", f"observations are a matrix, and they are {x.shape!r}", ("x",))
    rows = 1 if len(x.shape) < 2 else x.shape[0 if a["rowvar"] else 1]
    if a["y"] is not None:
        rows = rows + (1 if len(a["y"].shape) < 2 else a["y"].shape[0 if a["rowvar"] else 1])
    dtype = a.get("dtype") or (None if x.dtype is None else promote("numpy", [Operand(x.dtype), Operand(FLOAT64)]))
    return TensorType(Shape((rows, rows)) if isinstance(rows, Term) or rows != 1 else Shape(), dtype)


def trapezoid(a: dict[str, Any], run: Run) -> Any:
    if a["x"] is not None and (len(a["x"].shape) > 1 or le(2, a["x"].shape.numel) is not True):
        raise run.give_up("places that are no vector")
    if a["x"] is not None and -len(a["y"].shape) <= a["dim"] < len(a["y"].shape):
        n, m = a["y"].shape[a["dim"]], a["x"].shape[0]
        run.require("samples", disj(eq(n, m), eq(n, 2), eq(m, 2)), f"there are {m!r} places for {n!r} samples", ("x", "y"))
        if eq(n, m) is not True:
            raise run.give_up("as many places as samples cannot be told")
    made = run.default(a)
    return made.but(dtype=FLOAT64) if a["y"].dtype is not None and a["y"].dtype.kind in "iub" else made

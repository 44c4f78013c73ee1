"""Functions of `keras.ops` that reduce, count, order or bin."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras_ops import as_float, asked, common, has_axis
from tensorproof.bindings.adapt.numpy_arrays import Whole, flat, tensor
from tensorproof.bindings.adapt.numpy_reductions import word
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Axis, Choice, Int, Tensor, is_size
from tensorproof.terms.dtypes import BOOL, FLOAT32, FLOAT64, FLOATS, INT32, INT64
from tensorproof.terms.predicates import conj, eq, ge, le
from tensorproof.terms.promotion import PY_FLOAT
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def reduced(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    name = run.row.name.rpartition(".")[2]
    has_axis(run, x, a["dim"])
    made = run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"])
    if name in ("sum", "prod", "nansum", "nanprod"):
        return run(run.row.op, x=x, dim=a["dim"], keepdim=a["keepdim"], dtype=asked(a, None))
    if name in ("mean", "nanmean", "median", "nanmedian"):
        return made.but(dtype=as_float(x.dtype), contents=None)
    return (
        run(run.row.op, x=x, dim=a["dim"], keepdim=a["keepdim"])
        if x.shape.known and not _may_be_empty(x, a)
        else made.but(dtype=x.dtype, contents=None)
    )


def _may_be_empty(x: TensorType, a: dict[str, Any]) -> bool:
    return any(isinstance(n, int) and n == 0 for n in x.shape) or a.get("initial") is not None


def spread(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    made = run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"])
    return made.but(dtype=as_float(x.dtype), contents=None)


def truth(a: dict[str, Any], run: Run) -> Any:
    has_axis(run, tensor(a["x"]), a["dim"])
    return run("sum", x=tensor(a["x"]), dim=a["dim"], keepdim=a["keepdim"]).but(dtype=BOOL, contents=None)


@takes(Axis("dim", None, optional=True))
def arg(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    made = run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"])
    return made.but(dtype=INT32, contents=None)


def count_nonzero(a: dict[str, Any], run: Run) -> Any:
    has_axis(run, tensor(a["x"]), a["dim"])
    return run("sum", x=tensor(a["x"]), dim=a["dim"]).but(dtype=INT32, contents=None)


@takes(Tensor("weights", "...", optional=True, default=None), Axis("dim", None, optional=True))
def average(a: dict[str, Any], run: Run) -> Any:
    x, w = tensor(a["x"]), a["weights"]
    has_axis(run, x, a["dim"])
    made = run("sum", x=x, dim=a["dim"])
    dtype = common(x, more=(PY_FLOAT,))
    if w is not None:
        dtype = common(x, w, more=(PY_FLOAT,))
        alike = len(w.shape) == len(x.shape)
        if not alike and (a["dim"] is None or len(w.shape) != 1):
            raise run.refuse("weights", f"weights {w.shape!r} do not fit x {x.shape!r}", ("weights", "x"))
        along: Any = a["dim"]
        against = x.shape if alike else [x.shape[along]]
        for n, m in zip(w.shape, against):
            run.require("weights", eq(n, m), f"weights {w.shape!r} do not fit x {x.shape!r}", ("weights", "x"))
    return made.but(dtype=dtype, contents=None)


@takes(Tensor("q", "Q | ", FLOATS, values="unit", scalar=True), Axes("dim", None))
def quantile(a: dict[str, Any], run: Run) -> Any:
    x, q = tensor(a["x"]), tensor(a["q"])
    run.require("rank", len(q.shape) <= 1, f"the fractions are a number or a vector, and are {q.shape!r}", ("q",))
    made = run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"])
    return made.but(shape=Shape((*q.shape, *made.shape)), dtype=as_float(x.dtype), contents=None)


@takes(Axis("dim", None, optional=True))
def cumulative(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    has_axis(run, x, a["dim"])
    x, dim = (flat(x), 0) if a["dim"] is None else (x, a["dim"])
    dtype = asked(a, x.dtype)
    made = run("cumsum", x=x.but(dtype=FLOAT32, contents=None), dim=dim)
    return made.but(dtype=INT32 if dtype is BOOL else dtype)


@takes(Int("n", 1, least=0), Axis("dim", -1))
def diff(a: dict[str, Any], run: Run) -> Any:
    return run("diff", x=tensor(a["x"]), n=a["n"], dim=a["dim"])


def trapezoid(a: dict[str, Any], run: Run) -> Any:
    y = tensor(a["y"])
    return run("trapezoid", y=y.but(dtype=FLOAT32, contents=None), dim=a["dim"]).but(dtype=as_float(y.dtype))


@takes(Axis("dim", -1))
def sorted(a: dict[str, Any], run: Run) -> Any:
    has_axis(run, tensor(a["x"]), a["dim"])
    return run("sort", x=tensor(a["x"]), dim=a["dim"])[0]


@takes(Axis("dim", -1, optional=True))
def argsorted(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    x, dim = (flat(x), 0) if a["dim"] is None else (x, a["dim"])
    return run("argsort", x=x, dim=dim).but(dtype=INT32)


@takes(Whole("kth", least=0), Axis("dim", -1))
def argpartition(a: dict[str, Any], run: Run) -> Any:
    return run("argsort", x=tensor(a["x"]).but(dtype=FLOAT32), dim=a["dim"]).but(dtype=INT32)


@takes(Tensor("x", "N"), Tensor("y", "..."))
def searchsorted(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) != 1:
        raise run.refuse("rank", f"places are sought in a vector, and it is {a['x'].shape!r}", ("x",))
    word(run, a, "side", ("left", "right"))
    n = a["x"].shape[0]
    return tensor(a["y"]).but(dtype=INT64 if isinstance(n, int) and n >= 2**31 else INT32, contents=None, weak=False)


@takes(Tensor("x", "N"), Tensor("y", "..."))
def digitize(a: dict[str, Any], run: Run) -> Any:
    return tensor(a["y"]).but(dtype=INT32, contents=None, weak=False)


@takes(
    Tensor("x", "N", frozenset({INT32, INT64}), values="index"),
    Tensor("weight", "N", FLOATS, optional=True, default=None),
    Int("minlength", 0, least=0),
)
def bincount(a: dict[str, Any], run: Run) -> Any:
    x, w = a["x"], a["weight"]
    size = run.fresh("counts", 0)
    return TensorType(
        Shape((*x.shape[:-1], size)), None if w is None else common(w, x) if w.dtype is None else w.dtype if w.dtype.is_float else None
    )


@takes(Int("bins", 10, least=1), Anything("range"))
def histogram(a: dict[str, Any], run: Run) -> Any:
    if not is_size(a["bins"]):
        raise run.refuse("bins", "the number of bins is a whole number", ("bins",))
    run.require("bins", ge(a["bins"], 1), f"there must be at least one bin, and there are {a['bins']!r}", ("bins",))
    dtype = a["x"].dtype
    return (
        TensorType(Shape((a["bins"],)), dtype if dtype is not None and dtype.is_float else None),
        TensorType(Shape((a["bins"] + 1,)), None if dtype is None or not dtype.is_float else dtype),
    )


def corrcoef(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if len(x.shape) > 2:
        raise run.refuse("rank", f"observations are a matrix, and they are {x.shape!r}", ("x",))
    return TensorType(Shape((x.shape[0], x.shape[0])) if len(x.shape) == 2 else Shape(), FLOAT64 if x.dtype is INT64 else as_float(x.dtype))


@takes(Choice("mode", ("valid", "same", "full"), "valid"))
def correlate(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    dtype = common(x, y)
    dtype = dtype if dtype is None or dtype.is_float else FLOAT64 if dtype is INT64 else FLOAT32
    return run("convolve_vectors", x=x.but(dtype=FLOAT32), y=y.but(dtype=FLOAT32), mode=a["mode"]).but(dtype=dtype)


def unique(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    if a.get("size") is not None:
        raise run.give_up("a fixed number of values")
    n = x.shape.numel
    if a["dim"] is not None:
        axis = a["dim"]
        if not -len(x.shape) <= axis < len(x.shape):
            raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
        axis %= len(x.shape)
        n = x.shape[axis]
        values = x.but(
            shape=Shape((*x.shape[:axis], run.fresh("unique", 0, n if isinstance(n, int) else None), *x.shape[axis + 1 :])), contents=None
        )
        count = values.shape[axis]
        inverse = Shape((n,))
    else:
        count = run.fresh("unique", 0, n if isinstance(n, int) else None)
        values, inverse = x.but(shape=Shape((count,)), contents=None), x.shape
    outs: list[Any] = [values]
    outs += [TensorType(Shape((count,)), None)] if a["return_index"] else []
    outs += [TensorType(inverse, None)] if a["return_inverse"] else []
    outs += [TensorType(Shape((count,)), None)] if a["return_counts"] else []
    return tuple(outs) if len(outs) > 1 else values


@takes(
    Tensor("x", "N ...", FLOATS),
    Tensor("index", "N", frozenset({INT32, INT64}), values="index"),
    Int("classes", None, least=1, optional=True),
)
def segment(a: dict[str, Any], run: Run) -> Any:
    x, index = a["x"], a["index"]
    if len(index.shape) != 1 or len(x.shape) < 1:
        raise run.refuse("rank", f"the segments are a vector, and they are {index.shape!r}", ("index",))
    run.require("count", eq(index.shape[0], x.shape[0]), f"{index.shape[0]!r} segments are named for {x.shape[0]!r} rows", ("index", "x"))
    n = run.fresh("segments", 0) if a["classes"] is None else a["classes"]
    return x.but(shape=Shape((n, *x.shape[1:])), contents=None)


@takes(Tensor("x", "... N"), Int("k", least=1))
def top_k(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "a number has no largest elements", ("x",))
    run.require("k", conj(ge(a["k"], 0), le(a["k"], x.shape[-1])), f"{a['k']!r} elements are wanted of {x.shape[-1]!r}", ("k", "x"))
    made = x.but(shape=Shape((*x.shape[:-1], a["k"])), contents=None)
    return (made, made.but(dtype=INT32))


@takes(Tensor("target", "N", frozenset({INT32, INT64}), values="index"), Tensor("x", "N C", frozenset({FLOAT32})), Int("k", least=1))
def in_top_k(a: dict[str, Any], run: Run) -> Any:
    target, x = a["target"], a["x"]
    if len(target.shape) != 1 or len(x.shape) != 2:
        raise run.refuse(
            "rank", f"targets are a vector and predictions a matrix, and are {target.shape!r} and {x.shape!r}", ("target", "x")
        )
    run.require(
        "batch", eq(target.shape[0], x.shape[0]), f"there are {target.shape[0]!r} targets and {x.shape[0]!r} predictions", ("target", "x")
    )
    return target.but(dtype=BOOL, contents=None)


def floating_reduced(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    return run("sum", x=x, dim=a["dim"], keepdim=a["keepdim"]).but(dtype=x.dtype, contents=None)

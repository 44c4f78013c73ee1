"""keras.ops on the TensorFlow backend: NumPy's names with Keras's element types."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import numpy_algebra, numpy_creation, numpy_indexing, numpy_joins, numpy_shapes
from tensorproof.bindings.adapt.numpy_arrays import Data, Many, Whole, flat, tensor
from tensorproof.bindings.adapt.numpy_reductions import word
from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axes, Axis, Choice, ElementType, Index, Int, Ints, Number, Tensor, as_size, is_size
from tensorproof.terms.dtypes import ALL_INTS, BOOL, BY_LABEL, COMPLEX64, FLOAT32, FLOAT64, FLOATS, INT32, INT64, DType
from tensorproof.terms.ints import Dim, maximum
from tensorproof.terms.predicates import conj, eq, ge, le, lt
from tensorproof.terms.promotion import PY_FLOAT, Operand, promote, to_float
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

FORMAT = Choice("data_format", ("channels_last", "channels_first"), None, optional=True)


def common(*values: Any, more: tuple[Operand, ...] = ()) -> DType | None:
    """Keras's promotion of tensors and numbers."""
    operands: list[Operand] = []
    for value in values:
        t = tensor(value)
        if t.dtype is None:
            return None
        operands.append(Operand(t.dtype, t.weak))
    return promote("keras", [*operands, *more])


def as_float(dtype: DType | None) -> DType | None:
    return dtype if dtype is None or dtype.kind in "fc" else to_float("keras", dtype)


def asked(a: dict[str, Any], otherwise: DType | None) -> DType | None:
    given = a.get("dtype")
    return given if isinstance(given, DType) else BY_LABEL.get(given, otherwise) if isinstance(given, str) else otherwise


def has_axis(run: Run, x: TensorType, dim: Any) -> None:
    """A number has no axis 0, as it has in NumPy."""
    if dim is not None and x.shape.known and len(x.shape) == 0 and dim not in ((), []):
        raise run.refuse("axis", f"a number has no axis {dim!r}", ("dim", "x"))


def floating(a: dict[str, Any], run: Run) -> Any:
    """Whole numbers become floats first."""
    x = tensor(a["x"])
    name = run.row.name.rpartition(".")[2]
    if name == "fabs" and x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "fabs takes real numbers", ("x",))
    dtype = FLOAT64 if name in ("deg2rad", "rad2deg", "cbrt") and x.dtype is INT64 else as_float(x.dtype)
    if name == "i0":
        dtype = FLOAT64 if x.dtype is INT64 else dtype
        return x.but(dtype=dtype, weak=False, contents=None)
    return run.default({**a, "x": x.but(dtype=dtype, weak=False, contents=None)})


def unary(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    name = run.row.name.rpartition(".")[2]
    if name in ("isfinite", "isinf", "isnan", "isposinf", "isneginf", "isreal", "signbit"):
        return x.but(dtype=BOOL, contents=None, weak=False)
    dtype = x.dtype
    if name == "square" and dtype is BOOL:
        dtype = INT32
    elif name in ("floor", "ceil"):
        dtype = as_float(dtype)
    elif name in ("real", "imag", "abs", "absolute") and dtype is not None:
        dtype = dtype.real
    elif name == "round" and dtype is BOOL:
        dtype = INT32
    return x.but(
        dtype=dtype, contents=x.contents if name in ("abs", "negative") and dtype is x.dtype and x.contents is None else None, weak=False
    )


def binary(a: dict[str, Any], run: Run) -> Any:
    """Operands are promoted first; quotients are floats."""
    x, y = tensor(a["x"]), tensor(a["y"])
    name = run.row.name.rpartition(".")[2]
    dtype = common(x, y)
    if name in ("divide", "true_divide", "divide_no_nan", "arctan2", "hypot", "logaddexp", "logaddexp2", "nextafter", "heaviside"):
        dtype = FLOAT64 if name in ("heaviside", "hypot") and dtype is INT64 else common(x, y, more=(PY_FLOAT,))
    if name in ("mod", "floor_divide", "power", "subtract", "fmod", "gcd", "lcm") and dtype is BOOL:
        dtype = INT32
    whole = dtype is not None and dtype.kind in "iub"
    made = run.default({**a, "x": _in(x, dtype, whole), "y": _in(y, dtype, whole)})
    return made.but(dtype=dtype, contents=made.contents if whole else None)


def _in(x: TensorType, dtype: DType | None, whole: bool) -> TensorType:
    return x.but(dtype=dtype, weak=False, contents=x.contents if whole else None)


def ldexp(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y, more=(PY_FLOAT,))
    if y.dtype is not None and y.dtype.kind not in "biu":
        raise run.refuse("dtype", f"the exponents are whole numbers, not {y.dtype!r}", ("y",))
    return run("mul", x=_in(x, dtype, False), y=_in(y, dtype, False))


@takes(Tensor("x", "...", ALL_INTS), Tensor("y", "...", ALL_INTS))
def divisors(a: dict[str, Any], run: Run) -> Any:
    """gcd and lcm."""
    return binary(a, run)


def comparison(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    made = run.default({**a, "x": _in(x, dtype, True), "y": _in(y, dtype, True)})
    return made.but(dtype=BOOL)


def logical(a: dict[str, Any], run: Run) -> Any:
    b = {k: tensor(v).but(dtype=BOOL, weak=False, contents=None) for k, v in a.items() if k in ("x", "y")}
    return run.default({**a, **b})


def bits(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    if dtype is not None and dtype.kind not in "iu":
        raise run.refuse("dtype", f"the bits of whole numbers are combined, and not those of {dtype!r}", ("x", "y"))
    return run.default({**a, "x": _in(x, dtype, True), "y": _in(y, dtype, True)})


def isclose(a: dict[str, Any], run: Run) -> Any:
    made = run(
        "mul",
        x=tensor(a["x"]).but(dtype=FLOAT32, contents=None, weak=False),
        y=tensor(a["y"]).but(dtype=FLOAT32, contents=None, weak=False),
    )
    return made.but(dtype=BOOL)


def allclose(a: dict[str, Any], run: Run) -> Any:
    return isclose(a, run).but(shape=Shape())


@takes(Tensor("low", "", scalar=True), Tensor("high", "", scalar=True))
def clip(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    dtype = common(x, *(v for v in (a["low"], a["high"]) if v is not None))
    dtype = INT32 if dtype is BOOL else dtype
    limits = {k: tensor(a[k]).but(dtype=FLOAT32, weak=False) for k in ("low", "high") if a[k] is not None}
    return run("clamp", x=x.but(dtype=FLOAT32, contents=None), **limits).but(dtype=dtype)


@takes(Tensor("condition", "...", scalar=True))
def where(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    return run(
        "where",
        condition=tensor(a["condition"]).but(dtype=BOOL, weak=False),
        x=x.but(dtype=dtype, weak=False),
        y=y.but(dtype=dtype, weak=False),
    )


@takes(Tensor("condition"))
def nonzero(a: dict[str, Any], run: Run) -> Any:
    return tuple(m.but(dtype=INT32) for m in run("where_true", condition=a["condition"]))


@takes(Many("condlist", "...", frozenset({BOOL})), Many("choicelist", "..."))
def select(a: dict[str, Any], run: Run) -> Any:
    conditions, choices = a["condlist"], a["choicelist"]
    if not isinstance(conditions, (list, tuple)) or not isinstance(choices, (list, tuple)):
        raise run.give_up("the choices are not a list")
    run.require(
        "count", len(conditions) == len(choices), f"{len(conditions)} conditions are given for {len(choices)} choices", ("condlist",)
    )
    made = tensor(a["default"])
    for condition, choice in zip(conditions, choices):
        made = where({"condition": condition, "x": choice, "y": made}, run)
    return made


def floats_only(a: dict[str, Any], run: Run) -> Any:
    """No whole numbers."""
    x = tensor(a["x"])
    if x.dtype is not None and not x.dtype.is_float:
        raise run.refuse("dtype", f"{run.row.name} takes floats, not {x.dtype!r}", ("x",))
    return x.but(contents=None)


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


def ravel(a: dict[str, Any], run: Run) -> Any:
    return flat(tensor(a["x"]))


@takes(Axes("axes", None))
def transpose(a: dict[str, Any], run: Run) -> Any:
    if is_size(a["axes"]):
        raise run.refuse("axes", f"the axes are a list, and {a['axes']!r} is not", ("axes",))
    return run("reversed_axes", x=a["x"]) if a["axes"] is None else run("permute", x=a["x"], dim=a["axes"])


def moved(a: dict[str, Any], run: Run) -> Any:
    return numpy_shapes.moved(a, run)


def rot90(a: dict[str, Any], run: Run) -> Any:
    if not isinstance(a["dim"], (tuple, list)) or len(a["dim"]) != 2:
        raise run.refuse("axes", f"two axes are turned, and {a['dim']!r} are given", ("dim",))
    return a["x"] if a["k"] == 0 and len(a["x"].shape) >= 2 else run.default(a)


def vstack(a: dict[str, Any], run: Run) -> Any:
    """Unlike NumPy's, vectors are joined end to end."""
    return run("cat", xs=tuple(tensor(x) for x in a["xs"]), dim=0)


def hstack(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(tensor(x) for x in a["xs"])
    return run("cat", xs=xs, dim=0 if len(xs[0].shape) == 1 else 1)


@takes(Axes("dim", None))
def squeeze(a: dict[str, Any], run: Run) -> Any:
    x, dim = a["x"], a["dim"]
    if dim is not None and x.shape.known:
        for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
            if -len(x.shape) <= axis < len(x.shape):
                run.require(
                    "size", eq(x.shape[axis], 1), f"axis {axis} is {x.shape[axis]!r} and only an axis of 1 is squeezed", ("x", "dim")
                )
            else:
                raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim", "x"))
    return run("squeeze", x=x, dim=dim)


@takes(Axis("dim", 0, of="xs"))
def concatenate(a: dict[str, Any], run: Run) -> Any:
    return run("cat", xs=tuple(tensor(x) for x in a["xs"]), dim=a["dim"])


def stack(a: dict[str, Any], run: Run) -> Any:
    if not a["xs"]:
        raise run.give_up("nothing is stacked")
    return run("stack", xs=tuple(tensor(x) for x in a["xs"]), dim=a["dim"])


@takes(Tensor("x"), Tensor("y"), Axis("axis", None, optional=True))
def append(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    if a["axis"] is None:
        return run("cat", xs=(flat(x), flat(y)), dim=0)
    return run("cat", xs=(x, y), dim=a["axis"])


@takes(Whole("at", least=1))
def array_split(a: dict[str, Any], run: Run) -> Any:
    return numpy_joins.array_split(a, run)


@takes(Whole("width", least=0), Choice("mode", ("constant", "reflect", "symmetric"), "constant"))
def pad(a: dict[str, Any], run: Run) -> Any:
    x, width = a["x"], a["width"]
    word(run, a, "mode", ("constant", "reflect", "symmetric"))
    if a["constant_values"] is not None and a["mode"] != "constant":
        raise run.refuse("mode", "constant_values goes with mode='constant'", ("mode",))
    made = numpy_shapes.pad({"x": x, "width": width, "mode": "constant"}, run)
    if a["mode"] != "constant":
        for n, m in zip(x.shape, made.shape):
            if is_size(width):
                run.require(
                    "width",
                    le(width, n - (1 if a["mode"] == "reflect" else 0)),
                    f"padding of {width!r} finds too few elements on an axis of {n!r}",
                    ("width", "x"),
                )
            elif m != n:
                raise run.give_up("reflected padding by pairs")
    return made


def meshgrid(a: dict[str, Any], run: Run) -> Any:
    xs = tuple(tensor(x) for x in a["xs"])
    word(run, a, "indexing", ("xy", "ij"))
    if any(len(x.shape) > 1 for x in xs):
        raise run.give_up("a grid of axes that are no vectors")
    return list(run("meshgrid", xs=xs, indexing=a["indexing"])) if len({x.dtype for x in xs}) == 1 else _mixed_grid(xs, a, run)


def _mixed_grid(xs: tuple[TensorType, ...], a: dict[str, Any], run: Run) -> Any:
    made = run("meshgrid", xs=tuple(x.but(dtype=FLOAT32) for x in xs), indexing=a["indexing"])
    return [m.but(dtype=x.dtype) for m, x in zip(made, xs)]


@takes(Int("offset", 0))
def triangle(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    if len(x.shape) < 2:
        raise run.refuse("rank", f"a matrix has a triangle, and this is {x.shape!r}", ("x",))
    return run(run.row.op, x=x.but(dtype=FLOAT32, contents=None), offset=a["offset"]).but(dtype=x.dtype)


def trace(a: dict[str, Any], run: Run) -> Any:
    made = run("diagonal", x=a["x"], offset=a["offset"], dim1=a["axis1"], dim2=a["axis2"])
    dtype = a["x"].dtype
    made = run("sum", x=made, dim=-1).but(contents=None)
    return made.but(dtype=dtype) if dtype is not None and not (dtype is BOOL or dtype.is_integer) else made


_INDEX = Tensor("index", "...", frozenset({INT32, INT64}), values="index")


@takes(_INDEX, Axis("dim", None, optional=True))
def take(a: dict[str, Any], run: Run) -> Any:
    x, index = tensor(a["x"]), tensor(a["index"])
    if index.dtype is not None and index.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    x, axis = (flat(x), 0) if a["dim"] is None else (x, a["dim"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    axis %= len(x.shape)
    return x.but(shape=Shape((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(_INDEX, Axis("dim", None, optional=True))
def take_along_axis(a: dict[str, Any], run: Run) -> Any:
    index = a["index"]
    return numpy_indexing.take_along_axis({**a, "index": index.but(dtype=INT64, contents=None)}, run)


@takes(Tensor("x", "...", frozenset({INT32, INT64}), values="index"), Ints("size", least=1, shape=True))
def unravel(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    return tuple(x.but(contents=None, weak=False) for _ in size)


def matmul(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    if x.dtype is not None and y.dtype is not None and x.dtype.label == y.dtype.label == "int8":
        dtype = INT32
    return run("matmul", x=x.but(dtype=FLOAT32, contents=None), y=y.but(dtype=FLOAT32, contents=None)).but(dtype=dtype)


def dot(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    return numpy_algebra.dot({"x": _in(x, dtype, False), "y": _in(y, dtype, False)}, run).but(dtype=dtype)


@takes(Tensor("x", "... 3"), Tensor("y", "... 3"))
def cross(a: dict[str, Any], run: Run) -> Any:
    x, y = a["x"], a["y"]
    b = {**a, "x": x.but(dtype=FLOAT32), "y": y.but(dtype=FLOAT32)}
    return numpy_algebra.cross(b, run).but(dtype=common(x, y))


@takes(Data("data"), ElementType("dtype"))
def array(a: dict[str, Any], run: Run) -> Any:
    data = list(a["data"]) if isinstance(a["data"], range) else a["data"]
    if isinstance(data, TensorType):
        made: TensorType | None = data.but(weak=False, strides=None)
    else:
        try:
            made = array_like("keras", data)
        except Ragged:
            raise run.refuse("ragged", "the nested lists have unequal lengths", ("data",)) from None
    if made is None:
        raise run.give_up("the data are not numbers that are known")
    return run("constant", data=made, dtype=asked(a, made.dtype))


def filled(a: dict[str, Any], run: Run) -> Any:
    return run("full", size=a["size"], value=a["value"], dtype=asked(a, FLOAT32))


@takes(Tensor("value", "", scalar=True))
def full(a: dict[str, Any], run: Run) -> Any:
    made = run("empty", size=a["size"], dtype=asked(a, FLOAT32))
    if isinstance(a["value"], TensorType):
        numpy_shapes.broadcast_to({"x": a["value"], "size": made.shape}, run)
    return made


@takes(Number("value"), ElementType("dtype"))
def like(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    return x.but(dtype=asked(a, x.dtype), contents=None, strides=None, weak=False)


@takes(Number("start"), Number("end"), Int("steps", 50, least=0), ElementType("dtype"))
def linspace(a: dict[str, Any], run: Run) -> Any:
    start, end = tensor(a["start"]), tensor(a["end"])
    ends = run("mul", x=start.but(dtype=FLOAT32, contents=None), y=end.but(dtype=FLOAT32, contents=None))
    run.require("steps", ge(a["steps"], 0), f"a number of samples cannot be negative, and is {a['steps']!r}", ("steps",))
    if a["axis"] not in (0, -1) or (a["axis"] == -1 and len(ends.shape)):
        raise run.give_up("the samples stand on another axis than the first")
    dtype = asked(a, common(start, end, more=(PY_FLOAT,)))
    name = run.row.name.rpartition(".")[2]
    if dtype is BOOL or (name == "geomspace" and dtype is not None and dtype.kind not in "fc"):
        raise run.refuse("dtype", f"{name} has no values of type {dtype!r}", ("dtype",))
    made = TensorType(Shape((a["steps"], *ends.shape)), dtype)
    return (made, TensorType(ends.shape, None)) if a.get("retstep") else made


@takes(Int("n", least=1))
def window(a: dict[str, Any], run: Run) -> Any:
    n = as_size(a["n"])
    if not is_size(n):
        raise run.give_up("the number of samples is not known")
    return TensorType(Shape((n,)), FLOAT32)


@takes(Int("n", None, least=0, optional=True))
def vander(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if len(x.shape) != 1:
        raise run.refuse("rank", f"powers are taken of a vector, and this is {x.shape!r}", ("x",))
    return TensorType(Shape((x.shape[0], x.shape[0] if a["n"] is None else a["n"])), x.dtype)


def ndim(a: dict[str, Any], run: Run) -> Any:
    return a["x"].shape.rank


def size(a: dict[str, Any], run: Run) -> Any:
    return a["x"].shape.numel


def shape(a: dict[str, Any], run: Run) -> Any:
    if not a["x"].shape.known:
        raise run.give_up("the rank is not known")
    return tuple(a["x"].shape)


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


@takes(ElementType("dtype", optional=False))
def cast(a: dict[str, Any], run: Run) -> Any:
    dtype = asked(a, None)
    if dtype is None:
        raise run.give_up("the element type is not known")
    return run("cast", x=tensor(a["x"]), dtype=dtype)


@takes(Int("num", None, optional=True), Axis("dim", 0))
def unstack(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if a["num"] is not None and x.shape.known and -len(x.shape) <= a["dim"] < len(x.shape):
        n = x.shape[a["dim"]]
        run.require("num", eq(n, a["num"]), f"axis {a['dim']} has {n!r} elements and num is {a['num']!r}", ("num", "x"))
    return list(run("unbind", x=x, dim=a["dim"]))


@takes(Ints("start", least=0, one=False), Ints("size", least=0, shape=True, one=False))
def slice(a: dict[str, Any], run: Run) -> Any:
    x, start, sizes = a["x"], a["start"], a["size"]
    if isinstance(start, TensorType) or isinstance(sizes, TensorType):
        raise run.give_up("the place is not known")
    run.require(
        "rank",
        len(start) == len(sizes) == len(x.shape),
        f"a start and a size are given for each of the {len(x.shape)} axes",
        ("start", "size"),
    )
    made: list[Dim] = []
    for n, s, m in zip(x.shape, start, sizes):
        size_ = n - s if m == -1 else m
        inside = conj(ge(s, 0), ge(size_, 0), le(s + size_, n))
        run.require("range", inside, f"{size_!r} elements from {s!r} on are not all on an axis of {n!r}", ("start", "size", "x"))
        made.append(size_)
    return x.but(shape=Shape(made), contents=None, strides=None)


@takes(Ints("start", least=0, one=False), Tensor("source", "..."))
def slice_update(a: dict[str, Any], run: Run) -> Any:
    x, start, source = a["x"], a["start"], a["source"]
    if isinstance(start, TensorType):
        raise run.give_up("the place is not known")
    run.require(
        "rank",
        len(start) == len(source.shape) == len(x.shape),
        f"a start and a size are given for each of the {len(x.shape)} axes",
        ("start", "source"),
    )
    for n, s, m in zip(x.shape, start, source.shape):
        if isinstance(s, int) and isinstance(n, int) and isinstance(m, int) and (s < 0 or s + m > n >= m):
            raise run.give_up("a start that TensorFlow moves inside")
        run.require(
            "range", conj(ge(s, 0), le(s + m, n)), f"{m!r} elements from {s!r} on are not all on an axis of {n!r}", ("start", "source", "x")
        )
    return x.but(contents=None)


@takes(Tensor("index", "N K", frozenset({INT32, INT64}), values="index"), Tensor("source", "N ..."), Ints("size", least=1, shape=True))
def scatter(a: dict[str, Any], run: Run) -> Any:
    index, source = a["index"], a["source"]
    sizes = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    _placed(run, index, source, Shape(sizes))
    return TensorType(Shape(sizes), source.dtype)


def _placed(run: Run, index: TensorType, source: TensorType, target: Shape) -> None:
    if len(index.shape) < 1:
        raise run.refuse("rank", "the indices have an axis of coordinates", ("index",))
    if index.dtype is not None and not index.dtype.is_integer:
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    k = index.shape[-1]
    if not isinstance(k, int):
        raise run.give_up("the number of coordinates is not known")
    run.require("index", k <= len(target), f"{k} coordinates are given for {len(target)} axes", ("index",))
    wanted = (*index.shape[:-1], *target[k:])
    message = f"the values are {source.shape!r} and {tuple(wanted)!r} are placed"
    run.require("source", len(wanted) == len(source.shape), message, ("source", "index"))
    for n, m in zip(wanted, source.shape):
        run.require("source", eq(n, m), message, ("source", "index"))
    if index.contents is not None:
        for i, v in enumerate(index.contents):
            run.require(
                "range",
                conj(ge(v, 0), lt(v, target[i % k])),
                f"coordinate {v!r} is out of range for an axis of {target[i % k]!r}",
                ("index",),
            )


@takes(
    Tensor("index", "N K", frozenset({INT32, INT64}), values="index"),
    Tensor("source", "N ..."),
    Choice("reduction", (None, "add", "max", "min", "mul"), None, optional=True),
)
def scatter_update(a: dict[str, Any], run: Run) -> Any:
    _placed(run, a["index"], a["source"], a["x"].shape)
    word(run, a, "reduction", (None, "add", "max", "min", "mul"))
    return a["x"].but(contents=None)


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


@takes(Tensor("x", "... N", FLOATS), Int("length", least=1), Int("step", least=1))
def extract_sequences(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if len(x.shape) < 1:
        raise run.refuse("rank", "a number has no sequences", ("x",))
    if a["length"] == 0:
        raise run.give_up("sequences of no elements")
    run.require("length", ge(a["length"], 1), f"a sequence has at least one element, and not {a['length']!r}", ("length",))
    run.require("step", ge(a["step"], 1), f"the stride is at least 1, and not {a['step']!r}", ("step",))
    count = maximum(0, (x.shape[-1] - a["length"]) // a["step"] + 1)
    return x.but(shape=Shape((*x.shape[:-1], count, a["length"])), contents=None, strides=None)


_COMPLEX = Many("pair", "M N", frozenset({FLOAT32}), least=2)


def _parts(run: Run, pair: Any) -> TensorType:
    """Complex numbers are given as their two parts."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(p, TensorType) for p in pair):
        raise run.refuse("parts", "complex numbers are a pair of real and imaginary parts", ("pair",))
    x, y = pair
    for n, m in zip(x.shape, y.shape):
        run.require("parts", eq(n, m), f"the parts have shapes {x.shape!r} and {y.shape!r}", ("pair",))
    run.require("parts", len(x.shape) == len(y.shape), f"the parts have shapes {x.shape!r} and {y.shape!r}", ("pair",))
    made: TensorType = x.but(dtype=None if x.dtype is None else x.dtype.complexified, contents=None)
    return made


def _pair(made: TensorType) -> tuple[TensorType, TensorType]:
    real = made.but(dtype=None if made.dtype is None else made.dtype.real)
    return (real, real)


@takes(_COMPLEX)
def fft(a: dict[str, Any], run: Run) -> Any:
    x = _parts(run, a["pair"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "one axis is transformed, and there is none", ("pair",))
    return _pair(x)


@takes(_COMPLEX)
def fft2(a: dict[str, Any], run: Run) -> Any:
    x = _parts(run, a["pair"])
    if len(x.shape) < 2:
        raise run.refuse("rank", f"two axes are transformed, and this is {x.shape!r}", ("pair",))
    return _pair(x)


@takes(Tensor("x", "... N", frozenset({FLOAT32})), Int("n", None, least=1, optional=True))
def rfft(a: dict[str, Any], run: Run) -> Any:
    return _pair(run("rfft", x=a["x"], n=a["n"]))


@takes(_COMPLEX, Int("n", None, least=1, optional=True))
def irfft(a: dict[str, Any], run: Run) -> Any:
    return run("irfft", x=_parts(run, a["pair"]), n=a["n"])


@takes(Tensor("x", "... 2", FLOATS))
def complex_view(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    if len(x.shape) < 1:
        raise run.refuse("rank", "the parts stand on the last axis, and there is none", ("x",))
    run.require("parts", eq(x.shape[-1], 2), f"the last axis holds two parts, and has {x.shape[-1]!r} elements", ("x",))
    return x.but(shape=Shape(x.shape[:-1]), dtype=COMPLEX64, contents=None)


def real_view(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    return x.but(shape=Shape((*x.shape, 2)), dtype=x.dtype.real if x.dtype is not None and x.dtype.is_complex else None, contents=None)


@takes(Number("end", None, optional=True), Number("step", None, optional=True), ElementType("dtype"))
def arange(a: dict[str, Any], run: Run) -> Any:
    dtype = asked(a, None)
    ends = [a[n] for n in ("start", "end", "step") if a[n] is not None]
    if dtype is not None and dtype.is_integer and any(isinstance(v, float) for v in ends):
        raise run.refuse("dtype", f"a range of {dtype!r} has whole ends, not {ends!r}", ("start", "end", "step", "dtype"))
    return numpy_creation.arange({**a, "dtype": dtype}, run)


@takes(Index("index"))
def get_item(a: dict[str, Any], run: Run) -> Any:
    parts = a["index"] if isinstance(a["index"], tuple) else (a["index"],)
    if any(isinstance(p, list) or (isinstance(p, TensorType) and len(p.shape)) for p in parts):
        raise run.refuse("index", "TensorFlow's tensors are not indexed by tensors or lists: take and take_along_axis do that", ("index",))
    return run("getitem", x=a["x"], index=parts)

"""Functions of `keras.ops` that make, join, part and turn arrays."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import numpy_creation, numpy_joins, numpy_shapes
from tensorproof.bindings.adapt.keras_ops import asked, common
from tensorproof.bindings.adapt.numpy_arrays import Data, Whole, flat, tensor
from tensorproof.bindings.adapt.numpy_reductions import word
from tensorproof.bindings.arrays import Ragged, array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axes, Axis, Choice, ElementType, Int, Number, Tensor, as_size, is_size
from tensorproof.terms.dtypes import BOOL, FLOAT32
from tensorproof.terms.predicates import eq, ge, le
from tensorproof.terms.promotion import PY_FLOAT
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


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


@takes(Int("num", None, optional=True), Axis("dim", 0))
def unstack(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if a["num"] is not None and x.shape.known and -len(x.shape) <= a["dim"] < len(x.shape):
        n = x.shape[a["dim"]]
        run.require("num", eq(n, a["num"]), f"axis {a['dim']} has {n!r} elements and num is {a['num']!r}", ("num", "x"))
    return list(run("unbind", x=x, dim=a["dim"]))


@takes(Number("end", None, optional=True), Number("step", None, optional=True), ElementType("dtype"))
def arange(a: dict[str, Any], run: Run) -> Any:
    dtype = asked(a, None)
    ends = [a[n] for n in ("start", "end", "step") if a[n] is not None]
    if dtype is not None and dtype.is_integer and any(isinstance(v, float) for v in ends):
        raise run.refuse("dtype", f"a range of {dtype!r} has whole ends, not {ends!r}", ("start", "end", "step", "dtype"))
    return numpy_creation.arange({**a, "dtype": dtype}, run)

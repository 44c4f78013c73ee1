"""Functions of `keras.ops` that pick elements or put them in place."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.keras.ops import Maths
from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapt.tensorflow.shared import inside
from tensorproof.bindings.adapters import Run, Value, tensor_in
from tensorproof.terms import INT32, Dim, Shape, TensorType, conj, eq, ge, le, lt


def nonzero(a: dict[str, Value], run: Run) -> Value:
    return tuple(run.typed("where_true", INT32, condition=a["condition"]))


def take(a: dict[str, Any], run: Run) -> TensorType:
    x, index = tensor(a["x"]), tensor(a["index"])
    if index.dtype is not None and index.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    x, axis = (run("reshape", x=x, size=(x.shape.numel,)), 0) if a["dim"] is None else (x, a["dim"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    inside(run, index, x.shape[axis], -x.shape[axis])
    return run.typed("gather_slices", x.dtype, x=x, index=index, dim=axis, lenient=True)


def take_along_axis(a: dict[str, Value], run: Run) -> TensorType:
    x, index, dim = tensor(a["x"]), tensor_in(a, "index"), a["dim"]
    if dim is None:
        if len(index.shape) != 1:
            raise run.refuse("rank", f"indices into all elements are a vector, and they are {index.shape!r}", ("index",))
        x, dim = run("reshape", x=x, size=(x.shape.numel,)), 0
    return run.typed("take_along_dim", x.dtype, x=x, index=index, dim=dim)


def unravel(a: dict[str, Value], run: Run) -> Value:
    x = tensor(a["x"])
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    if any(isinstance(n, int) and n < 0 for n in size):
        raise run.give_up("a negative size")
    return tuple(run.typed("unravel_index", x.dtype, x=x, size=tuple(size)))


def slice(a: dict[str, Any], run: Run) -> TensorType:
    x, start, sizes = tensor_in(a, "x"), a["start"], a["size"]
    if isinstance(start, TensorType) or isinstance(sizes, TensorType):
        raise run.give_up("the place is not known")
    run.require("rank", len(start) == len(sizes) == len(x.shape), f"a start and a size are given for each of the {len(x.shape)} axes", ("start", "size"))
    made: list[Dim] = []
    for n, s, m in zip(x.shape, start, sizes):
        size_ = n - s if m == -1 else m
        inside = conj(ge(s, 0), ge(size_, 0), le(s + size_, n))
        run.require("range", inside, f"{size_!r} elements from {s!r} on are not all on an axis of {n!r}", ("start", "size", "x"))
        made.append(size_)
    with Maths(run, x.dtype).settled():
        return run.typed("block_slice", x.dtype, x=x, begin=tuple(start), size=tuple(made))


def slice_update(a: dict[str, Any], run: Run) -> TensorType:
    x, start, source = tensor_in(a, "x"), a["start"], tensor_in(a, "source")
    if isinstance(start, TensorType):
        raise run.give_up("the place is not known")
    run.require(
        "rank", len(start) == len(source.shape) == len(x.shape), f"a start and a size are given for each of the {len(x.shape)} axes", ("start", "source")
    )
    for n, s, m in zip(x.shape, start, source.shape):
        if isinstance(s, int) and isinstance(n, int) and isinstance(m, int) and (s < 0 or s + m > n >= m):
            raise run.give_up("a start that TensorFlow moves inside")
        run.require("range", conj(ge(s, 0), le(s + m, n)), f"{m!r} elements from {s!r} on are not all on an axis of {n!r}", ("start", "source", "x"))
    ends = tuple(s + m for s, m in zip(start, source.shape))
    with Maths(run, x.dtype).settled():
        return run.typed("strided_slice_update", x.dtype, x=x, y=source, begin=tuple(start), end=ends, strides=(1,) * len(ends))


def scatter(a: dict[str, Value], run: Run) -> TensorType:
    index, source = tensor_in(a, "index"), tensor_in(a, "source")
    sizes = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    _placed(run, index, source, Shape(sizes))
    with Maths(run, source.dtype).settled():
        return run.typed("scatter_nd", source.dtype, index=index, y=source, size=tuple(sizes))


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
            run.require("range", conj(ge(v, 0), lt(v, target[i % k])), f"coordinate {v!r} is out of range for an axis of {target[i % k]!r}", ("index",))


def scatter_update(a: dict[str, Value], run: Run) -> TensorType:
    _placed(run, tensor_in(a, "index"), tensor_in(a, "source"), tensor_in(a, "x").shape)
    word(run, a, "reduction", (None, "add", "max", "min", "mul"))
    if a["reduction"] == "mul":
        raise run.give_up("products of what is there and what is placed")
    x = tensor_in(a, "x")
    with Maths(run, x.dtype).settled():
        return run.typed("tensor_scatter", x.dtype, x=x, index=a["index"], y=a["source"], reduction=a["reduction"] or "update")


def get_item(a: dict[str, Value], run: Run) -> TensorType:
    parts = a["index"] if isinstance(a["index"], tuple) else (a["index"],)
    if any(isinstance(p, list) or (isinstance(p, TensorType) and len(p.shape)) for p in parts):
        raise run.refuse("index", "TensorFlow's tensors are not indexed by tensors or lists: take and take_along_axis do that", ("index",))
    return run("getitem", x=a["x"], index=parts)

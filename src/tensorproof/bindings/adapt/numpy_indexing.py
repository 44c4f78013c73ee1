"""NumPy's functions that pick elements: diagonals, take, masks, brackets."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy_arrays import Whole, flat, tensor, written
from tensorproof.bindings.adapt.numpy_reductions import word
from tensorproof.bindings.arrays import array_like
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axis, Index, Int, Ints, Tensor, as_size, is_size
from tensorproof.terms.dtypes import BOOL, FLOAT32, INT32, INT64, UINT8
from tensorproof.terms.ints import maximum, minimum
from tensorproof.terms.predicates import conj, ge, le, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@takes(Int("k", 0))
def diag(a: dict[str, Any], run: Run) -> Any:
    x, k = a["x"], a["k"]
    if len(x.shape) == 1:
        n = x.shape[0] + maximum(k, 0 - k)
        return x.but(shape=Shape((n, n)), contents=None, strides=None)
    if len(x.shape) != 2:
        raise run.refuse("rank", f"a vector or a matrix has a diagonal here, and this is {x.shape!r}", ("x",))
    return run("diagonal", x=x, offset=k, dim1=0, dim2=1)


@takes(Int("k", 0))
def diagflat(a: dict[str, Any], run: Run) -> Any:
    return diag({**a, "x": flat(a["x"])}, run)


@takes(Int("offset", 0))
def triangle(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number has no triangle", ("x",))
    if len(x.shape) == 1:
        return x.but(shape=Shape((x.shape[0], x.shape[0])), contents=None)
    return run(run.row.op, x=x.but(dtype=FLOAT32), offset=a["offset"]).but(dtype=x.dtype)


def trace(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    made = run("diagonal", x=x, offset=a["offset"], dim1=a["axis1"], dim2=a["axis2"])
    return written(run("sum", x=made, dim=-1, dtype=a["dtype"]).but(contents=None), a, run)


def matrix_trace(a: dict[str, Any], run: Run) -> Any:
    return trace({**a, "axis1": -2, "axis2": -1}, run)


@takes(Tensor("index", "...", frozenset({INT64, INT32}), values="index"), Axis("dim", None, optional=True))
def take(a: dict[str, Any], run: Run) -> Any:
    x, index = a["x"], tensor(a["index"])
    word(run, a, "mode", ("raise", "wrap", "clip"))
    if index.dtype is not None and (index.dtype.kind in "fc" or index.dtype.label == "uint64"):
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    if a["dim"] is None or len(x.shape) == 0:
        x = flat(x)
    axis = 0 if a["dim"] is None else a["dim"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    n = x.shape[axis]
    axis %= len(x.shape)
    if a["mode"] == "raise":
        for v in index.contents or ():
            run.require("index", conj(lt(v, n), ge(v, 0 - n)), f"index {v!r} is out of range for an axis of {n!r}", ("index", "x"))
    if index.contents is None and index.shape.numel != 0:
        run.require("index", ge(n, 1), "nothing can be taken from an empty axis", ("x",))
    return written(x.but(shape=Shape((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])), contents=None, strides=None), a, run)


@takes(Axis("dim", -1, optional=True))
def take_along_axis(a: dict[str, Any], run: Run) -> Any:
    x, index = a["x"], a["index"]
    if index.dtype is not None and index.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    if a["dim"] is None:
        if len(index.shape) != 1:
            raise run.refuse("rank", f"without an axis the indices are a vector, and they are {index.shape!r}", ("index",))
        return x.but(shape=index.shape, contents=None, strides=None)
    axis = a["dim"]
    if len(x.shape) != len(index.shape):
        raise run.refuse("rank", f"x {x.shape!r} and the indices {index.shape!r} must have one rank", ("x", "index"))
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    axis %= len(x.shape)
    lead = run("broadcast_tensors", xs=(x.but(shape=Shape((*x.shape[:axis], 1, *x.shape[axis + 1 :]))), index))[0].shape
    for v in index.contents or ():
        run.require(
            "index",
            conj(lt(v, x.shape[axis]), ge(v, 0 - x.shape[axis])),
            f"index {v!r} is out of range for an axis of {x.shape[axis]!r}",
            ("index",),
        )
    return x.but(shape=Shape((*lead[:axis], index.shape[axis], *lead[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Tensor("condition", "N"))
def compress(a: dict[str, Any], run: Run) -> Any:
    x, mask = a["x"], a["condition"]
    if isinstance(mask, TensorType) and len(mask.shape) != 1:
        raise run.refuse("condition", f"a vector of truth values selects, and this is {mask.shape!r}", ("condition",))
    if a["dim"] is None:
        x = flat(x)
    axis = 0 if a["dim"] is None else a["dim"]
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    axis %= len(x.shape)
    n = x.shape[axis]
    if not isinstance(mask, TensorType) or le(mask.shape[0], n) is False:
        raise run.give_up("the condition is longer than the axis, or not known")
    count = run.fresh("kept", 0, n if isinstance(n, int) else None)
    return x.but(shape=Shape((*x.shape[:axis], count, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Tensor("condition"))
def extract(a: dict[str, Any], run: Run) -> Any:
    n = a["x"].shape.numel
    if le(a["condition"].shape.numel, n) is False:
        raise run.give_up("the condition is longer than the array")
    return a["x"].but(shape=Shape((run.fresh("kept", 0, n if isinstance(n, int) else None),)), contents=None, strides=None)


@takes(Tensor("x"))
def nonzero(a: dict[str, Any], run: Run) -> Any:
    if len(a["x"].shape) == 0:
        raise run.refuse("rank", "a number has no places", ("x",))
    return run("where_true", condition=a["x"])


@takes(Tensor("x"))
def flatnonzero(a: dict[str, Any], run: Run) -> Any:
    return run("where_true", condition=flat(a["x"]))[0]


@takes(Tensor("x"))
def argwhere(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    (count,) = run("where_true", condition=flat(x))[0].shape
    return TensorType(Shape((count, len(x.shape))), INT64)


def _along(a: dict[str, Any], run: Run) -> tuple[Any, int]:
    """The array and the axis that is meant: without one, the flat array's."""
    x, axis = (flat(a["x"]), 0) if a["axis"] is None else (a["x"], a["axis"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("axis",))
    return x, axis % len(x.shape)


@takes(Tensor("x"), Whole("obj", least=0), Axis("axis", None, optional=True))
def delete(a: dict[str, Any], run: Run) -> Any:
    obj = as_size(a["obj"])
    x, axis = _along(a, run)
    n = x.shape[axis]
    if is_size(obj):
        run.require("index", conj(lt(obj, n), ge(obj, 0 - n)), f"element {obj!r} does not exist on an axis of {n!r}", ("obj", "x"))
        left: Any = n - 1
    else:
        left = run.fresh("left", 0, n if isinstance(n, int) else None)
    return x.but(shape=Shape((*x.shape[:axis], left, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("x"), Whole("obj", least=0), Tensor("values", "", scalar=True), Axis("axis", None, optional=True))
def insert(a: dict[str, Any], run: Run) -> Any:
    obj = as_size(a["obj"])
    x, axis = _along(a, run)
    n = x.shape[axis]
    values = tensor(a["values"])
    if not is_size(obj) or len(values.shape):
        return x.but(
            shape=Shape((*x.shape[:axis], run.fresh("grown", n if isinstance(n, int) else 0), *x.shape[axis + 1 :])),
            contents=None,
            strides=None,
        )
    run.require("index", conj(ge(n, obj), ge(obj, 0 - n)), f"place {obj!r} does not exist on an axis of {n!r}", ("obj", "x"))
    return x.but(shape=Shape((*x.shape[:axis], n + 1, *x.shape[axis + 1 :])), contents=None, strides=None)


@takes(Tensor("y", "...", scalar=True))
def isin(a: dict[str, Any], run: Run) -> Any:
    return a["x"].but(dtype=BOOL, contents=None)


@takes(Tensor("x", "...", frozenset({INT64, INT32}), values="index"), Ints("size", least=1, shape=True))
def unravel(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    if x.dtype is not None and x.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {x.dtype!r}", ("x",))
    total: Any = 1
    for n in size:
        total = total * n
    for v in x.contents or ():
        run.require("index", conj(ge(v, 0), lt(v, total)), f"index {v!r} does not lie in {tuple(size)!r}", ("x", "size"))
    return tuple(x.but(dtype=INT64, contents=None, weak=False) for _ in size)


def places(index: Any) -> tuple[Any, ...]:
    """What stands between the brackets, with lists as the arrays that they are; bytes are numbers here, and masks in torch alone."""
    parts = index if isinstance(index, tuple) else (index,)
    found = tuple(array_like("numpy", part) or part if isinstance(part, list) else part for part in parts)
    return tuple(part.but(dtype=INT64) if isinstance(part, TensorType) and part.dtype is UINT8 else part for part in found)


@takes(Index("index"))
def getitem(a: dict[str, Any], run: Run) -> Any:
    return run("getitem", x=a["x"], index=places(a["index"]))


@takes(Index("index"), Tensor("value", "...", scalar=True))
def setitem(a: dict[str, Any], run: Run) -> Any:
    index = places(a["index"])
    if (
        isinstance(a["value"], TensorType)
        and len(a["value"].shape)
        and all(is_size(part) for part in index)
        and len(index) == len(a["x"].shape)
    ):
        raise run.refuse("value", f"an array {a['value'].shape!r} is not put into the place of one number", ("value", "index"))
    return run("setitem", x=a["x"], index=index, value=a["value"])


@takes(Tensor("x"), Tensor("y"))
def set_operation(a: dict[str, Any], run: Run) -> Any:
    """A sorted vector without repetitions; how long, only the data tell."""
    x, y = tensor(a["x"]), tensor(a["y"])
    numel = {"intersect1d": minimum(x.shape.numel, y.shape.numel), "setdiff1d": x.shape.numel}.get(run.row.name[6:], x.shape.numel + y.shape.numel)
    if a.get("return_indices"):
        raise run.give_up("the places of common elements")
    dtype = x.dtype if run.row.name.endswith("setdiff1d") else run("cat", xs=(flat(x), flat(y)), dim=0).dtype
    return TensorType(Shape((run.fresh("elements", 0, numel if isinstance(numel, int) else None),)), dtype)

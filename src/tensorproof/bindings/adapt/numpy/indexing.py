"""NumPy's functions that pick elements: diagonals, take, masks, brackets."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import along, flattened, tensor, written
from tensorproof.bindings.adapt.numpy.arrays import nonzero as truths
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapters import Run, Value, array_like, tensor_in
from tensorproof.ops.inputs import as_size, is_size
from tensorproof.terms import BOOL, INT64, UINT8, Operand, Shape, TensorType, conj, disj, eq, ge, le, lt, promote


def triangle(a: dict[str, Value], run: Run) -> TensorType:
    """The triangle of a matrix, or of one whose rows are all the vector."""
    x = tensor_in(a, "x")
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number has no triangle", ("x",))
    if len(x.shape) == 1:
        x = run("expand", x=x, size=(x.shape[0], x.shape[0]))
    return run.typed(run.row.op, x.dtype, x=x, offset=a["offset"])


def diagonal(a: dict[str, Value], run: Run) -> TensorType:
    """NumPy looks at the axes of a matrix only."""
    x = tensor_in(a, "x")
    if len(x.shape) < 2:
        raise run.refuse("diagonal/rank", f"a diagonal needs two axes, and x is {x.shape!r}", ("x",))
    return run("diagonal", x=x, offset=a["offset"], dim1=a["dim1"], dim2=a["dim2"])


def trace(a: dict[str, Any], run: Run) -> Value:
    made = diagonal({"x": a["x"], "offset": a["offset"], "dim1": a["axis1"], "dim2": a["axis2"]}, run)
    return written(run("sum", x=made, dim=-1, dtype=a["dtype"]), a, run)


def take(a: dict[str, Any], run: Run) -> Value:
    x, index = tensor_in(a, "x"), tensor(a["index"])
    word(run, a, "mode", ("raise", "wrap", "clip"))
    if index.dtype is not None and (index.dtype.kind in "fc" or index.dtype.label == "uint64"):
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    x, axis = along(x, a["dim"], run)
    n = x.shape[axis]
    if a["mode"] == "raise":
        for v in index.contents or ():
            run.require("index", conj(lt(v, n), ge(v, 0 - n)), f"index {v!r} is out of range for an axis of {n!r}", ("index", "x"))
    if index.contents is None and index.shape.numel != 0:
        run.require("index", ge(n, 1), "nothing can be taken from an empty axis", ("x",))
    if index.dtype is BOOL:
        index = run("cast", x=index, dtype=INT64)
    if a["mode"] != "raise":
        index = run("remainder", x=index, y=n) if a["mode"] == "wrap" else run("clamp", x=index, low=0, high=n - 1)
    return written(run.typed("gather_slices", x.dtype, x=x, index=index, dim=axis), a, run)


def take_along_axis(a: dict[str, Any], run: Run) -> TensorType:
    x, index = tensor_in(a, "x"), tensor_in(a, "index")
    if index.dtype is not None and index.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {index.dtype!r}", ("index",))
    if a["dim"] is None:
        if len(index.shape) != 1:
            raise run.refuse("rank", f"without an axis the indices are a vector, and they are {index.shape!r}", ("index",))
        x, axis = flattened(x, run), 0
    else:
        axis = a["dim"]
    if len(x.shape) != len(index.shape):
        raise run.refuse("rank", f"x {x.shape!r} and the indices {index.shape!r} must have the same number of dimensions", ("x", "index"))
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("dim",))
    n = x.shape[axis]
    for v in index.contents or ():
        run.require("index", conj(lt(v, n), ge(v, 0 - n)), f"index {v!r} is out of range for an axis of {n!r}", ("index",))
    return run.typed("take_along_dim", x.dtype, x=x, index=index, dim=axis)


def compress(a: dict[str, Any], run: Run) -> Value:
    x, mask = tensor_in(a, "x"), a["condition"]
    if isinstance(mask, TensorType) and len(mask.shape) != 1:
        raise run.refuse("condition", f"a vector of truth values selects, and this is {mask.shape!r}", ("condition",))
    x, axis = along(x, a["dim"], run)
    n = x.shape[axis]
    if not isinstance(mask, TensorType) or le(mask.shape[0], n) is False:
        raise run.give_up("the condition is longer than the axis, or not known")
    return written(run("compress", x=x, condition=truths(mask, run), dim=axis), a, run)


def extract(a: dict[str, Value], run: Run) -> TensorType:
    if le(tensor_in(a, "condition").shape.numel, tensor_in(a, "x").shape.numel) is False:
        raise run.give_up("the condition is longer than the array")
    return run("compress", x=flattened(tensor_in(a, "x"), run), condition=truths(flattened(tensor_in(a, "condition"), run), run), dim=0)


def _along(a: dict[str, Any], run: Run) -> tuple[Any, int]:
    """The array and the axis that is meant: without one, the flat array's."""
    x, axis = (flattened(a["x"], run), 0) if a["axis"] is None else (a["x"], a["axis"])
    if not -len(x.shape) <= axis < len(x.shape):
        raise run.refuse("axis", f"axis {axis} is out of range for {x.shape!r}", ("axis",))
    return x, axis % len(x.shape)


def delete(a: dict[str, Value], run: Run) -> TensorType:
    obj = as_size(a["obj"])
    x, axis = _along(a, run)
    n = x.shape[axis]
    if is_size(obj):
        run.require("index", conj(lt(obj, n), ge(obj, 0 - n)), f"element {obj!r} does not exist on an axis of {n!r}", ("obj", "x"))
        at = obj + n if isinstance(obj, int) and obj < 0 else obj
        parts = (run("slice", x=x, dim=axis, end=at), run("slice", x=x, dim=axis, start=at + 1))
        shape = Shape((*x.shape[:axis], n - 1, *x.shape[axis + 1 :]))
        return run.shaped("cat", shape, x.dtype, xs=parts, dim=axis)
    return run("compress", x=x, condition=_kept(obj, n, run), dim=axis)


def _kept(obj: Value, n: Value, run: Run) -> TensorType:
    """The places of an axis that are not deleted."""
    if isinstance(obj, slice):
        made: Value = run("getitem", x=run("arange", start=0, end=n, dtype=INT64), index=(obj,))
    elif isinstance(obj, (list, tuple)):
        found = array_like("numpy", list(obj))
        made = None if found is None else run("constant", data=found)
    else:
        made = obj
    if not isinstance(made, TensorType):
        raise run.give_up("the places to be deleted are not known")
    if made.dtype is not BOOL:
        made = run.typed(
            "isin", BOOL, x=run("arange", start=0, end=n, dtype=INT64), y=run("getitem", x=run("arange", start=0, end=n, dtype=INT64), index=(made,))
        )
    return run("logical_not", x=made)


def insert(a: dict[str, Value], run: Run) -> TensorType:
    obj = as_size(a["obj"])
    x, axis = _along(a, run)
    n = x.shape[axis]
    values = tensor(a["values"])
    if is_size(obj) and not len(values.shape):
        run.require("cat/index", conj(ge(n, obj), ge(obj, 0 - n)), f"place {obj!r} does not exist on an axis of {n!r}", ("obj", "x"))
    return run("insert", x=x, values=values, index=obj, dim=axis)


def isin(a: dict[str, Value], run: Run) -> TensorType:
    made = run.typed("isin", BOOL, x=a["x"], y=a["y"])
    return run("logical_not", x=made) if a.get("invert") else made


def unravel(a: dict[str, Value], run: Run) -> Value:
    """NumPy looks at the product of the sizes alone."""
    x = tensor(a["x"])
    size = a["size"] if isinstance(a["size"], (tuple, list)) else (a["size"],)
    if x.dtype is not None and x.dtype.kind not in "iu":
        raise run.refuse("dtype", f"indices must be whole numbers, and are {x.dtype!r}", ("x",))
    total: Any = 1
    for n in size:
        total = total * n
    for v in x.contents or ():
        run.require("index", conj(ge(v, 0), lt(v, total)), f"index {v!r} does not lie in {tuple(size)!r}", ("x", "size"))
    some = disj(eq(x.shape.numel, 0), ge(total, 1)) if x.shape.known else True
    run.require("index", some, f"indices {x.shape!r} do not lie in {tuple(size)!r}, which has no element", ("x", "size"))
    single = bool(size) or not x.shape.known or not len(x.shape)
    run.require("index", single, f"indices {x.shape!r} do not lie in (), which takes a single number", ("x", "size"))
    if a["order"] == "F":
        return tuple(run("unravel_index", x=x, size=tuple(size)[::-1]))[::-1]
    return tuple(run("unravel_index", x=x, size=tuple(size)))


def places(index: Value, run: Run) -> tuple[Any, ...]:
    """What stands between the brackets, with lists as the arrays that they are; bytes are numbers here, and masks in torch alone."""
    parts = index if isinstance(index, tuple) else (index,)
    found = tuple(array_like("numpy", part) or part if isinstance(part, list) else part for part in parts)
    return tuple(run("cast", x=part, dtype=INT64) if isinstance(part, TensorType) and part.dtype is UINT8 else part for part in found)


def getitem(a: dict[str, Value], run: Run) -> TensorType:
    return run("getitem", x=a["x"], index=places(a["index"], run))


def setitem(a: dict[str, Value], run: Run) -> TensorType:
    index = places(a["index"], run)
    if (
        isinstance(a["value"], TensorType)
        and len(tensor_in(a, "value").shape)
        and all(is_size(part) for part in index)
        and len(index) == len(tensor_in(a, "x").shape)
    ):
        raise run.refuse("value", f"an array {tensor_in(a, 'value').shape!r} is not put into the place of one number", ("value", "index"))
    return run("setitem", x=a["x"], index=index, value=a["value"])


def set_operation(a: dict[str, Value], run: Run) -> Value:
    """A sorted vector without repetitions; how long, only the data tell."""
    x, y = tensor(a["x"]), tensor(a["y"])
    if a.get("return_indices"):
        raise run.give_up("the places of common elements")
    name = run.row.name.rpartition(".")[2]
    if name == "union1d":
        return run("unique", x=run("cat", xs=(flattened(x, run), flattened(y, run)), dim=0))
    if name == "setxor1d":
        either = (_members(x, y, False, run), _members(y, x, False, run))
        return run("unique", x=run("cat", xs=either, dim=0))
    made = _members(x, y, name == "intersect1d", run)
    dtype = made.dtype
    if name == "intersect1d" and x.dtype is not None and y.dtype is not None:
        dtype = promote("numpy", [Operand(x.dtype), Operand(y.dtype)])
    return made if dtype is made.dtype else run("cast", x=made, dtype=dtype)


def _members(x: TensorType, y: TensorType, shared: bool, run: Run) -> TensorType:
    """The distinct elements of x that are in y, or that are not."""
    own = run("unique", x=x)
    found = run.typed("isin", BOOL, x=own, y=y)
    return run("compress", x=own, condition=found if shared else run("logical_not", x=found), dim=0)

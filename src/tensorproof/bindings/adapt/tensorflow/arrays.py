"""Functions of `tf` that join, part, repeat, turn and order tensors."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef import arrays as graphdef_arrays
from tensorproof.bindings.adapt.tensorflow import shapes as tf_joins
from tensorproof.bindings.adapt.tensorflow.shapes import parts
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, of_type, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import at_least, axis, ranked, somewhere, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value
from tensorproof.terms import BOOL, FLOAT32, INDEX, INT32, UINT8, Dim, DType, Shape, TensorType, conj, eq, ge, product


def concat(a: Arguments, run: Run) -> TensorType:
    """One tensor alone is handed on, whatever its rank and the axis."""
    if len(a["xs"]) > 1:
        return tf_joins.concat(a, run)
    alone, dim = a["xs"][0], whole(a["dim"])
    if alone.shape.known and len(alone.shape) == 0:
        return with_shape(run, "squeeze", run("cat", xs=(run("unsqueeze", x=alone, dim=0),), dim=0), Shape(()), dim=(0,))
    if alone.shape.known and (not isinstance(dim, int) or not -len(alone.shape) <= dim < len(alone.shape)):
        dim = 0
    return run.shaped("cat", alone.shape, alone.dtype, xs=(alone,), dim=dim)


def split_any(a: Arguments, run: Run) -> Value:
    """A number of equal parts, or a list of sizes."""
    sizes, x = whole(a["sizes"]), a["x"]
    if isinstance(sizes, int):
        at_least(run, x, 1)
        run.require("split/parts", sizes >= 1, f"there must be at least one part, and {sizes!r} are asked for", ("sizes",))
        return list(parts(run, x, sizes, axis(run, a["dim"], len(x.shape)) if x.shape.known else None))
    count = a.get("num")
    if isinstance(sizes, TensorType) and sizes.shape.known and len(sizes.shape) == 1 and type(sizes.shape[0]) is int:
        count = sizes.shape[0]
    elif isinstance(sizes, (tuple, list)):
        count = len(sizes)
    if not isinstance(count, int):
        raise run.give_up("the number of parts is not known")
    return list(graphdef_arrays.split_v({**a, "count": count}, run))


def block(a: Arguments, run: Run) -> TensorType:
    begin = vector(run, a["begin"], "begin")
    run.require("begin", begin is None or len(begin) > 0 or isinstance(a["begin"], TensorType), "an empty list of positions has no whole type", ("begin",))
    return run("block_slice", x=a["x"], begin=a["begin"], size=a["size"])


def repeat(a: Arguments, run: Run) -> TensorType:
    x, times = a["x"], a["times"]
    if x.shape.known and len(x.shape) == 0:
        x = run("unsqueeze", x=x, dim=0)
    if a.get("dim") is None:
        x, at = with_shape(run, "reshape", x, (x.shape.numel,), size=(-1,)) if not x.shape.known or len(x.shape) != 1 else x, 0
    else:
        found = axis(run, a["dim"], len(x.shape)) if x.shape.known else None
        if found is None:
            raise run.give_up("the axis is not known")
        at = found
    n = x.shape[at]
    counts = vector(run, times, "times", scalar=True)
    if counts is None or None in counts:
        return with_shape(run, "repeat_interleave", x, (*x.shape[:at], run.fresh("repeated"), *x.shape[at + 1 :]), times=times, dim=at)
    scalar = len(counts) == 1
    run.require("times", scalar or eq(n, len(counts)), f"{len(counts)} counts go with an axis of size {n!r}", ("times", "x"))
    run.require("times", conj(*(ge(t, 0) for t in counts)), f"nothing is repeated {counts!r} times", ("times",))
    if not isinstance(times, TensorType):
        times = counts[0] if scalar else run("constant", data=TensorType(Shape((len(counts),)), INT32, contents=counts, framework="tf"))
    return with_shape(run, "repeat_interleave", x, (*x.shape[:at], n * counts[0] if scalar else sum(counts), *x.shape[at + 1 :]), times=times, dim=at)


def reverse(a: Arguments, run: Run) -> TensorType:
    x, dims = a["x"], vector(run, a["dim"], "dim")
    if dims is None or not x.shape.known or any(type(d) is not int for d in dims):
        return with_shape(run, "flip", x, x.shape, dim=a["dim"])
    axes = tuple(axis(run, d, len(x.shape)) for d in dims)
    run.require("axis", len(set(axes)) == len(axes), f"an axis is named twice: {dims!r}", ("dim",))
    return run("flip", x=x, dim=axes)


def reverse_sequence(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    run.require("axis", a.get("dim") is not None, "the axis that is reversed must be given", ("dim",))
    x, lengths, time, batch = a["x"], ranked(run, a["lengths"], 1, "lengths"), a["dim"], a.get("batch_dim") or 0
    for name, at in (("dim", time), ("batch_dim", batch)) if x.shape.known else ():
        run.require("axis", 0 <= at < len(x.shape), f"{name} = {at} is out of range for x {x.shape!r}", (name, "x"))
    if x.shape.known:
        run.require("axis", time != batch, "the batch axis cannot be the one that is reversed", ("dim", "batch_dim"))
        n = x.shape[batch]
        run.require("lengths", eq(n, lengths.shape[0]), f"{lengths.shape[0]!r} lengths go with a batch of {n!r}", ("lengths", "x"))
    return with_shape(run, "reverse_sequences", x, x.shape, lengths=lengths, batch_dim=batch, time_dim=time, first_two=False)


def roll(a: Arguments, run: Run) -> TensorType:
    x, shifts, dims = a["x"], vector(run, a["shifts"], "shifts", scalar=True), vector(run, a["dim"], "dim", scalar=True)
    at_least(run, x, 1)
    for name in ("shifts", "dim"):
        empty = type(a[name]) in (list, tuple) and not a[name]
        run.require("dtype", not empty, f"{name} must be whole numbers, and an empty list is taken for float32", (name,))
    if shifts is not None and dims is not None:
        run.require("shifts", len(shifts) == len(dims), f"{len(shifts)} shifts go with {len(dims)} axes", ("shifts", "dim"))
    for d in dims or ():
        if d is not None and x.shape.known:
            axis(run, d, len(x.shape))
    if shifts is None or dims is None or None in (*shifts, *dims) or not x.shape.known:
        return with_shape(run, "roll", x, x.shape, shifts=a["shifts"], dim=a["dim"])
    return run("roll", x=x, shifts=shifts, dim=dims) if shifts else run("identity", x=x)


def one_hot(a: Arguments, run: Run) -> TensorType:
    typed = [v.dtype for v in (a.get("on"), a.get("off")) if isinstance(v, TensorType)]
    dtype = a.get("dtype") or (typed[0] if typed else FLOAT32)
    run.require("dtype", dtype is not BOOL or a.get("on") is not None, "truth values need on_value and off_value", ("dtype",))
    dim = -1 if a.get("dim") is None else a["dim"]
    return run("one_hot_axis", x=a["x"], depth=whole(a["depth"]), on=a.get("on"), off=a.get("off"), dim=dim, dtype=dtype)


def sequence_mask(a: Arguments, run: Run) -> TensorType:
    count = whole(a.get("count"))
    n = run.fresh("longest") if count is None or isinstance(count, TensorType) else count
    given = a.get("count")
    kept = a["x"].dtype in INDEX and type(given) is not int  # lengths are converted to the type of the greatest one
    x = of_type(run, a["x"], a["x"].dtype if kept else INT32)
    places = run.typed("arange", x.dtype, start=0, end=n, step=1, dtype=x.dtype)
    if not x.shape.known:
        return run.shaped("lt", somewhere(run), a.get("dtype") or BOOL, x=places, y=x)
    made = run.typed("lt", BOOL, x=places, y=run("unsqueeze", x=x, dim=len(x.shape)))
    result: TensorType = of_type(run, made, a.get("dtype") or BOOL)
    return result


def meshgrid(a: Arguments, run: Run) -> Value:
    """Each vector is multiplied by ones of the first one's element type; truth values are multiplied by ones of any."""
    numbers = [x for x in a["xs"] if x.dtype is not BOOL]
    if numbers and a["xs"][0].dtype is BOOL:
        raise run.give_up("truth values first and numbers after them")
    same_types(run, {"xs": numbers}, "xs")
    xs = [x if not x.shape.known or len(x.shape) == 1 else run("reshape", x=x, size=(x.shape.numel,)) for x in a["xs"]]
    return list(run("meshgrid", xs=tuple(xs), indexing=a.get("indexing") or "xy"))


def sort(a: Arguments, run: Run) -> TensorType:
    made: TensorType = _ordered(a, run, a["x"].dtype, INT32)[0]
    return made


def _ordered(a: Arguments, run: Run, *dtypes: DType | None) -> Any:
    """The row's operator along one axis, which x must have."""
    x = a["x"]
    at_least(run, x, 1)
    if x.shape.known:
        axis(run, a["dim"], len(x.shape))
    return run.typed(run.row.op, *dtypes, x=x, dim=a["dim"], descending=a.get("direction") == "DESCENDING")


def argsort(a: Arguments, run: Run) -> TensorType:
    made: TensorType = _ordered(a, run, INT32)
    return made


def searchsorted(a: Arguments, run: Run) -> TensorType:
    """Rows of sorted numbers; leading axes must agree."""
    x, y = a["x"], a["y"]
    same_types(run, a, "x", "y")
    at_least(run, x, 1)
    at_least(run, y, 1, "y")
    if x.shape.known and y.shape.known and x.dtype is not BOOL:
        run.require("rows", eq(product(x.shape[:-1]), product(y.shape[:-1])), f"x {x.shape!r} and y {y.shape!r} must have as many rows", ("x", "y"))
    if x.shape.known and y.shape.known and x.shape[:-1] != y.shape[:-1]:
        x = with_shape(run, "reshape", x, (*y.shape[:-1], x.shape[-1]), size=(*y.shape[:-1], x.shape[-1]))
    x, y = (of_type(run, v, UINT8) if v.dtype is BOOL else v for v in (x, y))
    return run.shaped("searchsorted", y.shape, a.get("dtype") or INT32, x=x, y=y, right=a.get("side") == "right")


def unique(a: Arguments, run: Run) -> Value:
    """The distinct elements in the order in which they first stand, and for each element which of them it is."""
    x = ranked(run, a["x"], 1)
    dtype = a.get("dtype") or INT32
    return tuple(run.typed("unique", x.dtype, dtype, dtype, x=x, return_inverse=True, return_counts=bool(a.get("counts")), sorted=False, as_met=True))


def unravel_index(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None or None in size or not x.shape.known:
        n: Dim = run.fresh("axes") if size is None else len(size)
        return with_shape(run, "stack", x, (n, *x.shape) if x.shape.known else somewhere(run), xs=(x,))
    for n in size:
        run.require("size", ge(n, 1), f"sizes must be at least 1, and are {tuple(size)!r}", ("size",))
    run.require("empty", ge(x.shape.numel, 1), f"there must be an index, and x is {x.shape!r}", ("x",))
    parts = run.typed("unravel_index", x.dtype, x=x, size=size)
    return run.shaped("stack", Shape((len(size), *x.shape)), x.dtype, xs=tuple(parts), dim=0)

"""Shapes in TensorFlow: reshaping, reducing, permuting, padding and gathering with axes and sizes that may be tensors."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import PLACES, Arguments, anew, at_least, axis, few, modern, ranked, same_types, somewhere, tensor, vector
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axes, Axis, Bool, Choice, Int, Ints, Pairs, Tensor
from tensorproof.terms.dtypes import INDEX, INT64
from tensorproof.terms.ints import Dim, Term, lower
from tensorproof.terms.predicates import conj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@takes(Ints("size", shape=True, loose=True))
def reshape(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return anew(x, somewhere(run))
    if any(n is None or (isinstance(n, Term) and lower(n) < 0) for n in size):
        return anew(x, [run.fresh("size") if n is None or (isinstance(n, Term) and lower(n) < 0) else n for n in size] if -1 not in size else
                    [run.fresh("size") if n is None or n == -1 else n for n in size])  # fmt: skip
    if not x.shape.known:
        for n in size:
            run.require("size", n == -1 or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
        run.require("size", sum(1 for n in size if n == -1) <= 1, f"only one size can be -1, and the shape is {size!r}", ("size",))
        return anew(x, [run.fresh("size") if n == -1 else n for n in size])
    made: TensorType = run("reshape", x=x, size=size).but(strides=None)
    return made


@takes(Axes("dim", None, loose=True), Bool("keepdim", False))
def reduce(a: Arguments, run: Run, once: bool = True) -> TensorType:
    """Axes folded away; an empty list of axes folds none, and None all. `once`: none may be named twice, which static inference does not see."""
    a = modern(a)
    x, keep = a["x"], bool(a.get("keepdim"))
    given = a["dim"]
    axes = None if given is None else vector(run, given, "dim", scalar=True)
    if given is None and x.shape.known:
        axes = tuple(range(len(x.shape)))
    dtype = run(run.row.op, x=x.but(shape=Shape((2,)), contents=None), dim=0, keepdim=False).dtype
    if not x.shape.known or axes is None or any(type(d) is not int for d in axes):
        if given is None and not keep:
            return tensor((), dtype)
        return tensor(Shape(run.fresh("axis") for _ in x.shape) if keep and x.shape.known else somewhere(run), dtype)
    found = [axis(run, d, len(x.shape)) for d in axes]
    axes = tuple(dict.fromkeys(found))
    run.require("axis", not once or len(axes) == len(found), f"axis names an axis twice: {tuple(found)!r}", ("dim",))
    if not axes:
        made: TensorType = x.but(dtype=dtype) if len(x.shape) or given is not None else run(run.row.op, x=x, dim=None, keepdim=keep)
        return made
    result: TensorType = run(run.row.op, x=x, dim=axes, keepdim=keep)
    return result


@takes(Axis("dim", 0, loose=True))
def arg_reduce(a: Arguments, run: Run) -> TensorType:
    """Where the extreme stands along one axis."""
    a = modern(a)
    x = a["x"]
    dtype = a.get("dtype") or INT64
    at_least(run, x, 1)
    if not x.shape.known or (at := axis(run, a["dim"] if a["dim"] is not None else 0, len(x.shape))) is None:
        return tensor(somewhere(run) if not x.shape.known else [run.fresh("axis") for _ in x.shape[1:]], dtype)
    made: TensorType = run(run.row.op, x=x, dim=at, keepdim=False, dtype=dtype)
    return made


@takes(Ints("dim", None, optional=True, loose=True))
def transpose(a: Arguments, run: Run) -> TensorType:
    x, order = a["x"], a.get("dim")
    if order is None:
        return run("reversed_axes", x=x).but(strides=None) if x.shape.known else anew(x, somewhere(run))
    order = vector(run, order, "dim")
    if order is None or any(type(v) is not int for v in order):
        known = len(order) if order is not None else len(x.shape) if x.shape.known else None
        return anew(x, somewhere(run) if known is None else [run.fresh("axis") for _ in range(known)])
    x = ranked(run, x, len(order))
    order = tuple(axis(run, v, len(order)) for v in order)
    run.require("axes", len(set(order)) == len(order) or "Conjugate" in run.name, f"the order {order!r} names an axis twice", ("dim",))
    return run("permute", x=x, dim=order).but(strides=None) if order else x


@takes(Axis("dim", extra=1, loose=True))
def expand_dims(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x = a["x"]
    if not x.shape.known:
        return anew(x, somewhere(run))
    at = axis(run, a["dim"], len(x.shape), 1)
    if at is None:
        return anew(x, [run.fresh("axis") for _ in range(len(x.shape) + 1)])
    made: TensorType = run("unsqueeze", x=x, dim=at).but(strides=None)
    return made


@takes(Axes("dim", (), optional=True, unique=False))
def squeeze(a: Arguments, run: Run) -> TensorType:
    """Named axes must be 1; without names every axis of size 1 goes."""
    a = modern(a)
    x, dims = a["x"], vector(run, a.get("dim"), "dim") or ()
    if not x.shape.known:
        return anew(x, somewhere(run))
    if not dims:
        made = run("squeeze", x=x, dim=None).but(strides=None)
        result: TensorType = made if made.shape.known else made.but(shape=somewhere(run, "squeezed"))
        return result
    axes = {axis(run, d, len(x.shape)) for d in dims}
    for at in axes:
        run.require("size", eq(x.shape[at], 1), f"axis {at} has size {x.shape[at]!r}; only axes of size 1 can go", ("x", "dim"))
    found: TensorType = x.but(shape=Shape(n for i, n in enumerate(x.shape) if i not in axes), strides=None)
    return found


@takes(Tensor("x"), Pairs("paddings"), Choice("mode", ("CONSTANT", "REFLECT", "SYMMETRIC"), "CONSTANT"))
def pad(a: Arguments, run: Run) -> TensorType:
    """`paddings` is a matrix of two columns: before and after each axis."""
    x, paddings = a["x"], a["paddings"]
    mode = str(a.get("mode") or "CONSTANT").upper()
    run.require("mode", mode in ("CONSTANT", "REFLECT", "SYMMETRIC"), f"there is no padding mode {mode}", ("mode",))
    rows = pairs(run, paddings, "paddings")
    if rows is None:
        n = paddings.shape[0] if isinstance(paddings, TensorType) and paddings.shape.known and type(paddings.shape[0]) is int else None
        n = len(x.shape) if n is None and x.shape.known else n
        return anew(x, somewhere(run) if n is None else [run.fresh("axis") for _ in ranked(run, x, n).shape])
    x = ranked(run, x, len(rows))
    reach = {"REFLECT": 1, "SYMMETRIC": 0}.get(str(a.get("mode") or "CONSTANT").upper())
    made: list[Dim] = []
    for n, (before, after) in zip(x.shape, rows):
        run.require(
            "padding", conj(ge(before, 0), ge(after, 0)), f"padding cannot be negative, and is ({before!r}, {after!r})", ("paddings",)
        )
        if reach is not None:
            fits = conj(le(before + reach, n), le(after + reach, n))
            run.require(
                "padding", fits, f"padding ({before!r}, {after!r}) taken from an axis of size {n!r} is too large", ("paddings", "x")
            )
        made.append(n + before + after)
    return anew(x, made)


def pairs(run: Run, value: Any, name: str) -> list[tuple[Any, Any]] | None:
    """The rows of a matrix of two columns, or None when they are not known."""
    if isinstance(value, TensorType):
        if value.shape.known:
            run.require("rank", len(value.shape) == 2, f"{name} must be a matrix, and has shape {value.shape!r}", (name,))
            run.require("columns", eq(value.shape[1], 2), f"{name} must have two columns, and has shape {value.shape!r}", (name,))
        if value.contents is None:
            return None
        held = value.contents
        return [(held[2 * i], held[2 * i + 1]) for i in range(len(held) // 2)]
    rows = list(value)
    run.require("rank", len(rows) > 0, f"{name} must be a matrix of two columns, and is empty", (name,))
    run.require(
        "columns",
        all(isinstance(r, (tuple, list)) and len(r) == 2 for r in rows),
        f"{name} must have two columns, and is {value!r}",
        (name,),
    )
    return [(r[0], r[1]) for r in rows]


@takes(Tensor("index", "...", INDEX), Axis("dim", 0, loose=True), Int("batch_dims", 0))
def gather(a: Arguments, run: Run) -> TensorType:
    """Slices along an axis: its place is taken by the axes of the indices."""
    x, index = a["x"], a["index"]
    run.require("dtype", index.dtype is None or index.dtype in PLACES, f"indices are whole numbers of 16, 32 or 64 bits, not {index.dtype!r}", ("index",))
    at_least(run, x, 1)
    dim = a["dim"] if a.get("dim") is not None else a.get("batch_dims") or 0
    if not x.shape.known:
        return anew(x, somewhere(run))
    at = axis(run, dim, len(x.shape))
    if at is None or not index.shape.known:
        lengths = len(x.shape) - 1 + len(index.shape) if index.shape.known else None
        return anew(x, somewhere(run) if lengths is None else [run.fresh("axis") for _ in range(lengths - (a.get("batch_dims") or 0))])
    batch = a.get("batch_dims") or 0
    run.require(
        "batch_dims",
        -len(index.shape) <= batch <= len(index.shape),
        f"batch_dims {batch} is out of range for indices {index.shape!r}",
        ("batch_dims",),
    )
    batch = batch + len(index.shape) if batch < 0 else batch
    run.require("batch_dims", batch <= at, f"batch_dims {batch} lies behind the axis {at}", ("batch_dims", "dim"))
    for m, n in zip(x.shape[:batch], index.shape[:batch]):
        run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "index"))
    shape = Shape((*x.shape[:at], *index.shape[batch:], *x.shape[at + 1 :]))
    contents = None
    if x.contents is not None and index.contents is not None and len(x.shape) == 1 and batch == 0:
        places = [i for i in index.contents if type(i) is int and 0 <= i < len(x.contents)]
        contents = tuple(x.contents[i] for i in places) if len(places) == len(index.contents) else None
    return tensor(shape, x.dtype, contents)


@takes(Ints("size", shape=True, loose=True, one=False))
def broadcast_to(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return anew(x, somewhere(run))
    if any(n is None for n in size) or not x.shape.known:
        return anew(x, [run.fresh("axis") if n is None else n for n in size])
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    made: TensorType = run("expand", x=x, size=size).but(strides=None)
    return made


@takes(Ints("size", shape=True, loose=True))
def sized(a: Arguments, run: Run) -> TensorType:
    """A tensor whose shape is an argument: filled, random, empty."""
    size = vector(run, a["size"], "size")
    dtype = a.get("dtype")
    value = a.get("value")
    if isinstance(value, TensorType):
        run.require(
            "rank", not value.shape.known or len(value.shape) == 0, f"the value must be a scalar, and has shape {value.shape!r}", ("value",)
        )
        dtype = value.dtype
    if size is None:
        return tensor(somewhere(run), dtype)
    for n in size:
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    shape = Shape(run.fresh("size") if n is None else n for n in size)
    if isinstance(value, TensorType) and value.contents is not None and (count := few(shape)) is not None:
        return tensor(shape, dtype, value.contents * count)
    return tensor(shape, dtype)


def arange(a: Arguments, run: Run) -> TensorType:
    """A range whose ends may be tensors of known or unknown contents."""
    dtype = same_types(run, a, "start", "end", "step")
    ends: list[Any] = []
    for name in ("start", "end", "step"):
        value = a[name]
        if isinstance(value, TensorType):
            run.require(
                "rank", not value.shape.known or len(value.shape) == 0, f"{name} must be a scalar, and has shape {value.shape!r}", (name,)
            )
            value = value.contents[0] if value.contents else None
        ends.append(value)
    dtype = a.get("dtype") or dtype
    if any(v is None for v in ends) or (any(isinstance(v, Term) for v in ends) and any(isinstance(v, float) for v in ends)):
        return tensor((run.fresh("range"),), dtype)
    made: TensorType = run("arange", start=ends[0], end=ends[1], step=ends[2], dtype=dtype)
    return made

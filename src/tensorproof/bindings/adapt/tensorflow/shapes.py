"""Shapes in TensorFlow: reshaping, reducing, permuting, padding, joining and gathering with axes and sizes that may be tensors."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow.shared import Arguments, modern, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import PLACES, at_least, axis, inside, known_axis, ranked, somewhere, vector, with_shape
from tensorproof.bindings.adapters import takes
from tensorproof.bindings.call import Run
from tensorproof.ops.inputs import Axes, Axis, Bool, Choice, Pairs, Tensor
from tensorproof.terms import FLOAT32, INDEX, INT64, Dim, Shape, TensorType, Term, conj, eq, ge, le, lower


def reshape(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return with_shape(run, "reshape", x, somewhere(run), size=a["size"])
    if any(n is None or (isinstance(n, Term) and lower(n) < 0) for n in size):
        if -1 in size:
            sizes = [run.fresh("size") if n is None or n == -1 else n for n in size]
        else:
            sizes = [run.fresh("size") if n is None or (isinstance(n, Term) and lower(n) < 0) else n for n in size]
        return with_shape(run, "reshape", x, sizes, size=a["size"])
    if not x.shape.known:
        for n in size:
            run.require("size", n == -1 or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
        run.require("size", sum(1 for n in size if n == -1) <= 1, f"only one size can be -1, and the shape is {size!r}", ("size",))
        return with_shape(run, "reshape", x, [run.fresh("size") if n == -1 else n for n in size], size=size)
    return run("reshape", x=x, size=size)


@takes(Axes("dim", None, loose=True), Bool("keepdim", False))
def reduce(a: Arguments, run: Run, once: bool = True) -> TensorType:
    """Axes folded away; an empty list of axes folds none, and None all. `once`: none may be named twice, which static inference does not see."""
    a = modern(a)
    x, keep, given = a["x"], bool(a.get("keepdim")), a["dim"]
    axes = None if given is None else vector(run, given, "dim", scalar=True)
    if given is None and x.shape.known:
        axes = tuple(range(len(x.shape)))
    op, dtype, fixed = run.row.op, a.get("dtype") or x.dtype, run.row.fixed
    if not x.shape.known or axes is None or any(type(d) is not int for d in axes):
        whole = given is None and not keep
        shape = Shape() if whole else Shape(run.fresh("axis") for _ in x.shape) if keep and x.shape.known else somewhere(run)
        return run.shaped(op, shape, dtype, x=x, dim=given, keepdim=keep, **fixed)
    found = [axis(run, d, len(x.shape)) for d in axes]
    axes = tuple(dict.fromkeys(found))
    run.require("axis", not once or len(axes) == len(found), f"axis names an axis twice: {tuple(found)!r}", ("dim",))
    if not axes and given is not None:  # a new axis of one element, folded away, stands for none
        x, axes, keep = run("unsqueeze", x=x, dim=0), (0,), False
    return run.typed(op, dtype, x=x, dim=axes or None, keepdim=keep, **fixed)


@takes(Axis("dim", 0, loose=True))
def arg_reduce(a: Arguments, run: Run) -> TensorType:
    """Where the extreme stands along one axis."""
    a = modern(a)
    x = a["x"]
    dtype = a.get("dtype") or INT64
    at_least(run, x, 1)
    if not x.shape.known or (at := axis(run, a["dim"] if a["dim"] is not None else 0, len(x.shape))) is None:
        shape = somewhere(run) if not x.shape.known else Shape(run.fresh("axis") for _ in x.shape[1:])
        return run.shaped(run.row.op, shape, dtype, x=x, dim=a["dim"], keepdim=False)
    return run(run.row.op, x=x, dim=at, keepdim=False, dtype=dtype)


def transpose(a: Arguments, run: Run) -> TensorType:
    x, order = a["x"], a.get("dim")
    if a.get("conjugate"):
        x = run.typed("conj", x.dtype, x=x)
    if order is None and x.shape.known:
        order = range(len(x.shape))[::-1]
    order = vector(run, tuple(order) if isinstance(order, range) else order, "dim")
    if order is None or any(type(v) is not int for v in order):
        known = len(order) if order is not None else len(x.shape) if x.shape.known else None
        return with_shape(run, "permute", x, somewhere(run) if known is None else [run.fresh("axis") for _ in range(known)], dim=a.get("dim"))
    x = ranked(run, x, len(order))
    order = tuple(axis(run, v, len(order)) for v in order)
    run.require("axes", len(set(order)) == len(order) or "Conjugate" in run.name, f"the order {order!r} names an axis twice", ("dim",))
    return run("permute", x=x, dim=order)


def expand_dims(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    x = a["x"]
    at = axis(run, a["dim"], len(x.shape), 1) if x.shape.known else None
    if at is None:
        axes = [run.fresh("axis") for _ in range(len(x.shape) + 1)] if x.shape.known else somewhere(run)
        return with_shape(run, "unsqueeze", x, axes, dim=a["dim"])
    return run("unsqueeze", x=x, dim=at)


def squeeze(a: Arguments, run: Run) -> TensorType:
    """Named axes must be 1; without names every axis of size 1 goes."""
    a = modern(a)
    x, dims = a["x"], vector(run, a.get("dim"), "dim") or ()
    if not x.shape.known:
        return with_shape(run, "squeeze", x, somewhere(run), dim=dims or None)
    if not dims:
        if any(isinstance(n, Term) and lower(n) <= 1 for n in x.shape):
            return with_shape(run, "squeeze", x, somewhere(run, "squeezed"), dim=None)
        return run("squeeze", x=x, dim=None)
    axes = {axis(run, d, len(x.shape)) for d in dims}
    for at in axes:
        run.require("size", eq(x.shape[at], 1), f"axis {at} has size {x.shape[at]!r}; only axes of size 1 can go", ("x", "dim"))
    if all(x.shape[at] == 1 for at in axes):
        return run("squeeze", x=x, dim=tuple(axes))
    return with_shape(run, "squeeze", x, [n for i, n in enumerate(x.shape) if i not in axes], dim=tuple(axes))


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
        return with_shape(run, "pad", x, somewhere(run) if n is None else [run.fresh("axis") for _ in ranked(run, x, n).shape], padding=paddings)
    x = ranked(run, x, len(rows))
    reach = {"REFLECT": 1, "SYMMETRIC": 0}.get(mode)
    made: list[Dim] = []
    for n, (before, after) in zip(x.shape, rows):
        run.require("padding", conj(ge(before, 0), ge(after, 0)), f"padding cannot be negative, and is ({before!r}, {after!r})", ("paddings",))
        if reach is not None:
            fits = conj(le(before + reach, n), le(after + reach, n))
            run.require("padding", fits, f"padding ({before!r}, {after!r}) taken from an axis of size {n!r} is too large", ("paddings", "x"))
        made.append(n + before + after)
    flat = tuple(n for pair in reversed(rows) for n in pair)
    value = a.get("constant_values", a.get("value")) if mode == "CONSTANT" else None
    if mode == "CONSTANT":
        return run.typed("pad", x.dtype, x=x, padding=flat, mode="constant", value=value)
    return with_shape(run, "pad", x, made, padding=flat, mode=mode.lower())


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
    run.require("columns", all(isinstance(r, (tuple, list)) and len(r) == 2 for r in rows), f"{name} must have two columns, and is {value!r}", (name,))
    return [(r[0], r[1]) for r in rows]


def gather(a: Arguments, run: Run) -> TensorType:
    """Slices along an axis: its place is taken by the axes of the indices."""
    x, index = a["x"], a["index"]
    run.require("dtype", index.dtype is None or index.dtype in PLACES, f"indices are whole numbers of 16, 32 or 64 bits, not {index.dtype!r}", ("index",))
    at_least(run, x, 1)
    dim = a["dim"] if a.get("dim") is not None else a.get("batch_dims") or 0
    batch = a.get("batch_dims") or 0
    given = {"index": index, "dim": dim, "batch_dims": batch}
    at = axis(run, dim, len(x.shape)) if x.shape.known else None
    if at is None or not index.shape.known:
        lengths = len(x.shape) - 1 + len(index.shape) if x.shape.known and index.shape.known else None
        return with_shape(run, "gather_slices", x, somewhere(run) if lengths is None else [run.fresh("axis") for _ in range(lengths - batch)], **given)
    run.require(
        "batch_dims", -len(index.shape) <= batch <= len(index.shape), f"batch_dims {batch} is out of range for indices {index.shape!r}", ("batch_dims",)
    )
    batch = batch + len(index.shape) if batch < 0 else batch
    run.require("batch_dims", batch <= at, f"batch_dims {batch} lies behind the axis {at}", ("batch_dims", "dim"))
    for m, n in zip(x.shape[:batch], index.shape[:batch]):
        run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "index"))
    if a.get("bad_indices_policy") != "IGNORE":
        inside(run, index, x.shape[at])
    return run.typed("gather_slices", x.dtype, x=x, index=index, dim=at, batch_dims=batch, lenient=True)


def broadcast_to(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    if size is None:
        return with_shape(run, "expand", x, somewhere(run), size=a["size"])
    if any(n is None for n in size) or not x.shape.known:
        return with_shape(run, "expand", x, [run.fresh("axis") if n is None else n for n in size], size=a["size"])
    for n in size:
        run.require("size", ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    return run("expand", x=x, size=size)


def arange(a: Arguments, run: Run) -> TensorType:
    """A range whose ends may be tensors of known or unknown contents."""
    dtype = same_types(run, a, "start", "end", "step")
    ends: list[Any] = []
    for name in ("start", "end", "step"):
        value = a[name]
        if isinstance(value, TensorType):
            run.require("rank", not value.shape.known or len(value.shape) == 0, f"{name} must be a scalar, and has shape {value.shape!r}", (name,))
            value = value.contents[0] if value.contents else None
        ends.append(value)
    dtype = a.get("dtype") or dtype
    if any(v is None for v in ends) or (any(isinstance(v, Term) for v in ends) and any(isinstance(v, float) for v in ends)):
        return run.shaped("arange", Shape((run.fresh("range"),)), dtype, **{n: a[n] for n in ("start", "end", "step")}, dtype=dtype)
    return run("arange", start=ends[0], end=ends[1], step=ends[2], dtype=dtype)


def concat(a: Arguments, run: Run) -> TensorType:
    xs: tuple[TensorType, ...] = tuple(a["xs"])
    run.require("empty", bool(xs), "at least one tensor must be given to join", ("xs",))
    dtype = same_types(run, a, "xs")
    rank = next((len(x.shape) for x in xs if x.shape.known), None)
    for i, x in enumerate(xs):
        run.require("rank", not x.shape.known or len(x.shape) == rank, f"tensor {i} has shape {x.shape!r} and another has rank {rank}", ("xs",))
        run.require("rank", not x.shape.known or len(x.shape) > 0, "a tensor without axes cannot be joined to others", ("xs",))
    if isinstance(a["dim"], Term) and all(x.shape.known for x in xs):
        return run("cat", xs=xs, dim=a["dim"])
    at = None if rank is None else axis(run, a["dim"], rank, name="dim")
    if at is None or rank is None:
        shape = somewhere(run) if rank is None else Shape(run.fresh("axis") for _ in range(rank))
        return run.shaped("cat", shape, dtype, xs=xs, dim=a["dim"])
    if any(not x.shape.known for x in xs) or any(isinstance(n, Term) for x in xs for n in x.shape):
        full = [_filled(run, x, xs, at, rank) for x in xs]
        if any(made != x.shape for made, x in zip(full, xs)):
            _agree(run, full, at)
            total = sum((s[at] for s in full[1:]), full[0][at])
            return run.shaped("cat", Shape((*full[0][:at], total, *full[0][at + 1 :])), dtype, xs=xs, dim=at)
    return run("cat", xs=xs, dim=at)


def _agree(run: Run, shapes: list[Shape], at: int) -> None:
    """Shapes that may differ in one axis only."""
    for other in shapes[1:]:
        for i, (m, n) in enumerate(zip(other, shapes[0])):
            run.require("size", i == at or eq(m, n), f"axis {i} is {m!r} in one tensor and {n!r} in another: only axis {at} may differ", ("xs",))


def _filled(run: Run, x: TensorType, xs: tuple[TensorType, ...], at: int, rank: int) -> Shape:
    """The shape of x with what the others know of its axes."""
    shape = tuple(x.shape) if x.shape.known else (None,) * rank
    made: list[Dim] = []
    for i, n in enumerate(shape):
        if i == at:
            made.append(run.fresh("axis") if n is None else n)
            continue
        best = next((y.shape[i] for y in xs if y.shape.known and not isinstance(y.shape[i], Term)), None)
        if n is not None and best is not None:
            run.require("size", eq(n, best), f"axis {i} is {n!r} in one tensor and {best!r} in another: only axis {at} may differ", ("xs",))
        made.append(best if best is not None else n if n is not None else next((y.shape[i] for y in xs if y.shape.known), run.fresh("axis")))
    return Shape(made)


def stack(a: Arguments, run: Run) -> TensorType:
    """Equal tensors along a new axis; unknown whole numbers among scalars become symbols, so that shapes stay partly known."""
    xs: tuple[TensorType, ...] = tuple(a["xs"])
    if not xs:  # a vector of no elements
        run.require("empty", a["dim"] in (0, None), "an empty list has no axis other than 0", ("xs",))
        return run.shaped("empty", Shape((0,)), FLOAT32, size=(0,))
    same_types(run, a, "xs")
    shape = next((x.shape for x in xs if x.shape.known), None)
    if shape is None:
        return run.shaped("stack", somewhere(run), xs[0].dtype, xs=xs, dim=a["dim"])
    for i, x in enumerate(xs):
        run.require("rank", not x.shape.known or len(x.shape) == len(shape), f"tensor {i} has shape {x.shape!r} and another {shape!r}", ("xs",))
    at = axis(run, a["dim"], len(shape), 1)
    full = [_filled(run, x, xs, -1, len(shape)) for x in xs]
    if any(made != x.shape for made, x in zip(full, xs)):
        _agree(run, full, -1)
        if len(shape):
            return run.shaped("stack", Shape((*full[0][:at], len(xs), *full[0][at:])), xs[0].dtype, xs=xs, dim=at)
        xs = tuple(x if x.shape.known else run.shaped("identity", Shape(), x.dtype, x=x) for x in xs)
    if len(shape) == 0 and any(x.contents is not None for x in xs):
        kind = next((x.dtype for x in xs if x.dtype is not None), None)
        if kind in INDEX:
            xs = tuple(x if x.contents is not None else x.but(contents=(run.fresh("value", -(1 << 31)),)) for x in xs)
    return run("stack", xs=xs, dim=at)


def parts(run: Run, x: TensorType, count: int, at: int | None) -> tuple[TensorType, ...]:
    """x cut into `count` equal parts."""
    if not x.shape.known or at is None:
        shapes = [Shape(run.fresh("axis") for _ in x.shape) if x.shape.known else somewhere(run) for _ in range(count)]
        return run.shaped("split_sizes", shapes, x.dtype, x=x, sizes=(), dim=0 if at is None else at)
    n = x.shape[at]
    run.require("split/parts", eq(n % count, 0), f"an axis of size {n!r} does not divide into {count} parts", ("x", "count"))
    sizes = (n // count,) * count
    if isinstance(n, Term):
        part = Shape((*x.shape[:at], sizes[0], *x.shape[at + 1 :]))
        return run.shaped("split_sizes", [part] * count, x.dtype, x=x, sizes=sizes, dim=at)
    return run("split_sizes", x=x, sizes=sizes, dim=at)


def split(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = a["x"]
    at_least(run, x, 1)
    return parts(run, x, a["count"], axis(run, a["dim"], len(x.shape)) if x.shape.known else None)


def unstack(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, count = a["x"], a.get("count")
    if not x.shape.known:
        if count is None:
            raise run.give_up("the number of parts is not known")
        return run.shaped("unbind", [somewhere(run) for _ in range(count)], x.dtype, x=x, dim=a["dim"])
    at_least(run, x, 1)
    at = known_axis(run, a["dim"], len(x.shape))
    n = x.shape[at]
    if count is None:
        count = n
    run.require("parts", eq(n, count), f"axis {at} has size {n!r} and {count!r} parts are asked for", ("x", "count"))
    if type(count) is not int:
        raise run.give_up("the number of parts is not known")
    if isinstance(n, Term):
        return run.shaped("unbind", [Shape((*x.shape[:at], *x.shape[at + 1 :]))] * count, x.dtype, x=x, dim=at)
    return run("unbind", x=x, dim=at)


def tile(a: Arguments, run: Run) -> TensorType:
    x, times = a["x"], vector(run, a["times"], "times")
    if times is None:
        return with_shape(run, "repeat", x, [run.fresh("axis") for _ in x.shape] if x.shape.known else somewhere(run), times=a["times"])
    x = ranked(run, x, len(times))
    for t in times:
        run.require("times", t is None or ge(t, 0), f"an axis cannot be repeated {t!r} times", ("times",))
    if any(t is None for t in times):
        return with_shape(run, "repeat", x, [run.fresh("axis") if t is None else n * t for n, t in zip(x.shape, times)], times=a["times"])
    return run("repeat", x=x, times=times)

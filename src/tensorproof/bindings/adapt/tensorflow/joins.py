"""Tensors of TensorFlow joined and parted: concat, stack, split, unstack, tile."""

from __future__ import annotations

from tensorproof.bindings.adapt.tensorflow.shared import Arguments, at_least, axis, known_axis, ranked, same_types, somewhere, vector, with_shape
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Axis, Tensors
from tensorproof.terms import FLOAT32, INDEX, Dim, Shape, TensorType, Term, eq, ge


@takes(Tensors("xs"), Axis("dim", 0, of="xs", loose=True))
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

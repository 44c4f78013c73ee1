"""NumPy's functions that join, part and repeat arrays."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import Whole, along, flattened, tensor, typed, written
from tensorproof.bindings.adapt.numpy.reductions import word
from tensorproof.bindings.adapters import Run, Value, array_like, takes, taking, tensor_in
from tensorproof.ops.inputs import Axis, as_size, is_size
from tensorproof.terms import COMPLEX128, FLOAT64, INT64, TensorType, eq, ge


def tile(a: dict[str, Value], run: Run) -> TensorType:
    x = tensor_in(a, "x")
    times = a["times"] if isinstance(a["times"], (tuple, list)) else (a["times"],)
    times = (1,) * (len(x.shape) - len(times)) + tuple(times)
    for n in times:
        run.require("times", ge(n, 0), f"an array cannot be repeated {n!r} times", ("times",))
    return run("repeat", x=x, times=times)


@takes(Whole("times", least=0), Axis("dim", None, optional=True))
def repeat(a: dict[str, Any], run: Run) -> TensorType:
    x, times = tensor_in(a, "x"), a["times"]
    x, axis = along(x, a["dim"], run)
    n = x.shape[axis]
    if isinstance(times, (list, tuple)):
        run.require("times", True if len(times) == 1 else eq(len(times), n), f"{len(times)} counts are given for an axis of {n!r}", ("times", "x"))
        low: Value = 0 if any(t < 0 for t in times) else 1
        run.require("times", low == 1 or not times, "a count must not be negative", ("times",))
        times = times[0] if len(times) == 1 else run("constant", data=array_like("numpy", list(times)), dtype=INT64)
    elif isinstance(times, TensorType) and len(times.shape):
        if times.dtype not in (None, INT64):
            times = run("cast", x=times, dtype=INT64)
    elif is_size(as_size(times)):
        times = as_size(times)
        run.require("times", ge(times, 0), f"elements cannot be repeated {times!r} times", ("times",))
    else:
        raise run.give_up("the counts are not known")
    return run("repeat_interleave", x=x, times=times, dim=axis)


def concatenate(a: dict[str, Any], run: Run) -> Value:
    xs = tuple(a["xs"])
    if a["dim"] is None:
        made = run("cat", xs=tuple(flattened(x, run) for x in xs), dim=0)
    else:
        if any(len(x.shape) == 0 for x in xs):
            raise run.refuse("rank", "numbers cannot be joined; give axis=None or arrays", ("xs",))
        made = run("cat", xs=xs, dim=a["dim"])
    return written(typed(made, a, run), a, run)


def stack(a: dict[str, Value], run: Run) -> Value:
    return written(typed(run("stack", xs=a["xs"], dim=a["dim"]), a, run), a, run)


def _stacked(a: dict[str, Any], run: Run, least: int, dim: Any) -> Value:
    xs = tuple(of_rank(x, least, run) for x in a["xs"])
    where_ = dim if isinstance(dim, int) else dim(xs[0])
    return typed(run("cat", xs=xs, dim=where_), a, run)


def of_rank(x: TensorType, rank: int, run: Run) -> TensorType:
    if len(x.shape) >= rank:
        return x
    return run("atleast", x=x, least=rank)


vstack = taking(_stacked, least=2, dim=0)
hstack = taking(_stacked, least=1, dim=lambda x: 0 if len(x.shape) == 1 else 1)
dstack = taking(_stacked, least=3, dim=2)


def column_stack(a: dict[str, Any], run: Run) -> TensorType:
    xs = tuple(x if len(x.shape) >= 2 else run("reshape", x=x, size=(x.shape.numel, 1)) for x in a["xs"])
    return run("cat", xs=xs, dim=1)


def append(a: dict[str, Value], run: Run) -> Value:
    x, y = tensor_in(a, "x"), tensor(a["y"])
    if y.weak and y.dtype is not None:  # a Python number is an array of NumPy's own kind
        y = run("constant", data=y, dtype={"i": INT64, "f": FLOAT64, "c": COMPLEX128}.get(y.dtype.kind, y.dtype))
    if a["axis"] is None:
        return run("cat", xs=(flattened(x, run), flattened(y, run)), dim=0)
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number has no axis", ("x",))
    return run("cat", xs=(x, y), dim=a["axis"])


def split(a: dict[str, Value], run: Run) -> Value:
    """Equal parts, or else an error."""
    at, x, dim = a["at"], tensor_in(a, "x"), a["dim"]
    if is_size(as_size(at)) and x.shape.known and len(x.shape) and isinstance(dim, int) and -len(x.shape) <= dim < len(x.shape):
        parts = as_size(at)
        run.require("parts", ge(parts, 1), f"an array is split into at least one part, not {parts!r}", ("at",))
        run.require("parts", eq(x.shape[dim] % parts, 0), f"an axis of {x.shape[dim]!r} does not split into {parts!r} equal parts", ("x", "at"))
    return array_split(a, run)


def array_split(a: dict[str, Value], run: Run) -> Value:
    x, at = tensor_in(a, "x"), a["at"]
    if len(x.shape) == 0:
        raise run.refuse("rank", "a number cannot be split", ("x",))
    return list(run("tensor_split", x=x, at=tuple(at) if isinstance(at, list) else at, dim=a["dim"]))


def _split_along(a: dict[str, Value], run: Run, least: int, dim: int) -> Value:
    if len(tensor_in(a, "x").shape) < least:
        raise run.refuse("rank", f"an array of rank {least} or more is split, and this is {tensor_in(a, 'x').shape!r}", ("x",))
    return split({**a, "dim": dim}, run)


def hsplit(a: dict[str, Value], run: Run) -> Value:
    return _split_along(a, run, 1, 0 if len(tensor_in(a, "x").shape) == 1 else 1)


vsplit = taking(_split_along, Whole("at", least=1), least=2, dim=0)
dsplit = taking(_split_along, Whole("at", least=1), least=3, dim=2)


def meshgrid(a: dict[str, Any], run: Run) -> Value:
    xs = tuple(flattened(x, run) for x in a["xs"])
    word(run, a, "indexing", ("xy", "ij"))
    if not xs:
        return ()
    made = run("meshgrid", xs=xs, indexing=a["indexing"])
    if not a["sparse"]:
        return made
    order = {0: 1, 1: 0} if a["indexing"] == "xy" and len(xs) > 1 else {}
    sizes = [tuple(x.shape[0] if j == order.get(i, i) else 1 for j in range(len(xs))) for i, x in enumerate(xs)]
    return tuple(run("reshape", x=x, size=size) for x, size in zip(xs, sizes))

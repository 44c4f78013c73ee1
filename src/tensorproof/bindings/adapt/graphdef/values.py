"""GraphDef nodes that fill, draw, order, count or pick by value: one_hot, range, unique, top_k, bincount."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.graphdef.elementwise import merged
from tensorproof.bindings.adapt.tensorflow import shapes as tf_shapes
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import as_shape, at_least, known_axis, ranked, somewhere, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Int, Tensor
from tensorproof.terms import BOOL, INT32, INT64, DType, Shape, TensorType, Term, conj, eq, ge


def one_hot(a: Arguments, run: Run) -> TensorType:
    on, off = a["on"], a["off"]
    dtype = same_types(run, a, "on", "off")
    for name in ("on", "off"):
        if isinstance(a[name], TensorType):
            ranked(run, a[name], 0, name)
    if isinstance(a["depth"], TensorType):
        ranked(run, a["depth"], 0, "depth")
    return run("one_hot_axis", x=a["x"], depth=whole(a["depth"]), on=on, off=off, dim=a["dim"], dtype=dtype)


def arange(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.arange({**a, "dtype": same_types(run, a, "start", "end", "step") or INT32}, run)


def _of_size(run: Run, a: Arguments, dtype: DType | None, **given: Value) -> TensorType:
    """What the row's operator makes of the shape that is an argument."""
    shape = as_shape(run, a["size"])
    return run.shaped(run.row.op, shape, dtype, size=tuple(shape) if shape.known else a["size"], dtype=dtype, **given)


def sized(a: Arguments, run: Run) -> TensorType:
    """Tensors that are empty or drawn at random."""
    return _of_size(run, a, a.get("dtype"), **{k: a[k] for k in ("distribution",) if k in a})


def stateless(a: Arguments, run: Run) -> TensorType:
    seed = ranked(run, a["key"], 1, "key")
    run.require("seed", eq(seed.shape[0], 2), f"a seed is two whole numbers, and this has {seed.shape[0]!r}", ("key",))
    return _of_size(run, a, a.get("dtype"), distribution=a["distribution"], key=a["key"])


def fill(a: Arguments, run: Run) -> TensorType:
    value = a["value"]
    run.require("rank", not value.shape.known or len(value.shape) == 0, f"the value must be a scalar, and has shape {value.shape!r}", ("value",))
    return _of_size(run, a, value.dtype, value=value)


def linspace(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "start", "end")
    for name in ("start", "end"):
        ranked(run, a[name], 0, name)
    steps = whole(a["steps"])
    if isinstance(steps, TensorType):
        ranked(run, steps, 0, "steps")
        count = run.fresh("steps")
    else:
        run.require("steps", ge(steps, 1), f"there must be at least one step, and there are {steps!r}", ("steps",))
        count = steps
    return run.shaped("linspace", (count,), dtype, start=a["start"], end=a["end"], steps=steps, dtype=dtype)


def _distinct(run: Run, a: Arguments, values: Shape | None, places: Shape, n: Value, at: int | None) -> tuple[TensorType, ...]:
    """The distinct elements in the order in which they come, where each stands, and how many there are of each."""
    x, dtype = a["x"], a.get("dtype") or INT32
    counts = "Counts" in run.name
    given: dict[str, Any] = {"x": x, "return_inverse": True, "return_counts": counts, "sorted": False, "as_met": True, "dim": at}
    if values is None:
        return tuple(run.typed("unique", x.dtype, dtype, dtype, **given))
    shapes = [values, places, Shape((n,))] if counts else [values, places]
    return tuple(run.shaped("unique", shapes, x.dtype, dtype, dtype, **given))


def unique(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    length = ranked(run, a["x"], 1).shape
    n = run.fresh("distinct") if not a["x"].shape.known else 0
    return _distinct(run, a, None if a["x"].shape.known else Shape((n,)), length, n, None)


def unique_axis(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, dims = a["x"], vector(run, a["dim"], "dim")
    if not x.shape.known or dims is None or any(type(d) is not int for d in dims):
        return _distinct(run, a, somewhere(run), Shape((run.fresh("axis"),)), run.fresh("distinct"), a["dim"])
    run.require("axis", len(dims) == 1 or (not dims and len(x.shape) == 1), f"one axis must be named, and there are {len(dims)}", ("dim",))
    at = known_axis(run, dims[0] if dims else 0, len(x.shape))
    if all(ge(size, 1) is True for i, size in enumerate(x.shape) if i != at):
        return _distinct(run, a, None, x.shape, 0, at)
    n = run.fresh("distinct")
    return _distinct(run, a, Shape((*x.shape[:at], n, *x.shape[at + 1 :])), Shape((x.shape[at],)), n, at)


def list_diff(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    same_types(run, a, "x", "y")
    ranked(run, a["x"], 1)
    ranked(run, a["y"], 1, "y")
    n = run.fresh("difference")
    values, places = run.shaped("list_difference", [(n,), (n,)], a["x"].dtype, a.get("dtype") or INT32, x=a["x"], y=a["y"])
    return values, places


def nth_element(a: Arguments, run: Run) -> TensorType:
    x, k = a["x"], whole(a["k"])
    at_least(run, x, 1)
    if x.shape.known and not isinstance(k, TensorType):
        run.require("k", conj(ge(k, 0), ge(x.shape[-1], k + 1)), f"there is no element {k!r} among {x.shape[-1]!r}", ("k", "x"))
    shape = Shape(x.shape[:-1]) if x.shape.known else somewhere(run)
    return run.shaped("nth_element", shape, x.dtype, x=x, n=k, reverse=bool(a.get("reverse")))


@takes(Tensor("x"), Tensor("y"), Int("k", loose=True))
def in_top_k(a: Arguments, run: Run) -> TensorType:
    x, y = ranked(run, a["x"], 2), ranked(run, a["y"], 1, "y")
    run.require("batch", eq(x.shape[0], y.shape[0]), f"{x.shape[0]!r} predictions go with {y.shape[0]!r} targets", ("x", "y"))
    rows = x.shape[0] if isinstance(y.shape[0], Term) else y.shape[0]
    return run.shaped("in_top_k", (rows,), BOOL, x=a["x"], y=a["y"], k=whole(a["k"]))


def sparse_segment(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    merged(run, [ranked(run, a["rows"], 1, "rows").shape, ranked(run, a["index"], 1, "index").shape], ("rows", "index"), "segments")
    taken = run.shaped("index_select", (a["rows"].shape.numel, *x.shape[1:]) if x.shape.known else somewhere(run), x.dtype, x=x, dim=0, index=a["rows"])
    shape = (run.fresh("segments"), *x.shape[1:]) if x.shape.known else somewhere(run)
    return run.shaped("segment", shape, x.dtype, x=taken, index=a["index"], **{k: a[k] for k in ("reduction",) if k in a})


def sparse_to_dense(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "values", "default")
    return run.shaped("sparse_to_dense", as_shape(run, a["size"]), a["values"].dtype, **a)


def bincount(a: Arguments, run: Run) -> TensorType:
    size = whole(a["size"])
    if isinstance(size, TensorType):
        ranked(run, size, 0, "size")
        size = run.fresh("size")
    run.require("size", ge(size, 0), f"the number of bins must not be negative, and is {size!r}", ("size",))
    return run.shaped("weighted_count", (size,), a["y"].dtype, x=a["x"], y=a["y"], size=size)


def _drawn(run: Run, a: Arguments, dtype: DType | None, tail: Shape, **parameters: Value) -> TensorType:
    """What the row's operator draws: as many as the shape argument says, and that for each parameter in `tail`."""
    size = as_shape(run, a["size"])
    shape = Shape((*size, *tail)) if size.known and tail.known else somewhere(run)
    return run.shaped(run.row.op, shape, dtype, size=tuple(size) if size.known else a["size"], **parameters)


def random_int(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "low", "high")
    for name in ("low", "high"):
        ranked(run, a[name], 0, name)
    return _drawn(run, a, dtype, Shape(), low=a["low"], high=a["high"])


def random_like_first(a: Arguments, run: Run) -> TensorType:
    """A batch of draws for each of the parameters along its first axis."""
    dtype = same_types(run, a, "y", "z", "low", "high")
    for name in ("y", "z", "low", "high"):
        if a[name].shape.known:
            run.require("rank", len(a[name].shape) <= 1, f"{name} must be a number or a vector, and has shape {a[name].shape!r}", (name,))
    return _drawn(run, a, dtype, Shape(), mean=a["y"], std=a["z"], low=a["low"], high=a["high"])


def random_gamma(a: Arguments, run: Run) -> TensorType:
    """Draws of distributions whose parameters are the elements of y."""
    return _drawn(run, a, a.get("dtype") or a["y"].dtype, a["y"].shape, y=a["y"])


def multinomial(a: Arguments, run: Run) -> TensorType:
    """Classes drawn by the logarithms of their weights, with replacement."""
    rows, n = ranked(run, a["x"], 2).shape[0], whole(a["n"])
    if isinstance(n, TensorType):
        ranked(run, n, 0, "n")
        n = run.fresh("samples")
    run.require("n", ge(n, 0), f"the number of samples must not be negative, and is {n!r}", ("n",))
    return run.shaped("categorical", (rows, n), a.get("dtype") or INT64, x=a["x"], n=n)


def random_crop(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    depth = ranked(run, x, 3).shape[2]
    if size is None:
        return with_shape(run, "random_crop", x, (run.fresh("height"), run.fresh("width"), depth), size=a["size"])
    run.require("size", len(size) == 2, f"two sizes are wanted, and there are {len(size)}", ("size",))
    made = tuple(run.fresh("size") if n is None else n for n in size)
    return with_shape(run, "random_crop", x, (*made, depth), size=made)

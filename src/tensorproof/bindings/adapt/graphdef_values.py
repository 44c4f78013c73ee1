"""GraphDef nodes that fill, order, count or pick by value: one_hot, range, unique, top_k, bincount."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import tf_shapes
from tensorproof.bindings.adapt.graphdef import DTYPE, merged
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import ElementType, Int, Ints, Tensor
from tensorproof.terms.dtypes import BOOL, INDEX, INT32, INT64
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import conj, eq, ge, le
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@takes(Tensor("on", ""), Tensor("off", ""))
def one_hot(a: Arguments, run: Run) -> TensorType:
    on, off = a["on"], a["off"]
    dtype = same_types(run, a, "on", "off")
    for name in ("on", "off"):
        if isinstance(a[name], TensorType):
            ranked(run, a[name], 0, name)
    if isinstance(a["depth"], TensorType):
        ranked(run, a["depth"], 0, "depth")
    made: TensorType = run("one_hot_axis", x=a["x"], depth=whole(a["depth"]), on=on, off=off, dim=a["dim"], dtype=dtype)
    return made


@takes(Int("start", loose=True), Int("end", loose=True), Int("step", loose=True, least=1))
def arange(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.arange({**a, "dtype": same_types(run, a, "start", "end", "step") or INT32}, run)


@takes(Ints("size", shape=True, loose=True, one=False), ElementType("dtype", optional=False))
def sized(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.sized(a, run)


@takes(Ints("size", shape=True, loose=True, one=False), Tensor("seed", "2", INDEX), ElementType("dtype", optional=False))
def stateless(a: Arguments, run: Run) -> TensorType:
    seed = ranked(run, a["seed"], 1, "seed")
    run.require("seed", eq(seed.shape[0], 2), f"a seed is two whole numbers, and this has {seed.shape[0]!r}", ("seed",))
    return tf_shapes.sized(a, run)


@takes(Ints("size", shape=True, loose=True, one=False), Tensor("value", ""))
def fill(a: Arguments, run: Run) -> TensorType:
    return tf_shapes.sized(a, run)


@takes(Tensor("start", ""), Tensor("end", ""), Int("steps", loose=True, least=1))
def linspace(a: Arguments, run: Run) -> TensorType:
    dtype = same_types(run, a, "start", "end")
    for name in ("start", "end"):
        ranked(run, a[name], 0, name)
    steps = whole(a["steps"])
    if isinstance(steps, TensorType):
        ranked(run, steps, 0, "steps")
        return tensor((run.fresh("steps"),), dtype)
    run.require("steps", ge(steps, 1), f"there must be at least one step, and there are {steps!r}", ("steps",))
    return tensor((steps,), dtype)


def where(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    return tensor((run.fresh("nonzero"), x.shape.rank), INT64)


@takes(DTYPE)
def unique(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x = ranked(run, a["x"], 1)
    n, dtype = run.fresh("unique"), a.get("dtype") or INT32
    made = (anew(x, (n,)), tensor(x.shape, dtype))
    return (*made, tensor((n,), dtype)) if "Counts" in run.name else made


@takes(DTYPE, Ints("dim", loose=True))
def unique_axis(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, dims, dtype = a["x"], vector(run, a["dim"], "dim"), a.get("dtype") or INT32
    n = run.fresh("unique")
    if not x.shape.known or dims is None or any(type(d) is not int for d in dims):
        made = (anew(x, somewhere(run)), tensor((run.fresh("axis"),), dtype))
    else:
        run.require(
            "axis", len(dims) == 1 or (not dims and len(x.shape) == 1), f"one axis must be named, and there are {len(dims)}", ("dim",)
        )
        at = axis(run, dims[0] if dims else 0, len(x.shape))
        made = (anew(x, (*x.shape[:at], n, *x.shape[at + 1 :])), tensor((x.shape[at],), dtype))
    return (*made, tensor((n,), dtype)) if "Counts" in run.name else made


@takes(Tensor("x"), Tensor("y"), DTYPE)
def list_diff(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    same_types(run, a, "x", "y")
    ranked(run, a["x"], 1)
    ranked(run, a["y"], 1, "y")
    n = run.fresh("difference")
    return anew(a["x"], (n,)), tensor((n,), a.get("dtype") or INT32)


@takes(Int("k", least=0, loose=True), DTYPE)
def top_k(a: Arguments, run: Run) -> tuple[TensorType, ...]:
    x, k = a["x"], whole(a["k"])
    at_least(run, x, 1)
    if isinstance(k, TensorType):
        ranked(run, k, 0, "k")
        k = run.fresh("k")
    run.require("k", ge(k, 0), f"k must not be negative, and is {k!r}", ("k",))
    if not x.shape.known:
        return anew(x, somewhere(run)), tensor(somewhere(run), a.get("dtype") or INT32)
    run.require("k", le(k, x.shape[-1]), f"k = {k!r} is more than the {x.shape[-1]!r} elements of the last axis", ("k", "x"))
    shape = Shape((*x.shape[:-1], k))
    return anew(x, shape), tensor(shape, a.get("dtype") or INT32)


@takes(Tensor("x"), Int("k", loose=True, least=0))
def nth_element(a: Arguments, run: Run) -> TensorType:
    x, k = a["x"], whole(a["k"])
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, somewhere(run))
    if not isinstance(k, TensorType):
        run.require("k", conj(ge(k, 0), ge(x.shape[-1], k + 1)), f"there is no element {k!r} among {x.shape[-1]!r}", ("k", "x"))
    return anew(x, x.shape[:-1])


@takes(Tensor("x"), Tensor("y"), Int("k", loose=True))
def in_top_k(a: Arguments, run: Run) -> TensorType:
    x, y = ranked(run, a["x"], 2), ranked(run, a["y"], 1, "y")
    run.require("batch", eq(x.shape[0], y.shape[0]), f"{x.shape[0]!r} predictions go with {y.shape[0]!r} targets", ("x", "y"))
    return tensor((x.shape[0] if isinstance(y.shape[0], Term) else y.shape[0],), BOOL)


@takes(Tensor("x"), Tensor("rows", "...", INDEX), Tensor("index", "...", INDEX))
def sparse_segment(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    merged(run, [ranked(run, a["rows"], 1, "rows").shape, ranked(run, a["index"], 1, "index").shape], ("rows", "index"), "segments")
    return anew(x, (run.fresh("segments"), *x.shape[1:]) if x.shape.known else somewhere(run))


@takes(Tensor("index", "...", INDEX), Ints("size", shape=True, loose=True, one=False), Tensor("values"), Tensor("default", ""))
def sparse_to_dense(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "values", "default")
    size = of_size(run, a["size"])
    return anew(a["values"], somewhere(run) if size is None else size)


@takes(Tensor("x", "...", frozenset({INT32})), Int("size", loose=True, least=0), Tensor("y"))
def bincount(a: Arguments, run: Run) -> TensorType:
    size = whole(a["size"])
    if isinstance(size, TensorType):
        ranked(run, size, 0, "size")
        size = run.fresh("size")
    run.require("size", ge(size, 0), f"the number of bins must not be negative, and is {size!r}", ("size",))
    return anew(a["y"], (size,))


SIZE = Ints("size", shape=True, loose=True, one=False)


def of_size(run: Run, value: Any) -> Shape | None:
    size = vector(run, value, "size")
    for n in size or ():
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    return None if size is None else Shape(run.fresh("size") if n is None else n for n in size)

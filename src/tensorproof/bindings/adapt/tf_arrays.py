"""Functions of `tf` that join, part, repeat, turn and order tensors."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt import graphdef_arrays, tf_joins
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, modern, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.adapt.tf_arguments import DTYPE, Loosely
from tensorproof.bindings.adapt.tf_joins import parts
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Anything, Axis, Choice, ElementType, Int, Ints, Tensor, Tensors
from tensorproof.terms.dtypes import BOOL, FLOAT32, INDEX, INT32
from tensorproof.terms.ints import Dim, product
from tensorproof.terms.predicates import conj, eq, ge
from tensorproof.terms.tensor import TensorType


@takes(Tensors("xs"), Axis("dim", 0, of="xs", loose=True))
def concat(a: Arguments, run: Run) -> TensorType:
    """One tensor alone is handed on, whatever its rank."""
    return anew(a["xs"][0], a["xs"][0].shape) if len(a["xs"]) == 1 else tf_joins.concat(a, run)


@takes(ElementType("dtype", INT32, dtypes=INDEX))
def shape(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run(run.row.op, x=a["x"], dtype=a.get("dtype") or INT32)
    return made


@takes(Loosely("sizes", least=1), Axis("dim", 0, loose=True), Anything("num"))
def split_any(a: Arguments, run: Run) -> Any:
    """A number of equal parts, or a list of sizes."""
    sizes, x = whole(a["sizes"]), a["x"]
    if isinstance(sizes, int):
        at_least(run, x, 1)
        run.require("parts", sizes >= 1, f"there must be at least one part, and {sizes!r} are asked for", ("sizes",))
        return list(parts(run, x, sizes, axis(run, a["dim"], len(x.shape)) if x.shape.known else None))
    count = a.get("num")
    if isinstance(sizes, TensorType) and sizes.shape.known and len(sizes.shape) == 1 and type(sizes.shape[0]) is int:
        count = sizes.shape[0]
    elif isinstance(sizes, (tuple, list)):
        count = len(sizes)
    if not isinstance(count, int):
        raise run.give_up("the number of parts is not known")
    return list(graphdef_arrays.split_v({**a, "count": count}, run))


@takes(Ints("begin", loose=True, one=False), Ints("size", loose=True, one=False))
def block(a: Arguments, run: Run) -> TensorType:
    begin = vector(run, a["begin"], "begin")
    run.require(
        "begin",
        begin is None or len(begin) > 0 or isinstance(a["begin"], TensorType),
        "an empty list of positions has no whole type",
        ("begin",),
    )
    made: TensorType = run("block_slice", x=a["x"], begin=a["begin"], size=a["size"])
    return made


@takes(Loosely("times", least=0), Axis("dim", None, optional=True))
def repeat(a: Arguments, run: Run) -> TensorType:
    x, times = a["x"], a["times"]
    if x.shape.known and len(x.shape) == 0:
        x = anew(x, (1,))
    if a.get("dim") is None:
        x, at = anew(x, (x.shape.numel,)), 0
    else:
        found = axis(run, a["dim"], len(x.shape)) if x.shape.known else None
        if found is None:
            raise run.give_up("the axis is not known")
        at = found
    n = x.shape[at]
    counts = vector(run, times, "times", scalar=True)
    if counts is None or None in counts:
        return anew(x, (*x.shape[:at], run.fresh("repeated"), *x.shape[at + 1 :]))
    scalar = len(counts) == 1
    run.require("times", scalar or eq(n, len(counts)), f"{len(counts)} counts go with an axis of size {n!r}", ("times", "x"))
    run.require("times", conj(*(ge(t, 0) for t in counts)), f"nothing is repeated {counts!r} times", ("times",))
    return anew(x, (*x.shape[:at], n * counts[0] if scalar else sum(counts), *x.shape[at + 1 :]))


@takes(Ints("dim", loose=True, one=False))
def reverse(a: Arguments, run: Run) -> TensorType:
    return graphdef_arrays.reverse(a, run)


@takes(Tensor("lengths", "...", INDEX), Int("dim", None, optional=True), Int("batch_dim", None, optional=True))
def reverse_sequence(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    run.require("axis", a.get("dim") is not None, "the axis that is reversed must be given", ("dim",))
    return graphdef_arrays.reverse_sequence({**a, "dim": a.get("dim") or 0, "batch_dim": a.get("batch_dim") or 0}, run)


@takes(Ints("shifts", loose=True), Ints("dim", loose=True))
def roll(a: Arguments, run: Run) -> TensorType:
    x, shifts, dims = a["x"], vector(run, a["shifts"], "shifts", scalar=True), vector(run, a["dim"], "dim", scalar=True)
    at_least(run, x, 1)
    if shifts is not None and dims is not None:
        run.require("shifts", len(shifts) == len(dims), f"{len(shifts)} shifts go with {len(dims)} axes", ("shifts", "dim"))
    for d in dims or ():
        if d is not None and x.shape.known:
            axis(run, d, len(x.shape))
    return anew(x, x.shape)


@takes(Anything("on"), Anything("off"), Int("dim", None, optional=True), DTYPE)
def one_hot(a: Arguments, run: Run) -> TensorType:
    typed = [v.dtype for v in (a.get("on"), a.get("off")) if isinstance(v, TensorType)]
    dtype = a.get("dtype") or (typed[0] if typed else FLOAT32)
    run.require("dtype", dtype is not BOOL or a.get("on") is not None, "truth values need on_value and off_value", ("dtype",))
    made: TensorType = run("one_hot_axis", x=a["x"], depth=whole(a["depth"]), dim=-1 if a.get("dim") is None else a["dim"], dtype=dtype)
    return made


@takes(Tensor("x", "...", INDEX), Int("count", None, optional=True, loose=True, least=0), DTYPE)
def sequence_mask(a: Arguments, run: Run) -> TensorType:
    count = whole(a.get("count"))
    n = run.fresh("longest") if count is None or isinstance(count, TensorType) else count
    return tensor((*a["x"].shape, n) if a["x"].shape.known else somewhere(run), a.get("dtype") or BOOL)


@takes(Tensors("xs", "...", frozenset({INT32})), Tensors("ys"))
def dynamic_stitch(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "ys")
    made: TensorType = run("dynamic_stitch", xs=a["xs"], ys=a["ys"])
    return made


@takes(Tensors("xs"), Choice("indexing", ("xy", "ij"), "xy"))
def meshgrid(a: Arguments, run: Run) -> Any:
    same_types(run, a, "xs")
    xs = [x if not x.shape.known or len(x.shape) == 1 else anew(x, (x.shape.numel,)) for x in a["xs"]]
    return [x.but(strides=None) for x in run("meshgrid", xs=tuple(xs), indexing=a.get("indexing") or "xy")]


@takes(Axis("dim", -1), Choice("direction", ("ASCENDING", "DESCENDING"), "ASCENDING"))
def sort(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if x.shape.known:
        axis(run, a["dim"], len(x.shape))
    return anew(x, x.shape)


@takes(Axis("dim", -1), Choice("direction", ("ASCENDING", "DESCENDING"), "ASCENDING"))
def argsort(a: Arguments, run: Run) -> TensorType:
    return sort(a, run).but(dtype=INT32)


@takes(Tensor("x"), Tensor("y"), Choice("side", ("left", "right"), "left"), DTYPE)
def searchsorted(a: Arguments, run: Run) -> TensorType:
    """Rows of sorted numbers; leading axes must agree."""
    x, y = a["x"], a["y"]
    same_types(run, a, "x", "y")
    at_least(run, x, 1)
    at_least(run, y, 1, "y")
    if x.shape.known and y.shape.known and x.dtype is not BOOL:
        run.require(
            "rows", eq(product(x.shape[:-1]), product(y.shape[:-1])), f"x {x.shape!r} and y {y.shape!r} must have as many rows", ("x", "y")
        )
    return tensor(y.shape, a.get("dtype") or INT32)


@takes(DTYPE)
def unique_counts(a: Arguments, run: Run) -> Any:
    x = ranked(run, a["x"], 1)
    n, dtype = run.fresh("unique"), a.get("dtype") or INT32
    return anew(x, (n,)), tensor(x.shape, dtype), tensor((n,), dtype)


@takes(Tensor("x", " | N", INDEX), Ints("size", least=1, one=False))
def unravel_index(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    n: Dim = run.fresh("axes") if size is None else len(size)
    return anew(x, (n, *x.shape) if x.shape.known else somewhere(run))

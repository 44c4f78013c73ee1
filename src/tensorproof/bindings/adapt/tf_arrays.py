"""Functions of `tf`, `tf.math`, `tf.linalg`, `tf.random` and `tf.signal`: what their Python arguments mean for the operators."""

from __future__ import annotations

import builtins
from typing import Any

from tensorproof.bindings.adapt import graphdef, graphdef_algebra, graphdef_arrays, graphdef_random, tensorflow, tf_joins, tf_shapes
from tensorproof.bindings.adapt.graphdef import merged
from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, few, modern, ranked, same_types, somewhere, tensor, vector, whole
from tensorproof.bindings.adapt.tf_joins import parts, stack, tile, unstack
from tensorproof.bindings.adapt.tf_shapes import arg_reduce, broadcast_to, expand_dims, pad, reduce, reshape, squeeze, transpose
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.call import python_number
from tensorproof.ops.inputs import Anything, Axes, Axis, Bool, Choice, ElementType, Float, Index, Int, Ints, Number, Tensor, Tensors
from tensorproof.terms.dtypes import BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, FLOATS, INDEX, INT32, INT64, DType
from tensorproof.terms.ints import Dim, Term, ite, maximum, product
from tensorproof.terms.predicates import conj, disj, eq, ge
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

_SIZE = Ints("size", shape=True, loose=True, least=0)
_DTYPE = ElementType("dtype")
_indices = builtins.range
_COMPLEX = {FLOAT32: COMPLEX64, FLOAT64: COMPLEX128}

# --- elementwise -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Loosely(Int):
    """A whole number as a rule, though anything is looked at."""

    def takes(self, value: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Holes(Ints):
    """Sizes, some of which may be None."""

    def takes(self, value: Any) -> bool:
        return value is None or isinstance(value, (tuple, list, TensorType))


def numeric(a: Arguments, run: Run) -> TensorType:
    """A function that real numbers pass through."""
    kind = a["x"].dtype
    run.require("dtype", kind is None or kind.kind in "iufc", f"{run.name} takes numbers, not {kind!r}", ("x",))
    return anew(a["x"], a["x"].shape)


def real_part(a: Arguments, run: Run) -> TensorType:
    return _real(numeric(a, run))


def magnitude(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("abs", x=a["x"])
    return made


def binary(a: Arguments, run: Run) -> TensorType:
    """Two tensors of one element type, one of which may be a Python number."""
    made: TensorType = run.default(a)
    return made


def times(a: Arguments, run: Run) -> TensorType:
    """The operator `*`: with truth values on either side it gives truth values, whatever stands on the other."""
    kinds = [v.dtype for v in (a["x"], a["y"]) if isinstance(v, TensorType)]
    if BOOL not in kinds:
        return binary(a, run)
    whole = {k: v.but(dtype=INT32, contents=None) if isinstance(v, TensorType) else v for k, v in a.items()}
    made: TensorType = run("mul", x=whole["x"], y=whole["y"]).but(dtype=BOOL)
    return made


def true_quotient(a: Arguments, run: Run) -> TensorType:
    """Whole numbers become floats: of 64 bits, but for those of 8 and 16 bits."""
    made = run("add", x=a["x"], y=a["y"]).but(contents=None)
    kind = made.dtype
    if kind is not None and (kind.is_integer or kind is BOOL):
        run.require("dtype", kind is not BOOL, "truth values are not divided", ("x", "y"))
        result: TensorType = made.but(dtype=FLOAT32 if kind.bits <= 16 else FLOAT64)
        return result
    found: TensorType = made
    return found


@takes(Tensor("x", "", scalar=True), Tensor("y"))
def scalar_mul(a: Arguments, run: Run) -> TensorType:
    if isinstance(a["x"], TensorType):
        run.require("scalar", not a["x"].shape.known or len(a["x"].shape) == 0, "the factor must be a scalar", ("x",))
    made: TensorType = run("mul", x=a["x"], y=a["y"])
    return made


@takes(Tensor("x"), Tensor("low", scalar=True), Tensor("high", scalar=True))
def clip(a: Arguments, run: Run) -> TensorType:
    """The bounds broadcast, but not beyond the shape of the tensor."""
    x = a["x"]
    made = run("maximum", x=run("minimum", x=x, y=a["high"]), y=a["low"])
    if x.shape.known and made.shape.known:
        run.require(
            "bounds", len(made.shape) == len(x.shape), f"the bounds must not widen the shape {x.shape!r} to {made.shape!r}", ("low", "high")
        )
        for m, n in zip(made.shape, x.shape):
            run.require("bounds", eq(m, n), f"the bounds must not widen the shape {x.shape!r} to {made.shape!r}", ("low", "high"))
    return anew(x, x.shape).but(dtype=made.dtype)


@takes(Tensors("xs"), Axis("dim", 0, of="xs", loose=True))
def concat(a: Arguments, run: Run) -> TensorType:
    """One tensor alone is handed on, whatever its rank."""
    return anew(a["xs"][0], a["xs"][0].shape) if len(a["xs"]) == 1 else tf_joins.concat(a, run)


@takes(Tensor("x"), Choice("message", ("not a number",)))
def check_numerics(a: Arguments, run: Run) -> TensorType:
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "... N"))
def shifted(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 1)
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "...", frozenset({DType.STRING})), Int("num_buckets", least=1))
def hash_bucket(a: Arguments, run: Run) -> TensorType:
    run.require(
        "buckets", a.get("num_buckets") is not None and ge(a["num_buckets"], 1), "there must be at least one bucket", ("num_buckets",)
    )
    return tensor(a["x"].shape, INT64)


def gather(a: Arguments, run: Run) -> TensorType:
    """Along axis 0 TensorFlow looks at no batch axes."""
    return tf_shapes.gather({**a, "batch_dims": 0} if a.get("dim") is not None and whole(a["dim"]) == 0 else a, run)


takes(*vars(tf_shapes.gather)["parameters"].values())(gather)


@takes(Tensor("x", "... N N"))
def logdet(a: Arguments, run: Run) -> TensorType:
    return _real(graphdef_algebra.determinant(a, run))


def _real(x: TensorType) -> TensorType:
    return x if x.dtype is None else x.but(dtype=x.dtype.real)


@takes(Tensor("x"), Float("clip_norm"), Axes("dim", None))
def clip_by_norm(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    run.require(
        "dtype", x.dtype is None or x.dtype.is_float or x.dtype.is_complex, f"a norm is taken of floats, not of {x.dtype!r}", ("x",)
    )
    for d in vector(run, a.get("dim"), "dim") or ():
        axis(run, d, len(x.shape))
    return anew(x, x.shape)


@takes(Tensors("xs"), Float("clip_norm"), Anything("use_norm"))
def clip_by_global_norm(a: Arguments, run: Run) -> Any:
    same_types(run, a, "xs")
    return [anew(x, x.shape) for x in a["xs"]], tensor((), a["xs"][0].dtype)


@takes(Tensors("xs"))
def global_norm(a: Arguments, run: Run) -> TensorType:
    return tensor((), same_types(run, a, "xs"))


def complex(a: Arguments, run: Run) -> TensorType:
    kind = same_types(run, a, "x", "y")
    made: TensorType = run("add", x=a["x"], y=a["y"]).but(dtype=None if kind is None else _COMPLEX.get(kind), contents=None)
    return made


@takes(ElementType("dtype", optional=False))
def cast(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("cast", x=a["x"], dtype=a["dtype"])
    return made


@takes(Axes("dim", None), Bool("keepdim", None, optional=True), ElementType("dtype", INT64, optional=False))
def count_nonzero(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    given = a["x"] if isinstance(a.get("x"), TensorType) else a.get("input")
    if not isinstance(given, TensorType):
        raise run.refuse("x", "the tensor to count in is missing", ("x",))
    made = reduce({**a, "x": given.but(dtype=FLOAT32, contents=None), "keepdim": bool(a.get("keepdim"))}, run)
    return made.but(dtype=a.get("dtype") or INT64, contents=None)


@takes(Tensors("xs"))
def add_n(a: Arguments, run: Run) -> TensorType:
    """A sum of tensors of one shape; one alone is handed on as it is."""
    if len(a["xs"]) > 1:
        kind = same_types(run, a, "xs")
        run.require("dtype", kind is None or kind.kind in "iufcqo", f"elements of type {kind!r} are not added", ("xs",))
    made: TensorType = run("agreeing", xs=tuple(a["xs"]))
    return made


@takes(Tensor("x", "...", INDEX), Anything("weights"), Anything("axis"))
def bincount(a: Arguments, run: Run) -> TensorType:
    if a.get("axis") is not None:
        raise run.give_up("bincount along an axis")
    weights = a.get("weights")
    return tensor((run.fresh("bins"),), weights.dtype if isinstance(weights, TensorType) else a.get("dtype") or INT32)


@takes(Tensor("x", "N", INDEX), Tensor("y", "N", INDEX), Int("count", least=1), Anything("weight"), _DTYPE)
def confusion_matrix(a: Arguments, run: Run) -> TensorType:
    count = whole(a.get("count"))
    if count is None or isinstance(count, TensorType):
        count = run.fresh("classes")
    x, y = a["x"], a["y"]
    if x.shape.known and y.shape.known and len(x.shape) == len(y.shape) == 1:
        run.require("batch", eq(x.shape[0], y.shape[0]), f"{x.shape[0]!r} labels go with {y.shape[0]!r} predictions", ("x", "y"))
    return tensor((count, count), a.get("dtype") or INT32)


# --- shapes ----------------------------------------------------------------------------------------------------------------------


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


@takes(
    Ints("begin", loose=True, one=False), Ints("end", loose=True, one=False), Ints("strides", None, loose=True, one=False, optional=True)
)
def strided_slice(a: Arguments, run: Run) -> TensorType:
    begin = vector(run, a["begin"], "begin")
    run.require(
        "begin",
        begin is None or len(begin) > 0 or isinstance(a["begin"], TensorType),
        "an empty list of positions has no whole type",
        ("begin",),
    )
    if a.get("strides") is None:
        if begin is None:
            raise run.give_up("the number of sliced axes is not known")
        a = {**a, "strides": (1,) * len(begin)}
    made: TensorType = run.default(a)
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


@takes(_SIZE)
def scatter_nd(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("scatter_nd", index=a["index"], y=a["y"], size=a["size"])
    return made


@takes(Tensor("x"), Tensor("mask", "...", frozenset({BOOL})), Int("dim", None, optional=True))
def boolean_mask(a: Arguments, run: Run) -> TensorType:
    """The elements where a mask over some axes is true, as one axis."""
    x, mask = a["x"], a["mask"]
    if not mask.shape.known or not x.shape.known:
        return anew(x, somewhere(run))
    at = whole(a.get("dim")) or 0
    run.require("rank", len(mask.shape) >= 1, "the mask cannot be a scalar", ("mask",))
    run.require(
        "rank", at + len(mask.shape) <= len(x.shape), f"a mask {mask.shape!r} does not fit x {x.shape!r} from axis {at} on", ("mask", "x")
    )
    for m, n in zip(mask.shape, x.shape[at:]):
        run.require("mask", eq(m, n), f"the mask {mask.shape!r} does not fit the axes of x {x.shape!r}", ("mask", "x"))
    return anew(x, (*x.shape[:at], run.fresh("kept"), *x.shape[at + len(mask.shape) :]))


@takes(Tensor("condition"), Tensor("x", optional=True, scalar=True, default=None), Tensor("y", optional=True, scalar=True, default=None))
def where(a: Arguments, run: Run) -> TensorType:
    condition, x, y = a["condition"], a.get("x"), a.get("y")
    run.require("choices", (x is None) == (y is None), "give both choices or none", ("x", "y"))
    if x is None:
        return tensor((run.fresh("true"), condition.shape.rank), INT64)
    run.require("dtype", condition.dtype in (None, BOOL), f"the condition must be truth values, not {condition.dtype!r}", ("condition",))
    if run.name.startswith("tf.compat.v1.") and isinstance(x, TensorType) and isinstance(y, TensorType):
        return graphdef.select({"condition": condition, "x": x, "y": y}, run)
    made: TensorType = run("where", condition=condition, x=x, y=y)
    return made


@takes(Anything("on"), Anything("off"), Int("dim", None, optional=True), _DTYPE)
def one_hot(a: Arguments, run: Run) -> TensorType:
    typed = [v.dtype for v in (a.get("on"), a.get("off")) if isinstance(v, TensorType)]
    dtype = a.get("dtype") or (typed[0] if typed else FLOAT32)
    run.require("dtype", dtype is not BOOL or a.get("on") is not None, "truth values need on_value and off_value", ("dtype",))
    made: TensorType = run("one_hot_axis", x=a["x"], depth=whole(a["depth"]), dim=-1 if a.get("dim") is None else a["dim"], dtype=dtype)
    return made


@takes(Tensor("x", "...", INDEX), Int("count", None, optional=True, loose=True, least=0), _DTYPE)
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


@takes(Tensor("x"), Tensor("y"), Choice("side", ("left", "right"), "left"), _DTYPE)
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


@takes(_DTYPE)
def unique_counts(a: Arguments, run: Run) -> Any:
    x = ranked(run, a["x"], 1)
    n, dtype = run.fresh("unique"), a.get("dtype") or INT32
    return anew(x, (n,)), tensor(x.shape, dtype), tensor((n,), dtype)


# --- creation --------------------------------------------------------------------------------------------------------------------


def _shape(run: Run, value: Any) -> Shape:
    size = vector(run, value, "size")
    if size is None:
        return somewhere(run)
    for n in size:
        run.require("size", n is None or ge(n, 0), f"a size cannot be negative, and the shape is {size!r}", ("size",))
    return Shape(run.fresh("size") if n is None else n for n in size)


@takes(_SIZE, ElementType("dtype", FLOAT32))
def zeros(a: Arguments, run: Run) -> TensorType:
    given = a["size"]
    if isinstance(given, TensorType) and given.shape.known and not len(given.shape):  # one number is a shape of one axis here
        given = (whole(given),) if given.contents is not None else (run.session.number_in(given),)
    made, dtype = _shape(run, given), a.get("dtype") or FLOAT32
    value = int("ones" in run.name)
    count = few(made) if dtype.is_integer else None
    return tensor(made, dtype, None if count is None else (value,) * count)


@takes(_SIZE, Tensor("value", ""))
def fill(a: Arguments, run: Run) -> TensorType:
    value = ranked(run, a["value"], 0, "value") if isinstance(a["value"], TensorType) else a["value"]
    return tensor(_shape(run, a["size"]), value.dtype)


@takes(_DTYPE)
def zeros_like(a: Arguments, run: Run) -> TensorType:
    return tensor(a["x"].shape, a.get("dtype") or a["x"].dtype)


@takes(
    Int("n", least=0, loose=True),
    Int("m", None, least=0, optional=True, loose=True),
    Ints("size", None, optional=True, shape=True, least=0),
    ElementType("dtype", FLOAT32),
)
def eye(a: Arguments, run: Run) -> TensorType:
    n, m = whole(a["n"]), whole(a.get("m"))
    n = run.fresh("rows") if isinstance(n, TensorType) else n
    m = n if m is None else run.fresh("columns") if isinstance(m, TensorType) else m
    lead = _shape(run, a["size"]) if a.get("size") is not None else Shape()
    return tensor((*lead, n, m) if lead.known else somewhere(run), a.get("dtype") or FLOAT32)


@takes(Number("start"), Number("end", None, optional=True), Number("step", 1), _DTYPE)
def range(a: Arguments, run: Run) -> TensorType:
    """From start to limit; with one argument, from 0 to it."""
    start, end, step = a["start"], a.get("end"), a.get("step")
    if end is None:
        start, end = 0, start
    values = [v.contents[0] if isinstance(v, TensorType) and v.contents else v for v in (start, end, step)]
    typed = [v.dtype for v in (start, end, step) if isinstance(v, TensorType) and v.dtype is not None and not v.weak]
    dtype = a.get("dtype") or (typed[0] if typed else FLOAT32 if any(isinstance(v, float) for v in values) else INT32)
    broken = dtype.is_integer and any(isinstance(v, float) for v in values)
    run.require("dtype", not broken, f"{values!r} make no range of {dtype!r}", ("start", "end", "step"))
    if any(isinstance(v, TensorType) for v in values) or (
        any(isinstance(v, Term) for v in values) and any(isinstance(v, float) for v in values)
    ):
        return tensor((run.fresh("range"),), dtype)
    made: TensorType = run("arange", start=values[0], end=values[1], step=values[2], dtype=dtype)
    return made


@takes(Tensor("start", "", scalar=True), Tensor("end", "", scalar=True), Int("steps", least=1, loose=True), Anything("dim"))
def linspace(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "start", "end")
    kinds = [v.dtype for v in (a["start"], a["end"]) if isinstance(v, TensorType) and v.dtype is not None]
    dtype = kinds[0] if kinds else FLOAT32
    dtype = FLOAT64 if dtype.is_integer else dtype
    steps = whole(a["steps"])
    n = run.fresh("steps") if isinstance(steps, TensorType) else steps
    run.require("steps", ge(n, 0), f"the number of steps must not be negative, and is {n!r}", ("steps",))
    first = a["start"].shape if isinstance(a["start"], TensorType) else Shape()
    return tensor((n, *first), dtype)


@takes(Tensor("data"), _DTYPE, Anything("size"))
def constant(a: Arguments, run: Run) -> TensorType:
    """Numbers, nested lists or a tensor; a shape may spread one number."""
    x, size = a["data"], a.get("size")
    dtype = a.get("dtype") or x.dtype
    contents = (
        x.contents if dtype is x.dtype or (dtype is not None and dtype.is_integer and x.dtype is not None and x.dtype.is_integer) else None
    )
    if not x.weak and a.get("dtype") is not None and x.dtype is not None:
        run.require(
            "dtype", a["dtype"] is x.dtype, f"a tensor of {x.dtype!r} does not become {a['dtype']!r} here: use tf.cast", ("data", "dtype")
        )
    if size is None:
        return tensor(x.shape, dtype, contents)
    made = _shape(run, size)
    if made.known and x.shape.known:
        n, m = made.numel, x.shape.numel
        run.require("size", disj(eq(n, m), eq(m, 1)), f"{m!r} elements do not make the shape {made!r}", ("size", "data"))
    return tensor(made, dtype)


@takes(Holes("size", shape=True, loose=True, optional=True))
def ensure_shape(a: Arguments, run: Run) -> TensorType:
    size = a["size"]
    if size is None:
        made: TensorType = a["x"]
        return made
    wanted = size if isinstance(size, Shape) else Shape(run.fresh("any") if n is None or n == -1 else n for n in size)
    result: TensorType = run("ensure_shape", x=a["x"], size=wanted)
    return result


def _random(run: Run, a: Arguments, default: DType = FLOAT32) -> TensorType:
    return tensor(_shape(run, a["size"]), a.get("dtype") or default)


@takes(_SIZE, ElementType("dtype", FLOAT32, optional=False))
def random_normal(a: Arguments, run: Run) -> TensorType:
    return _random(run, a)


@takes(_SIZE, Number("minval", 0), Number("maxval", None, optional=True), ElementType("dtype", FLOAT32, optional=False))
def random_uniform(a: Arguments, run: Run) -> TensorType:
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", dtype.is_float or dtype in INDEX, f"uniform numbers are floats, int32 or int64, not {dtype!r}", ("dtype",))
    run.require("maxval", dtype.is_float or a.get("maxval") is not None, "whole numbers need maxval", ("maxval",))
    _whole_ends(run, a, dtype)
    return _random(run, a)


@takes(
    _SIZE,
    Tensor("y", scalar=True),
    Anything("beta"),
    ElementType("dtype", FLOAT32, optional=False, dtypes=frozenset({DType.FLOAT16, FLOAT32, FLOAT64})),
)
def random_gamma(a: Arguments, run: Run) -> TensorType:
    size, y = _shape(run, a["size"]), a["y"]
    lead = y.shape if isinstance(y, TensorType) else Shape()
    dtype = a.get("dtype") or FLOAT32
    run.require(
        "dtype",
        not isinstance(y, TensorType) or y.weak or y.dtype in (None, dtype),
        "alpha and the result must have one element type",
        ("y", "dtype"),
    )
    if isinstance(a.get("beta"), TensorType):
        lead = run("add", x=anew(y, lead), y=a["beta"]).shape
    return tensor((*size, *lead) if size.known and lead.known else somewhere(run), dtype)


@takes(_SIZE, Tensor("y", "...", frozenset({DType.FLOAT16, FLOAT32, FLOAT64, INT32, INT64}), scalar=True), _DTYPE)
def random_poisson(a: Arguments, run: Run) -> TensorType:
    return random_gamma({**a, "y": a["y"].but(dtype=a.get("dtype") or FLOAT32) if isinstance(a["y"], TensorType) else a["y"]}, run)


@takes(Tensor("x", "N C"), Int("n", least=0, loose=True), ElementType("dtype", dtypes=INDEX))
def categorical(a: Arguments, run: Run) -> TensorType:
    return graphdef_random.multinomial(a, run)


_SEED = Tensor("seed", "2", INDEX)


@takes(_SIZE, _SEED, ElementType("dtype", FLOAT32, optional=False))
def stateless_normal(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    return _random(run, a)


@takes(_SIZE, _SEED, Number("minval", 0), Number("maxval", None, optional=True), ElementType("dtype", FLOAT32, optional=False))
def stateless_uniform(a: Arguments, run: Run) -> TensorType:
    _seed(run, a["seed"])
    dtype = a.get("dtype") or FLOAT32
    allowed = dtype.is_float or dtype in INDEX or dtype in (DType.UINT32, DType.UINT64)
    run.require("dtype", allowed, f"uniform numbers are floats or whole numbers of 32 and 64 bits, not {dtype!r}", ("dtype",))
    run.require("maxval", dtype.is_float or a.get("maxval") is not None, "whole numbers need maxval", ("maxval",))
    _whole_ends(run, a, dtype)
    return _random(run, a)


def _whole_ends(run: Run, a: Arguments, dtype: DType) -> None:
    """Ends of whole numbers are whole."""
    for name in ("minval", "maxval"):
        run.require(
            name, dtype.is_float or not isinstance(a.get(name), float), f"{name} = {a.get(name)!r} is no {dtype!r}", (name, "dtype")
        )


def _seed(run: Run, seed: Any) -> None:
    if isinstance(seed, TensorType) and seed.shape.known:
        run.require(
            "seed",
            len(seed.shape) == 1 and eq(seed.shape[0], 2),
            f"a seed is two whole numbers, and this has shape {seed.shape!r}",
            ("seed",),
        )


@takes(ElementType("dtype", optional=False), Holes("size", None, shape=True, optional=True))
def placeholder(a: Arguments, run: Run) -> TensorType:
    size = a.get("size")
    if size is None:
        return tensor(somewhere(run, "placeholder"), a["dtype"])
    return tensor([run.fresh("placeholder") if n is None or n == -1 else n for n in size], a["dtype"])


@takes(Tensor("x"), Holes("size", shape=True, optional=True))
def placeholder_with_default(a: Arguments, run: Run) -> TensorType:
    size = a.get("size")
    made = somewhere(run) if size is None else Shape(run.fresh("placeholder") if n is None or n == -1 else n for n in size)
    merged(run, [a["x"].shape, made], ("x", "size"))
    return tensor(made, a["x"].dtype)


@takes(Anything("size"), _DTYPE, Anything("initializer"))
def get_variable(a: Arguments, run: Run) -> TensorType:
    size, given = a.get("size"), a.get("initializer")
    if isinstance(given, TensorType):
        return tensor(given.shape, a.get("dtype") or given.dtype)
    if size is None:
        raise run.give_up("the shape of the variable is not given")
    return tensor(_shape(run, (size,) if isinstance(size, int) else size), a.get("dtype") or FLOAT32)


# --- tf.Tensor -------------------------------------------------------------------------------------------------------------------


@takes(Tensor("x", scalar=True), Tensor("y", scalar=True))
def tensor_equality(a: Arguments, run: Run) -> TensorType:
    """`==` of tensors: shapes that do not broadcast are simply not equal."""
    made = [v if isinstance(v, TensorType) else python_number(v) for v in (a["x"], a["y"])]
    if any(v.weak for v in made):
        result: TensorType = run(run.row.op, x=a["x"], y=a["y"])
        return result
    return graphdef.equality({"x": made[0], "y": made[1], "incompatible_shape_error": False}, run)


def _part(run: Run, value: Any, open_: list[int], bit: int) -> Any:
    """One end of a slice; what is left out sets a bit of the mask."""
    value = whole(value)
    if value is None:
        open_[0] |= 1 << bit
        return 0
    return value


def _next(at: Any) -> Any:
    return at + 1


@takes(Index())
def getitem(a: Arguments, run: Run) -> TensorType:
    """Integers, slices, `...` and None: as a strided slice. Tensors of more than one element are no indices here."""
    index = a["index"]
    items = index if isinstance(index, tuple) else tuple(index) if isinstance(index, list) else (index,)
    begin, end, strides = [], [], []
    opened, closed = [0], [0]
    masks = {"ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    for i, item in enumerate(items):
        step: Any = 1
        first: Any
        last: Any
        if item is ... or item is None:
            masks["ellipsis_mask" if item is ... else "new_axis_mask"] |= 1 << i
            first, last = 0, 0
        elif isinstance(item, slice):
            first, last = _part(run, item.start, opened, i), _part(run, item.stop, closed, i)
            step = 1 if item.step is None else whole(item.step)
        else:
            first = whole(item)
            scalar = not isinstance(first, TensorType) or (
                first.dtype in INDEX | {None} and (not first.shape.known or len(first.shape) == 0)
            )
            run.require(
                "index", scalar and not isinstance(first, (bool, float, str)), f"{item!r} is no index of a TensorFlow tensor", ("index",)
            )
            masks["shrink_axis_mask"] |= 1 << i
            last = first if isinstance(first, TensorType) else _next(first)
        begin.append(None if isinstance(first, TensorType) else first)
        end.append(None if isinstance(last, TensorType) else last)
        strides.append(None if isinstance(step, TensorType) else step)
    made: TensorType = run(
        "strided_slice",
        x=a["x"],
        begin=tuple(begin),
        end=tuple(end),
        strides=tuple(strides),
        begin_mask=opened[0],
        end_mask=closed[0],
        **masks,
    )
    return made


def get_shape(a: Arguments, run: Run) -> Shape:
    made: Shape = a["x"].shape
    return made


# --- linear algebra --------------------------------------------------------------------------------------------------------------


@takes(Tensor("x", "... N K"), Tensor("y", "... K M"), *(Bool(n, False) for n in ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")))
def matmul(a: Arguments, run: Run) -> TensorType:
    for side in ("a", "b"):
        both = a.get(f"transpose_{side}") and a.get(f"adjoint_{side}")
        run.require("transpose", not both, "a matrix is transposed or adjoined, not both", (f"transpose_{side}", f"adjoint_{side}"))
    out = a.get("output_type")
    given = {
        "x": a["x"], "y": a["y"], "dtype": out, "adj_x": a.get("transpose_a") or a.get("adjoint_a"), "adj_y": a.get("transpose_b") or a.get("adjoint_b"),
    }  # fmt: skip
    return graphdef_algebra.batch_matmul(given, run)


@takes(Tensor("x", "... N K"), Tensor("y", "... K"), Bool("transpose_a", False), Bool("adjoint_a", False))
def matvec(a: Arguments, run: Run) -> TensorType:
    y = a["y"]
    at_least(run, y, 1, "y")
    column = anew(y, (*y.shape, 1)) if y.shape.known else y
    made = matmul({**a, "y": column}, run)
    return anew(made, made.shape[:-1]) if made.shape.known else made


@takes(Tensor("x"), Tensor("y"), Loosely("dim", least=0, most=2))
def tensordot(a: Arguments, run: Run) -> TensorType:
    """Axes as a number, or as two lists."""
    x, y, axes = a["x"], a["y"], whole(a["dim"])
    same_types(run, a, "x", "y")
    if not x.shape.known or not y.shape.known:
        return anew(x, somewhere(run))
    if isinstance(axes, TensorType):
        if axes.contents is None or len(axes.shape) != 2:
            raise run.give_up("the axes are not known")
        half = len(axes.contents) // 2
        axes = (axes.contents[:half], axes.contents[half:])
    if isinstance(axes, int):
        run.require(
            "axes",
            0 <= axes <= min(len(x.shape), len(y.shape)),
            f"{axes} axes cannot be contracted of x {x.shape!r} and y {y.shape!r}",
            ("dim",),
        )
        first, second = list(_indices(len(x.shape) - axes, len(x.shape))), list(_indices(0, axes))
    else:
        first, second = ([v] if isinstance(v, int) else list(v) for v in axes)
    run.require("axes", len(first) == len(second), f"{len(first)} axes of x go with {len(second)} of y", ("dim",))
    first, second = [axis(run, v, len(x.shape)) for v in first], [axis(run, v, len(y.shape)) for v in second]
    for i, j in zip(first, second):
        run.require(
            "inner", eq(x.shape[i], y.shape[j]), f"the contracted axes are {x.shape[i]!r} and {y.shape[j]!r}, and must be equal", ("x", "y")
        )
    left = [n for i, n in enumerate(x.shape) if i not in first]
    return anew(x, (*left, *(n for j, n in enumerate(y.shape) if j not in second)))


@takes(Choice("equation", ("i->", "ij->ji", "ij,jk->ik", "ij,ij->", "bij,bjk->bik", "i,j->ij", "i,i->")), Tensors("xs"))
def einsum(a: Arguments, run: Run) -> TensorType:
    kind = same_types(run, a, "xs")
    usable = kind is None or len(a["xs"]) == 1 or kind.is_complex or kind in FLOATS | INDEX
    run.require("dtype", usable, f"elements of type {kind!r} are not multiplied and summed", ("xs",))
    if any(not x.shape.known for x in a["xs"]):
        return anew(a["xs"][0], somewhere(run))
    tensorflow.labels_agree(run, a["equation"], tuple(a["xs"]))
    made: TensorType = run("einsum", xs=tuple(a["xs"]), equation=a["equation"])
    return made


@takes(Anything("ord"), Axes("dim", None), Bool("keepdim", None, optional=True))
def norm(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    dim = a.get("dim")
    run.require(
        "axis",
        not isinstance(dim, (tuple, list)) or len(dim) == 2,
        f"a norm is taken over one axis, two, or all, not over {dim!r}",
        ("dim",),
    )
    return _reduced_like(a["x"], a.get("dim"), bool(a.get("keepdim")), run)


def _reduced_like(x: TensorType, dim: Any, keep: bool, run: Run) -> TensorType:
    if not x.shape.known:
        return anew(x, somewhere(run) if dim is not None or keep else ())
    dims = None if dim is None else [axis(run, d, len(x.shape)) for d in vector(run, dim, "dim", scalar=True) or ()]
    gone = set(_indices(0, len(x.shape)) if dims is None else dims)
    return anew(x, [1 if i in gone else n for i, n in enumerate(x.shape) if keep or i not in gone])


@takes(Tensor("x", "... N M"))
def trace(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 2)
    return anew(a["x"], a["x"].shape[:-2] if a["x"].shape.known else somewhere(run))


@takes(Tensor("x", "... N M"))
def matrix_transpose(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    return anew(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]) if x.shape.known else somewhere(run))


@takes(Tensor("x", "... N"), Int("offset", 0), Int("num_rows", -1), Int("num_cols", -1))
def diag(a: Arguments, run: Run) -> TensorType:
    if a.get("num_rows", -1) != -1 or a.get("num_cols", -1) != -1 or not isinstance(a.get("offset", 0), int):
        raise run.give_up("a band of diagonals")
    at_least(run, a["x"], 1)
    made: TensorType = run("diag_embed", x=a["x"], offset=a.get("offset") or 0, dim1=-2, dim2=-1).but(strides=None)
    return made


@takes(Tensor("x", "... N M"), Int("offset", 0))
def diag_part(a: Arguments, run: Run) -> TensorType:
    if not isinstance(a.get("offset", 0), int):
        raise run.give_up("a band of diagonals")
    x, k = a["x"], a.get("offset") or 0
    at_least(run, x, 2)
    made = run("diagonal", x=x, offset=k, dim1=-2, dim2=-1).but(strides=None)
    rows, columns = x.shape[-2:]
    run.require("offset", k == 0 or conj(ge(k, 1 - rows), ge(columns, k + 1)), f"there is no diagonal {k} in {x.shape!r}", ("offset", "x"))
    result: TensorType = made
    return result


@takes(Tensor("x", "... N M"), Int("low", loose=True), Int("high", loose=True))
def band_part(a: Arguments, run: Run) -> TensorType:
    at_least(run, a["x"], 2)
    return anew(a["x"], a["x"].shape)


@takes(Tensor("x", "... N N"), Tensor("y", "... N M"))
def solve(a: Arguments, run: Run) -> TensorType:
    made = graphdef_algebra.matrix_solve(a, run)
    x, y = a["x"], a["y"]
    if x.shape.known and y.shape.known:
        run.require("rank", len(x.shape) == len(y.shape), f"x {x.shape!r} and y {y.shape!r} must have as many axes", ("x", "y"))
        for m, n in zip(x.shape[:-2], y.shape[:-2]):
            run.require("batch", eq(m, n), f"the batch axes are {m!r} and {n!r}, and must be equal", ("x", "y"))
    return made


@takes(Tensor("x", "... N M"), Bool("full_matrices", False), Bool("compute_uv", True))
def svd(a: Arguments, run: Run) -> Any:
    made = graphdef_algebra.svd(a, run)
    return (_real(made[0]), *made[1:]) if a["compute_uv"] else _real(made[0])


@takes(Tensor("x", "... N N"))
def eigh(a: Arguments, run: Run) -> Any:
    values, vectors = graphdef_algebra.eigen({**a, "compute_v": True}, run)
    return _real(values) if "numpy" in run.name else values, vectors


@takes(Tensor("x", "... N N"))
def eigvalsh(a: Arguments, run: Run) -> TensorType:
    return graphdef_algebra.eigen({**a, "compute_v": True}, run)[0]


# --- signals ---------------------------------------------------------------------------------------------------------------------


@takes(Tensor("x", "... N"), Ints("size", None, optional=True, one=False, least=1))
def rfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, x, a.get("size"), x.shape[-1] if x.shape.known else None)
    return tensor(
        (*x.shape[:-1], ite(eq(n, 0), 0, n // 2 + 1)) if x.shape.known else somewhere(run),
        None if x.dtype is None else _COMPLEX.get(x.dtype, COMPLEX64),
    )


@takes(Tensor("x", "... N"), Ints("size", None, optional=True, one=False, least=1))
def irfft(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    n = _length(run, x, a.get("size"), maximum(0, 2 * (x.shape[-1] - 1)) if x.shape.known else None)
    if n == 0:
        raise run.give_up("a transform of no elements")
    return tensor((*x.shape[:-1], n) if x.shape.known else somewhere(run), FLOAT64 if x.dtype is COMPLEX128 else FLOAT32)


def _length(run: Run, x: TensorType, given: Any, otherwise: Any) -> Dim:
    size = vector(run, given, "size")
    if size is None:
        made: Dim = run.fresh("length") if given is not None or otherwise is None else otherwise
        return made
    run.require("size", len(size) == 1, f"the length of the transform is a vector of 1, not of {len(size)}", ("size",))
    result: Dim = run.fresh("length") if size[0] is None else size[0]
    return result


@takes(Int("n", least=1), ElementType("dtype", FLOAT32, optional=False))
def window(a: Arguments, run: Run) -> TensorType:
    dtype = a.get("dtype") or FLOAT32
    run.require("dtype", dtype.is_float, f"a window is of floats, not of {dtype!r}", ("dtype",))
    return tensor((a["n"],), dtype)


@takes(Tensor("x", "... N"), Int("length", least=1), Int("step", least=1), Bool("pad_end", False), Axis("dim", -1))
def frame(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 1)
    if not x.shape.known:
        return anew(x, somewhere(run))
    at = axis(run, a["dim"], len(x.shape))
    n, length, step = x.shape[at], a["length"], a["step"]
    run.require("dtype", not a.get("pad_end") or x.dtype is not BOOL, "truth values are not padded with numbers", ("x", "pad_end"))
    count = -(-n // step) if a.get("pad_end") else maximum(0, 1 + (n - length) // step)
    return anew(x, (*x.shape[:at], count, length, *x.shape[at + 1 :]))


@takes(
    Tensor("x", "... N"), Int("length", least=1), Int("step", least=1), Int("size", None, optional=True, least=1), Bool("pad_end", False)
)
def stft(a: Arguments, run: Run) -> TensorType:
    framed = frame({**a, "dim": -1}, run)
    n = a.get("size")
    if n is None:
        if type(a["length"]) is not int:
            raise run.give_up("the next power of two of an unknown length")
        n = 1 << max(0, (a["length"] - 1).bit_length())
    dtype = None if a["x"].dtype is None else _COMPLEX.get(a["x"].dtype, COMPLEX64)
    return tensor((*framed.shape[:-1], n // 2 + 1) if framed.shape.known else somewhere(run), dtype)


@takes(Tensor("x", "... F L"), Int("step", least=1))
def overlap_and_add(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    at_least(run, x, 2)
    if not x.shape.known:
        return anew(x, somewhere(run))
    if x.dtype is not None and x.dtype.kind not in "iufc":
        raise run.give_up("frames that are no numbers")
    frames, length = x.shape[-2:]
    return anew(x, (*x.shape[:-2], (frames - 1) * a["step"] + length))


@takes(Tensor("x", "...", frozenset({DType.STRING})))
def string_length(a: Arguments, run: Run) -> TensorType:
    return tensor(a["x"].shape, INT32)


@takes(Tensor("x"), Tensor("value_range", "2"), Int("count", 100, least=1, loose=True), _DTYPE)
def histogram(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "value_range")
    limits = ranked(run, a["value_range"], 1, "value_range")
    run.require("range", eq(limits.shape[0], 2), f"a range has two ends, and this has {limits.shape[0]!r}", ("value_range",))
    count = whole(a["count"])
    return tensor((run.fresh("bins") if isinstance(count, TensorType) else count,), a.get("dtype") or INT32)


@takes(Tensor("x", " | N", INDEX), Ints("size", least=1, one=False))
def unravel_index(a: Arguments, run: Run) -> TensorType:
    x, size = a["x"], vector(run, a["size"], "size")
    n: Dim = run.fresh("axes") if size is None else len(size)
    return anew(x, (n, *x.shape) if x.shape.known else somewhere(run))


__all__ = [
    "arg_reduce",
    "broadcast_to",
    "expand_dims",
    "pad",
    "reduce",
    "reshape",
    "squeeze",
    "stack",
    "tile",
    "transpose",
    "unstack",
]

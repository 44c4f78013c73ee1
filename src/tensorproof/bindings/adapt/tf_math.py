"""Functions of `tf.math` and their like: what their Python arguments mean for the operators."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow import Arguments, anew, at_least, axis, modern, ranked, same_types, tensor, vector, whole
from tensorproof.bindings.adapt.tf_arguments import COMPLEX_OF, DTYPE, real
from tensorproof.bindings.adapt.tf_shapes import reduce
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.element_types import CONVERTED
from tensorproof.ops.inputs import Anything, Axes, Bool, Choice, ElementType, Float, Int, Tensor, Tensors
from tensorproof.terms.dtypes import BOOL, FLOAT32, FLOAT64, INDEX, INT32, INT64, DType
from tensorproof.terms.predicates import eq, ge
from tensorproof.terms.tensor import TensorType


def numeric(a: Arguments, run: Run) -> TensorType:
    """A function that real numbers pass through."""
    kind = a["x"].dtype
    run.require("dtype", kind is None or kind.kind in "iufc", f"{run.name} takes numbers, not {kind!r}", ("x",))
    return anew(a["x"], a["x"].shape)


def real_part(a: Arguments, run: Run) -> TensorType:
    return real(numeric(a, run))


def magnitude(a: Arguments, run: Run) -> TensorType:
    made: TensorType = run("abs", x=a["x"])
    return made


def binary(a: Arguments, run: Run) -> TensorType:
    """Two tensors of one element type, one of which may be a Python number."""
    made: TensorType = run.default(a)
    return made


def times(a: Arguments, run: Run) -> TensorType:
    """The operator `*`: with truth values on either side it gives truth values, whatever stands on the other."""
    kinds = [v.dtype for v in (a["x"], a["y"]) if isinstance(v, TensorType) and v.framework not in CONVERTED]
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
    kind = same_types(run, a, "xs")
    return [anew(x, x.shape) for x in a["xs"]], tensor((), kind if a["xs"] else FLOAT32)


@takes(Tensors("xs"))
def global_norm(a: Arguments, run: Run) -> TensorType:
    return tensor((), same_types(run, a, "xs"))


def complex(a: Arguments, run: Run) -> TensorType:
    kind = same_types(run, a, "x", "y")
    made: TensorType = run("add", x=a["x"], y=a["y"]).but(dtype=None if kind is None else COMPLEX_OF.get(kind), contents=None)
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
    run.require("empty", bool(a["xs"]), "at least one tensor must be given to add", ("xs",))
    if len(a["xs"]) > 1:
        kind = same_types(run, a, "xs")
        run.require("dtype", kind is None or kind.kind in "iufcqo", f"elements of type {kind!r} are not added", ("xs",))
    made: TensorType = run("add_n", xs=tuple(a["xs"]))
    return made


@takes(Tensor("x", "...", INDEX), Anything("weights"), Anything("axis"))
def bincount(a: Arguments, run: Run) -> TensorType:
    if a.get("axis") is not None:
        raise run.give_up("bincount along an axis")
    weights = a.get("weights")
    return tensor((run.fresh("bins"),), weights.dtype if isinstance(weights, TensorType) else a.get("dtype") or INT32)


@takes(Tensor("x", "N", INDEX), Tensor("y", "N", INDEX), Int("count", least=1), Anything("weight"), DTYPE)
def confusion_matrix(a: Arguments, run: Run) -> TensorType:
    count = whole(a.get("count"))
    if count is None or isinstance(count, TensorType):
        count = run.fresh("classes")
    x, y = a["x"], a["y"]
    if x.shape.known and y.shape.known and len(x.shape) == len(y.shape) == 1:
        run.require("batch", eq(x.shape[0], y.shape[0]), f"{x.shape[0]!r} labels go with {y.shape[0]!r} predictions", ("x", "y"))
    return tensor((count, count), a.get("dtype") or INT32)


@takes(Tensor("x", "...", frozenset({DType.STRING})))
def string_length(a: Arguments, run: Run) -> TensorType:
    return tensor(a["x"].shape, INT32)


@takes(Tensor("x"), Tensor("value_range", "2"), Int("count", 100, least=1, loose=True), DTYPE)
def histogram(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "value_range")
    limits = ranked(run, a["value_range"], 1, "value_range")
    run.require("range", eq(limits.shape[0], 2), f"a range has two ends, and this has {limits.shape[0]!r}", ("value_range",))
    count = whole(a["count"])
    return tensor((run.fresh("bins") if isinstance(count, TensorType) else count,), a.get("dtype") or INT32)

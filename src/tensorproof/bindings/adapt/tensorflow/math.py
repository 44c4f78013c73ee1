"""Functions of `tf.math` and their like: what their Python arguments mean for the operators."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.tensorflow.shapes import reduce
from tensorproof.bindings.adapt.tensorflow.shared import COMPLEX_OF, Arguments, modern, promoted_type, same_types
from tensorproof.bindings.adapt.tensorflow.sizes import broadcast_of, known_axis, ranked, vector, whole, with_shape
from tensorproof.bindings.adapters import Run, Value, python_number
from tensorproof.ops.element_types import CONVERTED
from tensorproof.terms import BOOL, FLOAT32, FLOAT64, INT32, INT64, DType, Shape, TensorType, eq


def times(a: Arguments, run: Run) -> TensorType:
    """The operator `*`: with truth values on either side it gives truth values, whatever stands on the other."""
    kinds = [v.dtype for v in (a["x"], a["y"]) if isinstance(v, TensorType) and v.framework not in CONVERTED]
    if BOOL not in kinds:
        return run.one(a)
    return run.typed("mul", BOOL, x=a["x"], y=a["y"])


def times_from_right(a: Arguments, run: Run) -> TensorType:
    """The operator `*` of what is no tensor with one: it is converted to the tensor's element type, and a number is no truth value."""
    x, y = a["x"], a["y"]
    number = not isinstance(x, bool) and (not isinstance(x, TensorType) or (x.weak and x.dtype is not BOOL))
    fits = not (number and isinstance(y, TensorType) and y.dtype is BOOL)
    run.require("dtype", fits, f"a number on the left of a tensor of truth values is converted to one, and {x!r} is not one", ("x", "y"))
    if all(isinstance(v, TensorType) and not v.weak and v.framework not in CONVERTED for v in (x, y)):
        same = None in (x.dtype, y.dtype) or x.dtype is y.dtype
        run.require("dtype", same, f"what stands on the left must have the element type of the tensor, {y.dtype!r}, and has {x.dtype!r}", ("x", "y"))
    return times(a, run)


def true_quotient(a: Arguments, run: Run) -> TensorType:
    """Whole numbers become floats: of 64 bits, but for those of 8 and 16 bits."""
    kind = promoted_type(run, x=a["x"], y=a["y"])
    run.require("dtype", kind is not BOOL, "truth values are not divided", ("x", "y"))
    if kind is not None and kind.is_integer:
        kind = FLOAT32 if kind.bits <= 16 else FLOAT64
    return run.typed("div", kind, x=a["x"], y=a["y"])


def one_type(a: Arguments, run: Run) -> TensorType:
    """A function of two tensors that broadcast, which keeps their element type, be it whole or not."""
    return run.typed(run.row.op, promoted_type(run, x=a["x"], y=a["y"]), x=a["x"], y=a["y"], **run.row.fixed)


def old_quotient(a: Arguments, run: Run) -> TensorType:
    """The quotient of Python 2: whole numbers are divided with the remainder left out."""
    kind = promoted_type(run, x=a["x"], y=a["y"])
    rounding = "floor" if kind is not None and kind.is_integer else None
    return run.typed("div", kind, x=a["x"], y=a["y"], rounding=rounding)


def clip(a: Arguments, run: Run) -> TensorType:
    """The bounds broadcast, but not beyond the shape of the tensor."""
    x = a["x"]
    capped = run("minimum", x=x, y=a["high"])
    low = a["low"].shape if isinstance(a["low"], TensorType) else Shape()
    for wide in (capped.shape, broadcast_of(run, [capped.shape, low], ("x", "low"), "maximum/broadcast")):
        if x.shape.known and wide.known:
            sentence = f"the bounds must not widen the shape {x.shape!r} to {wide!r}"
            run.require("clamp/bounds", len(wide) == len(x.shape), sentence, ("low", "high"))
            for m, n in zip(wide, x.shape):
                run.require("clamp/bounds", eq(m, n), sentence, ("low", "high"))
    kind = promoted_type(run, x=capped, y=a["low"])
    return run.shaped("maximum", x.shape, kind, x=capped, y=a["low"] if isinstance(a["low"], TensorType) else python_number(a["low"]))


def clip_by_norm(a: Arguments, run: Run) -> TensorType:
    x = a["x"]
    run.require("dtype", x.dtype is None or x.dtype.is_float or x.dtype.is_complex, f"a norm is taken of floats, not of {x.dtype!r}", ("x",))
    axes = tuple(known_axis(run, d, len(x.shape)) for d in vector(run, a.get("dim"), "dim", scalar=True) or ())
    return clipped(run, x, a["clip_norm"], axes)


def clipped(run: Run, x: TensorType, limit: Value, axes: tuple[int, ...]) -> TensorType:
    """x with a norm over some axes (all, where there are none) that is at most the limit."""
    kind = x.dtype
    total = run.typed("sum", kind, x=run.typed("square", kind, x=x), dim=axes or None, keepdim=True)
    some = run("gt", x=total, y=0.0)
    length = run.typed("where", kind, condition=some, x=run.typed("sqrt", kind, x=run.typed("where", kind, condition=some, x=total, y=1.0)), y=total)
    least = run.typed("maximum", kind, x=length, y=limit)
    return run.shaped("div", x.shape, kind, x=run.typed("mul", kind, x=x, y=limit), y=least)


def clip_by_global_norm(a: Arguments, run: Run) -> Value:
    """Each tensor times limit / max(norm, limit), which is limit · min(1 / norm, 1 / limit) also for a norm of 0; not a number where the norm is not finite."""
    kind = same_types(run, a, "xs") if a["xs"] else FLOAT32
    norm, limit = a.get("use_norm"), a["clip_norm"]
    norm = global_norm(a, run) if norm is None else norm
    least = run.typed("div", kind, x=limit, y=run.typed("maximum", kind, x=norm, y=limit))
    scale = run.typed("add", kind, x=least, y=run.typed("sub", kind, x=norm, y=norm))
    return [run.shaped("mul", x.shape, kind, x=x, y=scale) for x in a["xs"]], norm


def global_norm(a: Arguments, run: Run) -> TensorType:
    """The root of the sum of all squares."""
    kind = same_types(run, a, "xs") if a["xs"] else FLOAT32
    squares = tuple(run.shaped("sum", Shape(), kind, x=run.typed("square", kind, x=x), dim=None, keepdim=False) for x in a["xs"])
    total = run.typed("sum", kind, x=run.shaped("stack", Shape((len(squares),)), kind, xs=squares, dim=0), dim=0, keepdim=False)
    return run.typed("sqrt", kind, x=total)


def complex(a: Arguments, run: Run) -> TensorType:
    kind = same_types(run, a, "x", "y")
    return run.typed("complex", None if kind is None else COMPLEX_OF.get(kind), x=a["x"], y=a["y"])


def count_nonzero(a: Arguments, run: Run) -> TensorType:
    a = modern(a)
    given = a["x"] if isinstance(a.get("x"), TensorType) else a.get("input")
    if not isinstance(given, TensorType):
        raise run.refuse("x", "the tensor to count in is missing", ("x",))
    return reduce({**a, "x": given, "keepdim": bool(a.get("keepdim")), "dtype": a.get("dtype") or INT64}, run)


def add_n(a: Arguments, run: Run) -> TensorType:
    """A sum of tensors of one shape; one alone is handed on as it is."""
    run.require("empty", bool(a["xs"]), "at least one tensor must be given to add", ("xs",))
    if len(a["xs"]) > 1:
        kind = same_types(run, a, "xs")
        run.require("dtype", kind is None or kind.kind in "iufcqo", f"elements of type {kind!r} are not added", ("xs",))
    return run("add_n", xs=tuple(a["xs"]))


def bincount(a: Arguments, run: Run) -> TensorType:
    if a.get("axis") is not None:
        raise run.give_up("bincount along an axis")
    weights, x = a.get("weights"), a["x"]
    dtype = weights.dtype if isinstance(weights, TensorType) else a.get("dtype") or INT32
    flat = x if x.shape.known and len(x.shape) == 1 else with_shape(run, "reshape", x, (x.shape.numel,), size=(-1,))
    least, most = whole(a.get("minlength")) or 0, whole(a.get("maxlength"))
    return run.shaped("bincount", Shape((run.fresh("bins"),)), dtype, x=flat, weight=weights, minlength=least, maxlength=most)


def confusion_matrix(a: Arguments, run: Run) -> TensorType:
    count = whole(a.get("count"))
    if count is None or isinstance(count, TensorType):
        count = run.fresh("classes")
    x, y = a["x"], a["y"]
    if x.shape.known and y.shape.known and len(x.shape) == len(y.shape) == 1:
        run.require("batch", eq(x.shape[0], y.shape[0]), f"{x.shape[0]!r} labels go with {y.shape[0]!r} predictions", ("x", "y"))
    return run.typed("confusion_matrix", a.get("dtype") or INT32, x=x, y=y, weight=a.get("weight"), count=count)


def histogram(a: Arguments, run: Run) -> TensorType:
    same_types(run, a, "x", "value_range")
    limits = ranked(run, a["value_range"], 1, "value_range")
    run.require("range", eq(limits.shape[0], 2), f"a range has two ends, and this has {limits.shape[0]!r}", ("value_range",))
    count = whole(a["count"])
    bins = run.fresh("bins") if isinstance(count, TensorType) else count
    return run.typed("histogram_fixed_width", a.get("dtype") or INT32, x=a["x"], limits=limits, bins=bins)


_FLOATS = {"float16": (65504.0, 11), "bfloat16": (3.3895313892515355e38, 8), "float32": (3.4028234663852886e38, 24), "float64": (1.7976931348623157e308, 53)}
"""The greatest number, and the bits of precision."""


def _ends(dtype: DType) -> tuple[Any, Any]:
    if dtype.kind in "iu":
        return (0, 2**dtype.bits - 1) if dtype.kind == "u" else (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1)
    most = _FLOATS[dtype.label][0]
    return -most, most


def limits(source: DType, target: DType, exact: bool = False) -> tuple[Any, Any]:
    """The least and the greatest number that both types hold. They are computed in floats: the greatest of int64 overflows, to the least or in the cast."""
    (a, b), (c, d) = _ends(source), _ends(target)
    low, high = max(a, c), min(b, d)
    if not source.is_float:
        return int(low), int(low if source is INT64 and high == b and not (exact and target.kind in "iu") else high)
    if target is INT64:
        return low, float(high)
    bits = target.bits - (target.kind == "i")
    precision = _FLOATS[source.label][1]
    return low, min(high, 2**bits - 2 ** (bits - precision)) if target.kind in "iu" and bits > precision else high


def saturated(run: Run, x: TensorType, dtype: DType, exact: bool = False) -> TensorType:
    """`exact`: the limits of whole numbers are not computed in floats."""
    source = x.dtype
    if source is not None and source.is_complex:
        x = run.typed("real", source.real, x=x)
        source = x.dtype
    if source is not None and all(d.kind in "iu" or d.label in _FLOATS for d in (source, dtype)):
        low, high = limits(source, dtype, exact)
        x = run.typed("clamp", source, x=x, low=low, high=high)
    return run("cast", x=x, dtype=dtype)


def saturate_cast(a: Arguments, run: Run) -> TensorType:
    return saturated(run, a["x"], a["dtype"])

"""ONNX nodes on elements that a table row cannot say: many operands, division, casts, known floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce as fold
from typing import Any

from tensorproof.bindings.adapters import Run, Value, takes, tensor_in
from tensorproof.ops.contents import spread
from tensorproof.ops.inputs import Bool, Choice, ElementType, Int
from tensorproof.ops.storage import cast, known, small
from tensorproof.terms import FLOAT16, FLOAT32, FLOAT64, FLOATS, DType, Shape, TensorType, dataclass, disj, eq


def folded(a: dict[str, Any], run: Run) -> Value:
    """An operator of two operands over any number of them; of one, with what changes nothing."""
    xs = a["xs"]
    if len(xs) == 1:
        nothing = TensorType(Shape(), xs[0].dtype, contents=(0,), framework="onnx")
        return run.typed(run.row.op, xs[0].dtype, x=xs[0], y=nothing if run.row.op == "add" else xs[0])
    return fold(lambda x, y: run(run.row.op, x=x, y=y), xs)


def mean(a: dict[str, Any], run: Run) -> TensorType:
    """The mean of tensors that broadcast."""
    xs = a["xs"]
    total = fold(lambda x, y: run("add", x=x, y=y), xs)
    return run.typed("div", total.dtype, x=total, y=len(xs))


def divide(a: dict[str, Any], run: Run) -> TensorType:
    """Whole numbers are divided towards zero."""
    dtype = tensor_in(a, "x").dtype
    if dtype is not None and dtype.is_integer:
        return run("div", x=a["x"], y=a["y"], rounding="trunc")
    return _with_floats(run("div", x=a["x"], y=a["y"]), lambda x, y: x / y if y else None, a["x"], a["y"])


_EXACT: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "floor": math.floor, "ceil": math.ceil, "cast": float,
}  # fmt: skip


def exact(a: dict[str, Any], run: Run) -> TensorType:
    """Known floats are computed with too: exporters scale sizes by way of them (Shape, Cast, Mul, Floor, Cast)."""
    return _with_floats(run.one(a), _EXACT[run.row.op], *(a[name] for name in ("x", "y") if name in a))


@dataclass(frozen=True, slots=True)
class Target(ElementType):
    """The element type of a cast, which must be given; one that is younger than our list of them is None."""

    optional: bool = False

    def takes(self, value: Value) -> bool:
        return value is None or isinstance(value, DType)


def cast_to(a: dict[str, Value], run: Run) -> TensorType:
    return tensor_in(a, "x").but(dtype=None, contents=None) if a["dtype"] is None else exact(a, run)


def _with_floats(made: TensorType, function: Callable[..., Any], *operands: TensorType) -> TensorType:
    """The result with its contents, where it and all operands are floats (or whole numbers being cast) that are known and few."""
    if made.contents is not None or made.dtype not in (FLOAT16, FLOAT32, FLOAT64) or not small(made.shape):
        return made
    if any(not known(x) or not all(isinstance(v, (int, float)) and math.isfinite(v) for v in x.contents or ()) for x in operands):
        return made
    columns = [spread(x.contents or (), x.shape, tuple(made.shape)) for x in operands]
    found = [function(*row) for row in zip(*columns)]
    return made if None in found else made.but(contents=cast(tuple(found), made.dtype))


@dataclass(frozen=True, slots=True)
class Only(Choice):
    """One of a closed set of words; another belongs to the next row."""

    def takes(self, value: Value) -> bool:
        return value in self.options


def clip(a: dict[str, Any], run: Run) -> TensorType:
    """Both bounds are single numbers."""
    for name in ("low", "high"):
        bound = a[name]
        if bound is None:
            continue
        if bound.shape.known:
            run.require(name, len(bound.shape) == 0, f"{name} must be a single number, and has shape {bound.shape!r}", (name,))
        if bound.dtype is not None and tensor_in(a, "x").dtype is not None:
            run.require("dtype", bound.dtype is tensor_in(a, "x").dtype, f"{name} is {bound.dtype!r} and x {tensor_in(a, 'x').dtype!r}", (name, "x"))
    low = a["low"]
    if low is None and a["high"] is None:  # no element lies below
        dtype = tensor_in(a, "x").dtype
        least = -math.inf if dtype is None or dtype.is_float else 0 if dtype.kind == "u" else -(1 << (dtype.bits - 1))
        low = run.typed("full", dtype, size=(), value=least, dtype=dtype)
    return run.typed("clamp", tensor_in(a, "x").dtype, x=a["x"], low=low, high=a["high"])


def clip_numbers(a: dict[str, Value], run: Run) -> TensorType:
    """Before opset 11 the bounds are attributes."""
    dtype = tensor_in(a, "x").dtype
    low, high = (run.typed("full", dtype, size=(), value=a[name], dtype=dtype) for name in ("low", "high"))
    return run.typed("clamp", dtype, x=a["x"], low=low, high=high)


def one_type(a: dict[str, Value], run: Run) -> Value:
    """All inputs have one element type."""
    found = {name: value.dtype for name, value in a.items() if isinstance(value, TensorType) and value.dtype is not None}
    run.require("dtype", len(set(found.values())) <= 1, f"all inputs must have the same dtype, and they are {found!r}", tuple(found))
    return run.default(a)


def random_like(a: dict[str, Value], run: Run) -> Value:
    """Random numbers are floats: in the type asked for, else in that of x."""
    made = a["dtype"] or tensor_in(a, "x").dtype
    run.require("dtype", made is None or made in FLOATS, f"random numbers are floats, not {made!r}", ("x", "dtype"))
    return run.default(a)


@takes(Bool("broadcast", False), Int("axis", None, optional=True))
def aligned(a: dict[str, Any], run: Run) -> TensorType:
    """Before opset 7: equal shapes, or with `broadcast` a second operand that lies along the axes of the first from `axis` on, the last ones by default."""
    x, y = tensor_in(a, "x"), a["y"]
    if x.shape.known and y.shape.known:
        rank, own = len(x.shape), len(y.shape)
        if not a["broadcast"]:
            run.require("shape", rank == own, f"x {x.shape!r} and y {y.shape!r} must have the same shape", ("x", "y"))
        run.require("rank", own <= rank, f"y {y.shape!r} has more axes than x {x.shape!r}", ("x", "y"))
        start = rank - own if a["axis"] is None or not a["broadcast"] else a["axis"]
        run.require("axis", -rank <= start <= rank - own, f"y {y.shape!r} does not lie along x {x.shape!r} from axis {start} on", ("axis", "x", "y"))
        start %= max(rank, 1)
        for m, n in zip(x.shape[start:], y.shape):
            fits = disj(eq(m, n), eq(n, 1)) if a["broadcast"] else eq(m, n)
            run.require("shape", fits, f"x {x.shape!r} and y {y.shape!r} do not fit from axis {start} on", ("x", "y"))
        behind = rank - own - start
        y = run("reshape", x=y, size=(*y.shape, *(1,) * behind)) if behind > 0 else y
    if run.row.op == "div":
        return divide({"x": x, "y": y}, run)
    return run(run.row.op, x=x, y=y)


def channel_slope(a: dict[str, Value], run: Run) -> TensorType:
    """Before opset 7 a slope with several elements has one for each channel."""
    x, slope = tensor_in(a, "x"), tensor_in(a, "slope")
    if x.shape.known and slope.shape.known and len(slope.shape) == 1 and len(x.shape) > 2 and slope.shape[0] != 1:
        slope = run("reshape", x=slope, size=(slope.shape[0], *(1 for _ in x.shape[2:])))
    return run(run.row.op, x=x, slope=slope)

"""Elementwise functions of `keras.ops`, and what the others share: the common element type, the format, an axis that is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorproof.bindings.adapt.numpy.arrays import tensor
from tensorproof.bindings.adapt.tensorflow.math import saturated
from tensorproof.bindings.adapters import Run, Value, operator, tensor_in
from tensorproof.terms import BOOL, BY_LABEL, FLOAT64, INT32, INT64, PY_FLOAT, DType, Operand, TensorType, promote, to_float


def common(*values: Value, more: tuple[Operand, ...] = ()) -> DType | None:
    """Keras's promotion of tensors and numbers."""
    operands: list[Operand] = []
    for value in values:
        t = tensor(value)
        if t.dtype is None:
            return None
        operands.append(Operand(t.dtype, t.weak))
    return promote("keras", [*operands, *more])


def as_float(dtype: DType | None) -> DType | None:
    return dtype if dtype is None or dtype.kind in "fc" else to_float("keras", dtype)


def asked(a: dict[str, Value], otherwise: DType | None) -> DType | None:
    given = a.get("dtype")
    return given if isinstance(given, DType) else BY_LABEL.get(given, otherwise) if isinstance(given, str) else otherwise


def has_axis(run: Run, x: TensorType, dim: Value) -> None:
    """A number has no axis 0, as it has in NumPy."""
    if dim is not None and x.shape.known and len(x.shape) == 0 and dim not in ((), []):
        raise run.refuse("axis", f"a number has no axis {dim!r}", ("dim", "x"))


def own(run: Run, a: dict[str, Value], *dtypes: DType | None) -> TensorType:
    """Apply the row's own operator to those of the arguments that it has; its results have these element types."""
    op = operator(run.row.op)
    return run.typed(op.name, *dtypes, **{k: v for k, v in a.items() if op.parameter(k) is not None})


def computable(run: Run, dtype: DType | None, *names: str) -> DType | None:
    """`dtype`, in which the row's operator must be able to compute."""
    taken = operator(run.row.op).inputs[0].dtypes
    if dtype is not None and dtype not in taken:
        raise run.refuse("dtype", f"{run.row.name} does not take element type {dtype!r}", names)
    return dtype


def _by(rule: Callable[..., DType | None], others: bool = False) -> Callable[[dict[str, Value], Run], TensorType]:
    """The row's operator, its result of the element type that a rule makes of the operands: one that the operator computes in, or `others` too."""

    def applied(a: dict[str, Value], run: Run) -> TensorType:
        names = tuple(name for name in ("x", "y") if name in a)
        dtype = rule(*(a[name] for name in names))
        return own(run, a, dtype if others else computable(run, dtype, *names))

    return applied


def _wide(x: Value) -> DType | None:
    """Whole numbers become floats, of 64 bits where they have as many."""
    dtype = tensor(x).dtype
    return FLOAT64 if dtype is INT64 else as_float(dtype)


def _argument(x: Value) -> DType | None:
    """The angle of a complex number is real."""
    dtype = as_float(tensor(x).dtype)
    return None if dtype is None else dtype.real


def _counted(dtype: DType | None) -> DType | None:
    """Truth values become numbers."""
    return INT32 if dtype is BOOL else dtype


def _common_float(x: Value, y: Value) -> DType | None:
    return common(x, y, more=(PY_FLOAT,))


def _common_wide(x: Value, y: Value) -> DType | None:
    """A float, of 64 bits where the operands have as many."""
    return FLOAT64 if common(x, y) is INT64 else _common_float(x, y)


floating = _by(lambda x: as_float(tensor(x).dtype))
wide = _by(_wide)
bessel = _by(_wide, others=True)
angle = _by(_argument, others=True)
counted = _by(lambda x: _counted(tensor(x).dtype), others=True)
binary = _by(common)
number_pair = _by(lambda x, y: _counted(common(x, y)))
float_pair = _by(_common_float)
wide_pair = _by(_common_wide)


def fabs(a: dict[str, Value], run: Run) -> TensorType:
    dtype = tensor(a["x"]).dtype
    if dtype is not None and dtype.is_complex:
        raise run.refuse("dtype", "fabs takes real numbers", ("x",))
    return own(run, a, as_float(dtype))


def nextafter(a: dict[str, Value], run: Run) -> TensorType:
    """The next number of float64, in the element type of the result."""
    dtype = computable(run, common(a["x"], a["y"], more=(PY_FLOAT,)), "x", "y")
    x, y = (run.typed("cast", FLOAT64, x=tensor(a[name]), dtype=FLOAT64) for name in ("x", "y"))
    return run.typed("cast", dtype, x=run.typed("nextafter", FLOAT64, x=x, y=y), dtype=dtype)


def ldexp(a: dict[str, Value], run: Run) -> TensorType:
    y = tensor(a["y"])
    if y.dtype is not None and y.dtype.kind not in "biu":
        raise run.refuse("dtype", f"the exponents are whole numbers, not {y.dtype!r}", ("y",))
    return float_pair(a, run)


def comparison(a: dict[str, Value], run: Run) -> TensorType:
    computable(run, common(a["x"], a["y"]), "x", "y")
    return own(run, a, BOOL)


def isclose(a: dict[str, Any], run: Run, endless: bool = True) -> TensorType:
    """|x - y| <= atol + rtol · |y| of floats; others must be equal."""
    if any(isinstance(a[k], (int, float)) and a[k] < 0 for k in ("rtol", "atol")):
        raise run.give_up("a negative tolerance")
    x, y, dtype = a["x"], a["y"], common(a["x"], a["y"])
    given = {"x": x, "y": y, "equal_nan": a["equal_nan"]}
    if dtype is not None and not dtype.is_float:
        return run.typed("isclose", BOOL, **given, rtol=0.0, atol=0.0)
    return run.typed("isclose", BOOL, **given, rtol=a["rtol"], atol=a["atol"], endless=endless)


def allclose(a: dict[str, Value], run: Run) -> TensorType:
    return run.typed("all", BOOL, x=isclose(a, run, endless=False))


def bits(a: dict[str, Value], run: Run) -> TensorType:
    dtype = common(a["x"], a["y"])
    if dtype is not None and dtype.kind not in "iu":
        raise run.refuse("dtype", f"the bits of whole numbers are combined, and not those of {dtype!r}", ("x", "y"))
    return own(run, a, dtype)


def clip(a: dict[str, Value], run: Run) -> TensorType:
    """The lower bound wins where it is above the upper one."""
    x, low, high = tensor_in(a, "x"), a["low"], a["high"]
    dtype = common(x, *(v for v in (low, high) if v is not None))
    dtype = INT32 if dtype is BOOL else dtype
    if low is None or high is None or (isinstance(low, (int, float)) and isinstance(high, (int, float)) and low <= high):
        return run.typed("clamp", dtype, x=x, low=low, high=high)
    return run.typed("clamp", dtype, x=run.typed("clamp", dtype, x=x, high=high), low=low)


def where(a: dict[str, Value], run: Run) -> TensorType:
    return run.typed("where", common(a["x"], a["y"]), condition=a["condition"], x=a["x"], y=a["y"])


def select(a: dict[str, Value], run: Run) -> Value:
    """The choice of the first condition that holds."""
    conditions, choices = a["condlist"], a["choicelist"]
    if not isinstance(conditions, (list, tuple)) or not isinstance(choices, (list, tuple)):
        raise run.give_up("the choices are not a list")
    run.require("count", len(conditions) == len(choices), f"{len(conditions)} conditions are given for {len(choices)} choices", ("condlist",))
    made = a["default"]
    for condition, choice in reversed(list(zip(conditions, choices))):
        made = where({"condition": condition, "x": choice, "y": made}, run)
    return made


def floats_only(a: dict[str, Value], run: Run) -> TensorType:
    """No whole numbers."""
    dtype = tensor(a["x"]).dtype
    if dtype is not None and not dtype.is_float:
        raise run.refuse("dtype", f"{run.row.name} takes floats, not {dtype!r}", ("x",))
    return own(run, a, dtype)


def cast(a: dict[str, Value], run: Run) -> TensorType:
    dtype = asked(a, None)
    if dtype is None:
        raise run.give_up("the element type is not known")
    return run("cast", x=a["x"], dtype=dtype)


def saturate_cast(a: dict[str, Value], run: Run) -> TensorType:
    dtype = asked(a, None)
    if dtype is None:
        raise run.give_up("the element type is not known")
    return saturated(run, tensor(a["x"]), dtype, exact=True)

"""Elementwise functions of `keras.ops`, and what the others share: the common element type, the format, an axis that is there."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.adapt.numpy_arrays import Many, tensor
from tensorproof.bindings.call import Run, takes
from tensorproof.ops.inputs import Choice, ElementType, Tensor
from tensorproof.terms.dtypes import ALL_INTS, BOOL, BY_LABEL, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.promotion import PY_FLOAT, Operand, promote, to_float
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

FORMAT = Choice("data_format", ("channels_last", "channels_first"), None, optional=True)


def common(*values: Any, more: tuple[Operand, ...] = ()) -> DType | None:
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


def asked(a: dict[str, Any], otherwise: DType | None) -> DType | None:
    given = a.get("dtype")
    return given if isinstance(given, DType) else BY_LABEL.get(given, otherwise) if isinstance(given, str) else otherwise


def has_axis(run: Run, x: TensorType, dim: Any) -> None:
    """A number has no axis 0, as it has in NumPy."""
    if dim is not None and x.shape.known and len(x.shape) == 0 and dim not in ((), []):
        raise run.refuse("axis", f"a number has no axis {dim!r}", ("dim", "x"))


def floating(a: dict[str, Any], run: Run) -> Any:
    """Whole numbers become floats first."""
    x = tensor(a["x"])
    name = run.row.name.rpartition(".")[2]
    if name == "fabs" and x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "fabs takes real numbers", ("x",))
    dtype = FLOAT64 if name in ("deg2rad", "rad2deg", "cbrt") and x.dtype is INT64 else as_float(x.dtype)
    if name == "i0":
        dtype = FLOAT64 if x.dtype is INT64 else dtype
        return x.but(dtype=dtype, weak=False, contents=None)
    return run.default({**a, "x": x.but(dtype=dtype, weak=False, contents=None)})


def unary(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    name = run.row.name.rpartition(".")[2]
    if name in ("isfinite", "isinf", "isnan", "isposinf", "isneginf", "isreal", "signbit"):
        return x.but(dtype=BOOL, contents=None, weak=False)
    dtype = x.dtype
    if name == "square" and dtype is BOOL:
        dtype = INT32
    elif name in ("floor", "ceil"):
        dtype = as_float(dtype)
    elif name in ("real", "imag", "abs", "absolute") and dtype is not None:
        dtype = dtype.real
    elif name == "round" and dtype is BOOL:
        dtype = INT32
    return x.but(
        dtype=dtype, contents=x.contents if name in ("abs", "negative") and dtype is x.dtype and x.contents is None else None, weak=False
    )


def binary(a: dict[str, Any], run: Run) -> Any:
    """Operands are promoted first; quotients are floats."""
    x, y = tensor(a["x"]), tensor(a["y"])
    name = run.row.name.rpartition(".")[2]
    dtype = common(x, y)
    if name in ("divide", "true_divide", "divide_no_nan", "arctan2", "hypot", "logaddexp", "logaddexp2", "nextafter", "heaviside"):
        dtype = FLOAT64 if name in ("heaviside", "hypot") and dtype is INT64 else common(x, y, more=(PY_FLOAT,))
    if name in ("mod", "floor_divide", "power", "subtract", "fmod", "gcd", "lcm") and dtype is BOOL:
        dtype = INT32
    whole = dtype is not None and dtype.kind in "iub"
    made = run.default({**a, "x": in_type(x, dtype, whole), "y": in_type(y, dtype, whole)})
    return made.but(dtype=dtype, contents=made.contents if whole else None)


def in_type(x: TensorType, dtype: DType | None, whole: bool) -> TensorType:
    return x.but(dtype=dtype, weak=False, contents=x.contents if whole else None)


def ldexp(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y, more=(PY_FLOAT,))
    if y.dtype is not None and y.dtype.kind not in "biu":
        raise run.refuse("dtype", f"the exponents are whole numbers, not {y.dtype!r}", ("y",))
    return run("mul", x=in_type(x, dtype, False), y=in_type(y, dtype, False))


@takes(Tensor("x", "...", ALL_INTS), Tensor("y", "...", ALL_INTS))
def divisors(a: dict[str, Any], run: Run) -> Any:
    """gcd and lcm."""
    return binary(a, run)


def comparison(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    made = run.default({**a, "x": in_type(x, dtype, True), "y": in_type(y, dtype, True)})
    return made.but(dtype=BOOL)


def logical(a: dict[str, Any], run: Run) -> Any:
    b = {k: tensor(v).but(dtype=BOOL, weak=False, contents=None) for k, v in a.items() if k in ("x", "y")}
    return run.default({**a, **b})


def bits(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    if dtype is not None and dtype.kind not in "iu":
        raise run.refuse("dtype", f"the bits of whole numbers are combined, and not those of {dtype!r}", ("x", "y"))
    return run.default({**a, "x": in_type(x, dtype, True), "y": in_type(y, dtype, True)})


def isclose(a: dict[str, Any], run: Run) -> Any:
    made = run(
        "mul",
        x=tensor(a["x"]).but(dtype=FLOAT32, contents=None, weak=False),
        y=tensor(a["y"]).but(dtype=FLOAT32, contents=None, weak=False),
    )
    return made.but(dtype=BOOL)


def allclose(a: dict[str, Any], run: Run) -> Any:
    return isclose(a, run).but(shape=Shape())


@takes(Tensor("low", "", scalar=True), Tensor("high", "", scalar=True))
def clip(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    dtype = common(x, *(v for v in (a["low"], a["high"]) if v is not None))
    dtype = INT32 if dtype is BOOL else dtype
    limits = {k: tensor(a[k]).but(dtype=FLOAT32, weak=False) for k in ("low", "high") if a[k] is not None}
    return run("clamp", x=x.but(dtype=FLOAT32, contents=None), **limits).but(dtype=dtype)


@takes(Tensor("condition", "...", scalar=True))
def where(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    dtype = common(x, y)
    return run(
        "where",
        condition=tensor(a["condition"]).but(dtype=BOOL, weak=False),
        x=x.but(dtype=dtype, weak=False),
        y=y.but(dtype=dtype, weak=False),
    )


@takes(Many("condlist", "...", frozenset({BOOL})), Many("choicelist", "..."))
def select(a: dict[str, Any], run: Run) -> Any:
    conditions, choices = a["condlist"], a["choicelist"]
    if not isinstance(conditions, (list, tuple)) or not isinstance(choices, (list, tuple)):
        raise run.give_up("the choices are not a list")
    run.require(
        "count", len(conditions) == len(choices), f"{len(conditions)} conditions are given for {len(choices)} choices", ("condlist",)
    )
    made = tensor(a["default"])
    for condition, choice in zip(conditions, choices):
        made = where({"condition": condition, "x": choice, "y": made}, run)
    return made


def floats_only(a: dict[str, Any], run: Run) -> Any:
    """No whole numbers."""
    x = tensor(a["x"])
    if x.dtype is not None and not x.dtype.is_float:
        raise run.refuse("dtype", f"{run.row.name} takes floats, not {x.dtype!r}", ("x",))
    return x.but(contents=None)


@takes(ElementType("dtype", optional=False))
def cast(a: dict[str, Any], run: Run) -> Any:
    dtype = asked(a, None)
    if dtype is None:
        raise run.give_up("the element type is not known")
    return run("cast", x=tensor(a["x"]), dtype=dtype)

"""NumPy's universal functions: `out` and `where`, loops by element type; and what the other NumPy adapters share."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import Run, takes
from tensorproof.ops.call import python_number
from tensorproof.ops.inputs import Choice, Float, Int, Ints, Sizes, Tensor, Tensors
from tensorproof.terms.dtypes import BOOL, BY_LABEL, COMPLEX128, FLOAT16, FLOAT64, INT32, DType
from tensorproof.terms.predicates import eq
from tensorproof.terms.promotion import Operand, promote, to_float
from tensorproof.terms.records import dataclass
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


class Loose:
    """A kind that tells the generator what to draw, and takes whatever a caller gives: the function looks at it itself."""

    __slots__ = ()

    def takes(self, value: Any) -> bool:
        return True

    def read(self, value: Any) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Whole(Loose, Int):
    """Mostly a whole number."""


@dataclass(frozen=True, slots=True)
class Real(Loose, Float):
    """Mostly a real number."""


@dataclass(frozen=True, slots=True)
class Sized(Loose, Sizes):
    """Mostly sizes, one an axis."""


@dataclass(frozen=True, slots=True)
class Listed(Loose, Ints):
    """Mostly a list of whole numbers."""


@dataclass(frozen=True, slots=True)
class Word(Loose, Choice):
    """Mostly a word."""


@dataclass(frozen=True, slots=True)
class Many(Loose, Tensors):
    """Mostly a list of arrays."""


@dataclass(frozen=True, slots=True)
class Data(Tensor):
    """An array for the generator; anything for a caller."""

    def takes(self, value: Any) -> bool:
        return True


_KINDS = {"b": 0, "u": 1, "i": 2, "f": 3, "c": 4}


def tensor(value: Any) -> TensorType:
    return value if isinstance(value, TensorType) else python_number(value)


def _can_cast(source: DType, target: DType) -> bool:
    """Casting of the same kind, as `out=` and in-place operators want it."""
    return _KINDS[source.kind] <= _KINDS[target.kind]


def written(made: Any, a: dict[str, Any], run: Run) -> Any:
    """The result, or the array given as `out`, which it must fit."""
    out = a.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if not isinstance(out, TensorType) or not isinstance(made, TensorType):
        return made
    _fits(made, out, run)
    return out.but(contents=None)


def _fits(made: TensorType, out: TensorType, run: Run) -> None:
    if made.shape.known and out.shape.known:
        short = len(made.shape) <= len(out.shape)
        message = f"a result {made.shape!r} does not fit into an array {out.shape!r}"
        run.require("out", short, message, ("x",))
        for a, b in zip(reversed(made.shape), reversed(out.shape)):
            run.require("out", True if a == 1 else eq(a, b), message, ("x",))
    if made.dtype is not None and out.dtype is not None and not _can_cast(made.dtype, out.dtype):
        raise run.refuse("out", f"a result of type {made.dtype!r} cannot be written into an array of {out.dtype!r}", ("x",))


def typed(made: Any, a: dict[str, Any]) -> Any:
    dtype = dtype_of(a)
    return made.but(dtype=dtype, contents=None) if dtype is not None and isinstance(made, TensorType) else made


_ORDER = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
_FLOATING = "atan2 copysign heaviside hypot logaddexp logaddexp2 nextafter cbrt deg2rad rad2deg signbit"
_SMOOTH = "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"
_LOOPS: dict[str, str] = {
    **dict.fromkeys(_FLOATING.split(), "f"),
    **dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"], "biu"),
    **dict.fromkeys(["bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm"], "iu"),
    **dict.fromkeys(["remainder", "fmod"], "iuf"),
    **dict.fromkeys(["pow", "conj", "square", "reciprocal", "sign", "neg", "positive", "sub"], "iufc"),
    **dict.fromkeys(_SMOOTH.split(), "fc"),
    **dict.fromkeys(["floor", "ceil", "trunc"], "biuf"),
    **dict.fromkeys(["add", "mul", "maximum", "minimum", "fmax", "fmin", "abs"], "biufc"),
    "div": "iufc", "float_power": "fc",
}  # fmt: skip
"""The kinds of element type that a universal function has loops for; the first loop that every operand casts to safely runs."""
_NO_BOOLS = ("gcd", "lcm", "neg", "positive", "sub", "sign")


def _loop(kinds: str, operands: list[TensorType]) -> DType | None:
    """The element type in which a universal function runs (Python numbers count by their kind only, NEP 50)."""
    firm = [v.dtype for v in operands if not v.weak and v.dtype is not None]
    if any(v.weak for v in operands):
        whole = promote("numpy", [Operand(v.dtype, v.weak) for v in operands if v.dtype is not None])
        firm = [whole] if whole is not None else firm
    for label in _ORDER:
        loop = BY_LABEL[label]
        if loop.kind in kinds and all(promote("numpy", [Operand(d), Operand(loop)]) is loop for d in firm):
            return loop
    return None


def ufunc(a: dict[str, Any], run: Run) -> Any:
    """Any universal function: `where` broadcasts with the operands, `dtype` is the loop's."""
    op, name = run.row.op, run.row.name.rpartition(".")[2]
    kinds = "iuf" if op == "div" and a.get("rounding") else "f" if name == "fabs" else _LOOPS.get(op)
    names = [n for n in ("x", "y") if n in a]
    given = [tensor(a[n]) for n in names]
    b = {k: v for k, v in a.items() if k not in ("where", "dtype", "out")}
    if kinds is None or any(v.dtype is None for v in given):
        made = run.default(b)
    else:
        loop = dtype_of(a) or _loop(kinds, given)
        alone = all(v.dtype is BOOL for v in given)
        if (
            loop is None
            or loop.kind not in kinds
            or (alone and op in _NO_BOOLS)
            or any(v.dtype is not None and not v.weak and not _can_cast(v.dtype, loop) for v in given)
        ):
            shown = " and ".join(repr(v.dtype) for v in given)
            raise run.refuse("dtype", f"{run.row.name} does not take element type {shown}", tuple(names))
        for n, v in zip(names, given):
            b[n] = v.but(dtype=loop, weak=False, contents=v.contents if loop.kind in "biu" else None)
        made = run.default(b)
        if op == "float_power":
            made = made.but(dtype=COMPLEX128 if loop.is_complex else FLOAT64)
        elif made.dtype is not BOOL:
            made = made.but(
                dtype=FLOAT64 if op == "div" and loop.kind in "iu" and not a.get("rounding") else loop.real if op == "abs" else loop
            )
    mask = a.get("where")
    if isinstance(mask, TensorType):
        made = made.but(shape=run("where", condition=mask.but(dtype=BOOL), x=made, y=made).shape)
    return written(made, a, run)


def dtype_of(a: dict[str, Any]) -> DType | None:
    """The element type that was asked for."""
    given = a.get("dtype")
    return given if isinstance(given, DType) else BY_LABEL.get(given) if isinstance(given, str) else None


def inplace(a: dict[str, Any], run: Run) -> Any:
    x: TensorType = a["x"]
    if run.row.op == "matmul":
        if len(x.shape) < 1 or len(tensor(a["y"]).shape) < 2:
            raise run.refuse(
                "rank", f"a matrix product in place needs a second operand of rank 2 or more, and it is {tensor(a['y']).shape!r}", ("y",)
            )
        made = run.default(a)
        while len(made.shape) > len(x.shape) and made.shape[0] == 1:
            made = made.but(shape=Shape(made.shape[1:]))
        message = f"a result {made.shape!r} does not fit into an array {x.shape!r}"
        run.require("out", len(made.shape) == len(x.shape), message, ("x",))
        for p, q in zip(made.shape, x.shape):
            run.require("out", eq(p, q), message, ("x",))
    else:
        made = ufunc(a, run)
    _fits(made, x, run)
    if made.shape.known and len(made.shape) > len(x.shape):
        raise run.refuse("out", f"a result {made.shape!r} does not fit into an array {x.shape!r}", ("x",))
    return x.but(contents=None)


def rint(a: dict[str, Any], run: Run) -> Any:
    """Whole numbers become floats."""
    x = tensor(a["x"])
    loop = dtype_of(a) or _loop("fc", [x])
    return written(x.but(dtype=loop, contents=None), a, run)


def frexp(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    loop = _loop("f", [x])
    if loop is None:
        raise run.refuse("dtype", f"frexp does not take element type {x.dtype!r}", ("x",))
    return (x.but(dtype=loop, contents=None), x.but(dtype=INT32, contents=None))


def ldexp(a: dict[str, Any], run: Run) -> Any:
    x, y = tensor(a["x"]), tensor(a["y"])
    loop = _loop("f", [x])
    if loop is None or (y.dtype is not None and (y.dtype.kind not in "biu" or y.dtype.label == "uint64")):
        raise run.refuse("dtype", f"ldexp does not take element types {x.dtype!r} and {y.dtype!r}", ("x", "y"))
    return written(run("mul", x=x.but(dtype=loop, contents=None), y=y.but(dtype=loop, weak=False, contents=None)), a, run)


def divmod(a: dict[str, Any], run: Run) -> Any:
    made = ufunc({"x": a["x"], "y": a["y"], "rounding": "floor"}, run)
    return (made, made.but(contents=None))


def modf(a: dict[str, Any], run: Run) -> Any:
    x = tensor(a["x"])
    loop = _loop("f", [x])
    if loop is None:
        raise run.refuse("dtype", f"modf does not take element type {x.dtype!r}", ("x",))
    return (x.but(dtype=loop, contents=None), x.but(dtype=loop, contents=None))


def truth(a: dict[str, Any], run: Run) -> Any:
    """A plain True or False; unequal shapes are unequal arrays."""
    if run.row.op == "allclose":
        run("isclose", x=a["x"], y=a["y"])
    return TensorType(Shape(), BOOL)


@takes(Tensor("low", "...", optional=True, scalar=True), Tensor("high", "...", optional=True, scalar=True))
def clip(a: dict[str, Any], run: Run) -> Any:
    low, high = a["low"], a["high"]
    if "min" in a:
        if low == "missing" and high == "missing":
            low, high = a["min"], a["max"]
        elif "missing" in (low, high) or a["min"] is not None or a["max"] is not None:
            raise run.refuse("call/arguments", "both bounds must be given, either as a_min and a_max or as min and max", ("low", "high"))
    x = a["x"]
    if low is None and high is None:
        if x.dtype is BOOL:
            raise run.refuse("dtype", "truth values are not bounded by nothing", ("x",))
        return x
    return written(typed(run("clamp", x=x, low=low, high=high), a), a, run)


@takes(Tensor("condition", "..."))
def where(a: dict[str, Any], run: Run) -> Any:
    return run("where", condition=tensor(a["condition"]).but(dtype=BOOL), x=a["x"], y=a["y"])


def imag(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    return x.but(dtype=None if x.dtype is None else x.dtype.real, contents=None, strides=None)


def angle(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    dtype = x.dtype
    if dtype is not None:
        dtype = dtype.real if dtype.is_complex else to_float("numpy", dtype) if not dtype.is_float else dtype
        dtype = FLOAT64 if x.dtype.kind in "iub" else dtype
    return x.but(dtype=dtype, contents=None)


def sinc(a: dict[str, Any], run: Run) -> Any:
    made = run("sinc", x=a["x"])
    return made.but(dtype=FLOAT64) if a["x"].dtype is not None and a["x"].dtype.kind in "iub" else made


def i0(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if x.dtype is not None and x.dtype.is_complex:
        raise run.refuse("dtype", "i0 takes no complex numbers", ("x",))
    return x.but(dtype=x.dtype if x.dtype is not None and x.dtype.is_float else FLOAT64, contents=None)


@takes(Int("decimals", 0))
def rounded(a: dict[str, Any], run: Run) -> Any:
    x = a["x"]
    if x.dtype is BOOL and a["decimals"] != 0:
        raise run.refuse("dtype", "truth values have no decimals", ("x",))
    whole = x.dtype is not None and x.dtype.is_integer and a["decimals"] == 0
    made = x.but(dtype=FLOAT16 if x.dtype is BOOL else x.dtype, contents=x.contents if whole else None)
    return written(made, a, run)


def cast(a: dict[str, Any], run: Run) -> Any:
    if not isinstance(a["dtype"], DType):
        raise run.give_up("the element type is not known")
    return run("cast", x=a["x"], dtype=a["dtype"])


def flat(x: TensorType) -> TensorType:
    return x.but(shape=Shape((x.shape.numel,)), strides=None)


def isclose(a: dict[str, Any], run: Run) -> Any:
    return run("isclose", x=a["x"], y=a["y"])

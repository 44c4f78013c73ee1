"""Functions of one tensor, element by element.

`torch` says which element types torch's CPU kernels take where another framework takes more; the torch tables narrow those (`only=`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.contents import each, folding
from tensorproof.ops.element_types import Like, Real
from tensorproof.ops.evaluation import Arguments, Undefined, numpy
from tensorproof.ops.facts import MOVES
from tensorproof.ops.families import NUMERIC, elementwise
from tensorproof.ops.hazards import overflow
from tensorproof.ops.inputs import Float, Int, Tensor
from tensorproof.ops.ones import opposite
from tensorproof.ops.record import NON_NEGATIVE, NON_ZERO, POSITIVE, Hazard, Interval, Op, Out, Values
from tensorproof.ops.storage import settled
from tensorproof.terms.dtypes import ALL_INTS, ANY, BOOL, BOOLS, FLOAT32, FLOAT64, FLOATS, FULL_COMPLEXES, INT32, INT64, DType, DTypes
from tensorproof.terms.ints import Term, absolute
from tensorproof.terms.records import replace

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

REAL: DTypes = FLOATS | ALL_INTS | BOOLS
SMOOTH: DTypes = REAL | FULL_COMPLEXES
INF = math.inf
SAME = Like("x")


def total(function: Callable[[float], float], below: float = -INF, above: float = INF) -> Callable[[float], float]:
    """A function of math made total: `below` and `above` stand for what it raises at its lower and upper ends."""

    def value(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return below
        except OverflowError:
            return above

    return value


def increasing(function: Callable[[float], float], lo: float = -INF, hi: float = INF) -> Values:
    return Values("increasing", function, Interval(lo, hi))


def decreasing(function: Callable[[float], float], lo: float = -INF, hi: float = INF) -> Values:
    return Values("decreasing", function, Interval(lo, hi))


def within(lo: float, hi: float) -> Values:
    return Values("bounded", bounds=Interval(lo, hi))


def hazard(code: str, safe: Interval, yields: str) -> tuple[Hazard, ...]:
    return (Hazard(code, "x", safe, yields),)


def signed(np: Numpy, a: Arguments) -> Array:
    if a["x"].dtype.kind in "bi" or (a["x"].dtype.kind == "f" and hasattr(a["x"], "of")):
        return np.subtract(np.where(a["x"] > 0, 1, 0), np.where(a["x"] < 0, 1, 0))
    size = np.absolute(a["x"])
    return np.where(size == 0, 0, np.true_divide(a["x"], np.where(size == 0, 1, size)))


def rounded(np: Numpy, a: Arguments) -> Array:
    """Between two decimals a number falls to either, as its multiple is rounded."""
    decimals = a["decimals"] or 0
    if decimals and not hasattr(a["x"], "of"):
        scaled = np.real(a["x"]) * 10.0**decimals
        if np.any(np.abs(scaled - np.floor(scaled) - 0.5) < 1e-4):
            raise Undefined
    return np.round(a["x"], a["decimals"] or 0)


def numbered(np: Numpy, a: Arguments) -> Array:
    """Without nan and infinities; what is not given is the greatest number of the element type."""
    most, least, dtype = a["posinf"], a["neginf"], a["results"][0]
    if dtype is not None and dtype.kind == "f":
        most, least = dtype.greatest if most is None else most, dtype.least if least is None else least
    return np.nan_to_num(a["x"], nan=a["nan"] or 0.0, posinf=most, neginf=least)


def most_hyperbolic(greatest: float) -> float:
    """Up to where sinh and cosh are finite: libraries compute them by exp, and those of float16 in float32."""
    return math.log(2 * greatest) if greatest < 1e30 else math.log(greatest)


WING = Interval(-1.0, 1.0)
OPEN_WING = Interval(-1.0, 1.0, True, True)

# --- exponentials and logarithms ---
EXP = elementwise("exp", SMOOTH, values=increasing(total(math.exp)), hazards=overflow("exp", "exp", math.log), evaluate=numpy("exp"))
EXP2 = elementwise("exp2", SMOOTH, values=increasing(total(math.exp2)), hazards=overflow("exp2", "exp2", math.log2), evaluate=numpy("exp2"))
EXPM1 = elementwise(
    "expm1",
    SMOOTH,
    values=increasing(total(math.expm1)),
    hazards=overflow("expm1", "exp", math.log),
    evaluate=numpy("expm1"),
)
LOG, LOG2, LOG10 = (
    elementwise(name, SMOOTH, values=increasing(total(f), 0.0), hazards=hazard(f"{name}/non-positive", POSITIVE, "-inf at 0, nan below"), evaluate=numpy(name))
    for name, f in (("log", math.log), ("log2", math.log2), ("log10", math.log10))
)
LOG1P = elementwise(
    "log1p", SMOOTH, values=increasing(total(math.log1p), -1.0),
    hazards=hazard("log1p/domain", Interval(-1.0, INF, lo_open=True), "-inf at -1, nan below"), evaluate=numpy("log1p"),
)  # fmt: skip

# --- powers and roots ---
SQRT = replace(
    elementwise("sqrt", SMOOTH, values=increasing(math.sqrt, 0.0), hazards=hazard("sqrt/negative", NON_NEGATIVE, "nan below 0"), evaluate=numpy("sqrt")),
    gradient_hazards=hazard("sqrt/gradient", NON_ZERO, "inf in the gradient at 0"),
)
RSQRT = elementwise(
    "rsqrt", SMOOTH, values=decreasing(lambda x: 1 / math.sqrt(x) if x else INF, 0.0),
    hazards=hazard("rsqrt/non-positive", POSITIVE, "inf at 0, nan below"), evaluate=lambda np, a: np.true_divide(1.0, np.sqrt(a["x"])),
)  # fmt: skip
RECIPROCAL = elementwise(
    "reciprocal",
    SMOOTH,
    values=decreasing(lambda x: 1 / x if x else INF, 0.0),
    hazards=hazard("reciprocal/zero", NON_ZERO, "inf at 0"),
    evaluate=lambda np, a: np.true_divide(1.0, a["x"]),
)


def squared(c: Call) -> DType | None:
    """Some libraries square truth values as int64."""
    return INT64 if c.option("widens") and c.dtype("x") is BOOL else c.dtype("x")


SQUARE = elementwise("square", NUMERIC, dtype=squared, values=within(0.0, INF), fold=folding(lambda x: x * x), evaluate=numpy("square"))
CBRT = elementwise("cbrt", REAL, values=increasing(lambda x: math.copysign(abs(x) ** (1 / 3), x)), evaluate=numpy("cbrt"))

# --- trigonometry ---
SIN, COS = (elementwise(name, SMOOTH, values=within(-1.0, 1.0), evaluate=numpy(name)) for name in ("sin", "cos"))
TAN = elementwise("tan", SMOOTH, evaluate=numpy("tan"))
ASIN, ACOS = (
    replace(
        elementwise(name, SMOOTH, values=values, hazards=hazard(f"{name}/domain", WING, "nan beyond 1 and -1"), evaluate=numpy(f"arc{name[1:]}")),
        gradient_hazards=hazard(f"{name}/gradient", OPEN_WING, "inf in the gradient at 1 and -1"),
    )
    for name, values in (("asin", increasing(math.asin, -1.0, 1.0)), ("acos", decreasing(math.acos, -1.0, 1.0)))
)
ATAN = elementwise("atan", SMOOTH, values=increasing(math.atan), evaluate=numpy("arctan"))
SINH = elementwise(
    "sinh", SMOOTH, hazards=overflow("sinh", "sinh", most_hyperbolic, both=True),
    values=increasing(lambda x: total(math.sinh, above=math.copysign(INF, x))(x)), evaluate=numpy("sinh"),
)  # fmt: skip
COSH = elementwise("cosh", SMOOTH, values=within(1.0, INF), hazards=overflow("cosh", "cosh", most_hyperbolic, both=True), evaluate=numpy("cosh"))
TANH = elementwise("tanh", SMOOTH, values=increasing(math.tanh), evaluate=numpy("tanh"))
ASINH = elementwise("asinh", SMOOTH, values=increasing(math.asinh), evaluate=numpy("arcsinh"))
ACOSH = replace(
    elementwise(
        "acosh", SMOOTH, values=increasing(math.acosh, 1.0), hazards=hazard("acosh/domain", Interval(1.0, INF), "nan below 1"), evaluate=numpy("arccosh")
    ),
    gradient_hazards=hazard("acosh/gradient", Interval(1.0, INF, lo_open=True), "inf in the gradient at 1"),
)
ATANH = elementwise(
    "atanh", SMOOTH, values=increasing(lambda x: math.atanh(x) if abs(x) < 1 else math.copysign(INF, x), -1.0, 1.0),
    hazards=hazard("atanh/domain", OPEN_WING, "inf at 1 and -1, nan beyond"), evaluate=numpy("arctanh"),
)  # fmt: skip
SINC = elementwise("sinc", SMOOTH, values=within(-0.2172337, 1.0), evaluate=numpy("sinc"))
DEG2RAD = elementwise("deg2rad", REAL, values=increasing(math.radians), evaluate=numpy("deg2rad"))
RAD2DEG = elementwise("rad2deg", REAL, values=increasing(math.degrees), evaluate=numpy("rad2deg"))

# --- signs and rounding ---
ABS = elementwise("abs", ANY, dtype=Real("x"), values=within(0.0, INF), fold=folding(absolute), evaluate=numpy("abs"))
NEG = elementwise("neg", NUMERIC, dtype=SAME, values=decreasing(lambda x: -x), fold=folding(lambda x: -x), evaluate=numpy("negative"))
POSITIVE_OF = replace(
    elementwise("positive", ANY, dtype=SAME, values=MOVES, fold=folding(lambda x: x), evaluate=lambda np, a: a["x"]), aliases="x", view="itself",
)  # fmt: skip
SIGN = elementwise(
    "sign", NUMERIC, dtype=SAME, values=increasing(lambda x: float((x > 0) - (x < 0))),
    fold=folding(lambda x: None if isinstance(x, Term) else (x > 0) - (x < 0)), evaluate=lambda np, a: signed(np, a),
)  # fmt: skip
SGN = elementwise("sgn", NUMERIC, dtype=SAME, doc="x / |x|, 0 at 0", evaluate=signed)
SIGNBIT = elementwise("signbit", REAL, dtype=BOOL, evaluate=numpy("signbit"))


def rounding(function: Callable[[float], float]) -> Values:
    return increasing(lambda x: float(function(x)) if math.isfinite(x) else x)


def _whole_of(function: Callable[[float], int]) -> Callable[[Call], Any]:
    """A `fold`: whole numbers stay, and the float types hold what others are rounded to."""

    def fold(c: Call) -> Any:
        x = c.tensor("x")
        if c.prescribed is None and x.contents is None and x.facts is not None and x.facts.rows is not None:
            return settled(x, lambda v: float(function(v)))
        if c.prescribed is not None or x.contents is None or x.dtype not in (FLOAT32, FLOAT64):
            return each(c, lambda x: x, ("x",), c.dtype("x"))
        known = all(type(v) in (int, float) and math.isfinite(v) for v in x.contents)
        return tuple(float(function(v)) for v in x.contents) if known else None

    return fold


FLOOR, CEIL, TRUNC = (
    elementwise(name, REAL, dtype=SAME, values=rounding(f), fold=_whole_of(f), evaluate=numpy(name))
    for name, f in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc))
)


def rounded_type(c: Call) -> DType | None:
    """Some libraries round to decimals in floats only."""
    dtype = c.dtype("x")
    if c.option("decimals_of_floats") and c["decimals"] is not None and dtype is not None and not dtype.is_float:
        raise c.refuse("dtype", f"{c.name} to decimals does not take element type {dtype!r}", "x")
    return dtype


def _fold_rounded(c: Call) -> Any:
    """Whole numbers stay, unless they are rounded to tens."""
    return _whole_of(round)(c) if c["decimals"] in (None, 0) else None


ROUND = elementwise(
    "round", NUMERIC, Int("decimals", None, optional=True), dtype=rounded_type, fold=_fold_rounded, doc="to the nearest, halves to even", evaluate=rounded
)
FRAC = elementwise("frac", FLOATS, dtype=SAME, values=within(-1.0, 1.0), evaluate=lambda np, a: np.subtract(a["x"], np.trunc(a["x"])))
FREXP = Op(
    "frexp",
    (Tensor("x", "...", FLOATS),),
    (),
    lambda c: [c.shape("x")] * 2,
    Like("x"),
    outputs=(Out("mantissa"), Out("exponent", INT32)),
    evaluate=numpy("frexp"),
)
NAN_TO_NUM = elementwise(
    "nan_to_num", NUMERIC, *(Float(name, default, optional=True) for name, default in (("nan", 0.0), ("posinf", None), ("neginf", None))), dtype=SAME,
    evaluate=numbered,
)  # fmt: skip

# --- bits and truth ---
BITWISE_NOT = replace(
    elementwise(
        "bitwise_not", ALL_INTS | BOOLS, dtype=SAME, evaluate=numpy("invert"),
        fold=folding(lambda x: None if isinstance(x, Term) else not x if isinstance(x, bool) else ~x),
    ),
    ones=opposite,
)  # fmt: skip
LOGICAL_NOT = replace(
    elementwise("logical_not", NUMERIC, dtype=BOOL, fold=folding(lambda x: None if isinstance(x, Term) else not x), evaluate=numpy("logical_not")),
    ones=opposite,
)
ISNAN, ISINF, ISFINITE, ISREAL = (elementwise(name, ANY, dtype=BOOL, evaluate=numpy(name)) for name in ("isnan", "isinf", "isfinite", "isreal"))
ISPOSINF, ISNEGINF = (elementwise(name, REAL, dtype=BOOL, evaluate=numpy(name)) for name in ("isposinf", "isneginf"))

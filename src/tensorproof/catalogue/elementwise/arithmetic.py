"""Arithmetic of two and three operands: sums, products, quotients, powers and bits. Bounds and choices are in `choices`."""

from __future__ import annotations

import math
from operator import and_, mul, or_, sub, xor
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.contents import each, folding
from tensorproof.ops.element_types import Promote, ToFloat, Within, float_of, promoted
from tensorproof.ops.evaluation import Arguments, as_results, numpy
from tensorproof.ops.facts import DIFFERENCES, GREATER, LESS, PRODUCTS, QUOTIENTS, REMAINDERS, SUMS
from tensorproof.ops.families import NUMERIC, broadcast_shape, promoting
from tensorproof.ops.hazards import region
from tensorproof.ops.inputs import Bool, Choice, Number, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.ones import Pairs
from tensorproof.ops.record import NON_ZERO, DTypeRule, Hazard, Op
from tensorproof.terms.dtypes import (
    ALL_INTS,
    BOOL,
    BOOLS,
    COMPLEX64,
    COMPLEX128,
    COMPLEXES,
    FLOAT8S,
    FLOAT64,
    FLOATS,
    FULL_COMPLEXES,
    INTS,
    NUMBERS,
    REALS,
    REALS_OR_BOOL,
    DType,
    DTypes,
    of_kind,
)
from tensorproof.terms.ints import Term, maximum, minimum
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.catalogue.elementwise.formulas import pairs as pair_formulas
    from tensorproof.ops.arrays import Array, Numpy
else:
    pair_formulas = later("catalogue.elementwise.formulas.pairs")

PLAIN: DTypes = NUMBERS | ALL_INTS | FLOAT8S
MIXED: DTypes = FLOATS | FULL_COMPLEXES
XY = Promote("x", "y")


def kind_of(value: Any) -> str:
    """The kind of a Python number as the element types name them: b, i, f or c."""
    return "b" if isinstance(value, bool) else "i" if isinstance(value, (int, Term)) else "f" if isinstance(value, float) else "c"


def scaled(c: Call) -> DType | None:
    """The common type; `alpha` may not be of a higher kind than it."""
    dtype = promoted(c, ("x", "y"))
    alpha = c["alpha"]
    if dtype is not None and not isinstance(alpha, TensorType):
        kind = kind_of(alpha)
        wrong = (kind == "b" and dtype is not BOOL) or (kind == "f" and dtype.kind in "biu") or (kind == "c" and not dtype.is_complex)
        if wrong:
            raise c.refuse("alpha", f"alpha = {alpha!r} does not go with operands of element type {dtype!r}", "alpha")
    return dtype


def _times_alpha(np: Numpy, a: Any, name: str) -> Array:
    """A summand, scaled where it is scaled at all."""
    return a[name] if type(a["alpha"]) is int and a["alpha"] == 1 else np.multiply(a["alpha"], a[name])


def _scaled_sum(sign: int) -> Any:
    def fold(c: Call) -> Any:
        alpha = c["alpha"]
        return each(c, lambda x, y: x + sign * alpha * y, ("x", "y"), XY(c)) if type(alpha) is int or type(alpha) is Term else None

    return fold


def no_bools(c: Call) -> DType | None:
    """As `scaled`; some libraries subtract no truth values, or not two of them."""
    refused, types = c.option("truth_values"), (c.dtype("x"), c.dtype("y"))
    if refused is not None and BOOL in types and (refused == "none" or types[0] is types[1]):
        raise c.refuse("dtype", f"{c.name} does not take truth values; logical_xor or ~ does", ("x", "y"))
    return scaled(c)


ADD = promoting(
    "add", NUMBERS, Number("alpha", 1), dtype=scaled, operands=NUMERIC | of_kind("s"), fold=_scaled_sum(1), values=SUMS,
    evaluate=lambda np, a: np.add(a["x"], _times_alpha(np, a, "y")), doc="x + alpha · y",
)  # fmt: skip
SUB = promoting(
    "sub", NUMBERS, Number("alpha", 1), dtype=no_bools, fold=_scaled_sum(-1), values=DIFFERENCES, ones=Pairs(sub),
    evaluate=lambda np, a: np.subtract(a["x"], _times_alpha(np, a, "y")), doc="x - alpha · y",
)  # fmt: skip
MUL = promoting("mul", PLAIN, operands=PLAIN, fold=folding(mul), values=PRODUCTS, ones=Pairs(mul), evaluate=lambda np, a: np.multiply(a["x"], a["y"]))


def quotient(c: Call) -> DType | None:
    """The true quotient of whole numbers is a float; a rounded one is whole. ONNX and GraphDef's Div keep the type (`rounding`)."""
    return ToFloat("x", "y")(c) if c["rounding"] is None else Within(XY, REALS)(c)


def _truncated(x: Any, y: Any) -> Any:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _fold_quotient(c: Call) -> Any:
    if c["rounding"] == "floor":
        return each(c, lambda x, y: None if y == 0 else x // y, ("x", "y"), XY(c))
    if c["rounding"] == "trunc":
        return each(c, lambda x, y: None if y == 0 or Term in (type(x), type(y)) else _truncated(x, y), ("x", "y"), XY(c))
    return None


def _modulo(x: Any, y: Any) -> Any:
    return None if y == 0 else x % y


def _truncated_modulo(x: Any, y: Any) -> Any:
    return None if y == 0 or Term in (type(x), type(y)) else x - y * _truncated(x, y)


def by_zero(op: str) -> tuple[Hazard, ...]:
    return (Hazard(f"{op}/zero", "y", NON_ZERO, "inf or nan; whole numbers raise", whole=True),)


ROUNDING = Choice("rounding", (None, "trunc", "floor"), None)


def divided(np: Numpy, a: Arguments) -> Array:
    """The quotient, rounded where that is asked for."""
    whole = a["x"].dtype.kind in "biu" and a["y"].dtype.kind in "biu"
    if a["rounding"] is None:
        return np.true_divide(a["x"], a["y"])
    if a["rounding"] == "floor":
        return np.floor_divide(a["x"], a["y"]) if whole or not a["rounded_first"] else pair_formulas.floor_of_rounded(np, a)
    return np.trunc(np.true_divide(a["x"], a["y"]))


def dividing(op: Op) -> Op:
    """The same operator; whoever makes up a call for it leaves zeros out of y."""
    return replace(op, inputs=(op.inputs[0], Tensor("y", "...", op.inputs[1].dtypes, scalar=True, values="positive")))


DIV, REMAINDER, FMOD = map(
    dividing,
    (
        promoting(
            "div", MIXED | INTS, ROUNDING, Bool("rounded_first", False), dtype=quotient, hazards=by_zero("div"), fold=_fold_quotient, values=QUOTIENTS,
            evaluate=divided, doc="`rounded_first`: the floor of the quotient of real numbers once it is rounded, and not of the exact one",
        ),
        promoting(
            "remainder", REALS, hazards=by_zero("remainder"), fold=folding(_modulo), values=REMAINDERS,
            doc="with the sign of y", evaluate=numpy("remainder", "x", "y"),
        ),
        promoting("fmod", REALS, hazards=by_zero("fmod"), fold=folding(_truncated_modulo), doc="with the sign of x", evaluate=numpy("fmod", "x", "y")),
    ),
)  # fmt: skip

NO_NAN = tuple(
    promoting(name, MIXED, evaluate=evaluate, doc=doc)
    for name, evaluate, doc in (
        ("div_no_nan", pair_formulas.div_no_nan, "x / y, and 0 where y is 0."),
        ("xdivy", pair_formulas.xdivy, "x / y, and 0 where x is 0, whatever y is."),
        ("mul_no_nan", pair_formulas.mul_no_nan, "x · y, and 0 where y is 0, whatever x is."),
    )
)


def power(c: Call) -> DType | None:
    """The common type. Some libraries refuse whole numbers with a negative Python exponent."""
    dtype = promoted(c, ("x", "y"))
    y = c.tensor("y")
    if c.option("no_negative_exponent") and dtype in ALL_INTS and y.weak and y.contents is not None and type(y.contents[0]) is int:
        c.require("negative", y.contents[0] >= 0, f"whole numbers have no power of {y.contents[0]}: make one of them a float", ("x", "y"))
    if c.option("no_two_truth_values") and dtype is BOOL and not y.weak:
        raise c.refuse("dtype", f"{c.name} does not take two tensors of truth values", ("x", "y"))
    return dtype


def powered(np: Numpy, a: Arguments) -> Array:
    """Whole numbers stay whole; a negative exponent of them gives a float."""
    if a["x"].dtype.kind in "biu" and a["y"].dtype.kind in "biu" and not np.any(np.less(a["y"], 0)):
        return np.power(a["x"], a["y"])
    return np.float_power(a["x"], a["y"])


def _int_power(x: Any, y: Any) -> Any:
    return x**y if isinstance(x, int) and isinstance(y, int) and 0 <= y <= 64 else None


def has_power(np: Numpy, a: Arguments) -> Array:
    """Whether x to the y is a number: of a negative x for whole y alone, of 0 for y that is not negative."""
    whole, zero = np.equal(np.floor(a["y"]), a["y"]), np.equal(a["x"], 0.0)
    return np.logical_and(np.logical_or(np.greater_equal(a["x"], 0.0), whole), np.logical_not(np.logical_and(zero, np.less(a["y"], 0.0))))


POWER_HAZARDS = region(
    "pow/domain", "x y", "x is positive, or y is whole where x is negative and not negative where x is 0",
    "nan where a negative x meets a fractional y, inf where 0 meets a negative y", has_power,
)  # fmt: skip


def has_slope(np: Numpy, a: Arguments) -> Array:
    """Whether x to the y has a derivative: at 0 for exponents from 1 on, and for 0."""
    steep = np.logical_and(np.less(a["y"], 1.0), np.not_equal(a["y"], 0.0))
    return np.logical_not(np.logical_and(np.equal(a["x"], 0.0), steep))


POWER_SLOPE = region("pow/gradient", "x y", "x is not 0 where y is below 1", "inf in the gradient at 0", has_slope)
POW = replace(
    promoting("pow", REALS_OR_BOOL | FULL_COMPLEXES, dtype=power, hazards=POWER_HAZARDS, fold=folding(_int_power), evaluate=powered),
    gradient_hazards=POWER_SLOPE,
)


def double(c: Call) -> DType | None:
    operands = [c.dtype(n) for n in ("x", "y")]
    if None in operands:
        return None
    return COMPLEX128 if any(d is not None and d.is_complex for d in operands) else FLOAT64


FLOAT_POWER = replace(
    promoting(
        "float_power", PLAIN, dtype=double, operands=PLAIN, hazards=POWER_HAZARDS, doc="a power in double precision", evaluate=numpy("float_power", "x", "y")
    ),
    order="",
)


def ldexp_type(c: Call) -> DType | None:
    """x with the float type of y."""
    x, y = c.tensor("x"), c.tensor("y")
    if x.dtype is None or y.dtype is None:
        return None
    if not c.option("exponent_promotes"):
        return float_of(c, x.dtype)
    if not y.dtype.is_float and not y.dtype.is_complex:
        if x.dtype.is_float and y.dtype not in INTS:
            raise c.refuse("dtype", f"{c.name} does not take exponents of element type {y.dtype!r} for {x.dtype!r}", ("x", "y"))
        return float_of(c, x.dtype)
    return XY(c)


FLOAT_PAIRS = tuple(
    promoting(name, FLOATS, dtype=ToFloat("x", "y"), evaluate=numpy(theirs, "x", "y")) for name, theirs in (("atan2", "arctan2"), ("copysign", "copysign"))
)
STRICT_FLOAT_PAIRS = tuple(promoting(name, FLOATS, evaluate=numpy(name, "x", "y")) for name in ("hypot", "logaddexp2"))
NEXTAFTER = promoting("nextafter", FLOATS, evaluate=pair_formulas.neighbour, doc="The next number of the element type after x, towards y.")
LOGADDEXP = promoting("logaddexp", MIXED, evaluate=pair_formulas.log_of_sum)
LDEXP = replace(promoting("ldexp", MIXED, dtype=ldexp_type, doc="x · 2 to the y", evaluate=pair_formulas.scaled_by_power), order="")

MAXIMUM = promoting("maximum", REALS_OR_BOOL, values=GREATER, fold=folding(maximum), doc="nan where either is nan", evaluate=numpy("maximum", "x", "y"))
MINIMUM = promoting("minimum", REALS_OR_BOOL, values=LESS, fold=folding(minimum), doc="nan where either is nan", evaluate=numpy("minimum", "x", "y"))
FMAX = promoting("fmax", REALS_OR_BOOL, values=GREATER, fold=folding(maximum), doc="the other where one is nan", evaluate=numpy("fmax", "x", "y"))
FMIN = promoting("fmin", REALS_OR_BOOL, values=LESS, fold=folding(minimum), doc="the other where one is nan", evaluate=numpy("fmin", "x", "y"))


def _whole(function: Any) -> Any:
    return folding(lambda x, y: None if Term in (type(x), type(y)) else function(x, y))


GCD = promoting("gcd", INTS, fold=_whole(math.gcd), evaluate=numpy("gcd", "x", "y"))
LCM = promoting("lcm", INTS, fold=_whole(math.lcm), evaluate=numpy("lcm", "x", "y"))
BITWISE_AND = promoting("bitwise_and", ALL_INTS | BOOLS, fold=_whole(lambda x, y: x & y), ones=Pairs(and_), evaluate=numpy("bitwise_and", "x", "y"))
BITWISE_OR = promoting("bitwise_or", ALL_INTS | BOOLS, fold=_whole(lambda x, y: x | y), ones=Pairs(or_), evaluate=numpy("bitwise_or", "x", "y"))
BITWISE_XOR = promoting("bitwise_xor", ALL_INTS | BOOLS, fold=_whole(lambda x, y: x ^ y), ones=Pairs(xor), evaluate=numpy("bitwise_xor", "x", "y"))
LEFT_SHIFT = promoting("bitwise_left_shift", INTS, fold=_whole(lambda x, y: x << y if 0 <= y < 64 else None), evaluate=numpy("left_shift", "x", "y"))
RIGHT_SHIFT = promoting("bitwise_right_shift", INTS, fold=_whole(lambda x, y: x >> y if 0 <= y < 64 else None), evaluate=numpy("right_shift", "x", "y"))


def agreeing(c: Call) -> DType | None:
    """One element type where the library wants that; else the common one."""
    a, b = c.dtype("x"), c.dtype("y")
    if c.option("one_type") and a is not b and a is not None and b is not None:
        raise c.refuse("dtype", f"x and y must have the same dtype, and have {a!r} and {b!r}", ("x", "y"))
    return promoted(c, ("x", "y"))


HEAVISIDE = promoting("heaviside", REALS_OR_BOOL, dtype=agreeing, doc="0, y or 1 where x is negative, zero or positive", evaluate=numpy("heaviside", "x", "y"))


def interpolated(c: Call) -> DType | None:
    """One element type; a rank-0 weight and a Python number do not count."""
    known: set[DType] = set()
    for name in ("x", "y", "weight"):
        v = c.tensor(name)
        if v.dtype is not None and not v.weak and not (name == "weight" and len(v.shape) == 0):
            known.add(v.dtype)
    imaginary = c.tensor("weight").weak and c.dtype("weight") is COMPLEX64
    if imaginary and any(not d.is_complex for d in known):
        raise c.refuse("weight", "a complex weight needs complex operands", "weight")
    if len(known) > 1:
        raise c.refuse("dtype", f"x, y and weight must have the same dtype, and have {' and '.join(sorted(map(repr, known)))}", ("x", "y", "weight"))
    return promoted(c, ("x", "y", "weight"))


LERP = Op(
    "lerp",
    inputs=(Tensor("x", "...", MIXED), Tensor("y", "...", MIXED), Tensor("weight", "...", NUMERIC, scalar=True)),
    shape=broadcast_shape,
    dtype=interpolated,
    evaluate=pair_formulas.interpolation,
    gradient="x<weight? y<weight? weight<x,y",
    order="like",
    doc="x + weight · (y - x)",
)


def _valued(takes: DTypes) -> DTypeRule:
    def rule(c: Call) -> DType | None:
        dtype = promoted(c, ("x", "y", "z"))
        if isinstance(c["value"], complex) and dtype is not None and not dtype.is_complex:
            raise c.refuse("value", f"value = {c['value']!r} does not fit element type {dtype!r}", "value")
        return dtype

    return Within(rule, takes)


def no_whole_quotient(c: Call) -> DType | None:
    y, z = c.dtype("y"), c.dtype("z")
    if y is not None and z is not None and y.kind in "biu" and z.kind in "biu":
        raise c.refuse("dtype", f"{c.name} divides no whole numbers, and y and z are {y!r} and {z!r}", ("y", "z"))
    return _valued(MIXED)(c)


THREE = (Tensor("x", "...", NUMERIC), Tensor("y", "...", NUMERIC), Tensor("z", "...", NUMERIC))
ADDCMUL = Op(
    "addcmul",
    THREE,
    (Number("value", 1, held=True),),
    broadcast_shape,
    _valued(REALS | COMPLEXES),
    order="like",
    doc="x + value · y · z",
    evaluate=lambda np, a: np.add(a["x"], np.multiply(np.multiply(as_results(a, "value"), a["y"]), a["z"])),
)
ADDCDIV = Op(
    "addcdiv", THREE, (Number("value", 1),), broadcast_shape, no_whole_quotient, order="like", doc="x + value · y / z",
    hazards=(Hazard("addcdiv/zero", "z", NON_ZERO, "inf or nan"),), 
    evaluate=lambda np, a: np.add(a["x"], np.true_divide(np.multiply(a["value"], a["y"]), a["z"])),
)  # fmt: skip

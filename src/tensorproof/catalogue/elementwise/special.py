"""Special functions: error and gamma functions, Bessel functions, orthogonal polynomials."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.ops.element_types import Promote, ToFloat
from tensorproof.ops.evaluation import Arguments, Undefined, Undetermined, around, plain, points
from tensorproof.ops.families import broadcast_shape, elementwise, promoting
from tensorproof.ops.hazards import region
from tensorproof.ops.inputs import Float, Int, Tensor
from tensorproof.ops.later import later
from tensorproof.ops.record import NON_NEGATIVE, POSITIVE, Formula, Hazard, Interval, Op, Values
from tensorproof.terms.dtypes import ALL_INTS, BOOLS, FLOATS, FULL_FLOATS, UINT8, DTypes
from tensorproof.terms.records import replace

if TYPE_CHECKING:
    from tensorproof.catalogue.elementwise.formulas import special_curves as curves
    from tensorproof.ops import mathematics
    from tensorproof.ops.arrays import Array, Numpy
else:
    curves = later("catalogue.elementwise.formulas.special_curves")
    mathematics = later("ops.mathematics")

REAL: DTypes = FLOATS | ALL_INTS | BOOLS
FULL_REAL: DTypes = FULL_FLOATS | ALL_INTS | BOOLS
UNIT = Interval(0.0, 1.0)
INF = math.inf


def of(function: Callable[[float], float], turns: tuple[float, ...] = (), lo: float = -INF, hi: float = INF, least: float = 0.0) -> Formula:
    """A function of Python's numbers that is monotone between its turning points on [lo, hi]."""
    return lambda np, a: mathematics.curve(np, mathematics.mathematical(np, function), a["x"], turns, lo, hi, least)


NEAR = 30.0
"""How far from 0 the functions by series and integrals are as exact as those of libraries, which are off by ROUGH."""
ROUGH = 4e-6
ROUND_ORDERS = 2e-5
"""How far above 1, or below 0 as one less that, incomplete gamma functions of small orders come: an order's logarithm is rounded, and its exponential taken."""
COARSE = 2e-9
"""By how much the trigamma function of torch is off in double precision: its series ends early."""
SMALL = 1e-30
"""Below this, libraries get nan beside a pole at 0."""


TINY = 2.0**-120
"""Some libraries take numbers that are hardly larger than the smallest ones of single precision for 0."""


def each(function: Callable[..., float], *names: str) -> Formula:
    """A function of Python's numbers, whose bounds are those declared; around points near 0 they are closer."""
    chosen = names or ("x",)

    def evaluate(np: Numpy, a: Arguments) -> Array:
        given = [a[name] for name in chosen]
        boxes = [x for x in given if hasattr(x, "of")]
        numbers = [points(np, x) for x in given]
        if not boxes:
            return np.vectorize(guarded(function), otypes=[np.float64])(*numbers)
        sizes = [np.absolute(x) for x in numbers]
        near = np.logical_and.reduce(np.broadcast_arrays(*((x <= NEAR) & ((x == 0) | (x >= TINY)) for x in sizes)))
        made = np.vectorize(guarded(function), otypes=[np.float64])(*(np.where(near, x, 1.0) for x in numbers))
        made = np.where(near & np.isfinite(made), made, np.nan)
        return around(np, boxes[0], made, ROUGH * (1 + np.abs(made)))

    return evaluate


def near_one(function: Formula) -> Formula:
    """A function that some libraries compute by way of numbers near 1, whose rounding stays."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        made, dtype = function(np, a), a["results"][0]
        if not hasattr(made, "of"):
            return made
        error = 8 * (dtype.step if dtype is not None and dtype.kind == "f" else 2.0**-23)
        return np.subtract(made, error).of("either", np.add(made, error))

    return evaluate


def not_below(function: Callable[[float], float]) -> Formula:
    """A function of numbers that are not negative, whose bounds are those declared; libraries have several answers to others."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        if not hasattr(a["x"], "of") and np.any(np.less(a["x"], 0)):
            raise Undefined
        return each(function)(np, a)

    return evaluate


def above_zero(function: Callable[[float], float]) -> Formula:
    """A falling function of numbers that are not negative; libraries have several answers to others."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        if not hasattr(a["x"], "of") and np.any(np.less(a["x"], 0)):
            raise Undefined
        if hasattr(a["x"], "of") and np.any(a["x"].lo < SMALL):
            raise Undetermined
        return of(function, (), 0.0)(np, a)

    return evaluate


def gamma_pair(function: Callable[..., float]) -> Formula:
    """A function of an order x and a place y. Of orders without all digits, whose reciprocals overflow, libraries get 0 or 1."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        x, dtype = a["x"], a["results"][0]
        least = 0.0 if dtype is None else 4 * dtype.smallest_normal
        if not hasattr(x, "of") and np.any((x > 0) & (x < least)):
            raise Undefined
        made = each(function, "x", "y")(np, a)
        if not hasattr(made, "of"):
            return made
        return np.where(np.less(np.absolute(x), least), made.of("either", np.zeros(())).of("either", np.ones(())), made)

    return evaluate


def guarded(function: Callable[..., float]) -> Callable[..., float]:
    def value(*numbers: float) -> float:
        try:
            return function(*map(float, numbers))
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return INF

    return value


def between(lo: float, hi: float) -> Values:
    return Values("bounded", bounds=Interval(lo, hi))


def logit_of(np: Numpy, a: Arguments) -> Array:
    x, eps = a["x"], a["eps"]
    if eps is not None:
        x = np.clip(x, eps, 1.0 - eps) if eps <= 0.5 else np.where(np.less(x, eps), eps, np.where(np.greater(x, 1.0 - eps), 1.0 - eps, x))
    return mathematics.curve(np, lambda v: np.log(np.true_divide(v, 1.0 - v)), x, (), 0.0, 1.0, least=1.0)  # the logarithm of a quotient near 1


def entropy_of(np: Numpy, a: Arguments) -> Array:
    return np.where(np.less(a["x"], 0), -INF, np.negative(mathematics.x_log_x(np, np.where(np.less(a["x"], 0), 0.0, a["x"]))))


def bits_set(np: Numpy, a: Arguments) -> Array:
    x = plain(np, a["x"])
    if np.any(x < 0):
        raise Undefined  # the width of x is not known here
    return np.bitwise_count(x)


def times_log(function: str) -> Formula:
    """x times a logarithm of y, 0 where x is 0."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        none = np.logical_and(np.equal(a["x"], 0), np.logical_not(np.isnan(a["y"])))
        return np.where(none, 0.0, np.multiply(a["x"], getattr(np, function)(a["y"])))

    return evaluate


def chebyshev(first: Callable[[Any], Any], shifted: bool) -> Formula:
    """Of x, or of 2 x - 1."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        x = np.subtract(np.multiply(a["x"], 2.0), 1.0) if shifted else np.multiply(a["x"], 1.0)
        return curves.polynomial(np, x, plain(np, a["y"]), first, lambda x, k, now, before: 2.0 * x * now - before)

    return evaluate


def orthogonal(first: Callable[[Any], Any], after: Callable[[Any, int, Any, Any], Any]) -> Formula:
    return lambda np, a: curves.polynomial(np, np.multiply(a["x"], 1.0), plain(np, a["y"]), first, after)


POLES = "x is positive or not whole"


def off_poles(np: Numpy, a: Arguments) -> Array:
    """Whether x is no pole of the gamma function."""
    return np.logical_or(np.greater(a["x"], 0.0), np.not_equal(np.floor(a["x"]), a["x"]))


def error_function(np: Numpy, a: Arguments) -> Array:
    """In bfloat16 torch computes it by numbers near 1, whose rounding in single precision stays."""
    made, dtype = of(math.erf)(np, a), a["results"][0]
    rough = dtype is not None and dtype.label == "bfloat16" and hasattr(made, "of")
    return np.add(made, around(np, made, np.zeros(()), 2.0**-22)) if rough else made


ERF = elementwise("erf", REAL, values=Values("increasing", math.erf), evaluate=error_function)
ERFC = elementwise("erfc", REAL, values=Values("decreasing", math.erfc), evaluate=of(math.erfc))
ERFINV = elementwise(
    "erfinv", REAL, hazards=(Hazard("erfinv/domain", "x", Interval(-1.0, 1.0, True, True), "inf at 1 and -1, nan beyond"),),
    evaluate=near_one(of(curves.erfinv, (), -1.0, 1.0)),
)  # fmt: skip
LGAMMA = elementwise(
    "lgamma", REAL, hazards=region("lgamma/pole", "x", POLES, "inf", off_poles),
    evaluate=of(curves.lgamma, (1.4616321449683623,), 0.0, least=1.0),  # near 1 and 2 its terms cancel
)  # fmt: skip


def digamma_of(np: Numpy, a: Arguments) -> Array:
    """At 0, the sign of 0 decides, which bounds do not tell."""
    made = of(curves.digamma, (), 0.0, least=1.0)(np, a)
    return mathematics.beside(np, made, np.true_divide(1.0, a["x"])) if hasattr(made, "of") else made


DIGAMMA = elementwise(
    "digamma", REAL, hazards=region("digamma/pole", "x", POLES, "inf or nan", off_poles),
    evaluate=digamma_of,
)  # fmt: skip


def polygamma_of(np: Numpy, a: Arguments) -> Array:
    """At the poles below 0, libraries get inf, nan, or what the rounded sine of a multiple of pi makes of it."""
    x = a["x"]
    if not hasattr(x, "of") and np.any((x < 0) & (x == np.floor(x))):
        raise Undefined
    made = of(lambda x: curves.polygamma(a["n"], x), (), 0.0)(np, a)
    return np.add(made, around(np, made, np.zeros(()), COARSE)) if a["n"] == 1 else made


POLYGAMMA = elementwise(
    "polygamma", REAL, Int("n", least=0), hazards=(Hazard("polygamma/pole", "x", POSITIVE, "inf or nan at 0 and below"),),
    evaluate=polygamma_of,
)  # fmt: skip


def multivariate_lgamma(np: Numpy, a: Arguments) -> Array:
    """Logarithms of the gamma function at x, x - 1/2 and so on, which a library rounds: near a pole, a little decides how large they are."""
    x, p, dtype = a["x"], a["p"], a["results"][0]
    made = each(lambda x: sum(curves.lgamma(x - j / 2) for j in range(p)) + p * (p - 1) / 4 * math.log(math.pi))(np, a)
    if not hasattr(made, "of"):
        return made
    places, error = points(np, x), np.zeros(made.shape)
    rounding = (dtype.step if dtype is not None and dtype.kind == "f" else 2.0**-23) * np.maximum(np.abs(places), p / 2)
    for j in range(1, p):
        at = places - j / 2
        apart = np.where(at < 0.5, np.abs(at - np.rint(at)), at)
        error = error + np.where(apart > 2 * rounding, rounding / np.maximum(apart - rounding, rounding), INF)
    return np.add(made, around(np, made, np.zeros(made.shape), error))


MVLGAMMA = replace(
    elementwise(
        "mvlgamma", FLOATS | ALL_INTS, Int("p", least=1),
        evaluate=multivariate_lgamma,
    ), order="",
)  # fmt: skip
LOGIT = elementwise(
    "logit", REAL, Float("eps", None, optional=True),
    hazards=region(
        "logit/domain", "x eps", "x is between 0 and 1, or eps clamps it", "inf at 0 and 1, nan beyond",
        lambda np, a: np.logical_or(bool(a["eps"] and a["eps"] > 0), np.logical_and(np.greater(a["x"], 0.0), np.less(a["x"], 1.0))),
    ),
    evaluate=logit_of,
)  # fmt: skip
ENTR = elementwise("entr", REAL, hazards=(Hazard("entr/domain", "x", NON_NEGATIVE, "-inf below 0"),), values=between(-INF, 0.3679), evaluate=entropy_of)
NDTR = elementwise("ndtr", REAL, values=Values("bounded", bounds=UNIT), evaluate=of(curves.ndtr, least=1.0))
I0, I0E, I1, I1E = (
    elementwise(name, REAL, values=values, evaluate=of(function, turns))
    for name, function, turns, values in (
        ("i0", lambda x: curves.bessel_i(0, x), (0.0,), between(1.0, INF)),
        ("i0e", lambda x: curves.bessel_i(0, x, True), (0.0,), between(0.0, 1.0)),
        ("i1", lambda x: curves.bessel_i(1, x), (), Values()),
        ("i1e", lambda x: curves.bessel_i(1, x, True), (-1.5452, 1.5452), between(-0.2191, 0.2191)),
    )
)
IN_SINGLE_PRECISION = tuple(
    elementwise(name, FULL_REAL, values=values, evaluate=evaluate)
    for name, evaluate, values in (
        ("airy_ai", each(curves.airy), between(-0.41902, 0.53566)),
        ("bessel_j0", each(lambda x: curves.bessel_j(0, x)), between(-0.4028, 1.0)),
        ("bessel_j1", each(lambda x: curves.bessel_j(1, x)), between(-0.5819, 0.5819)),
        ("bessel_y0", not_below(lambda x: curves.bessel_y(0, x)), between(-INF, 0.5209)),
        ("bessel_y1", not_below(lambda x: curves.bessel_y(1, x)), between(-INF, 0.4168)),
        ("erfcx", of(curves.erfcx), between(0.0, INF)),
        ("log_ndtr", of(curves.log_ndtr), between(-INF, 0.0)),
        ("modified_bessel_i0", of(lambda x: curves.bessel_i(0, x), (0.0,)), between(1.0, INF)),
        ("modified_bessel_i1", of(lambda x: curves.bessel_i(1, x)), Values()),
        ("modified_bessel_k0", above_zero(lambda x: curves.bessel_k(0, x)), between(0.0, INF)),
        ("modified_bessel_k1", above_zero(lambda x: curves.bessel_k(1, x)), between(0.0, INF)),
        ("ndtri", of(curves.ndtri, (), 0.0, 1.0), Values()),
        ("scaled_modified_bessel_k0", above_zero(lambda x: curves.bessel_k(0, x, True)), between(0.0, INF)),
        ("scaled_modified_bessel_k1", above_zero(lambda x: curves.bessel_k(1, x, True)), between(0.0, INF)),
        ("spherical_bessel_j0", each(curves.spherical_j0), between(-0.21724, 1.0)),
    )
)
TRANSCENDENTAL = tuple(
    elementwise(name, FLOATS, doc=doc, values=values, evaluate=evaluate)
    for name, doc, evaluate, values in (
        ("dawson", "Dawson's integral.", each(curves.dawson), between(-0.54105, 0.54105)),
        ("expint", "The exponential integral Ei.", of(curves.expint, (), 0.0, least=1.0), Values()),
        ("fresnel_cos", "Fresnel's integral of the cosine.", each(curves.fresnel(math.cos)), between(-0.7799, 0.7799)),
        ("fresnel_sin", "Fresnel's integral of the sine.", each(curves.fresnel(math.sin)), between(-0.714, 0.714)),
        ("spence", "Spence's integral, the dilogarithm of 1 - x.", of(curves.spence, (), 0.0, 1e30), between(-INF, 1.64494)),
    )
)
POPULATION_COUNT = elementwise("population_count", ALL_INTS, dtype=UINT8, doc="The number of bits that are set.", values=between(0, 64), evaluate=bits_set)
GAMMA_PAIRS = tuple(
    promoting(name, FLOATS, values=between(-ROUND_ORDERS, 1.0 + ROUND_ORDERS), evaluate=gamma_pair(function))
    for name, function in (("igamma", curves.igamma), ("igammac", curves.igammac))
)
GAMMA_SLOPES = (
    promoting("igamma_slope", FLOATS, doc="The derivative of igamma(x, y) by x.", values=between(-INF, 0.0), evaluate=each(curves.igamma_slope, "x", "y")),
    promoting(
        "gamma_sample_slope",
        FLOATS,
        doc="The derivative of a sample y of a gamma distribution by its shape parameter x.",
        values=between(0.0, INF),
        evaluate=each(curves.gamma_sample_slope, "x", "y"),
    ),
)
POLYGAMMA_OF_ORDER = promoting(
    "polygamma_of_order", FLOATS, doc="The polygamma function of y, whose orders are the elements of x.", evaluate=each(curves.polygamma_off_poles, "x", "y")
)
BETAINC = Op(
    "betainc", (Tensor("x", "...", FLOATS), Tensor("y", "...", FLOATS), Tensor("z", "...", FLOATS)), (), broadcast_shape, Promote("x", "y", "z"),
    values=Values("bounded", bounds=UNIT), evaluate=each(curves.betainc, "x", "y", "z"),
    doc="The regularised incomplete beta function of z with the parameters x and y.",
)  # fmt: skip
XLOGY = promoting(
    "xlogy",
    FLOATS,
    dtype=ToFloat("x", "y"),
    evaluate=times_log("log"),
    hazards=region(
        "xlogy/domain", "x y", "y is positive, or x is 0", "inf at 0, nan below", lambda np, a: np.logical_or(np.greater(a["y"], 0.0), np.equal(a["x"], 0.0))
    ),
)
XLOG1PY = promoting(
    "xlog1py", FLOATS, dtype=ToFloat("x", "y"),
    hazards=region(
        "xlog1py/domain", "x y", "y is above -1, or x is 0", "inf at -1, nan below",
        lambda np, a: np.logical_or(np.greater(a["y"], -1.0), np.equal(a["x"], 0.0)),
    ),
    evaluate=times_log("log1p"),
)  # fmt: skip
POLYNOMIALS = tuple(
    promoting(name, FULL_FLOATS, dtype=ToFloat("x", "y"), evaluate=evaluate)
    for name, evaluate in (
        ("zeta", each(curves.zeta_off_poles, "x", "y")),
        *(
            (f"{prefix}chebyshev_polynomial_{letter}", chebyshev(first, bool(prefix)))
            for prefix in ("", "shifted_")
            for letter, first in (
                ("t", lambda x: x), ("u", lambda x: 2.0 * x), ("v", lambda x: 2.0 * x - 1.0), ("w", lambda x: 2.0 * x + 1.0),
            )
        ),
        ("hermite_polynomial_h", orthogonal(lambda x: 2.0 * x, lambda x, k, now, before: 2.0 * (x * now - k * before))),
        ("hermite_polynomial_he", orthogonal(lambda x: x, lambda x, k, now, before: x * now - k * before)),
        ("laguerre_polynomial_l", orthogonal(lambda x: 1.0 - x, lambda x, k, now, before: ((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0))),
        ("legendre_polynomial_p", orthogonal(lambda x: x, lambda x, k, now, before: ((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0))),
    )
)  # fmt: skip

"""Special functions: error and gamma functions, Bessel functions, orthogonal polynomials."""

from __future__ import annotations

import math

from tensorproof.ops.element_types import Promote, ToFloat
from tensorproof.ops.families import broadcast_shape, elementwise, promoting
from tensorproof.ops.inputs import Float, Int, Tensor
from tensorproof.ops.record import NON_NEGATIVE, POSITIVE, Hazard, Interval, Op, Values
from tensorproof.terms.dtypes import ALL_INTS, BOOLS, FLOATS, FULL_FLOATS, UINT8, DTypes

REAL: DTypes = FLOATS | ALL_INTS | BOOLS
FULL_REAL: DTypes = FULL_FLOATS | ALL_INTS | BOOLS
UNIT = Interval(0.0, 1.0)
ERF = elementwise("erf", REAL, values=Values("increasing", math.erf))
ERFC = elementwise("erfc", REAL, values=Values("decreasing", math.erfc))
ERFINV = elementwise("erfinv", REAL, hazards=(Hazard("erfinv/domain", "x", Interval(-1.0, 1.0, True, True), "inf at 1 and -1, nan beyond"),))
LGAMMA = elementwise("lgamma", REAL, hazards=(Hazard("lgamma/pole", "x", POSITIVE, "inf at 0 and at negative whole numbers"),))
DIGAMMA = elementwise("digamma", REAL, hazards=(Hazard("digamma/pole", "x", POSITIVE, "inf or nan at 0 and at negative whole numbers"),))
POLYGAMMA = elementwise("polygamma", REAL, Int("n", least=0), hazards=(Hazard("polygamma/pole", "x", POSITIVE, "inf or nan at 0 and below"),))
MVLGAMMA = elementwise("mvlgamma", FLOATS | ALL_INTS, Int("p", least=1))
LOGIT = elementwise(
    "logit", REAL, Float("eps", None, optional=True),
    hazards=(Hazard("logit/domain", "x", Interval(0.0, 1.0, True, True), "inf at 0 and 1, nan beyond, unless eps clamps x"),),
)  # fmt: skip
ENTR = elementwise("entr", REAL, hazards=(Hazard("entr/domain", "x", NON_NEGATIVE, "-inf below 0"),))
NDTR = elementwise("ndtr", REAL, values=Values("bounded", bounds=UNIT))
I0, I0E, I1, I1E = (elementwise(name, REAL) for name in ("i0", "i0e", "i1", "i1e"))
IN_SINGLE_PRECISION = tuple(
    elementwise(name, FULL_REAL)
    for name in (
        "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "erfcx", "log_ndtr", "modified_bessel_i0", "modified_bessel_i1",
        "modified_bessel_k0", "modified_bessel_k1", "ndtri", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0",
    )
)  # fmt: skip
TRANSCENDENTAL = tuple(
    elementwise(name, FLOATS, doc=doc)
    for name, doc in (
        ("dawson", "Dawson's integral."),
        ("expint", "The exponential integral Ei."),
        ("fresnel_cos", "Fresnel's integral of the cosine."),
        ("fresnel_sin", "Fresnel's integral of the sine."),
        ("spence", "Spence's integral, the dilogarithm of 1 - x."),
    )
)
POPULATION_COUNT = elementwise("population_count", ALL_INTS, dtype=UINT8, doc="The number of bits that are set.")
GAMMA_PAIRS = tuple(promoting(name, FLOATS) for name in ("igamma", "igammac"))
GAMMA_SLOPES = (
    promoting("igamma_slope", FLOATS, doc="The derivative of igamma(x, y) by x."),
    promoting("gamma_sample_slope", FLOATS, doc="The derivative of a sample y of a gamma distribution by its shape parameter x."),
)
POLYGAMMA_OF_ORDER = promoting("polygamma_of_order", FLOATS, doc="The polygamma function of y, whose orders are the elements of x.")
BETAINC = Op(
    "betainc", (Tensor("x", "...", FLOATS), Tensor("y", "...", FLOATS), Tensor("z", "...", FLOATS)), (), broadcast_shape, Promote("x", "y", "z"),
    doc="The regularised incomplete beta function of z with the parameters x and y.",
)  # fmt: skip
XLOGY = promoting("xlogy", FLOATS, dtype=ToFloat("x", "y"), hazards=(Hazard("xlogy/domain", "y", POSITIVE, "inf at 0, nan below"),))
XLOG1PY = promoting(
    "xlog1py", FLOATS, dtype=ToFloat("x", "y"),
    hazards=(Hazard("xlog1py/domain", "y", Interval(-1.0, math.inf, lo_open=True), "inf at -1, nan below"),),
)  # fmt: skip
POLYNOMIALS = tuple(
    promoting(name, FULL_FLOATS, dtype=ToFloat("x", "y"))
    for name in (
        "zeta", "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
        "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w",
        "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
    )
)  # fmt: skip

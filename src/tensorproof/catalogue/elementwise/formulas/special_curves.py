"""What the special functions of one number compute: of Python's numbers, by series, recurrences and sums over nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Undefined

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

INF, NAN, ROOT = math.inf, math.nan, math.sqrt(2)
HIGHEST = 10**4
"""The degree up to which polynomials are evaluated, and the size of arguments up to which series are summed."""


def erfinv(x: float) -> float:
    """By the quantile of the normal distribution, and one step of Newton's."""
    from statistics import NormalDist

    if abs(x) >= 1 or math.isnan(x):
        return math.copysign(INF, x) if abs(x) == 1 else NAN
    y = NormalDist().inv_cdf((x + 1) / 2) / ROOT if abs(x) > 1e-8 else x * math.sqrt(math.pi) / 2
    return y - (math.erf(y) - x) * math.sqrt(math.pi) / 2 * math.exp(y * y)


def ndtri(x: float) -> float:
    if not 0 < x < 1:
        return -INF if x == 0 else INF if x == 1 else NAN
    from statistics import NormalDist

    return NormalDist().inv_cdf(x)


def lgamma(x: float) -> float:
    return INF if x <= 0 and (math.isinf(x) or x == math.floor(x)) else math.lgamma(x)


def digamma(x: float) -> float:
    if x == 0:
        return -math.copysign(INF, x)
    if x < 0:
        return NAN if x == math.floor(x) else digamma(1 - x) - math.pi / math.tan(math.pi * (x if x > -0.5 else x - math.floor(x)))
    total = 0.0
    while x < 10:
        total, x = total - 1 / x, x + 1
    if math.isinf(x):
        return x
    z = 1 / (x * x)
    tail = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * (691 / 32760 - z / 12))))))
    return total + math.log(x) - 0.5 / x - tail


def trigamma(x: float) -> float:
    if x < 0 and x == math.floor(x):
        raise Undefined("inf, or a large number where a library rounds pi")
    if x < 0.5:
        square = math.sin(math.pi * x) ** 2
        return math.pi**2 / square - trigamma(1 - x) if square else INF
    return zeta(2.0, x)


_BERNOULLI = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12, 1.1646782814350067249e14,
    -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18,
)  # fmt: skip
"""(2k)! / B_2k, for the sum of Euler and Maclaurin."""


def zeta(s: float, q: float) -> float:
    """The sum of (q + k) ** -s over k = 0, 1, …"""
    if s == 1:
        return INF
    if s < 1 or (q <= 0 and q != math.floor(q) and s != math.floor(s)):
        return NAN
    if q <= 0 and q == math.floor(q):
        return INF
    total: float = q**-s
    at = q
    for _ in range(max(9, math.ceil(9 - q))):
        at += 1
        total += at**-s
    part: float = at**-s
    total += part * at / (s - 1) - part / 2
    rising = 1.0
    for i, divisor in enumerate(_BERNOULLI):
        rising *= s + 2 * i
        part /= at
        total += rising * part / divisor
        rising *= s + 2 * i + 1
        part /= at
    return total


def polygamma(n: float, x: float) -> float:
    if n != math.floor(n) or n < 0:
        return NAN
    if n < 2:
        return trigamma(x) if n else digamma(x)
    try:
        total = zeta(n + 1, x)
    except OverflowError:
        total = INF if n % 2 else math.copysign(INF, x)
    return (1 if n % 2 else -1) * math.gamma(n + 1) * total


def zeta_off_poles(s: float, q: float) -> float:
    if s == 1 or (q <= 0 and q == math.floor(q)):
        raise Undefined("inf or nan, by the library")
    return zeta(s, q)


def polygamma_off_poles(n: float, x: float) -> float:
    if x <= 0 and x == math.floor(x):
        raise Undefined("inf or nan, by the library")
    return polygamma(n, x)


def erfcx(x: float) -> float:
    """exp(x²) erfc(x)."""
    if x < 20:
        return math.exp(x * x) * math.erfc(x)
    z = 1 / (2 * x * x)
    return (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z)))) / (x * math.sqrt(math.pi))


def ndtr(x: float) -> float:
    return math.erfc(-x / ROOT) / 2


def log_ndtr(x: float) -> float:
    return math.log(erfcx(-x / ROOT) / 2) - x * x / 2 if x < -1 else math.log1p(-math.erfc(x / ROOT) / 2)


def spence(x: float) -> float:
    if x < 0 or math.isnan(x):
        return NAN
    if x == 0:
        return math.pi**2 / 6
    if x > 1.5:
        return -spence(1 / x) - math.log(x) ** 2 / 2
    if x < 0.5:
        return math.pi**2 / 6 - math.log(x) * math.log1p(-x) - spence(1 - x)
    return sum((1 - x) ** k / k**2 for k in range(1, 60))


def expint(x: float) -> float:
    """Ei of numbers above 0, by its series or for large numbers by the asymptotic one."""
    if x <= 0:
        return NAN if x else -INF
    if x > 40:
        total, part = 1.0, 1.0
        for k in range(1, 30):
            part *= k / x
            total += part
        return math.exp(x) / x * total
    total, part = 0.5772156649015329 + math.log(x), 1.0
    for k in range(1, 160):
        part *= x / k
        total += part / k
    return total


# --- by integrals ---


@cache
def nodes(count: int) -> tuple[tuple[float, float], ...]:
    """Places and weights of a sum that integrates over [0, 1]: the zeros of a Legendre polynomial, by Newton's method."""
    made: list[tuple[float, float]] = []
    for i in range(count):
        z, slope = math.cos(math.pi * (i + 0.75) / (count + 0.5)), 1.0
        for _ in range(8):
            before, now = 1.0, z
            for k in range(1, count):
                before, now = now, ((2 * k + 1) * z * now - k * before) / (k + 1)
            slope = count * (z * now - before) / (z * z - 1)
            z -= now / slope
        made.append(((z + 1) / 2, 1 / ((1 - z * z) * slope * slope)))
    return tuple(made)


def integral(function: Callable[[float], float], end: float, count: int = 120) -> float:
    return end * sum(w * function(end * t) for t, w in nodes(count))


def dawson(x: float) -> float:
    """The integral of exp(t² - x²) over t from 0 to x."""
    size = abs(x)
    return math.copysign(integral(lambda u: math.exp(-u * (2 * size - u)), min(size, 45 / size)), x) if size else x


def fresnel(wave: Callable[[float], float]) -> Callable[[float], float]:
    def value(x: float) -> float:
        if abs(x) > 30:
            return math.copysign(0.5, x)
        return integral(lambda t: wave(math.pi * t * t / 2), x, 120 if abs(x) < 6 else 900)

    return value


def bessel_j(n: float, x: float) -> float:
    """For order n; orders that are not whole need x > 0."""
    made = integral(lambda t: math.cos(n * t - x * math.sin(t)), math.pi, 120 if abs(x) < 60 else 900) / math.pi
    if n == math.floor(n):
        return made
    return made - math.sin(n * math.pi) / math.pi * integral(lambda t: math.exp(-x * math.sinh(t) - n * t), math.asinh(745 / x))


def bessel_y(n: int, x: float) -> float:
    if x <= 0:
        return -INF if x == 0 else NAN
    sign = -1 if n % 2 else 1
    first = integral(lambda t: math.sin(x * math.sin(t) - n * t), math.pi, 120 if x < 60 else 900)
    end = math.asinh(745 / x)
    return (first - integral(lambda t: (math.exp(n * t) + sign * math.exp(-n * t)) * math.exp(-x * math.sinh(t)), end, 400)) / math.pi


def bessel_i(n: int, x: float, scaled: bool = False) -> float:
    """By its series near 0, by its expansion far from it, else by an integral."""
    size = abs(x)
    if size < 1:
        part = made = (size / 2) ** n / math.factorial(n)
        for k in range(1, 20):
            part *= (size / 2) ** 2 / (k * (k + n))
            made += part
        made *= math.exp(-size)
    elif size > 500:
        part = made = 1.0
        for k in range(1, 6):
            part *= ((2 * k - 1) ** 2 - 4 * n * n) / (8 * size * k)
            made += part
        made /= math.sqrt(2 * math.pi) * math.sqrt(size)
    else:
        made = integral(lambda t: math.exp(size * (math.cos(t) - 1)) * math.cos(n * t), math.pi, 120 if size < 200 else 900) / math.pi
    made *= 1 if scaled else math.exp(size) if size < 709 else INF
    return -made if n % 2 and x < 0 else made


def bessel_k(n: float, x: float, scaled: bool = False) -> float:
    """By what is left of it near 0, by its expansion far from it, else by a sum."""
    if x <= 0:
        return INF if x == 0 else NAN
    if x < 1e-7 and n in (0, 1):
        made = 1 / x if n else -math.log(x / 2) - 0.5772156649015329
        return made * math.exp(x) if scaled else made
    if x > 100:
        part = made = math.sqrt(math.pi / 2 / x)
        for k in range(1, 6):
            part *= (4 * n * n - (2 * k - 1) ** 2) / (8 * x * k)
            made += part
        return made if scaled else made * math.exp(-x)
    made = sum(math.exp(-x * (math.cosh(t / 20) - 1)) * math.cosh(n * t / 20) / (2 if t == 0 else 1) for t in range(600) if x * math.cosh(t / 20) < 1e9) / 20
    return made if scaled else made * math.exp(-x)


def airy(x: float) -> float:
    if x < -1e8:
        raise Undefined("a turn of a wave that is rounded away")
    if abs(x) > 5:
        turn = 2 / 3 * abs(x) ** 1.5
        if x > 0:
            return math.sqrt(x / 3) / math.pi * bessel_k(1 / 3, turn)
        return math.sqrt(-x) / 3 * (bessel_j(1 / 3, turn) + bessel_j(-1 / 3, turn))
    one, other = 0.355028053887817239, -0.258819403792806798 * x
    total = one + other
    for k in range(1, 50):
        one *= x**3 / ((3 * k - 1) * 3 * k)
        other *= x**3 / (3 * k * (3 * k + 1))
        total += one + other
    return total


def spherical_j0(x: float) -> float:
    return 0.0 if math.isinf(x) else math.sin(x) / x if x else 1.0


# --- of two numbers and more ---


def igamma(a: float, x: float) -> float:
    """The regularised lower incomplete gamma function, by its series or by one less the continued fraction."""
    if a == 0 or (x == 0 and a < 0):
        raise Undefined("0 or 1 or nan, by the library")
    if x < 0 or a < 0 or math.isnan(a + x):
        return NAN
    if x == 0:
        return 0.0
    if math.isinf(x) or math.isinf(a):
        return NAN if math.isinf(x) and math.isinf(a) else float(math.isinf(x))
    _short(a, x)
    return _series(a, x) if x < a + 1 else 1 - _fraction(a, x)


def _short(a: float, x: float) -> None:
    """A series has about as many terms as its arguments are large."""
    if max(a, x) > HIGHEST:
        raise Undefined("a series that takes too long")


def igamma_slope(a: float, x: float) -> float:
    """The derivative of igamma by a: its series, term by term. At 0 it is 0, for numbers a that have no igamma as well."""
    if x == 0:
        return 0.0
    if x < 0 or a <= 0 or math.isnan(a + x):
        return NAN
    if math.isinf(x) or math.isinf(a):
        return 0.0
    _short(a, x)
    at, log, total = a, math.log(x), 0.0
    while True:
        term = math.exp(at * log - x - math.lgamma(at + 1))
        total += term * (log - digamma(at + 1))
        if at > x and term < 1e-18:
            return min(total, 0.0)
        at += 1


def gamma_sample_slope(a: float, x: float) -> float:
    """How a sample x of a gamma distribution moves with its parameter a: igamma stays the same."""
    if x == 0:
        return 0.0
    return -igamma_slope(a, x) / math.exp((a - 1) * math.log(x) - x - math.lgamma(a)) if x > 0 else NAN


def igammac(a: float, x: float) -> float:
    below = igamma(a, x)
    return _fraction(a, x) if 0 < a < INF and a + 1 <= x < INF else 1 - below


def _factor(a: float, x: float) -> float:
    return math.exp(a * math.log(x) - x - math.lgamma(a))


def _series(a: float, x: float) -> float:
    total, part, k = 1 / a, 1 / a, a
    while abs(part) > abs(total) * 1e-17:
        k += 1
        part *= x / k
        total += part
    return total * _factor(a, x)


def _fraction(a: float, x: float) -> float:
    b, c = x + 1 - a, 1e300
    d = made = 1 / b
    for k in range(1, 500):
        step, b = -k * (k - a), b + 2
        d = 1 / (step * d + b or 1e-300)
        c = b + step / c or 1e-300
        made *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return made * _factor(a, x)


def betainc(a: float, b: float, x: float) -> float:
    if not (a > 0 and b > 0 and 0 <= x <= 1):
        return NAN
    if x in (0, 1):
        return x
    _short(a, b)
    if x > (a + 1) / (a + b + 2):
        return 1 - betainc(b, a, 1 - x)
    factor = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    d = 1 / (1 - (a + b) * x / (a + 1) or 1e-300)
    c, made = 1.0, d
    for k in range(1, 500):
        for step in (k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)), -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))):
            d, c = 1 / (1 + step * d or 1e-300), 1 + step / c or 1e-300
            made *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return made * factor


def polynomial(np: Numpy, x: Array, n: Any, first: Callable[[Any], Any], after: Callable[[Any, int, Any, Any], Any]) -> Array:
    """The polynomial of degree n: 1, `first`, and what comes after degree k and the one before. Below degree 0 it is 0."""
    degrees = np.where(np.isnan(n), -1, np.trunc(n)) if n.dtype.kind == "f" else n
    if degrees.size and np.max(degrees) > HIGHEST:
        raise Undefined("a degree that takes too long")
    before, now = np.zeros_like(x) + 1.0, first(x)
    made = np.where(np.equal(degrees, 0), before, np.where(np.equal(degrees, 1), now, 0.0))
    for k in range(1, int(np.max(degrees)) if degrees.size else 0):
        before, now = now, after(x, k, now, before)
        made = np.where(np.equal(degrees, k + 1), now, made)
    return made

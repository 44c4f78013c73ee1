"""Distributions that operators draw from: the parameters of each, and within which bounds its numbers lie.

A bound of a parameter is the least and the greatest that it may be; the bounds of the draws hold for all of them. Where a library rounds, the end of an
interval that is open can be reached, so all ends are closed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

Bounds = tuple[float, float]


class Distribution(NamedTuple):
    """`least`: where a parameter is below it, a draw may be NaN."""

    names: str
    bounds: Callable[..., Bounds]
    least: float = 0.0

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(self.names.split())


def _anywhere(*_: Bounds) -> Bounds:
    return -inf, inf


def _not_negative(*_: Bounds) -> Bounds:
    return 0.0, inf


def _unit(*_: Bounds) -> Bounds:
    return 0.0, 1.0


def _between(low: Bounds, high: Bounds) -> Bounds:
    """NumPy takes the ends in either order."""
    return min(low[0], high[0]), max(low[1], high[1])


def _near_mean(mean: Bounds, std: Bounds) -> Bounds:
    away = 2.0 * max(abs(std[0]), abs(std[1]))
    return mean[0] - away, mean[1] + away


def _around_zero(most: Bounds) -> Bounds:
    away = max(abs(most[0]), abs(most[1]))
    return -away, away


def _normal_between(mean: Bounds, std: Bounds, low: Bounds, high: Bounds) -> Bounds:
    """A draw is rounded as a multiple of the deviation plus the mean: where those are far larger than the interval, so is the error."""
    lo, hi = _between(low, high)
    scale, ends = (max(abs(end) for bounds in pair for end in bounds) for pair in ((mean, std), (low, high)))
    return (lo, hi) if scale <= 1e6 * (hi - lo) and max(scale, ends) < 1e30 else (-inf, inf)


DISTRIBUTIONS = {
    "uniform": Distribution("low high", _between),
    "whole": Distribution("low high", lambda low, high: (low[0], max(low[0], high[1] - 1))),
    "normal": Distribution("mean std", _anywhere),
    "truncated_normal": Distribution("mean std", _near_mean),
    "normal_between": Distribution("mean std low high", _normal_between),
    "orthogonal": Distribution("gain", _around_zero),
    "bernoulli": Distribution("", _unit),
    "beta": Distribution("a b", _unit),
    "dirichlet": Distribution("a", _unit, 0.05),  # u ** (1 / a) of the least u, 2 ** -53, underflows below 0.0493: shares of a total of 0
    "binomial": Distribution("n p", lambda n, p: (0.0, max(0.0, n[1]))),
    "geometric": Distribution("p", lambda p: (1.0, inf)),
    "poisson": Distribution("rate", _not_negative),
    "exponential": Distribution("scale", _not_negative),
    "gamma": Distribution("a scale", _not_negative),
    "chisquare": Distribution("df", _not_negative),
    "rayleigh": Distribution("scale", _not_negative),
    "lognormal": Distribution("mean std", _not_negative),
    "cauchy": Distribution("median sigma", _anywhere),
    "laplace": Distribution("mean scale", _anywhere),
    "logistic": Distribution("mean scale", _anywhere),
    "gumbel": Distribution("mean scale", _anywhere),
}

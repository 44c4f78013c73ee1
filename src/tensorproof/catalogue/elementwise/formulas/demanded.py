"""Numbers that libraries check when they draw: rates, deviations, probabilities."""

from __future__ import annotations

from math import inf

NOT_NEGATIVE = {
    "multinomial": ("x", "RuntimeError", "range"), "poisson": ("x", "RuntimeError", "range"), "normal": ("std", "RuntimeError", "range"),
    "gaussian_nll_loss": ("var", "ValueError", "range"), "bincount": ("x", "RuntimeError", "negative"),
    "repeat_interleave": ("times", "RuntimeError", "times"),
}  # fmt: skip
"""Inputs of torch's operators whose elements must not be negative, the exception that they raise else, and its code."""
_ABOVE, _FROM, _UNIT, _ANY = (0.0, inf, True), (0.0, inf, False), (0.0, 1.0, False), (-inf, inf, False)
PARAMETERS: dict[str, tuple[tuple[float, float, bool], ...]] = {
    "normal": (_ANY, _FROM), "laplace": (_ANY, _FROM), "logistic": (_ANY, _FROM), "gumbel": (_ANY, _FROM), "lognormal": (_ANY, _FROM), "poisson": (_FROM,),
    "beta": (_ABOVE, _ABOVE), "gamma": (_FROM, _FROM), "dirichlet": (_ABOVE,), "exponential": (_FROM,), "chisquare": (_ABOVE,), "rayleigh": (_FROM,),
    "geometric": (_UNIT,), "binomial": (_FROM, _UNIT),
}  # fmt: skip
"""What NumPy demands of the parameters of each distribution: between which numbers they lie, and whether the first is left out."""

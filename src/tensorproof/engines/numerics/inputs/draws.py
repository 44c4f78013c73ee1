"""Between which numbers the draws of an operator lie, by the distribution that it names."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.distributions import DISTRIBUTIONS
from tensorproof.ops.record import Values

SPREAD = 10.0
"""No generator of normal numbers goes further from the mean, in standard deviations: it would take more than 64 random bits."""

Ends = tuple[float, float]


def support(one: Applied, values: Values, ends: Callable[[Any], Ends | None]) -> Ends | None:
    """The least and the greatest draw; None where there is none. `ends` gives those of a parameter."""
    name = values.distribution or one.arguments.get(str(values.by))
    kind = DISTRIBUTIONS.get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    given = [one.arguments.get(p) for p in values.over.split() or kind.parameters]
    found = [ends(part) for value in given for part in (value if isinstance(value, tuple) else (value,))]
    known = [pair for pair in found if pair is not None]
    if len(known) < len(found):
        return None
    if kind.least and any(low < kind.least for low, _ in known):
        return None
    low, high = kind.bounds(*known)
    if not isfinite(low) and not isfinite(high) and kind.parameters == DISTRIBUTIONS["normal"].parameters:
        (least, most), spread = known[0], SPREAD * max(map(abs, known[1]))
        low, high = least - spread, most + spread
    return (low, high) if isfinite(low) and isfinite(high) else None

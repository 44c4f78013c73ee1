"""A share of a size, as `int(0.8 * len(data))` takes it: which number that is depends on rounding, so it is a symbol of its own between 1 and the size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tensorproof.terms.ints import Dim, Origin, Term, lower, upper
from tensorproof.terms.predicates import lt
from tensorproof.terms.substitution import symbols

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter


def share(m: Interpreter, size: Term, factor: float) -> Dim | None:
    """The same share of the same size is the same symbol. There is enough data for what is taken and for what is left."""
    origins = {s.origin for s in symbols(size)}
    if not 0 < factor < 1 or origins - {Origin.WORLD, Origin.USER} or lower(size) < 0:
        return None
    most = upper(size)
    least = max(1, math.floor(factor * lower(size)) - 1)
    found = m.symbol(f"{factor:g} of {size!r}", least, int(most) if math.isfinite(most) else None, Origin.WORLD if Origin.WORLD in origins else Origin.USER)
    m.assume(lt(found, size))
    return found

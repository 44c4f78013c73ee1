"""Powers of symbolic whole numbers that need no decision on which number it is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.terms.ints import Term, lower
from tensorproof.terms.predicates import ne
from tensorproof.values.heap import MISSING
from tensorproof.values.python_values import REAL

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

GREATEST = 4
"""Up to this exponent a power is multiplied out."""


def power(m: Interpreter, base: Value, exponent: Any, node: ast.AST) -> Value:
    """A small power is a polynomial, one with a negative exponent a real number; MISSING where the base itself must be given."""
    if type(base) is not Term:
        return MISSING
    if type(exponent) is int and 0 <= exponent <= GREATEST:
        return base**exponent
    if type(exponent) in (int, float) and exponent < 0 <= lower(base):
        m.demand("ZeroDivisionError", ne(base, 0), f"{base!r} is raised to the negative power {exponent!r} and may be zero", node)
        return REAL
    return MISSING

"""Conditions of contracts as people would write them."""

from __future__ import annotations

from typing import Any

from tensorproof.engines.shapes.contract import shown
from tensorproof.terms.ints import floordiv, symbol
from tensorproof.terms.predicates import eq, ge


def test_conditions_are_plain() -> None:
    h: Any = symbol("H", 1)
    at_least: Any = ge(floordiv(h, 16), 4)
    even: Any = eq(2 * floordiv(h + 1, 2), h)
    other: Any = eq(floordiv(h, 3), 5)
    assert shown(at_least) == "H >= 64"
    assert shown(even) == "H % 2 == 0"
    assert shown(other) == repr(other)

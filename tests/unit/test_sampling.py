"""Trying a few values finds that predicates hold together, and never claims what no value shows."""

from __future__ import annotations

from tensorproof.solve.sampling import satisfied
from tensorproof.terms.ints import floordiv, ite, symbol
from tensorproof.terms.predicates import Predicate, Truth, eq, flag, ge, le, ne

n, k = symbol("n", 1), symbol("k", 0)


def held(*given: Truth) -> bool:
    return satisfied([one for one in given if isinstance(one, Predicate)])


def test_remainders_can_be_chosen() -> None:
    batches = le(ite(ne(n % 32, 0), 1, 0) + 1, floordiv(n + 31, 32))
    assert held(batches, eq(n % 32, 0)) and held(batches, ne(n % 32, 0))
    assert held(le(k + 1, n), eq((k + 1) % 5, 0)) and held(le(k + 1, n), ne((k + 1) % 5, 0))


def test_what_cannot_hold_is_not_claimed() -> None:
    assert not held(eq(n % 32, 0), le(n, 31))
    assert not held(ge(n, k + 1), le(n, k))
    assert not held(eq((n * 2) % 2, 1), ge(n, 1))


def test_unknown_truth_values_and_many_symbols_are_left_to_the_solver() -> None:
    assert not held(flag("f"), ge(n, 2))
    assert not held(ge(ite(flag("f"), n, 3), 2))
    assert not held(le(n, k), le(k, symbol("a", 0)), le(symbol("a", 0), symbol("b", 0)))

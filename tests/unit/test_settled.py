"""Facts decide which part of a `min` or `max` counts."""

from __future__ import annotations

from tensorproof.frontends.python.branching.settled import settled
from tensorproof.terms.ints import maximum, minimum, symbol
from tensorproof.terms.predicates import Predicate, le

n, i, k = symbol("n", 1), symbol("i", 0), symbol("k", 0)


def facts(*given: Predicate | bool) -> list[Predicate]:
    return [one for one in given if isinstance(one, Predicate)]


def test_a_slice_that_lies_inside_has_its_length() -> None:
    size = maximum(0, minimum(n, i + 256) - i)
    assert settled(size, facts(le(i + 257, n))) == 256
    assert settled(size, facts(le(i + 256, n))) == 256


def test_a_weaker_fact_or_another_one_decides_nothing() -> None:
    size = maximum(0, minimum(n, i + 256) - i)
    assert settled(size, facts(le(i + 255, n), le(k + 300, n), le(n, k))) == size
    assert settled(size, []) == size


def test_the_greatest_of_two() -> None:
    assert settled(maximum(n, k + 3), facts(le(n, k + 1))) == k + 3
    assert settled(maximum(n, k + 3), facts(le(n, k + 4))) == maximum(n, k + 3)


def test_parts_that_are_equal_by_facts_stay() -> None:
    assert settled(minimum(n, k), facts(le(n, k), le(k, n))) == minimum(n, k)

"""Facts about symbolic integers, predicates and shapes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tensorproof.terms.ints import Origin, bounds, ceildiv, ite, maximum, minimum, sole_atom, symbol
from tensorproof.terms.predicates import conj, disj, eq, flag, ge, gt, le, lt, ne, negate
from tensorproof.terms.shapes import Shape, broadcast, unknown_shape
from tensorproof.terms.substitution import substitute

b = symbol("b", 1)
n = symbol("n", 0)


def test_equal_terms_are_one_object() -> None:
    assert (b + 1) * 2 is 2 * b + 2
    assert eq(b, 3) is eq(3, b)


def test_exact_polynomial_division_needs_no_solver() -> None:
    assert (4 * b * b - 4 * b) % (2 * b) == 0
    assert (4 * b * b - 4 * b) // (2 * b) is 2 * b - 2


def test_division_takes_out_what_divides() -> None:
    assert (4 * n + 3) // 4 is n
    assert (4 * n + 3) % 4 == 3
    assert (n // 2) // 3 is n // 6
    assert (6 * n) // (4 * b) is (3 * n) // (2 * b)


def test_division_rounds_down_like_python() -> None:
    for value in range(-9, 10):
        for divisor in (-4, -3, 2, 5):
            x = symbol("x", -20, 20)
            atom = sole_atom(x)
            assert atom is not None
            assert substitute((x + 1) // divisor, {atom: value}) == (value + 1) // divisor
            assert substitute((x + 1) % divisor, {atom: value}) == (value + 1) % divisor


def test_division_of_a_symbol_by_zero_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        n // 0


def test_bounds_follow_the_symbols() -> None:
    assert bounds(2 * b + 3) == (5, None)
    assert bounds(n % 7) == (0, 6)
    assert bounds(symbol("k", 2, 5) * 3 - 1) == (5, 14)
    assert bounds(ceildiv(symbol("k", 2, 5), 2)) == (1, 3)


def test_min_and_max_drop_what_cannot_win() -> None:
    assert maximum(b, 1) is b
    assert minimum(b, b + 3) is b
    assert minimum(3, 5) == 3


def test_if_then_else_of_equal_sides_is_the_side() -> None:
    assert ite(eq(n, 3), b, b) is b
    assert ite(True, 2, b) == 2


def test_predicates_are_decided_by_normal_form_and_bounds() -> None:
    assert eq(2 * n, 5) is False
    assert lt(b, 1) is False
    assert ge(b, 1) is True
    assert eq(n + b, b + n) is True
    assert le(2 * n, 5) is le(n, 2)
    assert gt(b, 0) is True


def test_negation_is_its_own_inverse() -> None:
    for predicate in (eq(n, 3), ne(n, 3), le(n, 4), flag("training"), conj(eq(n, 3), flag("x")), disj(eq(n, 3), le(b, 4))):
        assert negate(negate(predicate)) is predicate


def test_contradictions_are_seen_in_conjunctions() -> None:
    assert conj(eq(n, 3), ne(n, 3)) is False
    assert disj(flag("x"), negate(flag("x"))) is True


def test_a_symbolic_size_has_no_truth() -> None:
    with pytest.raises(TypeError):
        bool(n)
    with pytest.raises(TypeError):
        bool(eq(n, 3))


def test_origins_make_different_symbols() -> None:
    assert symbol("n", 0, None, Origin.USER) is not symbol("n", 0, None, Origin.WORLD)


def test_broadcast_keeps_symbols_and_states_what_it_needs() -> None:
    stated: list[object] = []
    shape = broadcast([Shape((b, 1, 3)), Shape((5, 3))], lambda holds, x, y: stated.append(holds))
    assert shape == Shape((b, 5, 3))
    assert stated == []
    broadcast([Shape((b,)), Shape((n,))], lambda holds, x, y: stated.append(holds))
    assert stated == [disj(eq(b, n), eq(b, 1), eq(n, 1))]


def test_unknown_rank_has_a_rank_and_a_count_of_its_own() -> None:
    shape = unknown_shape("x")
    assert not shape.known
    assert bounds(shape.rank) == (0, None)
    assert Shape((2, *shape)).numel is 2 * shape.numel


def test_terms_import_no_third_party_package() -> None:
    code = (
        "import sys, tensorproof.terms.ints, tensorproof.terms.shapes, tensorproof.terms.promotion;"
        "print(sorted(m for m in ('numpy', 'z3', 'torch', 'click', 'rich') if m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.parametrize("condition", [lt(b, n), le(b, n)])
def test_the_smaller_of_two_that_are_compared_is_their_minimum(condition: Any) -> None:
    assert ite(condition, b, n) is minimum(b, n)
    assert ite(condition, n, b) is maximum(b, n)
    assert ite(condition, b, n + 2) is not minimum(b, n + 2)

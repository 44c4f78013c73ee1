"""What two sides of a branch bind becomes one value: a number by condition, a tensor axis by axis, else a choice."""

from __future__ import annotations

from tensorproof.frontends.python.branching.joining import join
from tensorproof.terms.dtypes import FLOAT32, INT64
from tensorproof.terms.ints import Origin, Term, ite, symbol
from tensorproof.terms.predicates import Predicate, ge, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Choice
from tensorproof.values.python_values import Unknown

n = symbol("n", 0, 100, Origin.USER)
p = ge(n, 3)
assert isinstance(p, Predicate)


def tensor(*sizes: int | Term, dtype: object = FLOAT32) -> TensorType:
    return TensorType(Shape(sizes), dtype)  # type: ignore[arg-type]


def test_equal_values_stay_what_they_are() -> None:
    for value in (3, "text", None, (1, 2), 2.5, float("nan")):
        made = join(p, value, value)
        assert made is value
    assert join(p, "a" + "bc", "ab" + "c") == "abc"


def test_numbers_become_a_term_by_the_condition() -> None:
    assert join(p, 4, 5) == ite(p, 4, 5)
    assert join(p, n, 5) == ite(p, n, 5)


def test_truths_become_a_predicate() -> None:
    assert join(p, True, False) == p
    assert join(p, False, True) == lt(n, 3)


def test_tuples_join_item_by_item() -> None:
    assert join(p, (1, "a"), (2, "a")) == (ite(p, 1, 2), "a")


def test_tensors_join_axis_by_axis() -> None:
    made = join(p, tensor(2, 3), tensor(2, 5))
    assert isinstance(made, TensorType)
    assert tuple(made.shape) == (2, ite(p, 3, 5)) and made.dtype is FLOAT32


def test_tensors_of_different_rank_or_type_become_a_choice() -> None:
    for other in (tensor(2), tensor(2, 3, dtype=INT64)):
        made = join(p, tensor(2, 3), other)
        assert type(made) is Choice and made.condition == p


def test_what_is_unknown_on_one_side_is_unknown() -> None:
    assert isinstance(join(p, Unknown("data"), 3), Unknown)
    assert isinstance(join(p, tensor(2), Unknown("data")), Unknown)


def test_a_number_and_a_text_become_a_choice() -> None:
    made = join(p, 3, "three")
    assert type(made) is Choice and (made.then, made.other) == (3, "three")

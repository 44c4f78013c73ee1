"""Descriptions of what a loop changes: a description covers the values that it stands for, and is widened where it does not."""

from __future__ import annotations

import pytest

from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.source import parse
from tensorproof.frontends.python.widening.widening import Widening
from tensorproof.terms.dtypes import FLOAT32, INT64
from tensorproof.terms.ints import Origin, Term
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.python_values import Unknown


@pytest.fixture
def m() -> Interpreter:
    return Interpreter(Modules(parse("p.py", "")))


@pytest.fixture
def wide(m: Interpreter) -> Widening:
    i = m.symbol("i", 2, 1000, Origin.WORLD)
    assert isinstance(i, Term)
    return Widening(m, i, 2, "i")


def tensor(*sizes: int | Term, dtype: object = FLOAT32) -> TensorType:
    return TensorType(Shape(sizes), dtype)  # type: ignore[arg-type]


def test_a_value_covers_itself_and_no_other(wide: Widening) -> None:
    assert wide.covers(3, 3) and not wide.covers(3, 4)
    assert wide.covers("a", "a") and not wide.covers("a", "b") and not wide.covers(1, "1")
    assert wide.covers((1, "a"), (1, "a")) and not wide.covers((1, "a"), (1, "a", 2))


def test_what_is_unknown_covers_everything(wide: Widening) -> None:
    assert wide.covers(Unknown("data"), 3) and wide.covers(Unknown("data"), tensor(2))


def test_tensors_are_covered_by_shape_and_element_type(wide: Widening) -> None:
    assert wide.covers(tensor(2, 3), tensor(2, 3))
    assert not wide.covers(tensor(2, 3), tensor(2, 4))
    assert not wide.covers(tensor(2, 3), tensor(2, 3, dtype=INT64))
    assert not wide.covers(tensor(2, 3), tensor(2, 3, 1))


def test_a_number_that_grows_by_one_is_described_by_the_iteration(m: Interpreter, wide: Widening) -> None:
    made = wide.guess("x", 7, 8)
    assert isinstance(made, Term)
    assert wide.at(made, 2) == 7 or wide.covers(made, 7)
    assert wide.covers(made, 8) or wide.at(made, 3) == 8


def test_a_description_that_failed_is_widened_until_it_holds(m: Interpreter, wide: Widening) -> None:
    made = wide.weaker("x", "a", "a", "b")
    assert wide.covers(made, "a") and wide.covers(made, "b") and not wide.covers(made, 3)


def test_a_description_in_another_iteration(wide: Widening) -> None:
    assert wide.at(wide.iteration * 2 + 1, 10) == 21

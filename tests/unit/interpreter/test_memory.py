"""Memory of tensors: what is written through one tensor is seen through those that share its storage."""

from __future__ import annotations

import pytest

from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.source import parse
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


@pytest.fixture
def m() -> Interpreter:
    return Interpreter(Modules(parse("p.py", "")))


def numbers(*values: int) -> TensorType:
    return TensorType(Shape((len(values),)), FLOAT32, contents=values, framework="torch")


def test_a_new_tensor_is_what_it_was_made_as(m: Interpreter) -> None:
    made = m.memory.made(numbers(1, 2))
    assert m.memory.current(made).contents == (1, 2)


def test_a_write_changes_what_is_known_of_the_object(m: Interpreter) -> None:
    made = m.memory.made(numbers(1, 2))
    m.memory.write(made, made.but(contents=(5, 6)))
    assert m.memory.current(made).contents == (5, 6)


def test_an_unknown_write_leaves_the_shape(m: Interpreter) -> None:
    made = m.memory.made(numbers(1, 2))
    m.memory.write(made)
    now = m.memory.current(made)
    assert now.contents is None and tuple(now.shape) == (2,) and now.dtype is FLOAT32


def test_a_write_through_a_tensor_that_shares_storage_is_seen(m: Interpreter) -> None:
    made = m.memory.made(numbers(1, 2))
    other = m.memory.sharing(numbers(1, 2), made)
    m.memory.write(other)
    assert m.memory.current(made).contents is None


def test_a_write_into_one_tensor_leaves_another_alone(m: Interpreter) -> None:
    first, second = m.memory.made(numbers(1, 2)), m.memory.made(numbers(1, 2))
    m.memory.write(first)
    assert m.memory.current(second).contents == (1, 2)


def test_a_write_on_a_branch_is_undone_with_it(m: Interpreter) -> None:
    made = m.memory.made(numbers(1, 2))
    mark = m.heap.mark(1)
    m.memory.write(made, made.but(contents=(5, 6)))
    m.heap.undo(mark)
    m.heap.close(mark)
    assert m.memory.current(made).contents == (1, 2)

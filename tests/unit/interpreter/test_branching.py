"""Both sides of an undecided branch run on the same memory, and what they wrote is joined."""

from __future__ import annotations

import pytest

from tensorproof.frontends.python.errors import Dead
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.source import parse
from tensorproof.terms.ints import Origin, ite
from tensorproof.terms.predicates import Predicate, ge
from tensorproof.values.heap import Space


@pytest.fixture
def m() -> Interpreter:
    return Interpreter(Modules(parse("p.py", "")))


def asked(m: Interpreter, bound: int = 3) -> Predicate:
    found = ge(m.symbol("n", 0, 100, Origin.USER), bound)
    assert isinstance(found, Predicate)
    return found


def writes(m: Interpreter, space: Space, value: int) -> int:
    m.heap.set(space, "x", value)
    return value


def test_a_known_condition_runs_one_side(m: Interpreter) -> None:
    assert m.branching.choose(True, lambda: 1, lambda: pytest.fail("the other side ran")) == 1
    assert m.branching.count == 0


def test_each_side_begins_with_the_memory_from_before(m: Interpreter) -> None:
    space, seen = m.heap.space({"x": 0}), list[int]()

    def side(value: int) -> int:
        seen.append(space["x"])
        return writes(m, space, value)

    p = asked(m)
    assert m.branching.choose(p, lambda: side(1), lambda: side(2)) == ite(p, 1, 2)
    assert seen == [0, 0] and space["x"] == ite(p, 1, 2)
    assert m.heap.marks == []


def test_what_one_side_alone_writes_is_joined_with_what_was_there(m: Interpreter) -> None:
    space, p = m.heap.space({"x": 0}), asked(m)
    m.branching.choose(p, lambda: writes(m, space, 1), lambda: 0)
    assert space["x"] == ite(p, 1, 0)


def test_the_condition_holds_while_its_side_runs(m: Interpreter) -> None:
    p = asked(m)
    assert m.branching.choose(p, lambda: m.implied(p), lambda: m.implied(p)) == p
    assert m.implied(p) is None


def test_a_side_that_ends_leaves_the_other_and_its_condition(m: Interpreter) -> None:
    space, p = m.heap.space({"x": 0}), asked(m)

    def ends() -> int:
        writes(m, space, 1)
        raise Dead

    assert m.branching.choose(p, ends, lambda: writes(m, space, 2)) == 2
    assert space["x"] == 2 and m.implied(p) is False


def test_a_decision_of_an_earlier_run_takes_its_side(m: Interpreter) -> None:
    p = asked(m)
    m.decisions[p] = False
    assert m.branching.choose(p, lambda: pytest.fail("the other side ran"), lambda: 2) == 2
    assert m.implied(p) is False

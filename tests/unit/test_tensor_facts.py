"""Facts go with a tensor as long as its elements are the same, are joined by branches, and are never claimed where a loop makes others."""

from __future__ import annotations

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.frontends.python.modules.source import parse
from tensorproof.terms.dtypes import INT64
from tensorproof.terms.facts import Facts, carry, common, covers, joined, learn, same, widened
from tensorproof.terms.ints import Origin, symbol
from tensorproof.terms.predicates import flag
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def drawn(low: int, high: int) -> TensorType:
    made = TensorType(Shape((4,)), INT64)
    learn(made, span=(low, high))
    return made


def test_facts_make_no_difference_to_equality() -> None:
    assert drawn(0, 5) == drawn(0, 9) == TensorType(Shape((4,)), INT64)
    assert hash(drawn(0, 5)) == hash(TensorType(Shape((4,)), INT64))


@pytest.mark.parametrize("changes", [{"requires_grad": True}, {"framework": "numpy"}, {"strides": (1,)}, {"base": None}])
def test_another_description_of_the_same_elements_keeps_them(changes: dict[str, object]) -> None:
    assert drawn(0, 5).but(**changes).facts == Facts(span=(0, 5))
    kept = drawn(0, 5).but(**changes).facts
    assert kept is not None
    assert kept.span == (0, 5)


@pytest.mark.parametrize("changes", [{"contents": None}, {"dtype": INT64}, {"shape": Shape((2, 2))}, {"parameter": True}, {"taped": 3}])
def test_other_elements_end_them(changes: dict[str, object]) -> None:
    assert drawn(0, 5).but(**changes).facts is None


def test_a_branch_joins_ranges_to_either() -> None:
    p = flag("p")
    found = joined(p, drawn(0, 5).facts, drawn(0, 9).facts)
    assert found is not None
    assert found.span is not None
    assert found.span[0] == 0
    assert str(found.span[1]) != "5"
    assert joined(p, drawn(0, 5).facts, None) is None


def test_a_range_and_a_limit_have_a_limit_in_common() -> None:
    other = TensorType(Shape((4,)), INT64)
    learn(other, limit=(0, 5))
    found = joined(flag("p"), drawn(0, 5).facts, other.facts)
    assert found is not None
    assert (found.span, found.limit) == (None, (0, 5))


def test_numbers_that_count_are_not_alike_and_those_of_data_are() -> None:
    n, k = symbol("n", 0, None, Origin.WORLD), symbol("k", 0, None, Origin.WORLD)
    assert not same(Facts(number=n), Facts(number=n + 1))
    assert same(Facts(number=n), Facts(number=k))
    assert not same(Facts(span=(0, 5)), Facts(span=(1, 6)))


def test_a_description_covers_what_it_says() -> None:
    def equal(a: object, b: object) -> bool:
        return a == b

    assert covers(None, Facts(span=(0, 5)), equal)
    assert not covers(Facts(span=(0, 5)), None, equal)
    assert not covers(Facts(span=(0, 5)), Facts(span=(0, 6)), equal)
    assert covers(Facts(limit=(0, 5)), Facts(span=(0, 5)), equal)
    wider = widened(Facts(span=(0, 5)), Facts(span=(1, 5)), lambda a, b: -1)
    assert wider is not None
    assert wider.span == (-1, 5)


def test_a_copy_carries_all() -> None:
    new = TensorType(Shape((2, 2)), INT64)
    carry(drawn(0, 5), new)
    assert new.facts is not None
    assert new.facts.span == (0, 5)


def test_a_range_that_a_loop_widens_is_not_proved() -> None:
    code = """
import torch
import torch.nn as nn
emb = nn.Embedding(10, 3)
pos = torch.randint(0, 2, (4,))
for i in range(100000):
    if i % 10 == 0:
        pos = torch.randint(0, 2, (4,))
    emb(pos)
    pos = pos + 1
"""
    assert check_source(parse("program.py", code), Options()).verdict is Verdict.UNKNOWN


def test_what_two_have_in_common_claims_no_number_of_one() -> None:
    n, k = symbol("n", 0, None, Origin.WORLD), symbol("k", 0, None, Origin.WORLD)
    found = common(Facts(span=(0, 5), number=n, binary=True), Facts(span=(0, 5), number=k, binary=True))
    assert found is not None
    assert (found.span, found.number, found.binary) == ((0, 5), None, True)

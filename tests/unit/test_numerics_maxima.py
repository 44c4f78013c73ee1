"""What maxima, negatives and counts prove, and variables that steps keep at or above 0."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensorproof.engines.numerics.inputs.ranges import Given, Range
from tensorproof.engines.numerics.inputs.roles import ranged
from tensorproof.engines.numerics.inputs.unchanged import invariants
from tensorproof.terms.dtypes import FLOAT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tests.unit.test_numerics_relations import Program


def softplus(p: Program) -> None:
    """log(exp(0 - m) + exp(x - m)) with m = max(0, x)."""
    x = p.input(8, lo=-1000.0, hi=1000.0)
    m = p.maximum(p.zeros_like(x), x)
    p.log(p.add(p.exp(p.neg(m)), p.exp(p.sub(x, m))))


def softplus_by_relu(p: Program) -> None:
    x = p.input(8, lo=-1000.0, hi=1000.0)
    m = p.relu(x)
    p.log(p.add(p.exp(p.sub(x, m)), p.exp(p.neg(m))))


def log_add_exp(p: Program) -> None:
    x, y = p.input(8, lo=-1000.0, hi=1000.0), p.input(8, lo=-500.0, hi=800.0)
    m = p.maximum(x, y)
    p.log(p.add(p.exp(p.sub(x, m)), p.exp(p.sub(y, m))))


def other_maximum(p: Program) -> None:
    """The maximum is of other values: nothing follows for y."""
    x, y, z = (p.input(8, lo=-1000.0, hi=1000.0) for _ in range(3))
    m = p.maximum(x, z)
    p.log(p.add(p.exp(p.sub(x, m)), p.exp(p.sub(y, m))))


def one_of_two(p: Program) -> None:
    """Both terms are of the same operand: the other may be the maximum."""
    x, y = p.input(8, lo=-1000.0, hi=1000.0), p.input(8, lo=-1000.0, hi=1000.0)
    m = p.maximum(x, y)
    p.log(p.add(p.exp(p.sub(x, m)), p.exp(p.sub(x, m))))


def below_zero(p: Program) -> None:
    x = p.input(8, lo=-1000.0, hi=1000.0)
    p.exp(p.where(p.ge(x, 0.0), p.neg(x), x))


def above_zero(p: Program) -> None:
    x = p.input(8, lo=-1000.0, hi=1000.0)
    p.exp(p.where(p.ge(x, 0.0), x, p.neg(x)))


def counted_maxima(p: Program) -> None:
    x = p.input(4, 8)
    same = p.eq(p.unsqueeze(p.amax(x, 1), 1), x)
    p.reciprocal(p.sum(p.call("torch.Tensor.float", same), 1))


def counted_others(p: Program) -> None:
    x, y = p.input(4, 8), p.input(4, 8)
    same = p.eq(p.unsqueeze(p.amax(x, 1), 1), y)
    p.reciprocal(p.sum(p.call("torch.Tensor.float", same), 1))


@pytest.mark.parametrize(
    ("build", "verdict"),
    [
        (softplus, "safe"), (softplus_by_relu, "safe"), (log_add_exp, "safe"), (other_maximum, "possible"), (one_of_two, "possible"),
        (below_zero, "safe"), (above_zero, "possible"), (counted_maxima, "safe"), (counted_others, "possible"),
    ],
    ids=lambda one: getattr(one, "__name__", one),
)  # fmt: skip
def test_verdict_of_the_last_operation(build: Callable[[Program], None], verdict: str) -> None:
    p = Program()
    build(p)
    assert p.analysed().operations[-1].verdict == verdict


# --- variables ---


class Graph(Program):
    """Nodes of a GraphDef."""

    def node(self, name: str, *args: object) -> TensorType:
        made = self.call(f"graphdef.{name}", *args)
        assert isinstance(made, TensorType)
        return made


def number(value: float) -> TensorType:
    return TensorType(Shape(()), FLOAT32, contents=(value,), framework="tf")


def tensor(*shape: int) -> TensorType:
    return TensorType(Shape(shape), FLOAT32, framework="tf")


def filled(g: Graph, shape: int, value: float) -> TensorType:
    return TensorType(Shape((shape,)), FLOAT32, contents=(value,) * shape, framework="tf")


def by_hand(sign: str) -> tuple[Graph, TensorType, TensorType]:
    """A step of RMSprop as Keras writes it, with a rate that is a variable."""
    g = Graph()
    ms, rate, grad = tensor(4), tensor(), tensor(4)
    g.node("Assign", ms, filled(g, 4, 0.0))
    g.node("Assign", rate, number(0.9))
    kept, new = g.node("Mul", rate, ms), g.node("Mul", g.node("Sub", number(1.0), rate), g.node("Square", grad))
    g.node("Assign", ms, g.node(sign, kept, new))
    return g, ms, rate


def test_a_mean_of_squares_stays_at_or_above_0() -> None:
    g, ms, rate = by_hand("AddV2")
    found = invariants(g.records, {id(ms): Range(0.0, 0.0), id(rate): Range(0.9, 0.9)})
    assert found.never_negative == {id(ms)} and found.unchanged == {id(rate)}
    ranges = ranged(g.records, {}, Given()).ranges
    assert ranges[id(ms)].lo == 0 and ranges[id(rate)].lo == ranges[id(rate)].hi


def test_a_difference_of_squares_does_not() -> None:
    g, ms, rate = by_hand("Sub")
    assert not invariants(g.records, {id(ms): Range(0.0, 0.0), id(rate): Range(0.9, 0.9)}).never_negative


def test_a_variable_of_a_graph_without_training_may_have_been_trained() -> None:
    g = Graph()
    scale = tensor()
    g.node("Assign", scale, number(0.0))
    g.node("Mul", scale, tensor(4))
    assert not invariants(g.records, {id(scale): Range(0.0, 0.0)}).unchanged
    assert ranged(g.records, {}, Given()).ranges[id(scale)] == Range(-1.0, 1.0)


def test_a_count_divides_where_the_operator_is_defined_at_0() -> None:
    g = Graph()
    total, count = tensor(), tensor()
    g.given = {id(total): (0.0, 1.0), id(count): (0.0, 1.0)}
    g.node("DivNoNan", total, count)
    assert not g.analysed().warnings


def test_a_divisor_that_is_too_small_overflows() -> None:
    g = Graph()
    total = tensor()
    g.given = {id(total): (0.0, 100.0)}
    g.node("DivNoNan", total, number(1e-38))
    assert [one.code for one in g.analysed().warnings] == ["div_no_nan/overflow"]

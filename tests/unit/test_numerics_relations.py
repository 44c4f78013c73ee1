"""Verdicts that bounds alone, or bounds with relations between tensors, prove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorproof.bindings.call import call
from tensorproof.diagnostics.span import Span
from tensorproof.engines.numerics.analysis import Analysis, Settings, analyse
from tensorproof.program.form import Computed, Record, Same
from tensorproof.terms.dtypes import FLOAT16, FLOAT32
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


class Program:
    """Records of torch's functions, applied one after the other."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.given: dict[int, Any] = {}
        self.inputs: list[TensorType] = []

    def input(self, *shape: int, lo: float = -10.0, hi: float = 10.0) -> TensorType:
        made = TensorType(Shape(shape))
        self.inputs.append(made)
        self.given[id(made)] = (lo, hi)
        return made

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.call(f"torch.{name}", *args, **kwargs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        outcome = call(name, args, kwargs)
        assert outcome.refused is None and outcome.unknown is None, (outcome.refused, outcome.unknown)
        self.records += [Computed(one, Span("", 1, 1, 1, 1, name)) for one in outcome.applied]
        for old, new in zip(_flat(outcome.made), _flat(outcome.outputs)):
            if old is not new:
                self.records.append(Same(old, new))
        return outcome.outputs

    def analysed(self, **settings: Any) -> Analysis:
        return analyse(self.records, self.given, Settings(**settings))


def _flat(value: Any) -> list[TensorType]:
    return [value] if isinstance(value, TensorType) else list(value)


def cancelled(p: Program) -> None:
    x = p.input(32, 10)
    p.log(p.add(p.sub(p.mul(x, x), p.mul(x, x)), 1.0))


def rectangle(least: float) -> Callable[[Program], None]:
    def made(p: Program) -> None:
        center, offset = p.input(5, 2, lo=0.0), p.input(5, 2, lo=least)
        both = p.cat([p.sub(center, offset), p.add(center, offset)], 1)
        bottom, left, top, right = p.split(both, 1, 1)
        p.reciprocal(p.mul(p.sub(right, left), p.sub(top, bottom)))

    return made


def log_sum_exp(p: Program) -> None:
    x = p.input(32, 10, lo=-1000.0, hi=1000.0)
    p.log(p.sum(p.exp(p.sub(x, p.unsqueeze(p.amax(x, 1), 1))), 1))


def wrong_axis(p: Program) -> None:
    x = p.input(10, 10, lo=-1000.0, hi=1000.0)
    p.log(p.sum(p.exp(p.sub(x, p.amax(x, 1))), 1))


def ramps(p: Program) -> None:
    x = p.input(32, 10)
    p.log(p.add(p.sub(p.sub(p.relu(x), p.relu(p.neg(x))), x), 1.0))


def guarded(p: Program) -> None:
    x = p.input(32, 10)
    p.log(p.where(p.gt(x, 0.0), x, p.ones_like(x)))


def guarded_wrongly(p: Program) -> None:
    x = p.input(32, 10)
    p.log(p.where(p.ge(x, 0.0), x, p.ones_like(x)))


def probabilities(p: Program) -> None:
    p.log(p.add(p.softmax(p.input(32, 10), 1), 1e-6))


def norm(p: Program) -> None:
    x = p.input(32, 10)
    p.div(x, p.add(p.norm(x, 2, 1, True), 1e-6))


def squared(p: Program) -> None:
    p.log(p.square(p.input(32, 10)))


def powered(p: Program) -> None:
    p.log(p.pow(p.input(32, 10), 2))


def padded(p: Program) -> None:
    p.log(p.call("torch.nn.functional.pad", p.input(32, 10, lo=1.0), (1, 1)))


def lost(p: Program) -> None:
    p.log(TensorType(Shape((3, 4))))


PROGRAMS: list[tuple[Callable[[Program], None], str, str]] = [
    (cancelled, "safe", "possible"),
    (rectangle(1.0), "safe", "possible"),
    (rectangle(0.0), "possible", "possible"),
    (log_sum_exp, "safe", "possible"),
    (wrong_axis, "possible", "possible"),
    (ramps, "safe", "possible"),
    (guarded, "safe", "possible"),
    (guarded_wrongly, "possible", "possible"),
    (probabilities, "safe", "safe"),
    (norm, "safe", "safe"),
    (squared, "unsafe", "unsafe"),
    (powered, "unsafe", "unsafe"),
    (padded, "unsafe", "unsafe"),
    (lost, "unknown", "unknown"),
]


@pytest.mark.parametrize("at", range(len(PROGRAMS)))
@pytest.mark.parametrize("values", ["affine", "interval"])
def test_verdict_of_the_last_operation(at: int, values: str) -> None:
    build, affine, interval = PROGRAMS[at]
    program = Program()
    build(program)
    made = program.analysed(values=values)
    assert [*made.operations, *made.not_analysed][-1].verdict == (affine if values == "affine" else interval)


def test_an_overflow_depends_on_the_element_type() -> None:
    program = Program()
    x, y = program.input(8, 64, 64, lo=-40.0, hi=40.0), program.input(8, 64, 64, lo=-40.0, hi=40.0)
    program.matmul(x, y)
    assert [one.code for one in program.analysed(dtype=FLOAT16).warnings] == ["matmul/overflow"]
    assert program.analysed(dtype=FLOAT32).warnings == []


@pytest.mark.parametrize("least, operand", [(0.0, (0.0, 400.0)), (1.0, (3.999, 400.0))])
def test_the_area_of_the_rectangle_is_exact(least: float, operand: tuple[float, float]) -> None:
    program = Program()
    rectangle(least)(program)
    (found,) = program.analysed().operations
    assert found.operand == operand if not least else operand[0] < found.operand[0] <= 4.0 and found.operand[1] == 400.0

"""Real calls in a process of their own: values come back, and a call that ends the process costs itself alone."""

from __future__ import annotations

import math

import pytest

from tensorproof.runners.process import DIED, Process, Result, Step
from tensorproof.terms.dtypes import FLOAT32, INT64
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

X = TensorType(Shape((3,)), FLOAT32, contents=(1.0, 2.0, 4.0))
DYING = "tests.conformance.dying_runner"


def test_values_of_a_call_and_of_a_program() -> None:
    with Process("numpy") as process:
        (seen,) = process.run([Step("numpy.log", (X,))])
        assert seen.outputs.array().tolist() == pytest.approx([0.0, math.log(2), math.log(4)], rel=1e-6)
        steps = [Step("numpy.add", (X, X)), Step("numpy.multiply", (Result(0), X)), Step("numpy.sum", (Result(1),))]
        assert [s.outputs.array().tolist() for s in process.run(steps)] == [[2.0, 4.0, 8.0], [2.0, 8.0, 32.0], 42.0]


def test_a_step_that_is_refused_ends_the_program() -> None:
    wrong = TensorType(Shape((2,)), FLOAT32, contents=(1.0, 2.0))
    with Process("numpy") as process:
        seen = process.run([Step("numpy.add", (X, wrong)), Step("numpy.add", (Result(0), X))])
        assert len(seen) == 1 and "broadcast" in seen[0].error
        assert process.run([Step("numpy.add", (X, X))])[0].error == ""


def test_several_results() -> None:
    pytest.importorskip("torch")
    with Process("torch") as process:
        seen = process.run([Step("torch.sort", (X,), {"descending": True}), Step("torch.add", (Result(0, 0), Result(0, 1)))])
        assert [part.array().tolist() for part in seen[0].outputs] == [[4.0, 2.0, 1.0], [2, 1, 0]]
        assert seen[1].outputs.array().tolist() == [6.0, 3.0, 1.0]


def test_a_call_that_ends_the_process() -> None:
    with Process("numpy", DYING) as process:
        assert process.run([Step("ok")])[0].outputs.array().tolist() == [1.0, 2.0]
        assert [s.error for s in process.run([Step("ok"), Step("die"), Step("ok")])] == ["", DIED]
        assert process.run([Step("ok")])[0].error == ""


def test_a_call_that_never_ends() -> None:
    with Process("numpy", DYING, seconds=3.0) as process:
        assert process.run([Step("hang")])[-1].error == DIED
        assert process.run([Step("ok")])[0].error == ""


def test_whole_numbers_keep_their_type() -> None:
    whole = TensorType(Shape((2,)), INT64, contents=(3, 5))
    with Process("numpy") as process:
        (seen,) = process.run([Step("numpy.multiply", (whole, whole))])
        assert seen.outputs[1] == "int64" and seen.outputs.array().tolist() == [9, 25]

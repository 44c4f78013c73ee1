"""Equal calls of a graph are made once: what they give is as if each had been made."""

from __future__ import annotations

from tensorproof.bindings.call import call
from tensorproof.engines.shapes.repeated import Repeated
from tensorproof.ops.call import Session
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def _tensor(*sizes: int, contents: tuple[float, ...] | None = None) -> TensorType:
    return TensorType(Shape(sizes), contents=contents, framework="tf")


def test_a_repeated_call_has_its_own_tensors() -> None:
    repeated, session = Repeated(), Session(framework="tf")
    a, b, c = _tensor(2, 3), _tensor(2, 3), _tensor(2, 3)
    first = repeated.call("graphdef.Mul", (a, b), {}, session)
    again = repeated.call("graphdef.Mul", (b, c), {}, session)
    assert again.outputs == first.outputs
    assert again.outputs is not first.outputs
    (one,) = again.applied
    assert one.arguments["x"] is b
    assert one.arguments["y"] is c
    assert one.results[0] is again.made


def test_a_square_is_not_a_product_of_two() -> None:
    repeated, session = Repeated(), Session(framework="tf")
    a, b = _tensor(2, 3), _tensor(2, 3)
    repeated.call("graphdef.Mul", (a, a), {}, session)
    (one,) = repeated.call("graphdef.Mul", (a, b), {}, session).applied
    assert one.arguments["y"] is b


def test_elements_that_are_equal_but_not_the_same_are_distinguished() -> None:
    repeated, session = Repeated(), Session(framework="tf")
    minus, plus = (repeated.call("graphdef.Neg", (_tensor(contents=(zero,)),), {}, session) for zero in (0.0, -0.0))
    assert repr(minus.outputs.contents) == repr(call("graphdef.Neg", (_tensor(contents=(0.0,)),), {}, session).outputs.contents)
    assert repr(plus.outputs.contents) == repr(call("graphdef.Neg", (_tensor(contents=(-0.0,)),), {}, session).outputs.contents)


def test_a_refusal_is_not_kept() -> None:
    repeated, session = Repeated(), Session(framework="tf")
    assert repeated.call("graphdef.Mul", (_tensor(2), _tensor(3)), {}, session).refused is not None
    assert repeated.call("graphdef.Mul", (_tensor(2), _tensor(3)), {}, session).refused is not None

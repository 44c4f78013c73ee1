"""GraphDef nodes of the gradients of elementwise functions, as the arithmetic that they are."""

from __future__ import annotations

from collections.abc import Callable

from tensorproof.bindings.adapt.graphdef.elementwise import merged
from tensorproof.bindings.adapt.tensorflow.shared import Arguments, same_types
from tensorproof.bindings.adapters import Run, Value, takes
from tensorproof.ops.inputs import Tensor
from tensorproof.terms import BOOL, Shape, TensorType

_SCALE, _SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768
"""Of selu: the factor of what is positive, and that times alpha."""


class Steps:
    """Elementwise operators on tensors of one shape and element type."""

    def __init__(self, run: Run, a: Arguments, shape: Shape | None = None) -> None:
        self.run = run
        self.dtype = same_types(run, a, "x", "y")
        self.shape = shape if shape is not None else merged(run, [a["x"].shape, a["y"].shape], ("x", "y"))

    def __call__(self, op: str, **arguments: Value) -> TensorType:
        return self.run.shaped(op, self.shape, self.dtype, **arguments)

    def flags(self, op: str, **arguments: Value) -> TensorType:
        return self.run.shaped(op, self.shape, BOOL, **arguments)

    def conjugate(self, x: TensorType) -> TensorType:
        return self("conj", x=x) if self.dtype is not None and self.dtype.is_complex else x


def _of_features(rule: Callable[[Steps, TensorType, TensorType, Arguments], TensorType]) -> Value:
    """`rule` gets the gradient behind the function and what the function was applied to, or gave."""

    @takes(Tensor("x"), Tensor("y"))
    def node(a: Arguments, run: Run) -> TensorType:
        return rule(Steps(run, a), a["x"], a["y"], a)

    return node


def _of_value(rule: Callable[[Steps, TensorType, TensorType], TensorType]) -> Value:
    """`rule` gets the value of the function and the gradient behind it; the result has the shape of the value."""

    @takes(Tensor("x", draw="N M"), Tensor("y", draw="N M"))
    def node(a: Arguments, run: Run) -> TensorType:
        return rule(Steps(run, a, a["x"].shape), a["x"], a["y"])

    return node


def _relu(s: Steps, g: TensorType, f: TensorType, a: Arguments) -> TensorType:
    return s("mul", x=g, y=s("cast", x=s.flags("gt", x=f, y=0), dtype=s.dtype))


def _relu6(s: Steps, g: TensorType, f: TensorType, a: Arguments) -> TensorType:
    inside = s.flags("logical_and", x=s.flags("gt", x=f, y=0), y=s.flags("lt", x=f, y=6))
    return s("mul", x=g, y=s("cast", x=inside, dtype=s.dtype))


def _leaky_relu(s: Steps, g: TensorType, f: TensorType, a: Arguments) -> TensorType:
    return s("where", condition=s.flags("gt", x=f, y=0), x=g, y=s("mul", x=g, y=a["alpha"]))


def _softplus(s: Steps, g: TensorType, f: TensorType, a: Arguments) -> TensorType:
    return s("mul", x=g, y=s("sigmoid", x=f))


def _softsign(s: Steps, g: TensorType, f: TensorType, a: Arguments) -> TensorType:
    return s("div", x=g, y=s("square", x=s("add", x=s("abs", x=f), y=1)))


def _elu(s: Steps, g: TensorType, y: TensorType, a: Arguments) -> TensorType:
    return s("where", condition=s.flags("lt", x=y, y=0), x=s("mul", x=s("add", x=y, y=1), y=g), y=g)


def _selu(s: Steps, g: TensorType, y: TensorType, a: Arguments) -> TensorType:
    below = s("mul", x=s("add", x=y, y=_SCALE_ALPHA), y=g)
    return s("where", condition=s.flags("lt", x=y, y=0), x=below, y=s("mul", x=g, y=_SCALE))


def _sigmoid(s: Steps, y: TensorType, g: TensorType) -> TensorType:
    return s("mul", x=g, y=s("mul", x=y, y=s("sub", x=1, y=y)))


def _tanh(s: Steps, y: TensorType, g: TensorType) -> TensorType:
    return s("mul", x=g, y=s("sub", x=1, y=s("mul", x=y, y=y)))


def _sqrt(s: Steps, y: TensorType, g: TensorType) -> TensorType:
    return s("div", x=s("mul", x=g, y=0.5), y=s.conjugate(y))


def _rsqrt(s: Steps, y: TensorType, g: TensorType) -> TensorType:
    root = s.conjugate(y)
    return s("mul", x=s("mul", x=g, y=-0.5), y=s("mul", x=s("mul", x=root, y=root), y=root))


def _reciprocal(s: Steps, y: TensorType, g: TensorType) -> TensorType:
    value = s.conjugate(y)
    return s("mul", x=s("mul", x=s("neg", x=value), y=g), y=value)


relu_grad, relu6_grad, leaky_relu_grad = map(_of_features, (_relu, _relu6, _leaky_relu))
softplus_grad, softsign_grad, elu_grad, selu_grad = map(_of_features, (_softplus, _softsign, _elu, _selu))
sigmoid_grad, tanh_grad, sqrt_grad, rsqrt_grad, reciprocal_grad = map(_of_value, (_sigmoid, _tanh, _sqrt, _rsqrt, _reciprocal))


def fake_quantised_grad(a: Arguments, run: Run) -> TensorType:
    return Steps(run, a)("fake_quantize_range_gradient", **a)


def assign_sum(a: Arguments, run: Run) -> TensorType:
    """A variable that is added to, or taken from: the row's first operator says which."""
    return run("assign", x=a["x"], y=Steps(run, a)(run.row.op, x=a["x"], y=a["y"]))

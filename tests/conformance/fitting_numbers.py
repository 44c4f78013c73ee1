"""Calls whose numbers fit together: scales and zero points of quantised matrices, bands of a spectrum, states of optimisers."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

from tensorproof.bindings.rows import rows
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, FLOAT64, INT8, INT32, INT64, UINT8, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

Drawn = tuple[tuple[Any, ...], dict[str, Any]]


def tensor(shape: Any, dtype: DType = FLOAT32, contents: Any = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def single(value: Any, dtype: DType) -> TensorType:
    return tensor((), dtype, (value,))


def quantised_product(name: str, r: Random) -> Drawn:
    """Matrices of whole numbers with a scale and a zero point each, and those of the result."""
    n, k, m = (r.randint(1, 4) for _ in range(3))
    left, right, made = (r.choice((UINT8, INT8)) for _ in range(3))

    def steps(dtype: DType) -> tuple[TensorType, TensorType]:
        return single(round(r.uniform(0.05, 2.0), 3), FLOAT32), single(r.randint(0, 3), dtype)

    return (tensor((n, k), left), *steps(left), tensor((k, m), right), *steps(right), *steps(made)), {}


def mel_bands(name: str, r: Random) -> Drawn:
    rate, length = r.choice((8000, 16000, 22050)), r.choice((8, 16, 32, 64))
    low = round(r.uniform(0, 500), 1)
    high = round(r.uniform(low + 500, rate / 2), 1)
    return (*(single(n, INT64) for n in (r.randint(1, 8), length, rate)), single(low, FLOAT32), single(high, FLOAT32)), {}


def offsets(name: str, r: Random) -> Drawn:
    """Shapes that differ along one axis alone."""
    rank = r.randint(1, 4)
    dim, shape = r.randrange(rank), [r.randint(0, 4) for _ in range(rank)]
    shapes = [[r.randint(0, 4) if i == dim else size for i, size in enumerate(shape)] for _ in range(r.randint(2, 4))]
    return (single(dim, INT32), *(tensor((rank,), INT32, tuple(one)) for one in shapes)), {}


def adagrad(name: str, r: Random) -> Drawn:
    """Variables, what they have gathered and their gradients, in one shape; the number of steps is positive."""
    shape, dtype = [r.randint(1, 3) for _ in range(r.randint(0, 2))], r.choice((FLOAT32, FLOAT64))
    many, one = (tensor(shape, dtype) for _ in range(4)), (tensor((), dtype) for _ in range(3))
    if "DA" in name:
        return (*many, *one, single(r.randint(1, 9), INT64)), {}
    var, accum, grad, _ = many
    return (var, accum, *one, grad), {}


_PARTS = frozenset(["beta1", "beta2", "rho", "momentum", "beta1_power", "beta2_power"])
_RATES = frozenset(["lr", "epsilon", "l1", "l2"])


def optimiser(name: str, r: Random) -> Drawn:
    """Variables, what they have gathered and their gradients, in one shape, with rates that are parts of 1."""
    shape, dtype = [r.randint(1, 3) for _ in range(r.randint(0, 2))], r.choice((FLOAT32, FLOAT64))
    given = [argument.theirs for argument in rows(name)[0].arguments if not argument.keyword_only]
    return tuple(single(round(r.random() * 0.95 + 0.01, 3), dtype) if one in _PARTS | _RATES else tensor(shape, dtype) for one in given), {}


def stored_numbers(name: str, r: Random) -> Drawn:
    """A quantised tensor, by the whole numbers that it stores."""
    shape = [r.randint(0, 3) for _ in range(r.randint(0, 3))]
    label, least, most = r.choice((("quint8", 0, 255), ("qint8", -128, 127), ("qint32", -(2**31), 2**31 - 1)))
    return (tensor(shape, BY_LABEL[label], tuple(r.randint(least, most) for _ in range(prod(shape)))),), {}


def gamma_derivative(name: str, r: Random) -> Drawn:
    """Orders that are whole numbers, and numbers above the poles."""
    shape, dtype = [r.randint(1, 3) for _ in range(r.randint(0, 2))], r.choice((FLOAT32, FLOAT64))
    orders, numbers = ([float(r.randint(0, 4)) for _ in range(prod(shape))], [round(r.uniform(0.5, 6.0), 2) for _ in range(prod(shape))])
    return (tensor(shape, dtype, tuple(orders)), tensor(shape, dtype, tuple(numbers))), {}


def scored_boxes(name: str, r: Random) -> Drawn:
    """Boxes with scores, and how many of them are kept at most, how far they may overlap and which score they need."""
    batch, classes, count = (r.randint(1, 3) for _ in range(3))
    low = [[round(r.random(), 2) for _ in range(2)] for _ in range(batch * count)]
    corners = [n for first in low for n in (*first, *(m + round(r.random(), 2) for m in first))]
    scores = [round(r.random(), 3) for _ in range(batch * classes * count)]
    limits = tensor((1,), INT64, (r.randint(1, 3),)), tensor((1,), FLOAT32, (round(r.random(), 2),)), tensor((1,), FLOAT32, (round(r.random() / 2, 2),))
    return (tensor((batch, count, 4), FLOAT32, tuple(corners)), tensor((batch, classes, count), FLOAT32, tuple(scores)), *limits), {}


NUMBERS = {
    "onnx.QLinearMatMul": quantised_product, "onnx.MelWeightMatrix": mel_bands, "graphdef.ConcatOffset": offsets, "graphdef.ApplyAdagradDA": adagrad,
    "onnx.NonMaxSuppression": scored_boxes, "graphdef.Polygamma": gamma_derivative, "tf.math.polygamma": gamma_derivative,
    "torch.int_repr": stored_numbers, "torch.Tensor.int_repr": stored_numbers,
    **{f"graphdef.Apply{name}": optimiser for name in ("ProximalAdagrad", "Adam", "RMSProp", "CenteredRMSProp", "Adadelta", "AdaMax")},
}  # fmt: skip
"""By spelling: what makes the arguments of one call."""

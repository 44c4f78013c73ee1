"""Calls of ONNX's windows over any number of axes, whose sizes, kernels and columns fit together."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

from tensorproof.ops.sliding import fitting
from tensorproof.terms.dtypes import FLOAT32, FLOAT64, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

Drawn = tuple[tuple[Any, ...], dict[str, Any]]


class Window:
    """A drawn window over `n` axes that fits at least once."""

    def __init__(self, r: Random, n: int) -> None:
        self.dtype: DType = r.choice((FLOAT32, FLOAT32, FLOAT64))
        self.kernel = [r.randint(1, 2) for _ in range(n)]
        self.stride = [r.choice((1, 1, 2)) for _ in range(n)]
        self.dilation = [r.choice((1, 1, 2)) for _ in range(n)]
        self.reach = [d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation)]
        self.sizes = [m + r.randint(0, 2) for m in self.reach]
        self.pads = [r.choice((0, 0, 1)) for _ in range(2 * n)]
        self.groups, self.inputs, self.outputs = r.choice((1, 1, 2)), r.randint(1, 2), r.randint(1, 2)

    def tensor(self, *shape: int) -> TensorType:
        return TensorType(Shape(shape), self.dtype)

    def words(self, r: Random) -> dict[str, Any]:
        """Some of the attributes; what is left out has its default, so that the window still fits."""
        said = {"strides": self.stride, "pads": self.pads}
        return {**({"dilations": self.dilation} if set(self.dilation) != {1} else {}), **{name: value for name, value in said.items() if r.random() < 0.6}}


def convolution(name: str, r: Random) -> Drawn:
    """Over four axes, for which no operator of its own is declared."""
    w = Window(r, 4)
    x, weight = w.tensor(r.randint(1, 2), w.groups * w.inputs, *w.sizes), w.tensor(w.groups * w.outputs, w.inputs, *w.kernel)
    bias = [w.tensor(w.groups * w.outputs)] if r.random() < 0.5 else []
    words = w.words(r)
    if "pads" not in words and r.random() < 0.4:
        words["auto_pad"] = r.choice(("VALID", "SAME_UPPER", "SAME_LOWER"))
    return (x, weight, *bias), {**words, "group": w.groups}


def transposed_convolution(name: str, r: Random) -> Drawn:
    w = Window(r, r.randint(1, 3))
    x, weight = w.tensor(r.randint(1, 2), w.groups * w.inputs, *w.sizes), w.tensor(w.groups * w.inputs, w.outputs, *w.kernel)
    bias = [w.tensor(w.groups * w.outputs)] if r.random() < 0.5 else []
    return (x, weight, *bias), {**w.words(r), **({"group": w.groups} if w.groups > 1 else {})}


def columns(name: str, r: Random) -> Drawn:
    """As many columns as there are places of the block in the image."""
    n = r.randint(1, 3)
    w = Window(r, n)
    words = w.words(r)
    pads = words.get("pads", [0] * 2 * n)
    counts = fitting([m + p + q for m, p, q in zip(w.sizes, pads[:n], pads[n:])], w.kernel, words.get("strides", [1] * n), words.get("dilations", [1] * n))
    x = w.tensor(r.randint(1, 2), w.inputs * prod(w.kernel), prod(counts))
    return (x, *(TensorType(Shape((n,)), INT64, contents=tuple(part)) for part in (w.sizes, w.kernel))), words


def displaced_convolution(name: str, r: Random) -> Drawn:
    """As many offsets as the kernel has places, times the axes, for each place of the result."""
    w = Window(r, 2)
    w.dtype, batch, counts = FLOAT32, r.randint(1, 2), fitting(w.sizes, w.kernel, [1, 1], [1, 1])
    weight = w.tensor(w.outputs, w.inputs, *w.kernel)
    more = [w.tensor(w.outputs), w.tensor(batch, prod(w.kernel), *counts)][: r.choice((0, 1, 2))]
    return (w.tensor(batch, w.inputs, *w.sizes), weight, w.tensor(batch, 2 * prod(w.kernel), *counts), *more), {}


WINDOWS = {"onnx.DeformConv": displaced_convolution, "onnx.Col2Im": columns, "onnx.ConvTranspose": transposed_convolution}
"""By spelling: what makes the arguments of one call."""
DEEP = {"conv_any": {"onnx.Conv": convolution}}
"""By operator and spelling: calls that reach an operator which the spelling's row does not name."""

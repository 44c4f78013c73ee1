"""Diagonals of tensors, and blocks of space that go into the batch and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.evaluation import Arguments
from tensorproof.ops.facts import CUTS
from tensorproof.ops.inputs import Ints, Pairs, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.ints import product
from tensorproof.terms.shapes import Shape

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

X = Tensor("x")


def spread(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    n = x.size
    return np.where(np.eye(n, dtype=bool), np.reshape(x, (n, 1)), 0).reshape((*x.shape, *x.shape))


def diagonal(np: Numpy, a: Arguments) -> Array:
    shape = a["x"].shape[: a["x"].ndim // 2]
    n = math.prod(shape)
    return np.reshape(np.diagonal(np.reshape(a["x"], (n, n))), shape)


TENSOR_DIAG = Op(
    "tensor_diag", (X,), (), lambda c: Shape((*c.shape("x"), *c.shape("x"))), Like("x"),
    evaluate=spread, doc="Zeros, with x at the places whose first half of coordinates is equal to the second.",
)  # fmt: skip
TENSOR_DIAG_PART = Op(
    "tensor_diag_part", (X,), (), lambda c: Shape(c.shape("x")[: c.rank("x") // 2]), Like("x"),
    evaluate=diagonal, values=CUTS, doc="The elements at the places whose first half of coordinates is equal to the second.",
)  # fmt: skip


def _sides(c: Call, name: str) -> list[tuple[Any, Any]]:
    return [(b, e) for b, e in c[name]]


def to_batch(c: Call) -> Shape:
    x, block = c.shape("x"), c["block"]
    sizes = [(n + b + e) // k for n, k, (b, e) in zip(x[1:], block, _sides(c, "paddings"))]
    return Shape((x[0] * product(block), *sizes, *x[len(block) + 1 :]))


def to_space(c: Call) -> Shape:
    x, block = c.shape("x"), c["block"]
    sizes = [n * k - b - e for n, k, (b, e) in zip(x[1:], block, _sides(c, "crops"))]
    return Shape((x[0] // product(block), *sizes, *x[len(block) + 1 :]))


def into_batch(np: Numpy, a: Arguments) -> Array:
    """Each axis of space becomes (places, block); the axes of the blocks go before the batch."""
    x, block = a["x"], a["block"]
    n, rest = len(block), a["x"].ndim - len(block) - 1
    x = np.pad(x, [(0, 0), *a["paddings"], *[(0, 0)] * rest])
    sizes = [part for size, k in zip(x.shape[1:], block) for part in (size // k, k)]
    cut = np.reshape(x, (x.shape[0], *sizes, *x.shape[n + 1 :]))
    order = (*range(2, 2 * n + 1, 2), 0, *range(1, 2 * n, 2), *range(2 * n + 1, 2 * n + 1 + rest))
    return np.reshape(np.transpose(cut, order), (x.shape[0] * math.prod(block), *sizes[::2], *x.shape[n + 1 :]))


def into_space(np: Numpy, a: Arguments) -> Array:
    """The batch is (blocks, batch); the axis of each block goes behind that of its places."""
    x, block = a["x"], a["block"]
    n, rest = len(block), a["x"].ndim - len(block) - 1
    batch = x.shape[0] // math.prod(block)
    cut = np.reshape(x, (*block, batch, *x.shape[1:]))
    order = (n, *(i for k in range(n) for i in (n + 1 + k, k)), *range(2 * n + 1, 2 * n + 1 + rest))
    sizes = [size * k for size, k in zip(x.shape[1:], block)]
    whole = np.reshape(np.transpose(cut, order), (batch, *sizes, *x.shape[n + 1 :]))
    return whole[(slice(None), *(slice(before, size - after) for size, (before, after) in zip(sizes, a["crops"])))]


SPACE_TO_BATCH = Op(
    "space_to_batch", (X,), (Ints("block"), Pairs("paddings")), to_batch, Like("x"),
    evaluate=into_batch, doc="The axes behind the first padded with zeros and cut into blocks, whose places go into the batch.",
)  # fmt: skip
BATCH_TO_SPACE = Op(
    "batch_to_space", (X,), (Ints("block"), Pairs("crops")), to_space, Like("x"), evaluate=into_space, values=CUTS,
    doc="The inverse of space_to_batch, with crops in place of paddings.",
)  # fmt: skip

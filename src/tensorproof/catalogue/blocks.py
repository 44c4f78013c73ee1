"""Diagonals of tensors, and blocks of space that go into the batch and back."""

from __future__ import annotations

from typing import Any

from tensorproof.ops.call import Call
from tensorproof.ops.element_types import Like
from tensorproof.ops.inputs import Ints, Pairs, Tensor
from tensorproof.ops.record import Op
from tensorproof.terms.ints import product
from tensorproof.terms.shapes import Shape

X = Tensor("x")
TENSOR_DIAG = Op(
    "tensor_diag", (X,), (), lambda c: Shape((*c.shape("x"), *c.shape("x"))), Like("x"),
    doc="Zeros, with x at the places whose first half of coordinates is equal to the second.",
)  # fmt: skip
TENSOR_DIAG_PART = Op(
    "tensor_diag_part", (X,), (), lambda c: Shape(c.shape("x")[: c.rank("x") // 2]), Like("x"),
    doc="The elements at the places whose first half of coordinates is equal to the second.",
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


SPACE_TO_BATCH = Op(
    "space_to_batch", (X,), (Ints("block"), Pairs("paddings")), to_batch, Like("x"),
    doc="The axes behind the first padded with zeros and cut into blocks, whose places go into the batch.",
)  # fmt: skip
BATCH_TO_SPACE = Op(
    "batch_to_space", (X,), (Ints("block"), Pairs("crops")), to_space, Like("x"), doc="The inverse of space_to_batch, with crops in place of paddings.",
)  # fmt: skip

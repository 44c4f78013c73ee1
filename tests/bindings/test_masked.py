"""torch.masked, gradient, segment_reduce and grouped products keep symbolic sizes and refuse what cannot fit."""

from __future__ import annotations

from typing import Any

from tensorproof.bindings.call import call
from tensorproof.terms.dtypes import BFLOAT16, BOOL, FLOAT32, INT8, INT32, INT64, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

B = symbol("b", 1)


def tensor(*sizes: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(sizes), dtype, contents=contents)


def test_a_mask_broadcasts_into_the_tensor_and_the_batch_stays() -> None:
    outcome = call("torch.masked.mean", (tensor(B, 7), 1), {"mask": tensor(7, dtype=BOOL)})
    assert outcome.outputs.shape == (B,) and not outcome.requirements


def test_a_mask_of_more_axes_than_the_tensor_is_refused() -> None:
    assert call("torch.masked.sum", (tensor(7),), {"mask": tensor(2, 7, dtype=BOOL)}).refused is not None


def test_masked_sums_of_small_numbers_widen() -> None:
    assert call("torch.masked.sum", (tensor(7, dtype=INT8),)).outputs.dtype is INT64


def test_a_gradient_has_one_result_for_each_axis() -> None:
    outcome = call("torch.gradient", (tensor(B, 5),))
    assert [t.shape for t in outcome.outputs] == [(B, 5), (B, 5)]
    assert [r.code for r in outcome.requirements] == ["gradient/size"]


def test_lengths_of_segments_must_cover_the_axis() -> None:
    lengths = tensor(3, dtype=INT64, contents=(1, 2, 3))
    assert call("torch.segment_reduce", (tensor(6, B), "sum"), {"lengths": lengths}).outputs.shape == (3, B)
    assert call("torch.segment_reduce", (tensor(7, B), "sum"), {"lengths": lengths}).refused is not None


def test_grouped_products_need_an_offset_for_each_matrix() -> None:
    rows, matrices = tensor(B, 16, dtype=BFLOAT16), tensor(4, 16, 32, dtype=BFLOAT16)
    assert call("torch._grouped_mm", (rows, matrices), {"offs": tensor(4, dtype=INT32)}).outputs.shape == (B, 32)
    assert call("torch._grouped_mm", (rows, matrices), {"offs": tensor(3, dtype=INT32)}).refused is not None


def test_lists_of_foreach_have_one_length() -> None:
    assert call("torch._foreach_add", ([tensor(2), tensor(3)], [tensor(2)])).refused is not None

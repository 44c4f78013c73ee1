"""Convolutions, pools, normalisations, resizing, folding: what the rules say of numbers and of symbols."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call, call_module
from tensorproof.bindings.modules import Module
from tensorproof.terms.dtypes import BFLOAT16, FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.ints import Dim, sole_atom, symbol
from tensorproof.terms.predicates import evaluate
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import substitute
from tensorproof.terms.tensor import TensorType

N, H, W = symbol("N", 1), symbol("H", 1), symbol("W", 1)
F = "torch.nn.functional."


def tensor(*shape: Dim, dtype: DType = FLOAT32) -> TensorType:
    return TensorType(Shape(shape), dtype)


def shape_of(outcome: Outcome) -> tuple[Any, ...]:
    assert outcome.refused is None and outcome.unknown is None, outcome
    return tuple(outcome.outputs.shape)


def code_of(outcome: Outcome) -> str:
    assert outcome.refused is not None, outcome
    return outcome.refused.code


def layer(name: str, *args: Any, **kwargs: Any) -> Module:
    outcome = call(f"torch.nn.{name}", args, kwargs)
    assert isinstance(outcome.outputs, Module), outcome
    return outcome.outputs


def test_a_strided_convolution_of_a_symbolic_image_is_exact() -> None:
    made = call(F + "conv2d", (tensor(N, 3, H, W), tensor(64, 3, 7, 7), None, 2, 3))
    assert shape_of(made) == (N, 64, (H + 1) // 2, (W + 1) // 2)
    assert made.requirements == []


def test_an_unbatched_convolution_has_no_batch() -> None:
    assert shape_of(call(F + "conv1d", (tensor(4, 10), tensor(8, 4, 3)))) == (8, 8)


@pytest.mark.parametrize(
    ("weight", "options", "code"),
    [
        ((8, 4, 3, 3), {}, "conv2d/channels"),
        ((8, 3, 9, 9), {}, "conv2d/kernel"),
        ((7, 3, 3, 3), {"groups": 2}, "conv2d/channels"),
        ((8, 3, 3, 3), {"padding": "same", "stride": 2}, "conv2d/stride"),
        ((8, 3, 3), {}, "conv2d/rank"),
        ((8, 3, 3, 3), {"padding": -1}, "conv2d/padding"),
        ((8, 3, 3, 3), {"stride": (1, 2, 3)}, "conv2d/stride"),
    ],
)
def test_a_wrong_convolution_is_refused(weight: tuple[int, ...], options: dict[str, Any], code: str) -> None:
    assert code_of(call(F + "conv2d", (tensor(2, 3, 8, 8), tensor(*weight)), options)) == code


def test_groups_must_divide_output_channels() -> None:
    assert code_of(call(F + "conv2d", (tensor(2, 4, 8, 8), tensor(7, 2, 3, 3)), {"groups": 2})) == "conv2d/groups"


def test_narrow_whole_numbers_are_convolved_without_dilation_only() -> None:
    x, weight = tensor(1, 2, 6, dtype=INT32), tensor(2, 2, 2, dtype=INT32)
    assert shape_of(call(F + "conv1d", (x, weight))) == (1, 2, 5)
    assert code_of(call(F + "conv1d", (x, weight), {"dilation": 2})) == "conv1d/dtype"


def test_same_padding_keeps_a_symbolic_size() -> None:
    assert shape_of(call(F + "conv2d", (tensor(N, 3, H, W), tensor(8, 3, 4, 5)), {"padding": "same"})) == (N, 8, H, W)


def test_reflecting_padding_needs_a_large_enough_image() -> None:
    module = layer("Conv2d", 3, 8, 3, padding=2, padding_mode="reflect")
    assert code_of(call_module(module, (tensor(1, 3, 2, 2),))) == "conv2d/padding"
    assert shape_of(call_module(module, (tensor(1, 3, 3, 3),))) == (1, 8, 5, 5)


def test_a_lazy_convolution_makes_its_weight_at_the_first_call() -> None:
    module = layer("LazyConv2d", 8, (3, 5), groups=2)
    assert module.state() == {}
    call_module(module, (tensor(N, 4, 9, 9),))
    assert {name: tuple(t.shape) for name, t in module.state().items()} == {"weight": (8, 2, 3, 5), "bias": (8,)}
    assert code_of(call_module(module, (tensor(N, 6, 9, 9),))) == "conv2d/channels"


def test_a_transposed_convolution_doubles_a_symbolic_image() -> None:
    assert shape_of(call(F + "conv_transpose2d", (tensor(N, 64, H, W), tensor(64, 32, 4, 4), None, 2, 1))) == (N, 32, 2 * H, 2 * W)


def test_the_output_size_of_a_transposed_convolution_has_a_range() -> None:
    module = layer("ConvTranspose2d", 4, 3, 3, stride=2)
    assert shape_of(call_module(module, (tensor(1, 4, 5, 5), (12, 11)))) == (1, 3, 12, 11)
    assert code_of(call_module(module, (tensor(1, 4, 5, 5), (13, 11)))) == "conv_transpose2d/output_size"


@pytest.mark.parametrize(("size", "kernel", "stride", "padding", "made"), [(5, 2, 3, 1, 2), (5, 2, 2, 0, 3), (2, 3, 2, 0, 1), (6, 3, 2, 1, 4), (7, 1, 3, 0, 3)])
def test_a_rounded_up_pool_keeps_the_last_window_that_starts_inside(size: int, kernel: int, stride: int, padding: int, made: int) -> None:
    options = {"ceil_mode": True}
    assert shape_of(call(F + "max_pool1d", (tensor(1, 2, size), kernel, stride, padding), options)) == (1, 2, made)
    open_size = symbol("L", 1)
    outcome = call(F + "max_pool1d", (tensor(1, 2, open_size), kernel, stride, padding), options)
    atom = sole_atom(open_size)
    assert atom is not None
    assert substitute(outcome.outputs.shape[2], {atom: size}) == made
    assert all(evaluate(r.predicate, {atom: size}) for r in outcome.requirements)


def test_padding_is_at_most_half_of_a_pool() -> None:
    assert code_of(call(F + "max_pool2d", (tensor(1, 2, 8, 8), 3, 1, 2))) == "max_pool2d/padding"


def test_indices_come_when_they_are_asked_for() -> None:
    values, indices = call(F + "max_pool2d", (tensor(1, 2, 8, 8), 2), {"return_indices": True}).outputs
    assert (values.dtype, indices.dtype, tuple(indices.shape)) == (FLOAT32, INT64, (1, 2, 4, 4))


def test_none_keeps_a_size_in_an_adaptive_pool() -> None:
    assert shape_of(call_module(layer("AdaptiveAvgPool2d", (None, 7)), (tensor(N, 3, H, W),))) == (N, 3, H, 7)


def test_unpooling_wants_the_indices_of_its_input() -> None:
    assert code_of(call(F + "max_unpool2d", (tensor(1, 2, 4, 4), tensor(1, 2, 4, 3, dtype=INT64), 2))) == "max_unpool2d/indices"


def test_batch_norm_keeps_what_state_dict_keeps() -> None:
    state = {name: (tuple(t.shape), t.dtype) for name, t in layer("BatchNorm2d", 4).state().items()}
    wide = ((4,), FLOAT32)
    assert state == {"weight": wide, "bias": wide, "running_mean": wide, "running_var": wide, "num_batches_tracked": ((), INT64)}


def test_batch_norm_in_training_needs_more_than_one_value() -> None:
    module = layer("BatchNorm1d", 4)
    assert code_of(call_module(module, (tensor(1, 4),))) == "batch_norm/values"
    module.training = False
    assert shape_of(call_module(module, (tensor(1, 4),))) == (1, 4)


def test_batch_norm_looks_at_the_rank() -> None:
    assert code_of(call_module(layer("BatchNorm2d", 4), (tensor(2, 4, 8),))) == "batch_norm/rank"


def test_half_precision_takes_parameters_of_single_precision() -> None:
    x, wide = tensor(2, 5, 3, dtype=BFLOAT16), tensor(3)
    assert call(F + "layer_norm", (x, (3,), wide, wide)).outputs.dtype is BFLOAT16
    assert code_of(call(F + "layer_norm", (x.but(dtype=FLOAT64), (3,), wide, wide))) == "layer_norm/dtype"


def test_layer_norm_names_the_last_axes() -> None:
    assert code_of(call(F + "layer_norm", (tensor(2, 3, 4), (3,)))) == "layer_norm/normalized_shape"
    assert code_of(call(F + "layer_norm", (tensor(2, 3), 3))) == "call/arguments"
    assert shape_of(call_module(layer("LayerNorm", (3, 4)), (tensor(N, 3, 4),))) == (N, 3, 4)


def test_groups_divide_channels() -> None:
    assert code_of(call(F + "group_norm", (tensor(2, 6, 4), 4))) == "group_norm/groups"
    assert code_of(call("torch.nn.GroupNorm", (4, 6))) == "group_norm/groups"


def test_interpolation_by_a_factor_is_exact() -> None:
    assert shape_of(call(F + "interpolate", (tensor(N, 3, H, W),), {"scale_factor": 2})) == (N, 3, 2 * H, 2 * W)
    assert shape_of(call(F + "interpolate", (tensor(N, 3, H, W),), {"scale_factor": 0.5})) == (N, 3, H // 2, W // 2)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"size": 4, "scale_factor": 2}, "interpolate/size"),
        ({}, "interpolate/size"),
        ({"size": (4,)}, "interpolate/size"),
        ({"size": 4, "mode": "trilinear"}, "interpolate/mode"),
        ({"size": 4, "align_corners": True}, "interpolate/align_corners"),
        ({"size": 4, "antialias": True}, "interpolate/antialias"),
    ],
)
def test_a_wrong_interpolation_is_refused(options: dict[str, Any], code: str) -> None:
    assert code_of(call(F + "interpolate", (tensor(1, 3, 8, 8),), options)) == code


def test_folding_undoes_unfolding() -> None:
    columns = call(F + "unfold", (tensor(N, 3, 8, 9), 3, 1, 1)).outputs
    assert tuple(columns.shape) == (N, 27, 72)
    assert shape_of(call(F + "fold", (columns, (8, 9), 3, 1, 1))) == (N, 3, 8, 9)
    assert code_of(call(F + "fold", (columns, (8, 8), 3, 1, 1))) == "col2im/blocks"


def test_pixels_are_traded_for_channels() -> None:
    assert shape_of(call("torch.pixel_shuffle", (tensor(N, 12, H, W), 2))) == (N, 3, 2 * H, 2 * W)
    assert code_of(call("torch.pixel_shuffle", (tensor(N, 10, H, W), 2))) == "pixel_shuffle/channels"


def test_a_grid_has_a_coordinate_for_each_spatial_axis() -> None:
    assert shape_of(call(F + "grid_sample", (tensor(N, 3, H, W), tensor(N, 5, 6, 2)))) == (N, 3, 5, 6)
    assert code_of(call(F + "grid_sample", (tensor(2, 3, 8, 8), tensor(2, 5, 6, 3)))) == "grid_sample/coordinates"
    assert code_of(call(F + "grid_sample", (tensor(2, 3, 8, 8), tensor(1, 5, 6, 2)))) == "grid_sample/batch"


def test_regions_of_several_images_are_counted_together() -> None:
    assert shape_of(call("torchvision.ops.roi_align", (tensor(2, 8, H, W), [tensor(3, 4), tensor(N, 4)], 7))) == (N + 3, 8, 7, 7)

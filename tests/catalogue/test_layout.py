"""Creation, views, joining, splitting, padding: shapes with symbolic axes, contents and strides, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings.call import Outcome, call, call_module
from tensorproof.ops.storage import steps_of
from tensorproof.terms.dtypes import BOOL, COMPLEX64, FLOAT32, FLOAT64, INT32, INT64, UINT8, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import UNKNOWN_STRIDES, TensorType

B, S, D = symbol("b", 1), symbol("s", 1), symbol("d", 1)


def tensor(*shape: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents)


def made(name: str, *args: Any, **kwargs: Any) -> Any:
    outcome = call(f"torch.{name}", args, kwargs)
    assert outcome.refused is None, outcome.refused
    assert outcome.unknown is None, outcome.unknown
    return outcome.outputs


def refused(name: str, *args: Any, **kwargs: Any) -> str:
    outcome: Outcome = call(f"torch.{name}", args, kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


def required(name: str, *args: Any, **kwargs: Any) -> list[str]:
    return [repr(r.predicate) for r in call(f"torch.{name}", args, kwargs).requirements]


# --- creation ---


@pytest.mark.parametrize(
    ("name", "args", "dtype", "contents"),
    [
        ("zeros", (2,), FLOAT32, (0.0, 0.0)),
        ("full", ((2,), 7), INT64, (7, 7)),
        ("full", ((1,), True), BOOL, (True,)),
        ("full", ((), 1j), COMPLEX64, (1j,)),
        ("arange", (3,), INT64, (0, 1, 2)),
        ("arange", (5, 0, -2), INT64, (5, 3, 1)),
        ("eye", (2,), FLOAT32, (1.0, 0.0, 0.0, 1.0)),
        ("tensor", ([[1, 2], [3, 4]],), INT64, (1, 2, 3, 4)),
        ("tensor", ([1, 2.5],), FLOAT32, (1.0, 2.5)),
        ("tensor", ([],), FLOAT32, ()),
        ("LongTensor", ([1, 2],), INT64, (1, 2)),
        ("scalar_tensor", (3,), FLOAT32, (3.0,)),
        ("tril_indices", (2, 2), INT64, (0, 1, 1, 0, 0, 1)),
    ],
)
def test_new_tensors_know_their_contents(name: str, args: tuple[Any, ...], dtype: DType, contents: tuple[Any, ...]) -> None:
    found = made(name, *args)
    assert (found.dtype, found.contents) == (dtype, contents)


def test_a_float_holds_what_its_type_can() -> None:
    assert made("tensor", [0.1]).contents == (0.10000000149011612,)
    assert made("tensor", [300], dtype=UINT8).contents == (44,)


def test_new_methods_take_the_element_type_of_their_tensor() -> None:
    x = tensor(2, dtype=FLOAT64)
    assert made("Tensor.new_zeros", x, 3, B).dtype is FLOAT64
    assert made("Tensor.new_zeros", x, (3,), dtype=INT32).dtype is INT32


def test_the_legacy_constructor_tells_sizes_from_data() -> None:
    assert made("Tensor", 2, 3).shape == (2, 3)
    assert made("Tensor", [2, 3]).shape == (2,)
    assert made("LongTensor", 4).shape == (4,)


def test_only_floats_require_gradients() -> None:
    assert made("ones", 2, requires_grad=True).requires_grad
    assert refused("ones", 2, dtype=INT64, requires_grad=True) == "full/gradient"


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("zeros", (-1,), "full/size"),
        ("arange", (0, 5, 0), "arange/step"),
        ("arange", (0, 5, -1), "arange/direction"),
        ("eye", (-1,), "eye/n"),
        ("tensor", ([[1], [1, 2]],), "constant/ragged"),
        ("randint", (5, 5, (2,)), "randint/range"),
        ("multinomial", (tensor(3), 4), "multinomial/samples"),
        ("full", ((1,), 300), None),
        ("complex", (tensor(2), tensor(2, dtype=FLOAT64)), "complex/dtype"),
    ],
)
def test_wrong_creations_are_refused(name: str, args: tuple[Any, ...], code: str | None) -> None:
    if code is None:
        made(name, *args)
    else:
        assert refused(name, *args) == code


def test_ranges_of_symbolic_length() -> None:
    assert made("arange", B).shape == (B,)
    assert made("arange", 1, B + 1).shape == (B,)
    assert made("zeros", B, 2 * S).shape == (B, 2 * S)


# --- views ---


def test_minus_one_is_what_is_left() -> None:
    x = tensor(B, S, 12 * D)
    assert made("Tensor.view", x, B, S, 12, -1).shape == (B, S, 12, D)
    assert made("Tensor.view", x, -1, 12 * D).shape == (B * S, 12 * D)
    assert made("reshape", x, (B * S, -1)).shape == (B * S, 12 * D)


def test_sizes_that_do_not_divide_are_a_requirement() -> None:
    assert required("reshape", tensor(B, 3), (-1, 2)) == ["(b % 2) == 0"]
    assert refused("reshape", tensor(3, 5), (-1, 2)) == "reshape/numel"


@pytest.mark.parametrize("size", [(-1, -1), (-2, 3), (0, -1)])
def test_impossible_sizes_are_refused(size: tuple[int, ...]) -> None:
    assert refused("reshape", tensor(0, 3), size) in ("reshape/size", "reshape/numel")


def test_an_empty_tensor_reshapes_to_another() -> None:
    assert made("reshape", tensor(0, 3), (0, 7)).shape == (0, 7)
    assert made("reshape", tensor(0, 3), (-1, 3)).shape == (0, 3)


def test_reshape_needs_no_rank() -> None:
    assert made("reshape", TensorType(unknown_shape("u")), (-1,)).shape.known


def test_a_view_must_fit_the_memory() -> None:
    x = made("Tensor.permute", tensor(B, 64, 7, 7), 0, 2, 3, 1)
    assert refused("Tensor.view", x, B, -1) == "reshape/strides"
    assert made("Tensor.view", x, B, 49, 64).shape == (B, 49, 64)
    assert made("Tensor.view", made("Tensor.contiguous", x), B, -1).shape == (B, 3136)
    assert made("reshape", x, (B, -1)).strides is None


def test_merging_transposed_symbolic_axes_needs_one_of_size_one() -> None:
    x = made("Tensor.transpose", tensor(B, 8, S, 64), 1, 2)
    assert required("Tensor.view", x, B, S, 512) == ["s == 1"]
    assert required("Tensor.reshape", x, B, S, 512) == []


def test_a_view_of_unknown_strides_is_unknown_unless_it_only_splits_axes() -> None:
    x = tensor(4, 6).but(strides=UNKNOWN_STRIDES)
    assert call("torch.Tensor.view", (x, 24)).unknown is not None
    assert made("Tensor.view", x, 2, 2, 6).strides is UNKNOWN_STRIDES
    assert made("Tensor.reshape", x, 24).strides is UNKNOWN_STRIDES


def test_views_follow_strides() -> None:
    x = tensor(2, 3, 4)
    assert steps_of(made("Tensor.transpose", x, 0, 2)) == (1, 4, 12)
    assert made("Tensor.expand", tensor(3, 1), 2, 3, 4).strides == (0, 1, 0)
    assert made("Tensor.__getitem__", x, (slice(None), 1)).strides == (12, 1)
    assert made("Tensor.__getitem__", x, 1).strides is None


def test_contents_follow_views() -> None:
    x = tensor(2, 3, dtype=INT64, contents=tuple(range(6)))
    assert made("Tensor.t", x).contents == (0, 3, 1, 4, 2, 5)
    assert made("flip", x, (1,)).contents == (2, 1, 0, 5, 4, 3)
    assert made("diagonal", x, 1).contents == (1, 5)
    assert made("Tensor.unfold", x, 1, 2, 1).contents == (0, 1, 1, 2, 3, 4, 4, 5)
    assert made("roll", x, 1, 1).contents == (2, 0, 1, 5, 3, 4)
    assert made("tril", x).contents == (0, 0, 0, 3, 4, 0)


def test_an_axis_that_may_be_one_is_squeezed_to_a_segment() -> None:
    found = made("squeeze", tensor(B, 1, 5))
    assert not found.shape.known and found.shape[-1] == 5 and repr(found.shape.numel) == "5*b"
    assert made("squeeze", tensor(B, 1, 5), 1).shape == (B, 5)
    assert made("squeeze", tensor(2, 1, 5), (0, 1)).shape == (2, 5)


def test_expand_takes_equal_or_one() -> None:
    assert made("Tensor.expand", tensor(1, S), B, -1).shape == (B, S)
    assert refused("Tensor.expand", tensor(2, 3), 4, 3) == "expand/broadcast"
    assert refused("Tensor.expand", tensor(3), -1, 3) == "expand/size"
    assert refused("Tensor.expand", tensor(2, 3), 3) == "expand/rank"


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("transpose", (tensor(2, 3), 0, 2), "transpose/axis"),
        ("permute", (tensor(2, 3), (0, 0)), "permute/axis"),
        ("permute", (tensor(2, 3), (0,)), "permute/axes"),
        ("t", (tensor(2, 3, 4),), "t/rank"),
        ("unsqueeze", (tensor(2), 3), "unsqueeze/axis"),
        ("narrow", (tensor(5), 0, 3, 3), "narrow/length"),
        ("select", (tensor(5), 0, 5), "select/range"),
        ("flatten", (tensor(2, 3), 1, 0), "flatten/axes"),
        ("Tensor.unfold", (tensor(3), 0, 4, 1), "windows/window"),
        ("movedim", (tensor(2, 3), (0, 1), (0,)), "movedim/axes"),
        ("diagonal", (tensor(3),), "diagonal/axis"),
        ("rot90", (tensor(3),), "rot90/rank"),
        ("Tensor.repeat", (tensor(2, 3), 2), "repeat/rank"),
        ("Tensor.item", (tensor(2),), "item/elements"),
    ],
)
def test_wrong_views_are_refused(name: str, args: tuple[Any, ...], code: str) -> None:
    assert refused(name, *args) == code


def test_questions_have_python_answers() -> None:
    x = tensor(B, 3)
    assert made("Tensor.size", x) == (B, 3)
    assert made("Tensor.size", x, -1) == 3
    assert made("Tensor.dim", x) == 2
    assert made("numel", x) == 3 * B
    assert made("Tensor.is_contiguous", x) is True
    assert made("Tensor.tolist", tensor(2, dtype=INT64, contents=(1, 2))) == [1, 2]
    assert made("Tensor.is_floating_point", x) is True


# --- joining and taking apart ---


def test_cat_adds_along_one_axis() -> None:
    assert made("cat", [tensor(B, 3), tensor(B, 4)], 1).shape == (B, 7)
    assert made("cat", [tensor(B, 3), tensor(S, 3)]).shape == (B + S, 3)
    assert made("cat", [tensor(0), tensor(2, 3)], 1).shape == (2, 3)
    assert made("cat", [tensor(1), tensor(1, dtype=INT64)]).dtype is FLOAT32
    assert required("cat", [tensor(B, 3), tensor(S, 3)], 1) == ["s == b"]
    assert refused("cat", [tensor(2, 3), tensor(2, 4)]) == "cat/size"
    assert refused("cat", [tensor(2, 3), tensor(2)]) == "cat/rank"


def test_stack_wants_equal_shapes() -> None:
    assert made("stack", [tensor(B, 3)] * 2, -1).shape == (B, 3, 2)
    assert refused("stack", [tensor(2, 3), tensor(2, 4)]) == "stack/size"
    u = TensorType(unknown_shape("u"))
    assert made("stack", [u, u]).shape == (2, *u.shape)


def test_joined_contents() -> None:
    x, y = tensor(2, dtype=INT64, contents=(1, 2)), tensor(2, dtype=INT64, contents=(3, B))
    assert made("cat", [x, y]).contents == (1, 2, 3, B)
    assert made("stack", [x, y], 1).contents == (1, 3, 2, B)


def test_symbolic_axes_split_where_the_count_is_known() -> None:
    x = tensor(B, 12 * D)
    assert [p.shape for p in made("Tensor.chunk", x, 3, dim=-1)] == [(B, 4 * D)] * 3
    assert [p.shape[1] for p in made("split", x, 4 * D, dim=1)] == [4 * D] * 3
    assert [p.shape[1] for p in made("split", x, [D, 11 * D], dim=1)] == [D, 11 * D]
    assert [repr(p.shape[0]) for p in made("tensor_split", tensor(S), 2)] == ["((s + 1) // 2)", "(s // 2)"]
    assert call("torch.chunk", (tensor(B), 3)).unknown is not None


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("split", (tensor(5), [2, 2]), "split_sizes/sizes"),
        ("chunk", (tensor(5), 0), "chunk/chunks"),
        ("hsplit", (tensor(5), 2), "tensor_split/sections"),
        ("unbind", (tensor(),), "unbind/rank"),
        ("meshgrid", (tensor(2), tensor(2, 3)), "meshgrid/rank"),
        ("combinations", (tensor(2, 2),), "combinations/rank"),
    ],
)
def test_wrong_splits_are_refused(name: str, args: tuple[Any, ...], code: str) -> None:
    assert refused(name, *args) == code


def test_grids_and_combinations() -> None:
    assert [g.shape for g in made("meshgrid", tensor(S), tensor(D), indexing="xy")] == [(D, S)] * 2
    assert made("cartesian_prod", tensor(2), tensor(3)).shape == (6, 2)
    assert made("combinations", tensor(5), 3).shape == (10, 3)


# --- padding ---


def test_padding_adds_from_the_last_axis() -> None:
    assert made("nn.functional.pad", tensor(B, 3, S, S), (1, 1, 2, 2)).shape == (B, 3, S + 4, S + 2)
    assert made("nn.functional.pad", tensor(B, S), (0, 10 - S)).shape == (B, 10)
    assert made("nn.functional.pad", tensor(3, dtype=INT64, contents=(1, 2, 3)), (-1, 1), value=9).contents == (2, 3, 9)


def test_reflection_needs_more_than_it_copies() -> None:
    assert required("nn.functional.pad", tensor(B, S), (2, 0), mode="reflect") == ["3 <= s"]
    assert refused("nn.functional.pad", tensor(1, 3), (3, 0), mode="reflect") == "pad/reach"
    assert refused("nn.functional.pad", tensor(3), (1, 1, 1, 1)) == "pad/rank"
    assert refused("nn.functional.pad", tensor(3), (1,)) == "pad/pairs"


def test_padding_layers() -> None:
    layer = call("torch.nn.ReflectionPad2d", (1,)).outputs
    assert call_module(layer, (tensor(B, 3, 8, 8),)).outputs.shape == (B, 3, 10, 10)
    assert call_module(layer, (tensor(8, 8),)).refused is not None

"""TensorFlow's spellings: what their rows say, and a few calls whose shapes are worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tensorproof.bindings import rows
from tensorproof.bindings.call import adapter, call, kinds
from tensorproof.terms.dtypes import FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.ints import symbol
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

NAMES = rows.names("tensorflow")


def t(*shape: Any, dtype: DType = FLOAT32, contents: tuple[Any, ...] | None = None) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=contents, framework="tf")


def ints(*values: int) -> TensorType:
    return t(len(values), dtype=INT32, contents=values)


def shape(name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    outcome = call(name, args, kwargs)
    assert outcome.refused is None and outcome.unknown is None, outcome
    return tuple(outcome.outputs.shape)


def refused(name: str, *args: Any, **kwargs: Any) -> str:
    outcome = call(name, args, kwargs)
    assert outcome.refused is not None, outcome
    return outcome.refused.code


def test_there_are_enough_spellings() -> None:
    assert sum(n.startswith("graphdef.") for n in NAMES) >= 200
    assert sum(n.startswith("tf.") for n in NAMES) >= 300


def test_every_row_is_read_and_names_an_operator_and_an_adapter() -> None:
    for name in NAMES:
        for row in rows.rows(name):
            kinds(row)
            assert not row.via or callable(adapter(row.via)), name


@pytest.mark.parametrize(("padding", "expected"), [("SAME", 16), ("VALID", 15)])
def test_conv2d_pads_as_its_word_says(padding: str, expected: int) -> None:
    assert shape("tf.nn.conv2d", t(8, 32, 32, 3), t(3, 3, 3, 16), strides=2, padding=padding) == (8, expected, expected, 16)
    assert shape("graphdef.Conv2D", t(8, 32, 32, 3), t(3, 3, 3, 16), strides=(1, 2, 2, 1), padding=padding) == (8, expected, expected, 16)


def test_channels_first_changes_places() -> None:
    assert shape("graphdef.Conv2D", t(8, 3, 32, 32), t(3, 3, 3, 16), strides=(1, 1, 1, 1), padding="SAME", data_format="NCHW") == (
        8,
        16,
        32,
        32,
    )


def test_channels_must_divide() -> None:
    assert refused("tf.nn.conv2d", t(8, 32, 32, 4), t(3, 3, 3, 16), strides=1, padding="SAME") == "conv2d/channels"


def test_an_unknown_batch_stays_a_symbol() -> None:
    n = symbol("n", 1)
    assert shape("tf.nn.conv2d", t(n, 32, 32, 3), t(3, 3, 3, 16), strides=2, padding="SAME") == (n, 16, 16, 16)


def test_element_types_do_not_mix() -> None:
    assert refused("tf.add", t(2), t(2, dtype=FLOAT64)) == "add/dtype"
    assert shape("tf.add", t(2), 1.5) == (2,)


def test_shapes_as_tensors_lead_to_a_reshape() -> None:
    n = symbol("n", 1)
    x = t(n, 4, 4, 8)
    whole = call("graphdef.Shape", (x,)).outputs
    batch = call("graphdef.StridedSlice", (whole, ints(0), ints(1), ints(1)), {"shrink_axis_mask": 1}).outputs
    wanted = call("graphdef.Pack", (batch, t(dtype=INT32, contents=(128,))), {"axis": 0}).outputs
    assert shape("graphdef.Reshape", x, wanted) == (n, 128)


def test_an_unknown_size_in_a_packed_shape_is_one_unknown_axis() -> None:
    packed = call("graphdef.Pack", (t(dtype=INT32), t(dtype=INT32, contents=(10,))), {"axis": 0}).outputs
    made = shape("graphdef.Reshape", t(4, 5), packed)
    assert len(made) == 2 and made[1] == 10


def test_a_reshape_by_an_unknown_vector_knows_the_rank() -> None:
    assert len(shape("graphdef.Reshape", t(4, 5), t(3, dtype=INT32))) == 3


def test_unknown_rank_is_narrowed_where_the_operator_has_one_rank() -> None:
    x = TensorType(unknown_shape("x"), FLOAT32, framework="tf")
    assert shape("graphdef.MatMul", x, t(5, 7))[1] == 7
    assert shape("graphdef.Conv2D", x, t(3, 3, 3, 16), strides=(1, 1, 1, 1), padding="SAME")[3] == 16


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ((0,), (4, 5)),
        ((slice(None), slice(1, 3)), (3, 2, 5)),
        ((..., 0), (3, 4)),
        ((None, 0), (1, 4, 5)),
        ((slice(None, None, -1),), (3, 4, 5)),
    ],
)
def test_indexing_a_tensor(index: Any, expected: tuple[int, ...]) -> None:
    assert shape("tf.Tensor.__getitem__", t(3, 4, 5), index) == expected


def test_indexing_beyond_an_axis_is_refused() -> None:
    assert refused("tf.Tensor.__getitem__", t(3, 4), (5,)) == "strided_slice/range"


def test_version_1_spells_it_otherwise() -> None:
    assert shape("tf.reduce_sum", t(3, 4), axis=1, keepdims=True) == (3, 1)
    assert shape("tf.reduce_sum", t(3, 4), reduction_indices=1, keep_dims=True) == (3, 1)
    assert shape("tf.nn.conv2d", t(8, 32, 32, 3), filter=t(3, 3, 3, 16), strides=[1, 1, 1, 1], padding="SAME") == (8, 32, 32, 16)
    assert shape("tf.layers.dense", t(8, 784), 10) == (8, 10)
    assert shape("tf.layers.conv2d", t(8, 28, 28, 1), 32, 5, padding="same") == (8, 28, 28, 32)
    assert shape("tf.losses.sparse_softmax_cross_entropy", labels=t(8, dtype=INT64), logits=t(8, 10)) == ()


def test_a_placeholder_of_unknown_batch() -> None:
    made = shape("tf.placeholder", FLOAT32, [None, 784])
    assert made[1] == 784 and not isinstance(made[0], int)


def test_a_transposed_convolution_must_lead_to_the_shape_asked_for() -> None:
    x, weight = t(8, 7, 7, 64), t(3, 3, 32, 64)
    assert shape("tf.nn.conv2d_transpose", x, weight, [8, 14, 14, 32], 2, "SAME") == (8, 14, 14, 32)
    assert refused("tf.nn.conv2d_transpose", x, weight, [8, 15, 15, 32], 2, "SAME") == "conv_transpose2d/sizes"


def test_images() -> None:
    assert shape("tf.image.resize", t(8, 32, 32, 3), [64, 48]) == (8, 64, 48, 3)
    assert refused("tf.image.crop_to_bounding_box", t(32, 32, 3), 0, 0, 40, 10) == "crop/box"
    assert shape("tf.image.rgb_to_grayscale", t(32, 32, 3)) == (32, 32, 1)

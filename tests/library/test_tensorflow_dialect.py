"""TensorFlow and Keras as texts and values."""

from __future__ import annotations

import numpy as np
import pytest

from tensorproof.equivalence.api import apis
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.rule import Pair
from tensorproof.equivalence.rules import rules_of
from tensorproof.equivalence.running import Runner

tf = pytest.importorskip("tensorflow")
from tensorproof.equivalence.dialects.tensorflow_dialect import DIALECT  # noqa: E402
from tensorproof.equivalence.opinion import reference_of  # noqa: E402


@pytest.mark.parametrize("label", ["float32", "bfloat16", "float16", "int64", "uint8", "bool", "complex64", "float8_e4m3fn"])
@pytest.mark.parametrize("shape", [(), (2, 3), (0, 2)])
def test_the_text_of_an_array_makes_its_tensor(label: str, shape: tuple[int, ...]) -> None:
    array = Array(label, np.ones(shape, {"bfloat16": "float32", "float8_e4m3fn": "float32"}.get(label, label)))
    made, read = DIALECT.tensor(array), eval(DIALECT.literal(array), DIALECT.namespace())
    assert (made.dtype, made.shape) == (read.dtype, read.shape)
    assert made.dtype.name == label
    assert DIALECT.plain(made).data.tolist() == DIALECT.plain(read).data.tolist()


def test_names_and_arguments_of_version_1_stand_under_compat() -> None:
    assert DIALECT.spelled("tf.placeholder") == "tf.compat.v1.placeholder"
    assert DIALECT.spelled("tf.reduce_sum", 1, ["keep_dims"]) == "tf.compat.v1.reduce_sum"
    assert DIALECT.spelled("tf.reduce_sum", 1, ["keepdims"]) == "tf.reduce_sum"


def test_results_of_every_kind_become_plain() -> None:
    sparse = DIALECT.plain(tf.sparse.from_dense([[0, 2], [3, 0]]))
    assert (sparse.storage, sparse.data.tolist()) == ("sparse", [[0, 2], [3, 0]])
    assert [v.data.tolist() for v in DIALECT.plain(tf.ragged.constant([[1], [2, 3]]))] == [[1, 2, 3], [0, 1, 3]]
    assert DIALECT.plain(tf.constant(["a"])).data.tolist() == [b"a"]
    assert DIALECT.plain(tf.TensorShape([2, None])) == (2, None)


def test_the_third_opinion_of_a_layer_has_its_weights_in_double_precision() -> None:
    runner = Runner(DIALECT)
    pair = Pair("layer(a)", "layer(a)", setup=DIALECT.layer("keras.layers.Bidirectional(keras.layers.LSTM(2))"))
    inputs = {"a": Array("float32", np.linspace(0, 1, 12, dtype="float32").reshape(2, 3, 2))}
    left, _ = runner.both(pair, inputs)
    wide = reference_of(pair, inputs, runner)
    assert (left.label, wide.label) == ("float32", "float64")
    np.testing.assert_allclose(left.data, wide.data, 1e-5)


def test_what_stops_gradients_and_what_reads_bits_have_no_such_pairs() -> None:
    """bug: a campaign reported `stop_gradient`, whose gradient is not that of its numbers, and `view`, whose result depends on the element type."""
    by = {rule.name: rule for rule in rules_of("tensorflow")}
    named = {api.name: api for api in apis("tensorflow")}
    assert not by["gradient"].fits(named["keras.ops.stop_gradient"]) and by["gradient"].fits(named["keras.ops.sin"])
    assert not by["tf-element-type"].fits(named["keras.ops.view"]) and by["tf-element-type"].fits(named["keras.ops.reshape"])

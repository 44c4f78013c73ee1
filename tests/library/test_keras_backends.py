"""Keras with another backend, in a process of its own."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pytest.importorskip("torch")
from tensorproof.equivalence.dialects.keras_backends import SCRIPT, BackendError, with_backend  # noqa: E402


def test_a_text_is_evaluated_with_another_backend() -> None:
    made = with_backend("torch", "keras.ops.softmax(a)", a=tf.constant([1.0, 2.0]))
    np.testing.assert_allclose(made, tf.nn.softmax([1.0, 2.0]), 1e-5)
    with pytest.raises(BackendError):
        with_backend("torch", "keras.ops.reshape(a, [3])", a=tf.constant([1.0, 2.0]))
    assert with_backend("torch", "keras.ops.abs(a)", a=tf.constant([1, -2])).numpy().tolist() == [1, 2]


@pytest.mark.slow
def test_the_lines_of_a_script_do_the_same() -> None:
    names: dict[str, object] = {"tf": tf}
    exec("\n".join([*SCRIPT, "made = with_backend('torch', 'keras.ops.abs(a)', a=tf.constant([-1.0]))"]), names)
    assert list(names["made"]) == [1.0]  # type: ignore[call-overload]

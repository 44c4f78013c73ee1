"""Names that apply the same operators."""

from __future__ import annotations

import pytest

from tensorproof.equivalence.campaigns.job import Job, Work
from tensorproof.equivalence.dialects import dialect


def test_a_function_is_compared_with_its_method_and_is_silent() -> None:
    pytest.importorskip("torch")
    result = Work("torch", dialect("torch")).run(Job("k", "torch", ("torch.add", "torch.nn.functional.relu"), ("spellings",), 0, 1))
    assert not result.findings
    assert result.count("torch.add", "spellings")["agree"] >= 10


def test_a_wrong_function_of_keras_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    tf = pytest.importorskip("tensorflow")
    import keras

    work = Work("tensorflow", dialect("tensorflow"))
    job = Job("k", "tensorflow", ("keras.ops.relu6",), ("spellings",), 0, 1)
    assert not work.run(job).findings
    monkeypatch.setattr(keras.ops, "relu6", lambda x: tf.minimum(tf.maximum(x, 0), 2))
    assert work.run(job).findings

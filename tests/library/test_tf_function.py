"""tf.function against eager."""

from __future__ import annotations

from itertools import islice

import pytest

from tensorproof.equivalence.api import chosen
from tensorproof.equivalence.campaigns.campaign import Plan
from tensorproof.equivalence.campaigns.job import Job, Work
from tensorproof.equivalence.tracing import joins_elements

pytest.importorskip("tensorflow")
from tensorproof.equivalence.dialects.tensorflow_dialect import DIALECT


@pytest.fixture(scope="module")
def work() -> Work:
    return Work("tensorflow", DIALECT)


def test_a_division_by_a_constant_complex_number_is_found(work: Work) -> None:
    found = [f for block in range(3) for f in work.run(Job("k", "tensorflow", ("tf.math.xdivy",), ("tf-function",), block, 3)).findings]
    assert any(f["about"] == "constant b" and f["wrong_side"] == "right" and f["symptom"].startswith("complex64") for f in found)


@pytest.mark.parametrize("seed", range(4))
def test_the_first_calls_reach_the_end_of_an_element_type(work: Work, seed: int) -> None:
    found = work.run(Job("k", "tensorflow", ("tf.math.xdivy",), ("tf-function",), 0, seed)).findings
    assert any(f["about"] == "constant b" and f["wrong_side"] == "right" for f in found)


def test_names_that_optimisers_rewrite_come_first() -> None:
    early = [job.apis for job in islice(Plan("tensorflow", 0, rules=("tf-function",)).lanes()["tf-function"], 12)]
    assert all(joins_elements(api) for names in early for api in chosen("tensorflow", names))


def test_what_agrees_is_silent(work: Work) -> None:
    result = work.run(Job("k", "tensorflow", ("tf.math.add", "tf.reshape"), ("tf-function",), 0, 3))
    assert not result.findings
    assert result.accepted == result.calls > 0


def test_one_call_that_cannot_be_traced_does_not_spoil_its_batch(work: Work) -> None:
    result = work.run(Job("k", "tensorflow", ("tf.math.add", "tf.math.invert_permutation", "tf.Tensor.get_shape"), ("tf-function",), 0, 3))
    assert result.count("tf.math.add", "tf-function")["agree"] >= 20


@pytest.mark.parametrize("name", ["tf.math.reduce_sum", "tf.reduce_mean", "tf.math.count_nonzero"])
def test_an_axis_that_comes_twice_is_refused_by_the_call_alone(work: Work, name: str) -> None:
    """bug: TensorFlow takes it where the axes are an argument of `tf.function` (tensorflow/tensorflow#54265)."""
    found = [f for block in range(4) for f in work.run(Job("k", "tensorflow", (name,), ("tf-refusals",), block, 3)).findings]
    assert any("duplicate dimension" in f["symptom"] and f["wrong_side"] == "right" for f in found)


def test_attributes_as_tensors_give_the_same_result(work: Work) -> None:
    names = ("tf.transpose", "tf.reverse", "tf.math.reduce_sum")
    results = [work.run(Job("k", "tensorflow", names, ("tf-attributes",), block, 3)) for block in range(4)]
    assert not [f for result in results for f in result.findings if f["verdict"] == "finding"]
    assert sum(counter["agree"] for result in results for counter in result.counts.values()) >= 10

"""The variants of the domain: what one interval for each block, or relations between tensors, prove that one interval for a tensor does not."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from tensorproof.app.numerics.report import analysed, numerics
from tensorproof.app.program import Options
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings
from tensorproof.terms.collector import collector_paused

JOINED = """import torch
a = torch.rand(4, 8) + 1.0
b = torch.rand(4, 8) - 1.0
x = torch.cat([a, b], dim=1) * 2.0
y = torch.log(torch.square(x)[:, :8])
"""
PACKED_SIZES = """import tensorflow as tf
x = tf.random.uniform((4, 8, 16))
sizes = tf.stack([tf.shape(x)[0], 0, tf.shape(x)[2]])
y = tf.reduce_sum(x) / tf.cast(sizes[0], tf.float32)
"""
CANCELLED = """import torch
x = torch.rand(4, 8)
y = torch.log(x * x - x * x + 1.0)
"""


@pytest.mark.parametrize("values", ["interval", "affine"])
@pytest.mark.parametrize(("tensors", "verdict"), [("smash", "possible"), ("partition", "safe"), ("expand", "safe")])
def test_parts_that_are_joined_and_cut_apart_need_blocks(tmp_path: Path, tensors: str, values: str, verdict: str) -> None:
    assert _verdicts(tmp_path, JOINED, Settings(tensors=tensors, values=values)) == [verdict]


@pytest.mark.parametrize(("tensors", "verdict"), [("smash", "possible"), ("partition", "safe"), ("expand", "safe")])
def test_sizes_that_are_packed_are_one_interval_where_a_tensor_is(tmp_path: Path, tensors: str, verdict: str) -> None:
    assert verdict in _verdicts(tmp_path, PACKED_SIZES, Settings(tensors=tensors))


@pytest.mark.parametrize("tensors", ["smash", "partition", "expand"])
@pytest.mark.parametrize(("values", "verdict"), [("interval", "possible"), ("affine", "safe")])
def test_equal_terms_that_cancel_need_relations(tmp_path: Path, tensors: str, values: str, verdict: str) -> None:
    assert _verdicts(tmp_path, CANCELLED, Settings(tensors=tensors, values=values)) == [verdict]


def _verdicts(folder: Path, code: str, settings: Settings) -> list[str]:
    file = folder / "program.py"
    file.write_text(code, encoding="utf-8")
    return [one.verdict for one in numerics(str(file), Options(), settings, Given()).operations]


def test_an_analysis_leaves_no_cycles(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import torch\nx = torch.rand(4, 8)\n" + "".join(f"x = torch.relu(x * {i}.5) - x\n" for i in range(50)))
    report = numerics(str(path), Options(), Settings(), Given())
    gc.collect()
    with collector_paused():
        analysed(report.forms[0], Settings(), Given(), report)
        assert gc.collect() < 500

"""The oracle's encoding and lists, and, where the cache has been made, the catalogue against torch's op_db."""

from __future__ import annotations

import math
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from oracle.program import written, wrong_by_one  # noqa: E402
from oracle.record import Made, Name, Record, Tensor, cache_path, from_json, notes, read, to_json  # noqa: E402

LISTS = tomllib.loads((HERE / "op_db_left_out.toml").read_text())
needs_cache = pytest.mark.skipif(not cache_path().exists(), reason="python tests/conformance/oracle/dump.py makes the cache")


def test_few_entries_and_error_inputs_are_left_out_each_with_a_reason():
    assert len(LISTS["samples"]) <= 60
    assert len(LISTS["errors"]) <= 40
    assert all(reason for names in LISTS.values() for reason in names.values())


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -0.5, math.inf, 1 + 2j, "sum", ..., slice(None, 3, 2), (1, [2, (3,)]), {"dim": (0, 1)}, range(2, 9, 3),
        Name("dtype", "torch.int64"), Name("memory_format", "torch.channels_last"), Made("torch.nn.PairwiseDistance", (2,), {"p": 1.5}),
        Tensor((2, 3), "int64", (1, 2), "cpu", "strided", False, (1, 2, 3, 4, 5, 6)),
        Tensor((2,), "float32", None, "meta", "strided", True, (math.inf, 0.0)),
    ],
)  # fmt: skip
def test_a_value_survives_the_cache(value: object):
    assert from_json(to_json(value)) == value
    assert type(from_json(to_json(value))) is type(value)


def test_nan_survives_the_cache():
    assert math.isnan(from_json(to_json(math.nan)))


def test_a_program_reads_as_a_user_would_write_it():
    record = Record("op_db", "sample", "add", 0, "torch.add", "float32", True, (Tensor((2,), "float32"), 1), {"alpha": 2})
    assert written(record, "zeros").text() == "import torch\n\nx0 = torch.zeros((2,), dtype=torch.float32)\ny = torch.add(x0, 1, alpha=2)\n"


def test_an_index_is_written_between_brackets():
    index = (slice(None, 2), ..., None, Tensor((1,), "int64", contents=(4,)))
    arguments = (Tensor((9, 9), "float32"), index)
    record = Record("op_db", "sample", "__getitem__", 0, "torch.Tensor.__getitem__", "float32", True, arguments, {})
    assert written(record, "zeros").call == "y = x0[:2, ..., None, x1]"


def test_a_wrong_shape_differs_in_one_axis_by_one():
    assert wrong_by_one((2, 3), 1) == (2, 4)
    assert wrong_by_one((), 7) == (1,)


@needs_cache
def test_left_out_names_are_in_op_db():
    known = {r.entry for r in read()} | {what.split("#")[0].split(" ")[0] for what in notes()}
    assert not [name for name in LISTS["samples"] if name not in known]
    assert not [key for key in LISTS["errors"] if key.split("#")[0] not in known]


@needs_cache
@pytest.mark.slow
def test_the_catalogue_agrees_with_op_db():
    done = subprocess.run([sys.executable, str(HERE.parents[1] / "benchmarks" / "op_db.py"), "--gate"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

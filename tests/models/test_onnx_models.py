"""`check` on ONNX files: a mismatch is found at its node, and a graph that runs is proved. ONNX's reference evaluator is the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx.reference import ReferenceEvaluator

from tensorproof.app.check import check
from tensorproof.diagnostics.diagnostic import Verdict
from tests.models.onnx_graphs import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_graph_that_runs_is_proved(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(case.build(case.right), path)
    ReferenceEvaluator(str(path)).run(None, {"x": np.ones(case.input, case.dtype)})
    (program,) = check([str(path)])
    assert (program.verdict, program.diagnostics, program.gaps) == (Verdict.VALID, [], [])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_size_that_does_not_fit_is_found_at_its_node(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(case.build(case.wrong), path)
    with pytest.raises(Exception):  # noqa: B017 - whatever the evaluator raises
        ReferenceEvaluator(str(path)).run(None, {"x": np.ones(case.input, case.dtype)})
    (program,) = check([str(path)])
    assert [d.span.node for d in program.diagnostics] == [case.node]
    assert program.verdict is Verdict.INVALID

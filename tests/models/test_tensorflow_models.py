"""`check` on GraphDef and SavedModel files: a mismatch is found at its node, and a graph that runs gives no alarm. TensorFlow's own run is the truth."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from tensorproof.app.check import check
from tensorproof.app.program import Program
from tensorproof.diagnostics.diagnostic import Verdict
from tests.models.tf_graphs import CASES, Case, Module, frozen, plant


def checked(path: Path) -> Program:
    (program,) = check([str(path)])
    return program


def found_at(program: Program) -> set[str]:
    """The nodes of the findings, by the names that the builder gave them: a function's nodes may be numbered."""
    return {re.sub(r"_0$", "", d.span.node.rpartition("/")[2]) for d in program.diagnostics}


def run(graph: Any, result: str, case: Case) -> None:
    """Import the graph and compute its result."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.import_graph_def(graph, name="")
        session.run(result, {"x:0": np.ones([n or 6 for n in case.input], np.float32)})


@pytest.mark.parametrize("text", [False, True], ids=["pb", "pbtxt"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_graph_definitions(case: Case, text: bool, tmp_path: Path) -> None:
    def saved(wrong: bool) -> Path:
        path = tmp_path / ("model.pbtxt" if text else "model.pb")
        made, result = frozen(case, wrong)
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) if wrong else nullcontext():
            run(made, result, case)
        path.write_bytes(text_format.MessageToString(made).encode() if text else made.SerializeToString())
        return path

    right = checked(saved(False))
    assert (right.verdict, right.diagnostics) == (Verdict.VALID, [])
    wrong = checked(saved(True))
    assert found_at(wrong) == {case.node}
    assert wrong.verdict is Verdict.INVALID


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_saved_models(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    module = Module(case)
    tf.saved_model.save(module, str(folder), signatures=module.call.get_concrete_function())
    right = checked(folder)
    assert (right.diagnostics, right.gaps) == ([], [])
    assert right.verdict is Verdict.VALID
    file = folder / "saved_model.pb"
    model = SavedModel.FromString(file.read_bytes())
    plant(model, case)
    file.write_bytes(model.SerializeToString())
    wrong = checked(folder)
    assert found_at(wrong) == {case.node}

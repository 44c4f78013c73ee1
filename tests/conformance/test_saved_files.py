"""Files that torch and Keras save, and mutants of them: what runs is not refused, and what does not run is not called valid."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.check import check
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.engines.shapes.propagate import propagate
from tensorproof.frontends import export
from tensorproof.terms.ints import begin_file

pytestmark = pytest.mark.slow
SEED, MUTANTS = int(os.environ.get("SEED", "7")), int(os.environ.get("MUTANTS", "60"))


def written(library: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.conformance.saved_files", library, str(folder), str(SEED), str(MUTANTS)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    return json.loads((folder / "truth.json").read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize(("library", "least"), [("torch", 0.9), ("keras", 0.9)])
def test_saved_files_and_their_mutants(library: str, least: float, tmp_path: Path) -> None:
    truth = written(library, tmp_path)
    wrong: list[str] = []
    decided = 0
    for name, said in truth.items():
        found = check([str(tmp_path / name)])[0]
        findings = [d.message for d in found.diagnostics] + [g.reason for g in found.gaps]
        if isinstance(said, list):
            if found.verdict is not Verdict.VALID:
                wrong.append(f"{name}: {found.verdict.value} {findings}")
            continue
        decided += found.verdict is not Verdict.UNKNOWN
        if found.verdict is (Verdict.INVALID if said["runs"] else Verdict.VALID):
            wrong.append(f"{name}: {said['said']} is called {found.verdict.value} {findings}")
    assert not wrong, "\n".join(wrong)
    assert decided >= least * MUTANTS


def test_results_of_exported_programs_have_the_shapes_of_the_run(tmp_path: Path) -> None:
    for name, results in written("torch", tmp_path).items():
        if isinstance(results, list):
            begin_file()
            graph = export.read(tmp_path / name)
            found = propagate(graph)
            made = [found.outputs[edge.node][edge.output_index] for edge in graph.outputs]
            assert [[*t.shape, f"torch.{t.dtype.label if t.dtype else None}"] for t in made][-len(results) :] == results, name

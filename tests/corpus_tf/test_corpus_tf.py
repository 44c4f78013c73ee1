"""Complete TensorFlow and Keras scripts, as people write them: each is proved without a gap, and each single edit that breaks it is found.

A script is a folder; beside it stands `edits_FOLDER.py` with `DRIVER` (the file that is run), `EDITS` (file, old text, new text, the text of the line where
the error must be told, or None for any) and, where a script is not proved yet, `NOT_YET` with the reason.
"""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tensorproof.app.check import check
from tensorproof.diagnostics.diagnostic import Severity, Verdict

HERE = Path(__file__).parent
SCRIPTS: dict[str, Any] = {p.stem.removeprefix("edits_"): import_module(f"tests.corpus_tf.{p.stem}") for p in sorted(HERE.glob("edits_*.py"))}
NOT_YET = {name: told for name, edits in SCRIPTS.items() if (told := getattr(edits, "NOT_YET", ""))}
PROVED = sorted(SCRIPTS.keys() - NOT_YET.keys())
EDITS = [(name, *edit) for name in PROVED for edit in SCRIPTS[name].EDITS]


@pytest.mark.parametrize("name", NOT_YET)
def test_bug_the_script_is_not_proved_yet_and_gives_no_false_alarm(name: str) -> None:
    """bug: these are right programs, and are unknown; whoever mends that takes NOT_YET out of the script's edits."""
    (program,) = check([str(HERE / name / SCRIPTS[name].DRIVER)])
    assert not [d for d in program.diagnostics if d.severity is Severity.ERROR], program.diagnostics
    assert program.gaps and program.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", PROVED)
def test_the_script_is_proved(name: str) -> None:
    (program,) = check([str(HERE / name / SCRIPTS[name].DRIVER)])
    assert not [d for d in program.diagnostics if d.severity is Severity.ERROR], program.diagnostics
    assert not program.gaps
    assert program.verdict is Verdict.VALID


@pytest.mark.parametrize(("name", "file", "old", "new", "line"), EDITS, ids=lambda v: str(v)[:40])
def test_the_edit_is_found(name: str, file: str, old: str, new: str, line: str | None, tmp_path: Path) -> None:
    project = tmp_path / name
    shutil.copytree(HERE / name, project)
    text = (project / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (project / file).write_text(text.replace(old, new), encoding="utf-8")
    (program,) = check([str(project / SCRIPTS[name].DRIVER)])
    errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
    assert program.verdict is Verdict.INVALID and errors
    if line is not None:
        told = {Path(d.span.path).read_text(encoding="utf-8").splitlines()[d.span.line - 1].strip() for d in errors}
        assert line in told


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_has_at_least_six_edits(name: str) -> None:
    assert len(SCRIPTS[name].EDITS) >= 6


def test_every_folder_has_its_edits() -> None:
    assert {p.name for p in HERE.iterdir() if p.is_dir() and not p.name.startswith("_")} <= SCRIPTS.keys()

"""Complete training scripts, as people write them: each is proved without a gap, and each single edit that breaks it is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tensorproof.app.check import check
from tensorproof.diagnostics.diagnostic import Severity, Verdict
from tests.corpus.mutants import MUTANTS

HERE = Path(__file__).parent
DRIVERS = {
    "mnist": "train.py", "resnet_cifar": "train.py", "vae": "main.py", "dcgan": "main.py", "unet": "train.py",
    "language_model": "main.py", "seq2seq": "train.py", "gpt": "train.py",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(DRIVERS))
def test_the_script_is_proved(name: str) -> None:
    (program,) = check([str(HERE / name / DRIVERS[name])])
    assert not [d for d in program.diagnostics if d.severity is Severity.ERROR], program.diagnostics
    assert not program.gaps
    assert program.verdict is Verdict.VALID


@pytest.mark.parametrize(("name", "file", "old", "new", "line"), MUTANTS, ids=lambda v: str(v)[:40])
def test_the_edit_is_found(name: str, file: str, old: str, new: str, line: str | None, tmp_path: Path) -> None:
    project = tmp_path / name
    shutil.copytree(HERE / name, project)
    text = (project / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (project / file).write_text(text.replace(old, new), encoding="utf-8")
    (program,) = check([str(project / DRIVERS[name])])
    errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
    assert program.verdict is Verdict.INVALID and errors
    if line is not None:
        told = {Path(d.span.path).read_text(encoding="utf-8").splitlines()[d.span.line - 1].strip() for d in errors}
        assert line in told


def test_each_script_has_at_least_four_edits() -> None:
    for name in DRIVERS:
        assert sum(m[0] == name for m in MUTANTS) >= 4

"""An unknown verdict always carries a reason: the requirement that stays open, and its line."""

from __future__ import annotations

import json
from pathlib import Path

from tensorproof.app.check import check
from tensorproof.app.program import Program
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.reporters import as_json, text

OPEN = """\
import torch

x = torch.randn(16, 16)
mask = x > 0
for _ in range(2):
    rows = x[mask].view(16, -1)
"""


def _checked(tmp_path: Path) -> Program:
    file = tmp_path / "main.py"
    file.write_text(OPEN)
    return check([str(file)])[0]


def test_the_requirement_that_stays_open_is_named_once(tmp_path: Path) -> None:
    program = _checked(tmp_path)
    assert program.verdict is Verdict.UNKNOWN
    assert not program.gaps
    assert [(g.callee, g.span.line) for g in program.open] == [("reshape/numel", 6)]


def test_reports_show_it(tmp_path: Path) -> None:
    program = _checked(tmp_path)
    assert "1 requirement left open, decided by data: reshape/numel (" in text.summary([program])
    assert "main.py:6: may fail, depending on data [reshape/numel]" in text.full_of(program, verbose=True)
    (reported,) = json.loads(as_json.render([program]))["programs"][0]["coverage"]["open"]
    assert (reported["code"], reported["line"]) == ("reshape/numel", 6)

"""Graphs with a numerical bug that was reported, and the graphs after the fix. They lie beside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.numerics.report import numerics
from tensorproof.app.program import Options
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings

PAIRS = Path(__file__).parents[3] / "shared" / "graphs" / "pairs"
STILL_FAULTY = "StackOverflow-IPS-14.fix.pbtxt.gz"
"""It differs from the faulty graph in the learning rate alone: the logarithm of 0 is still there."""


def found(path: Path) -> list[str]:
    report = numerics(str(path), Options(), Settings(), Given())
    return [one.code for one in report.operations if one.verdict in ("unsafe", "possible")]


@pytest.mark.parametrize("path", sorted(p for p in PAIRS.glob("*.gz") if ".fix." not in p.name), ids=lambda p: p.name)
def test_the_bug_is_reported(path: Path) -> None:
    assert found(path)


@pytest.mark.parametrize("path", sorted(p for p in PAIRS.glob("*.fix.*") if p.name != STILL_FAULTY), ids=lambda p: p.name)
def test_nothing_is_reported_after_the_fix(path: Path) -> None:
    assert found(path) == []

"""The attack for a short while with fixed seeds, and in the slow suite for a budget."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack.areas import AREAS, Area
from tests.attack.drawing import Draw, program

ROOT = Path(__file__).parent.parent.parent
INSTALLED = [a for a in AREAS if importlib.util.find_spec(a.needs)]


def attacked(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of its own: torch and TensorFlow in one process of pytest would wait for each other in a fork."""
    return subprocess.run([sys.executable, "-m", "tests.attack.run", *arguments], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize("area", AREAS, ids=lambda a: a.name)
def test_a_seed_gives_the_same_program_each_time(area: Area) -> None:
    assert program(area.draw, "0 1") == program(area.draw, "0 1")
    for seed in range(50):
        compile(program(area.draw, f"{area.name} {seed}"), "program.py", "exec")


def test_half_of_the_programs_have_a_fault() -> None:
    def one(d: Draw) -> None:
        d.line(str(d.wrong(1, 2)))

    faulty = sum(program(one, str(seed)) == "2\n" for seed in range(1000))
    assert 400 < faulty < 600


def test_no_wrong_verdict_in_a_few_programs_of_every_area() -> None:
    pytest.importorskip("torch")
    done = attacked("--each", "20", "--seed", "15", "--area", ",".join(a.name for a in INSTALLED))
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.slow
def test_no_wrong_verdict_in_twenty_thousand_programs() -> None:
    done = attacked("--programs", "20000", "--seed", "1", "--minutes", "60")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]

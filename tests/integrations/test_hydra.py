"""A real multirun of Hydra is checked before its first job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("hydra")
pytest.importorskip("torch")

PROGRAM = """
import hydra

import torch
from torch import nn


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    with open("started", "a") as stream:
        stream.write("x")
    x = nn.Conv2d(3, cfg.model.width, cfg.model.kernel)(torch.zeros(1, 3, cfg.size, cfg.size))
    nn.MultiheadAttention(cfg.model.width, cfg.model.heads)(*[x.flatten(2).transpose(1, 2)] * 3)
    assert cfg.rate > 0


if __name__ == "__main__":
    main()
"""
CONFIG = """
defaults:
  - model: small
  - _self_
size: 8
rate: 0.1
hydra:
  callbacks:
    tensorproof:
      _target_: tensorproof.integrations.hydra.CheckMultirun
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conf" / "model").mkdir(parents=True)
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "conf" / "config.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "conf" / "model" / "small.yaml").write_text("width: 8\nkernel: 3\nheads: 2\n", "utf-8")
    (tmp_path / "conf" / "model" / "odd.yaml").write_text("width: 9\nkernel: 3\nheads: 3\n", "utf-8")
    return tmp_path


def _multirun(folder: Path, *words: str) -> tuple[int, str, int]:
    """The exit status, what is printed, and how many jobs were started."""
    done = subprocess.run([sys.executable, "train.py", "-m", *words], cwd=folder, capture_output=True, text=True)
    started = folder / "started"
    return done.returncode, done.stdout + done.stderr, len(started.read_text("utf-8")) if started.exists() else 0


def test_a_sweep_with_a_job_that_cannot_run_ends_before_the_first(folder: Path) -> None:
    status, text, jobs = _multirun(folder, "model.kernel=3,7,9", "model.heads=choice(1,2,3)", "rate=0.1,0.2")
    assert status == 1 and jobs == 0 and "none was started" in text
    assert "18 vectors: 8 valid, 10 invalid" in text and "model.kernel <= 7" in text and "key model.kernel of a configuration file" in text


def test_a_sweep_that_can_run_does(folder: Path) -> None:
    status, text, jobs = _multirun(folder, "model.kernel=range(3,5)", "model.heads=2", "size=8")
    assert status == 0 and jobs == 2, text


def test_each_choice_of_a_group_is_checked(folder: Path) -> None:
    status, text, jobs = _multirun(folder, "model=small,odd", "model.heads=1,3")
    assert status == 1 and jobs == 0 and "2 vectors: 1 valid, 1 invalid" in text and "heads" in text

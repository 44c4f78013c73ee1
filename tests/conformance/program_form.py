"""Holds bounds over the program form against real runs: what a program's names hold at its end must lie within the bounds of one of its paths."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tensorproof.engines.values.program_bounds import program_bounds
from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse
from tensorproof.program.form import Loop, Record
from tensorproof.solve import limits
from tensorproof.terms.tensor import TensorType

RUNS = 12


@dataclass
class Followed:
    """One path: the bounds of the program's names, and the names of tensors without any."""

    bounds: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    loops: int = 0
    gaps: int = 0


def follow(text: str) -> list[Followed]:
    """The paths of a program, with bounds of what its top-level names hold."""
    found: list[Followed] = []

    def ended(m: Any) -> None:
        assert m.path.program is not None
        records = m.path.program.records
        values = program_bounds(records, {})
        made = Followed(loops=loops_in(records), gaps=len(m.path.gaps))
        for name, value in m.modules.main.space.items():
            if isinstance(value, TensorType):
                box = values.get(id(m.memory.current(value)))
                if box is None or (np.isinf(box.lo) & np.isinf(box.hi)).all():
                    made.unknown.append(name)
                else:
                    made.bounds[name] = box
        found.append(made)

    with limits.limited(60):
        explore(parse("program.py", text), ended=ended, record=True)
    return found


def loops_in(records: Any) -> int:
    return sum(1 + loops_in(one.body) for one in records if isinstance(one, Loop))


def real_runs(text: str, runs: int = RUNS) -> list[dict[str, Any]]:
    """The numbers that the names of a program hold after a run under the real library, for several seeds."""
    seeds: list[Any] = [random.seed, np.random.seed]
    if "torch" in text:
        import torch

        seeds.append(torch.manual_seed)
    if "tensorflow" in text:
        import tensorflow

        seeds.append(tensorflow.random.set_seed)
    made: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"  # AutoGraph reads the source of functions
        path.write_text(text)
        for seed in range(runs):
            for set_seed in seeds:
                set_seed(seed)
            space = run_path(str(path), run_name="__main__")
            made.append({name: array for name, value in space.items() if (array := _numbers(value)) is not None})
    return made


def _numbers(value: Any) -> Any:
    if type(value).__name__ in ("Tensor", "Parameter") and hasattr(value, "detach"):
        value = value.detach().to("cpu")
        return value.double().numpy() if value.dtype.is_floating_point else value.numpy()
    if type(value).__name__ in ("EagerTensor", "ResourceVariable") or isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    return None


def outside(path: Followed, run: dict[str, Any]) -> list[str]:
    """The names whose numbers in a run lie outside of a path's bounds."""
    wrong = []
    for name, box in path.bounds.items():
        if name not in run:
            continue
        x = np.asarray(run[name], np.float64)
        if x.shape != box.shape:
            wrong.append(f"{name}: shape {x.shape} is not {box.shape}")
        elif not np.where(np.isnan(x), box.nan, (x >= box.lo) & (x <= box.hi)).all():
            wrong.append(f"{name}: {x.ravel()[:4]} is not in [{box.lo.ravel()[:4]}, {box.hi.ravel()[:4]}]")
    return wrong


def violations(text: str, runs: int = RUNS) -> tuple[list[Followed], list[str]]:
    """The paths, and what is outside of all of them in some run."""
    paths = follow(text)
    found: list[str] = []
    for run in real_runs(text, runs):
        each = [outside(path, run) for path in paths]
        if each and all(each):
            found += min(each, key=len)
    return paths, found


def records_of(text: str) -> list[list[Record]]:
    kept: list[list[Record]] = []
    explore(parse("program.py", text), ended=lambda m: kept.append(m.path.program.records), record=True)
    return kept

"""Spaces of saved models: the verdict of each vector against the model that is rebuilt with its values and really run.

    python benchmarks/space_models.py [pt2|onnx|graphdef|savedmodel|metagraph|keras ...] [--vectors N] [--seed N] [--list]

ONNX models run by onnxruntime where it is installed, else by ONNX's own reference. Needs torch, TensorFlow and Keras for their formats.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from math import prod
from pathlib import Path
from time import process_time
from typing import Any

from tensorproof.app.program import Options
from tensorproof.app.spaces.report import space
from tensorproof.engines.space.deciding import Deciding
from tensorproof.engines.space.parameters import Parameter, parameter

Vector = dict[str, Any]
FORMATS = {
    "pt2": "space_models_torch", "onnx": "space_models_onnx", "graphdef": "space_models_tensorflow", "savedmodel": "space_models_tensorflow",
    "metagraph": "space_models_tensorflow", "keras": "space_models_keras",
}  # fmt: skip
FEWEST = 200
"""Vectors of each format."""


@dataclass(frozen=True)
class Case:
    """A model, its space, how it is saved into a folder, and whether it runs when it is rebuilt with the values of a vector."""

    format: str
    title: str
    parameters: str
    save: Callable[[Path], Path]
    run: Callable[[Vector], Any]


def drawn(parameters: list[Parameter], count: int, seed: random.Random) -> list[Vector]:
    """Vectors of a space, each once: most near the model as it was saved, so that many are valid, and some anywhere."""
    whole = prod(len(p.values) for p in parameters)
    found: dict[tuple[Any, ...], Vector] = {}
    for _ in range(50 * count):
        if len(found) >= min(count, whole):
            break
        moved = set(seed.sample(range(len(parameters)), min(len(parameters), seed.choice((1, 1, 1, 2, 2, 2, 3, 3, 4, len(parameters))))))
        vector = {p.name: seed.choice(p.values) if at in moved else p.values[0] for at, p in enumerate(parameters)}
        found.setdefault(tuple(vector.values()), vector)
    return list(found.values())


def runs(case: Case, vector: Vector) -> str:
    """Empty where the model runs, else how it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case.run(vector)
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    return ""


def measure(case: Case, folder: Path, count: int, seed: random.Random, listed: bool) -> Counter[str]:
    """How many vectors are judged rightly, wrongly, or not at all."""
    parameters = [parameter(text) for text in case.parameters.split()]
    path = case.save(folder)
    start = process_time()
    report = space(str(path), parameters, Options())
    seconds = process_time() - start
    deciding = Deciding(report.parameters, report.scenarios)
    found: Counter[str] = Counter()
    for vector in drawn(parameters, count, seed):
        cause, failure = deciding.cause(vector), runs(case, vector)
        found["vectors"] += 1
        found["fail"] += bool(failure)
        wrong = "false valid" if cause is None else "false invalid"
        kind = "unknown" if cause is not None and cause.unknown else "right" if (cause is None) is (not failure) else wrong
        found[kind] += 1
        if listed and kind != "right":
            print(f"  {kind}: {vector}\n    {cause and (cause.code, cause.message, cause.span.node)}\n    {failure or 'runs'}")
    counted = f"{report.vectors:>16,} vectors, {report.unknown:,} unknown, {report.analyses} analyses, {seconds:.2f} s"
    print(f"{case.format:11} {case.title:34} {counted}; {dict(found)}")
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("formats", nargs="*")
    options.add_argument("--vectors", type=int, default=FEWEST)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--list", action="store_true")
    options.add_argument("--case", default="")
    given = options.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    bad = False
    for form in given.formats or FORMATS:
        total: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            for case in import_module(FORMATS[form]).CASES:
                if case.format == form and given.case in case.title:
                    total += measure(case, Path(folder), given.vectors, random.Random(given.seed), given.list)
        wrong = total["false valid"] + total["false invalid"]
        print(f"{form}: {total['right']} of {total['vectors']} right, {total['unknown']} unknown, {wrong} wrong; {total['fail']} of them fail")
        bad |= wrong > 0 or total["vectors"] < FEWEST
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())

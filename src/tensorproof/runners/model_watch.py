"""Runs a saved model until operations that may yield NaN or Inf did. A child process does it: `python -m tensorproof.runners.model_watch JOB.json`.

The job names the model, its sources with their ranges, and the operations. For each that was shown a line of JSON is written, and the values lie in a file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np

from tensorproof.runners.searching import Model, Source, search

LEAST_SECONDS = 2.0
"""How long one operation is tried at least."""


def opened(job: Mapping[str, Any], targets: Sequence[str]) -> Model:
    """The model of a job, by the library of its format."""
    kind = job["kind"]
    if kind == "onnx":
        from tensorproof.runners import onnx_model

        return onnx_model.Model(job["path"], job["values"])
    if kind == "exported program":
        from tensorproof.runners import export_model

        return export_model.Model(job["path"])
    if kind == "keras":
        from tensorproof.runners import keras_model

        return keras_model.Model(job["path"])
    from tensorproof.runners import graphdef_model

    return graphdef_model.Model(job["path"], job["graph"], targets)


def sources_of(job: Mapping[str, Any]) -> list[Source]:
    return [Source(tuple(s["names"]), tuple(s["shape"]), s["dtype"], s["lo"], s["hi"], s["drawn"]) for s in job["sources"]]


def replay(path: str) -> None:
    """Run a model with values that were found, and print what the operation yields."""
    with np.load(path, allow_pickle=False) as held:
        job = json.loads(str(held["job"]))
        values = {one["names"][0]: held[f"value_{i}"] for i, one in enumerate(job["sources"])}
    target = job["target"]
    model = opened(job, [target])
    model.reads(target, sources_of(job))
    seen = model.look(target, values)
    operands = ", ".join(f"[{x.min():g}, {x.max():g}]" for x in seen.operands if x.size)
    print(f"{job['path']}: node {target} yields {seen.bad or 'finite numbers'}; its operands are in {operands}")


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as stream:
        job = json.load(stream)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the libraries print is not ours

    def say(**line: object) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    targets, sources = job["targets"], sources_of(job)
    end = process_time() + job["seconds"]
    try:
        model = opened(job, targets)
    except Exception as error:
        say(failed=f"{type(error).__name__}: {error}"[:400])
        os._exit(0)
    for i, target in enumerate(targets):
        say(begins=target)
        share = max(LEAST_SECONDS, (end - process_time()) / (len(targets) - i))
        try:
            found = search(model, target, sources, share)
        except Exception as error:
            say(target=target, failed=f"{type(error).__name__}: {error}"[:400])
            continue
        if found is None:
            say(target=target)
            continue
        values, bad = found
        kept = [one for one in job["sources"] if one["names"][0] in values]
        own = {**{k: job[k] for k in ("path", "kind", "graph", "values")}, "target": target, "sources": kept}
        file = os.path.join(job["folder"], f"{i}.npz")
        np.savez_compressed(file, job=json.dumps(own), **{f"value_{n}": values[one["names"][0]] for n, one in enumerate(kept)})
        say(target=target, yields=bad, file=file)
    os._exit(0)


if __name__ == "__main__":
    main()

"""Real runs of saved models that show what an analysis says may happen: in a child process, with inputs, weights and draws within their ranges.

For each operation that was shown the values and a script that runs the model with them are written. Files appear whole or not at all.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tensorproof.app.models.check import graphs
from tensorproof.app.numerics.report import Form, Report
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.numerics.inputs.draws import SPREAD
from tensorproof.engines.numerics.inputs.roles import Ranged
from tensorproof.engines.numerics.records import Analysis
from tensorproof.ops.distributions import DISTRIBUTIONS
from tensorproof.program.form import Computed, computed
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType

SECONDS = BUDGETS.numerics.seconds_of_operation
MOST_SECONDS = BUDGETS.numerics.seconds_of_model
SLOWER = 5.0
"""How many times longer than its own time a child may take by the clock, on a machine that does other work."""
START_SECONDS = BUDGETS.numerics.seconds_of_start
FARTHEST = 5.0
"""How many standard deviations from the mean normal draws are put: a generator gives such numbers."""
_FORMATS = {".onnx": "onnx", ".pt2": "exported program", ".keras": "keras"}


def confirm_model(found: Report, name: str) -> dict[str, str]:
    """Run the model until operations that may go wrong did; they are `unsafe` then. The script of each, by node. `name` begins the names of files."""
    shown: dict[str, str] = {}
    failures: list[str] = []
    wanted = {one.span.node for one in found.operations if one.verdict in ("unsafe", "possible")}
    with tempfile.TemporaryDirectory() as folder:
        for i, (form, ranges, analysis) in enumerate(found.analysed):
            targets = [one.span.node for one in analysis.warnings if one.span.node in wanted and one.span.node not in shown]
            if not targets:
                continue
            job = _job(found.path, i, form, ranges, analysis, list(dict.fromkeys(targets)), folder)
            for line in _run(job, folder):
                if "file" in line:
                    shown[line["target"]] = _saved(line, name)
                elif "failed" in line:
                    failures.append(line["failed"])
    if wanted and not shown and failures:
        raise BadInput(f"--confirm: {found.path} could not be run: {failures[0]}")
    found.operations = [
        replace(one, verdict="unsafe", cause=(*one.cause, f"shown by a run: {shown[one.span.node]}"))
        if one.verdict in ("unsafe", "possible") and one.span.node in shown
        else one
        for one in found.operations
    ]
    return shown


# --- what is run ---


def _job(path: str, index: int, form: Form, ranges: Ranged, analysis: Analysis, targets: list[str], folder: str) -> dict[str, Any]:
    kind = next((kind for suffix, kind in _FORMATS.items() if path.removesuffix(".gz").endswith(suffix)), "graph")
    sources = [*_sources(form, ranges, analysis), *_draws(form, analysis)]
    seconds = min(MOST_SECONDS, SECONDS * len(targets))
    values = _values(path, [*targets, *(name for one in sources for name in one["names"])]) if kind == "onnx" else {}
    model = {"path": os.path.abspath(path), "kind": kind, "graph": index, "values": values}
    return {**model, "sources": sources, "targets": targets, "folder": folder, "seconds": seconds}


def _values(path: str, names: Iterable[str]) -> dict[str, list[str]]:
    """The names of values by those of nodes, as an ONNX file has both."""
    nodes = graphs(path)[0].nodes
    return {name: list(nodes[name].outputs) for name in names if name in nodes}


def _sources(form: Form, ranges: Ranged, analysis: Analysis) -> Iterator[dict[str, Any]]:
    """The inputs and weights, with their ranges. Weights that the file holds stay as they are."""
    for value in ranges.values:
        names = list(dict.fromkeys([*form.names.get(id(value.tensor), ()), *value.names]))
        range_ = ranges.ranges[id(value.tensor)]
        if names:
            yield from _described(value.tensor, names, range_.lo, range_.hi, analysis, False)


def _draws(form: Form, analysis: Analysis) -> Iterator[dict[str, Any]]:
    """The numbers that operators draw."""
    for one in computed(form.records):
        if one.applied.op.random:
            for result in one.applied.results:
                grid = analysis.values.get(id(result))
                names = form.names.get(id(result), ())
                if grid is not None and grid.size and names:
                    lo, hi = _drawn(one, float(grid.least), float(grid.most))
                    yield from _described(result, list(names), lo, hi, analysis, True)


def _drawn(one: Computed, lo: float, hi: float) -> tuple[float, float]:
    """Between which numbers draws are put."""
    values = one.applied.op.values
    name = values.distribution or one.applied.arguments.get(str(values.by))
    kind = DISTRIBUTIONS.get(name) if isinstance(name, str) else None
    if kind is not DISTRIBUTIONS["normal"]:
        return lo, hi
    middle, half = (lo + hi) / 2, (hi - lo) / 2 * (FARTHEST / SPREAD)
    return middle - half, middle + half


def _described(tensor: TensorType, names: list[str], lo: float, hi: float, analysis: Analysis, drawn: bool) -> Iterator[dict[str, Any]]:
    dtype, grid = tensor.dtype, analysis.values.get(id(tensor))
    shape = tuple(grid.shape) if grid is not None else tuple(tensor.shape) if tensor.shape.concrete else None
    if dtype is None or dtype.kind not in "biuf" or shape is None:
        return
    most = dtype.greatest if dtype.kind != "b" else 1.0
    yield {"names": names, "shape": shape, "dtype": dtype.label, "lo": max(lo, -most), "hi": min(hi, most), "drawn": drawn}


# --- the child process ---


def _run(job: Mapping[str, Any], folder: str) -> Iterator[dict[str, Any]]:
    """The lines that the child writes. An operation at which it ends is left out, and another child goes on with the rest."""
    home = str(Path(__file__).parents[2])
    path = os.pathsep.join([home, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    targets = list(job["targets"])
    while targets:
        file = Path(folder, "job.json")
        own = tempfile.mkdtemp(dir=folder)
        file.write_text(json.dumps({**job, "targets": targets, "folder": own}), encoding="utf-8")
        command = [sys.executable, "-m", "tensorproof.runners.model_watch", str(file)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SLOWER * (job["seconds"] + START_SECONDS), env=environment, check=False)
            text, failed = done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            text, failed = late.stdout or b"", b"the time was not enough"
        lines = [json.loads(line) for line in text.decode(errors="replace").splitlines() if line.endswith("}")]
        yield from lines
        begun = [line["begins"] for line in lines if "begins" in line]
        ended = {line["target"] for line in lines if "target" in line}
        if not begun or begun[-1] in ended or failed == b"the time was not enough":
            if not lines:
                printed = failed.decode(errors="replace").strip().splitlines()
                yield {"failed": printed[-1] if printed else "the process ended at once"}
            return
        yield {"target": begun[-1], "failed": "the library ended the process"}
        targets = targets[targets.index(begun[-1]) + 1 :]


# --- what is kept ---


def _saved(line: Mapping[str, Any], name: str) -> str:
    """Put the values and a script beside each other; each is written under another name first."""
    stem = f"{name}_{re.sub(r'[^A-Za-z0-9]+', '_', line['target']).strip('_')}"
    values, script = Path(f"{stem}.npz"), Path(f"{stem}.py")
    text = (
        f'"""Node {line["target"]} yields {line["yields"]}: run this with the library that the model is of."""\n\n'
        "from pathlib import Path\n\nfrom tensorproof.runners.model_watch import replay\n\n"
        f"replay(str(Path(__file__).with_name({values.name!r})))\n"
    )
    try:
        values.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(line["file"], f"{values}.part")
        Path(f"{script}.part").write_text(text, encoding="utf-8")
        os.replace(f"{values}.part", values)
        os.replace(f"{script}.part", script)
    except OSError as error:
        raise BadInput(f"--confirm: {values} cannot be written: {(error.strerror or str(error)).lower()}") from None
    return str(script)

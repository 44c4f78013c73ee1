"""Real runs that show what an analysis says may happen: the program runs in a child process with inputs and parameters at the corners of their ranges."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Any

from tensorproof.app.numerics.report import Report
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.numerics.inputs.ranges import TRAINED
from tensorproof.engines.numerics.records import Operation
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass, field, replace

RUNS = 24
"""How often a program is run, each time with other corners."""
MOST_SECONDS = BUDGETS.numerics.seconds_for_witnesses


def confirm(found: Report, arguments: tuple[str, ...], name: str | None = None) -> None:
    """Run a program or model until the operations that may go wrong did; they are `unsafe` then. A script that runs it again is written for each, and `name`
    begins the names of the files."""
    begins = name or f"witness_{Path(found.path).name.removesuffix('.gz').rpartition('.')[0] or Path(found.path).name}"
    if found.path.endswith(".py"):
        confirm_source(found, arguments, begins)
    else:
        from tensorproof.app.numerics.model_witness import confirm_model

        confirm_model(found, begins)


def confirm_source(found: Report, arguments: tuple[str, ...], name: str, runs: int = RUNS) -> dict[int, int]:
    """Run a Python file. The seed of the first run that shows an operation, by line."""
    open_ = [one for one in found.operations if one.verdict in ("unsafe", "possible") and one.span.path == found.path]
    seen = _seen(found.path, arguments, runs, open_) if open_ else Seen()
    shown: dict[int, int] = {}
    for one in open_:
        seed = seen.of(one)
        if seed is not None:
            shown.setdefault(one.span.line, seed)
    found.operations = [
        replace(one, verdict="unsafe", cause=(*one.cause, f"a real run with seed {seen.of(one)}"))
        if one.verdict in ("unsafe", "possible") and one.span.path == found.path and seen.of(one) is not None
        else one
        for one in found.operations
    ]
    for line, seed in shown.items():
        _script(found.path, line, seed, arguments, name)
    return shown


@dataclass(slots=True)
class Seen:
    """What runs showed: the first seed by line, and the first one of a gradient that is not finite, whose line a library may not know."""

    lines: dict[int, int] = field(default_factory=dict[int, int])
    gradient: int | None = None

    def of(self, one: Operation) -> int | None:
        """The seed of a run that shows an operation."""
        return self.lines.get(one.span.line, self.gradient if one.code.endswith("/gradient") else None)

    def note(self, message: dict[str, Any]) -> None:
        """Add a line that a child wrote."""
        if "line" in message:
            self.lines.setdefault(message["line"], message["seed"])
            if message["kind"] == "gradient" and self.gradient is None:
                self.gradient = message["seed"]


def _seen(path: str, arguments: tuple[str, ...], runs: int, wanted: list[Operation]) -> Seen:
    """What runs show, until each operation that is wanted was seen."""
    home = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([home, os.environ.get("PYTHONPATH", "")]), "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "tensorproof.runners.watching", path, "0", str(runs), str(TRAINED), *arguments]
    found, ran = Seen(), False
    with TemporaryFile("w+") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment) as child:
        late = Timer(MOST_SECONDS, child.kill)
        late.start()
        try:
            assert child.stdout is not None
            for line in child.stdout:
                ran = True
                found.note(json.loads(line))
                if all(found.of(one) is not None for one in wanted):
                    break
        finally:
            late.cancel()
            child.kill()
        if not ran:
            errors.seek(0)
            printed = errors.read().strip().splitlines()
            raise BadInput(f"--confirm: {path} could not be run: {printed[-1] if printed else 'it ended at once'}")
    return found


def _script(path: str, line: int, seed: int, arguments: tuple[str, ...], name: str) -> None:
    """A program that runs this one with the same corners, and prints where it leaves the finite numbers."""
    text = f"from tensorproof.runners.watching import replay\n\nreplay({os.path.abspath(path)!r}, seed={seed}, arguments={arguments!r})\n"
    script = Path(f"{name}_{line}.py")
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
        Path(f"{script}.part").write_text(text, encoding="utf-8")
        os.replace(f"{script}.part", script)
    except OSError as error:
        raise BadInput(f"--confirm: {script} cannot be written: {(error.strerror or str(error)).lower()}") from None

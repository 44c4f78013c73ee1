"""Real runs that show what an analysis says may happen: the program runs in a child process with inputs and parameters at the corners of their ranges."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tensorproof.app.numerics import Report
from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.numerics.ranges import TRAINED
from tensorproof.terms.records import replace

RUNS = 24
"""How often a program is run, each time with other corners."""
MOST_SECONDS = 180.0


def confirm(found: Report, arguments: tuple[str, ...], name: str | None = None) -> None:
    """Run a program or model until the operations that may go wrong did; they are `unsafe` then. A script that runs it again is written for each, and `name`
    begins the names of the files."""
    begins = name or f"witness_{Path(found.path).name.removesuffix('.gz').rpartition('.')[0] or Path(found.path).name}"
    if found.path.endswith(".py"):
        confirm_source(found, arguments, begins)
    else:
        from tensorproof.app.model_witness import confirm_model

        confirm_model(found, begins)


def confirm_source(found: Report, arguments: tuple[str, ...], name: str) -> dict[int, int]:
    """Run a Python file. The seed of the first run that shows an operation, by line."""
    wanted = {one.span.line for one in found.operations if one.verdict in ("unsafe", "possible") and one.span.path == found.path}
    shown = {line: seed for line, seed in _seen(found.path, arguments).items() if line in wanted} if wanted else {}
    found.operations = [
        replace(one, verdict="unsafe", cause=(*one.cause, f"a real run with seed {shown[one.span.line]}"))
        if one.verdict in ("unsafe", "possible") and one.span.path == found.path and one.span.line in shown
        else one
        for one in found.operations
    ]
    for line, seed in shown.items():
        _script(found.path, line, seed, arguments, name)
    return shown


def _seen(path: str, arguments: tuple[str, ...]) -> dict[int, int]:
    home = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([home, os.environ.get("PYTHONPATH", "")]), "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "tensorproof.runners.watching", path, "0", str(RUNS), str(TRAINED), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, env=environment, check=False)
        text, failed = done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        text, failed = (late.stdout or b"").decode() if isinstance(late.stdout, bytes) else late.stdout or "", "the time was not enough"
    if not text:
        raise BadInput(f"--confirm: {path} could not be run: {failed.strip().splitlines()[-1] if failed.strip() else 'it ended at once'}")
    found: dict[int, int] = {}
    for line in text.splitlines():
        one = json.loads(line)
        if "line" in one:
            found.setdefault(one["line"], one["seed"])
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

"""What a real run of a program shows: the places where finite numbers became NaN or Inf. A child process runs it: `python -m tensorproof.runners.watching`."""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from contextlib import suppress
from time import monotonic
from typing import Any

from tensorproof.runners.corners import Corners

MOST_PLACES = 200
MOST_SECONDS = 4.0
"""How long one run may take: what it showed by then counts."""


class Watched:
    """The places of one program that were reached with numbers that are not finite."""

    def __init__(self, program: str) -> None:
        self.program = os.path.abspath(program)
        self.places: dict[tuple[int, str, str], None] = {}
        self.end = monotonic() + MOST_SECONDS

    def go_on(self) -> None:
        """End a run that takes too long."""
        if monotonic() > self.end:
            raise SystemExit

    def report(self, yields: str, kind: str = "value", line: int | None = None) -> None:
        """`kind` is "value" or "gradient"."""
        at = self.line() if line is None else line
        if at and len(self.places) < MOST_PLACES:
            self.places[at, yields, kind] = None

    def line(self) -> int:
        """The line of the program that is being run."""
        frame: Any = sys._getframe(1)
        while frame is not None:
            if os.path.abspath(frame.f_code.co_filename) == self.program:
                return int(frame.f_lineno)
            frame = frame.f_back
        return 0

    def lines_of(self, error: BaseException) -> list[int]:
        """The lines of the program that an exception passed, the innermost last."""
        return [f.lineno or 0 for f in traceback.extract_tb(error.__traceback__) if os.path.abspath(f.filename) == self.program]


def watch(program: str, seed: int, trained: float, arguments: list[str]) -> list[tuple[int, str, str]]:
    """Run a program once with the corner values of a seed."""
    watched, corners = Watched(program), Corners(seed)
    sys.argv = [program, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    with open(program, encoding="utf-8") as stream:
        text = stream.read()
    from tensorproof.runners import numpy_watch

    numpy_watch.install(corners)
    run = [lambda: runpy.run_path(program, run_name="__main__")]
    if "torch" in text:
        from tensorproof.runners import torch_watch

        run.append(torch_watch.around(run[-1], watched, corners, trained))
    if "tensorflow" in text or "keras" in text:
        from tensorproof.runners import tf_watch

        run.append(tf_watch.around(run[-1], watched, corners, trained))
    with suppress(Exception, SystemExit):  # the program's own end, or what the watch raised to end it
        run[-1]()
    return list(watched.places)


def replay(program: str, seed: int, trained: float = 1.0, arguments: tuple[str, ...] = ()) -> None:
    """Run a program with the corner values of a seed, and print where it leaves the finite numbers."""
    for line, yields, kind in watch(program, seed, trained, list(arguments)):
        print(f"{program}:{line}: {yields}" + (" in a gradient" if kind == "gradient" else ""))


def main() -> None:
    program, first, last, trained, *arguments = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the program prints is not ours
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for seed in range(int(first), int(last)):
        for line, yields, kind in watch(program, seed, float(trained), arguments):
            out.write(json.dumps({"seed": seed, "line": line, "yields": yields, "kind": kind}) + "\n")
        out.write(json.dumps({"seed": seed}) + "\n")
        out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

"""What a real run of a program shows: the places where finite numbers became NaN or Inf. A child process runs it: `python -m tensorproof.runners.watching`."""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable
from contextlib import suppress

from tensorproof.runners.corners import Corners
from tensorproof.runners.watched import Watched


def watch(program: str, seed: int, trained: float, arguments: list[str]) -> list[tuple[int, str, str]]:
    """Run a program once with the corner values of a seed."""
    watched, corners = Watched(program), Corners(seed)
    sys.argv = [program, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    with open(program, encoding="utf-8") as stream:
        text = stream.read()
    from tensorproof.runners import numpy_watch

    numpy_watch.install(corners, watched)
    run: list[Callable[[], object]] = [lambda: runpy.run_path(program, run_name="__main__")]
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

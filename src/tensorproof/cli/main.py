"""The command line. Heavy parts are imported by the command that needs them, so that `--version` answers at once."""

from __future__ import annotations

import gc
import os
import sys

from tensorproof.cli.version import VERSION


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 no error found, 1 an error found, 2 the command could not do its work."""
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:
        print(f"tensorproof {VERSION}")
        return 0
    gc.set_threshold(2_000_000, 50, 50)  # nearly all that a check makes lives until its end: looking for garbage early finds none
    sys.setrecursionlimit(20_000)  # a program's text and calls may nest as deeply as Python lets; we take several calls for one of theirs
    from tensorproof.cli.commands import run

    return run(given)


def start() -> None:
    """The command as a process of its own: it ends without taking its objects apart one by one, which would be a tenth of a small check."""
    if sys.argv[1:] != ["--version"]:
        from tensorproof.cli.own_modules import install

        install()
    status = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # who read the output is gone
        status = 2
    os._exit(status)

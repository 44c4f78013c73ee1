"""The command `tensorproof space`: its options, and its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tensorproof.app.program import Options
from tensorproof.cli.shapes import data_of, inputs_of, seconds_of, target_of
from tensorproof.diagnostics.errors import BadInput
from tensorproof.values.directives import Directives

if TYPE_CHECKING:
    from tensorproof.app.spaces.engines import Engine
    from tensorproof.app.spaces.report import Report

MODES = ("vectorised", "individual", "bulk")
BAR = 40
FEWEST_PIECES = 16
MOST_LISTED = 50_000_000
"""A file with more vectors is refused."""


def run(given: Any, arguments: tuple[str, ...]) -> tuple[int, str]:
    """The exit status and what is printed."""
    from tensorproof.app.spaces.files import SpaceFile, read_space
    from tensorproof.app.spaces.report import space
    from tensorproof.engines.space.parameters import parameter
    from tensorproof.reporters import space as report

    path, name = target_of(given, "space", "Python file, saved model or SPACE.toml")
    asked = read_space(path) if path.endswith(".toml") else SpaceFile(path)
    parameters = [parameter(text) for text in given.param or ()]
    parameters += [p for p in asked.parameters if p.name not in {q.name for q in parameters}]
    endless = next((p.name for p in parameters if p.endless), None)
    if endless is not None and (given.list is not None or given.plot is not None):
        raise BadInput(f"{endless} has no upper end: its vectors cannot be listed or drawn")
    if not parameters:
        raise BadInput("space needs at least one --param NAME=VALUES, such as --param kernel=1..11")
    mode = given.mode or asked.mode or MODES[0]
    if mode not in MODES:
        raise BadInput(f"the mode {mode} is not known; there are {', '.join(MODES)}")
    directives, inputs = Directives(data_of(given.data or ())), inputs_of([*asked.inputs, *(given.inputs or ())])
    limit = seconds_of(given.time_limit)
    options = Options(
        arguments or asked.arguments, name or asked.entry, inputs, tuple(given.path or ()), given.environment, directives=directives, time_limit=limit
    )
    found = space(asked.path, parameters, options, mode, _engine(given, mode), given.strict)
    if given.list is not None:
        _write(found, given.list)
    if given.plot is not None:
        _draw(found, given.plot, given.plot_file)
    text = {"json": report.as_json, "concise": report.concise, "full": report.full}[given.output_format](found)
    return int(found.invalid > 0 or (given.fail_on == "unknown" and found.unknown > 0)), "" if given.quiet and given.output_format == "full" else text


def _engine(given: Any, mode: str) -> Engine:
    """Where to decide, with a progress bar on a terminal."""
    from tensorproof.app.spaces.engines import ENGINES, Engine

    if given.engine not in ENGINES:
        raise BadInput(f"the engine {given.engine} is not known; there are {', '.join(ENGINES)}")
    if given.engine == "spark" and mode != MODES[0]:
        raise BadInput(f"--engine spark decides vectors in the mode vectorised, and not {mode}")
    if given.master is not None and given.engine != "spark":
        raise BadInput("--master needs --engine spark")
    if not str(given.jobs).isdecimal() or int(given.jobs) < 1:
        raise BadInput(f"--jobs {given.jobs}: a number of processes from 1 on is needed")
    return Engine(given.engine, int(given.jobs), given.master, _bar if sys.stderr.isatty() else None)


def _bar(done: int, of: int) -> None:
    """A bar on the last line of the terminal, for runs of many pieces."""
    if of >= FEWEST_PIECES:
        width = done * BAR // of
        end = "\r" + " " * (BAR + 24) + "\r" if done == of else ""
        print(f"\r[{'#' * width}{'.' * (BAR - width)}] {done:,} of {of:,}{end}", end="", file=sys.stderr, flush=True)


def _write(found: Report, path: str) -> None:
    """Write the list of all vectors; a file that cannot be written whole is not left behind."""
    from tensorproof.reporters.space import write_csv, write_parquet

    if found.vectors > MOST_LISTED:
        raise BadInput(f"--list: {found.vectors:,} vectors are too many to list, the limit is {MOST_LISTED:,}; without --list they are counted")
    with _whole(path, "--list") as beside:
        if path.endswith(".parquet"):
            write_parquet(found, beside)
        else:
            with open(beside, "w", encoding="utf-8", newline="") as stream:
                write_csv(found, stream)


def _draw(found: Report, names: str, path: str) -> None:
    from tensorproof.reporters.space_picture import write_picture

    with _whole(path, "--plot-file") as beside:
        write_picture(found, names, beside)


@contextmanager
def _whole(path: str, option: str) -> Iterator[str]:
    """A name to write to, which becomes the file once all is written."""
    beside = os.path.join(os.path.dirname(path), f".{os.getpid()}.{os.path.basename(path)}")
    try:
        yield beside
        os.replace(beside, path)
    except OSError as error:
        raise BadInput(f"{option} {path} cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            os.remove(beside)

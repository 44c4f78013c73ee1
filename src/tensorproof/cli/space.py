"""The command `tensorproof space`: its options, and its exit status."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tensorproof.app.check import Options
from tensorproof.cli.shapes import data_of, entry_of, inputs_of, seconds_of
from tensorproof.diagnostics.errors import BadInput
from tensorproof.values.told import Told

if TYPE_CHECKING:
    from tensorproof.app.space import Report

MOST_LISTED = 50_000_000
"""A file with more vectors is refused."""


def run(given: Any, arguments: tuple[str, ...]) -> tuple[int, str]:
    """The exit status and what is printed."""
    from tensorproof.app.space import space
    from tensorproof.engines.space.parameters import parameter
    from tensorproof.reporters import space as report

    paths, name = list(given.paths), None
    if given.entry is not None:
        file, name = entry_of(given.entry)
        paths = [file] if file not in paths else paths
    if len(paths) != 1:
        raise BadInput(f"space takes one Python file, {len(paths)} are given")
    parameters = [parameter(text) for text in given.param or ()]
    if not parameters:
        raise BadInput("space needs at least one --param NAME=VALUES, such as --param kernel=1..11")
    told = Told(data_of(given.data or ()))
    options = Options(arguments, name, inputs_of(given.inputs or ()), tuple(given.path or ()), given.environment, told, seconds_of(given.time_limit))
    found = space(paths[0], parameters, options, given.mode)
    if given.list is not None:
        _write(found, given.list)
    text = {"json": report.as_json, "concise": report.concise, "full": report.full}[given.output_format](found)
    return int(found.invalid > 0 or (given.fail_on == "unknown" and found.unknown > 0)), "" if given.quiet and given.output_format == "full" else text


def _write(found: Report, path: str) -> None:
    """Write the list of all vectors; a file that cannot be written whole is not left behind."""
    from tensorproof.reporters.space import write_csv

    if found.vectors > MOST_LISTED:
        raise BadInput(f"--list: {found.vectors:,} vectors are too many to list, the limit is {MOST_LISTED:,}; without --list they are counted")
    beside = f"{path}.part"
    try:
        with open(beside, "w", encoding="utf-8", newline="") as stream:
            write_csv(found, stream)
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            os.remove(beside)
        raise BadInput(f"--list {path} cannot be written: {(error.strerror or str(error)).lower()}") from None

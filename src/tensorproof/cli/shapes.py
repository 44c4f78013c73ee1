"""Reads the entries, targets and limits that a user writes on the command line, with shapes and datasets."""

from __future__ import annotations

import re
from typing import Any

from tensorproof.app.written_shapes import data_of, inputs_of
from tensorproof.diagnostics.errors import BadInput

__all__ = ["data_of", "entry_of", "inputs_of", "seconds_of", "target_of", "versions_of"]


def entry_of(text: str) -> tuple[str, str]:
    """FILE.py::Name."""
    file, colons, name = text.partition("::")
    if not colons or not file or not name:
        raise BadInput(f"--entry {text} does not parse; write FILE.py::Name")
    return file, name


def target_of(given: Any, command: str, kinds: str) -> tuple[str, str | None]:
    """The one path that a command takes, and the name of `--entry` in it."""
    paths, name = list(given.paths), None
    if given.entry is not None:
        file, name = entry_of(given.entry)
        paths = [file] if file not in paths else paths
    if len(paths) != 1:
        raise BadInput(f"{command} takes one {kinds}, {len(paths)} are given")
    return paths[0], name


def seconds_of(value: object) -> float:
    """The time limit of one file."""
    try:
        seconds = float(str(value))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise BadInput(f"--time-limit {value}: a number of seconds above 0 is needed")
    return seconds


_LIBRARIES = {"torch": "torch", "tensorflow": "tensorflow", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}


def versions_of(words: str | None) -> dict[str, str]:
    """`torch=1.13,tensorflow=1.15`: the version of each library."""
    found: dict[str, str] = {}
    for word in (words or "").split(",") if words is not None else ():
        name, equals, version = (part.strip() for part in word.partition("="))
        if not equals or not re.fullmatch(r"\d{1,4}(\.\d{1,4}){0,2}", version):
            raise BadInput(f"--target takes LIBRARY=VERSION, such as torch=1.13,tensorflow=1.15, and not {word.strip()!r}")
        library = _LIBRARIES.get(name)
        if library is None:
            raise BadInput(f"--target knows no versions of {name!r}; it knows those of torch, tensorflow, keras and numpy")
        if found.setdefault(library, version) != version:
            raise BadInput(f"--target gives {library} two versions, {found[library]} and {version}")
    return found

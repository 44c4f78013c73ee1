"""Which exception a library raises when a spelling refuses its arguments, as conformance saw it (`tools/make_raises.py` writes the tables).

A line is `CLASS|CLASS: KEY KEY …`. A key is the last word of a requirement's code, a whole code, or a spelling with a code; the longest that is there counts.
Where a requirement was seen to raise several classes, or none was seen, it is one of those that are listed.
"""

from __future__ import annotations

import os
from functools import cache

DEFAULTS = {"torch": ("RuntimeError", "ValueError"), "numpy": ("ValueError",), "tf": ("InvalidArgumentError", "ValueError")}
_SPELLED = {"torchvision": "torch", "aten": "torch"}


@cache
def table(library: str) -> dict[str, tuple[str, ...]]:
    """The classes of one library's table by key; empty for a library that was not measured."""
    path = os.path.join(os.path.dirname(__file__), f"{library}.txt")
    if not os.path.exists(path):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            classes, _, keys = line.partition(": ")
            if keys:
                found.update(dict.fromkeys(keys.split(), tuple(classes.split("|"))))
    return found


def classes(name: str, code: str, traced: bool = False) -> tuple[str, ...]:
    """The classes of which the exception is one, the likeliest first. `traced`: the call only describes what is computed later."""
    if code == "call/arguments":
        return ("TypeError",)
    library = name.partition(".")[0]
    library = _SPELLED.get(library, library)
    for found in (table(f"{library}_traced"), table(library)) if traced else (table(library),):
        for key in (f"{name}:{code}", code, code.rpartition("/")[2]):
            if key in found:
                return found[key]
    return DEFAULTS.get(library, ("InvalidArgumentError", "ValueError") if library == "keras" else ("RuntimeError", "ValueError"))

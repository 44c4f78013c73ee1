"""Which file models which names. The table `homes.txt` is written by `tools/make_homes.py` from what the files declare.

A line is a file and its names: `python.csv: csv.reader, csv.DictReader`. `seaborn.*` is a family: every name below it that no file declares is answered by the
function `others` of that file. The first line, `spaces: …`, holds what stands before the last dot of names.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from tensorproof.bindings.names import is_public
from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class _Table:
    files: dict[str, str]
    families: dict[str, str]
    spaces: frozenset[str]


@cache
def _table() -> _Table:
    files: dict[str, str] = {}
    families: dict[str, str] = {}
    with open(os.path.join(os.path.dirname(__file__), "homes.txt"), encoding="utf-8") as stream:
        spaces = frozenset(next(stream).rstrip("\n").partition(": ")[2].split(", "))
        for line in stream:
            file, _, names = line.rstrip("\n").partition(": ")
            files.update(dict.fromkeys(names.split(", "), file))
            if ".*" in names:
                families |= {name[:-2]: files.pop(name) for name in names.split(", ") if name.endswith(".*")}
    return _Table(files, families, spaces)


def files() -> list[str]:
    """All files that model names."""
    return sorted({*_table().files.values(), *_table().families.values()})


def home(name: str) -> str | None:
    """The file that declares a name."""
    return _table().files.get(name)


def family(name: str) -> str | None:
    """The file that answers for a name and all below it: the longest family decides."""
    families = _table().families
    while name not in families:
        name = name.rpartition(".")[0]
        if not name:
            return None
    return families[name]


@cache
def roots() -> frozenset[str]:
    """The libraries of which names are modelled."""
    return frozenset(name for name in _table().spaces if "." not in name)


def is_space(name: str) -> bool:
    """Whether names below this one are modelled."""
    return name in _table().spaces


@cache
def unseen(name: str) -> bool:
    """Whether a name belongs to a package of which nothing is known here: neither modelled, nor listed, nor Python's own."""
    root = name.partition(".")[0]
    return is_public(root) is None and not is_space(root) and root not in sys.stdlib_module_names and root != "builtins"

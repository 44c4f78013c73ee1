"""Writes src/tensorproof/libraries/homes.txt: the names that each library file declares. `--check` fails when it is stale.

A file declares names in its tables FUNCTIONS, VALUES, CLASSES and KINDS, and families of names in SPEAKS_FOR. A name has one file.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from tensorproof import libraries

TARGET = Path(libraries.__file__).with_name("homes.txt")
TABLES = ("FUNCTIONS", "VALUES", "CLASSES", "KINDS")
_BEFORE = f"{libraries.__name__}."


def declared() -> dict[str, list[str]]:
    """By file: the names of its tables, then its families."""
    found: dict[str, list[str]] = {}
    for info in walk_packages(libraries.__path__, _BEFORE):
        module = import_module(info.name)
        names = sorted({name for table in TABLES for name in getattr(module, table, ())})
        families = sorted(f"{name}.*" for name in getattr(module, "SPEAKS_FOR", ()))
        if names or families:
            found[info.name.removeprefix(_BEFORE)] = names + families
    return dict(sorted(found.items()))


def twice(files: dict[str, list[str]]) -> dict[str, list[str]]:
    """Names that more than one file declares."""
    homes: dict[str, list[str]] = defaultdict(list)
    for file, names in files.items():
        for name in names:
            homes[name].append(file)
    return {name: found for name, found in homes.items() if len(found) > 1}


def spaces(files: dict[str, list[str]]) -> list[str]:
    """Families, and what stands before the dots of names."""
    found: set[str] = set()
    for name in (name for names in files.values() for name in names):
        if name.endswith(".*"):
            found.add(name[:-2])
            continue
        while name := name.rpartition(".")[0]:
            found.add(name)
    return sorted(found)


def text(files: dict[str, list[str]]) -> str:
    return f"spaces: {', '.join(spaces(files))}\n" + "".join(f"{file}: {', '.join(names)}\n" for file, names in files.items())


def main() -> int:
    files = declared()
    for name, found in twice(files).items():
        print(f"{name} is declared in {' and in '.join(found)}: a name has one file", file=sys.stderr)
    if twice(files):
        return 1
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") != text(files):
            print("libraries/homes.txt is stale: run python tools/make_homes.py")
            return 1
        return 0
    TARGET.write_text(text(files), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

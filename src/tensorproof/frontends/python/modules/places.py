"""Where a program's imports are looked for: the folders of its import path, and the package that its file is part of."""

from __future__ import annotations

import ast
import os
import re

from tensorproof.frontends.python.modules.source import Source
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass

_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
"""What lies in the folder of a project."""
_DEEPEST = BUDGETS.files.folders_above


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that come before the installed packages, those that come after, and the main file's names."""

    first: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    package: str = ""
    """The package that the file's relative imports start from; empty for a script."""
    name: str = "__main__"
    """The file's name as a module."""


def places(source: Source, given: tuple[str, ...] = (), imported: bool = False) -> Places:
    """As `python FILE` looks for modules; as `python -m` where the file has relative imports; as `import` does for a file that only defines things.

    The working directory, the folder of the project and its `src` come last: with them on the path, installed packages still come first.
    """
    home, file = os.path.split(os.path.realpath(source.path))
    stem = os.path.splitext(file)[0]
    around = [home, *parents(home)]
    level = relative_level(source)
    depth = max(_packages(around, min(level, len(around) - 1)), _named(around, source, not level))
    package = ".".join(os.path.basename(folder) for folder in reversed(around[:depth]))
    inside = stem == "__init__"
    is_module = imported or inside
    name = package if inside and package else f"{package}.{stem}" if package else stem
    parent = around[depth] if depth else None
    dotted = bool(level) or inside
    first = [*([] if dotted else [home]), *([parent] if parent is not None else []), *map(os.path.normpath, given)]
    later: list[str] = []
    for folder in dict.fromkeys((os.getcwd(), *_project(around))):
        later += [folder, os.path.join(folder, "src")]
    kept = tuple(dict.fromkeys(f for f in later if f not in first))
    return Places(tuple(dict.fromkeys(first)), kept, package if level or is_module else "", name if is_module else "__main__")


def parents(folder: str) -> list[str]:
    """The folders around a folder, the nearest first."""
    found = []
    while (above := os.path.dirname(folder)) != folder:
        found.append(above)
        folder = above
    return found


def relative_level(source: Source) -> int:
    """The most dots that a relative import of the file has."""
    if not any(line.lstrip().startswith("from") and line.lstrip()[4:].lstrip().startswith(".") for line in source.text.splitlines() if "from" in line):
        return 0
    return max((node.level for node in ast.walk(source.tree) if isinstance(node, ast.ImportFrom)), default=0)


def imports_own(source: Source, package: str) -> bool:
    """Whether a file of a package imports from it, by a relative name or a full one: what runs the package's `__init__` in any case."""
    return bool(relative_level(source)) or _imports(source, package.partition(".")[0])


def _imports(source: Source, name: str) -> bool:
    return bool(re.search(rf"^\s*(?:from|import)\s+{name}\b", source.text, re.MULTILINE))


def _packages(around: list[str], level: int) -> int:
    """How many packages a folder is nested in, itself included. Those without `__init__.py` count where a relative import or an outer package shows them."""
    regular = [os.path.isfile(os.path.join(folder, "__init__.py")) for folder in around[:-1][: level + _DEEPEST]]
    depth = next((i for i, found in enumerate(regular) if found and i <= level + 1), level)
    depth = max(depth, level)
    while depth < len(regular) and regular[depth]:
        depth += 1
    return depth


def _named(around: list[str], source: Source, script: bool) -> int:
    """How many folders up the outermost lies that the file itself imports from by name, unless a script finds that name beside it."""
    depth = 0
    for i, folder in enumerate(around[:_DEEPEST], 1):
        name = os.path.basename(folder)
        beside = os.path.join(around[0], name)
        if name not in source.text or (script and (os.path.isdir(beside) or os.path.isfile(f"{beside}.py"))):
            continue
        if name.isidentifier() and _imports(source, name):
            depth = i
    return depth


def _project(around: list[str]) -> list[str]:
    """The nearest folder above a file that holds a project, if any."""
    return next(([f] for f in around if any(os.path.exists(os.path.join(f, marker)) for marker in _MARKERS)), [])

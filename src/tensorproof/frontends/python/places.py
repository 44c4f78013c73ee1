"""Where a program's imports are looked for: the folders of its import path, and the package that its file is part of."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tensorproof.frontends.python.source import Source
from tensorproof.terms.records import dataclass

_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
"""What lies in the folder of a project."""
_DEEPEST = 12
"""How many folders above a file are looked at."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that come before the installed packages, those that come after, and the main file's names."""

    first: tuple[Path, ...] = ()
    later: tuple[Path, ...] = ()
    package: str = ""
    """The package that the file's relative imports start from; empty for a script."""
    name: str = "__main__"
    """The file's name as a module."""


def places(source: Source, given: tuple[Path, ...] = (), imported: bool = False) -> Places:
    """As `python FILE` looks for modules; as `python -m` where the file has relative imports; as `import` does for a file that only defines things.

    The working directory, the folder of the project and its `src` come last: with them on the path, installed packages still come first.
    """
    file = Path(source.path).resolve()
    home = file.parent
    level = relative_level(source)
    depth = max(_packages(home, min(level, len(home.parents))), _named(home, source, not level))
    package = ".".join(home.parts[len(home.parts) - depth :]) if depth else ""
    inside = file.stem == "__init__"
    is_module = imported or inside
    name = package if inside and package else f"{package}.{file.stem}" if package else file.stem
    parent = home.parents[depth - 1] if depth else None
    dotted = bool(level) or inside
    first = [*([] if dotted else [home]), *([parent] if parent is not None else []), *given]
    later: list[Path] = []
    for folder in dict.fromkeys((Path.cwd(), *_project(home))):
        later += [folder, folder / "src"]
    kept = tuple(dict.fromkeys(f for f in later if f not in first))
    return Places(tuple(dict.fromkeys(first)), kept, package if level or is_module else "", name if is_module else "__main__")


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


def _packages(home: Path, level: int) -> int:
    """How many packages a folder is nested in, itself included. Those without `__init__.py` count where a relative import or an outer package shows them."""
    around = [home, *home.parents[:-1]]
    regular = [(folder / "__init__.py").is_file() for folder in around[: level + _DEEPEST]]
    depth = next((i for i, found in enumerate(regular) if found and i <= level + 1), level)
    depth = max(depth, level)
    while depth < len(regular) and regular[depth]:
        depth += 1
    return depth


def _named(home: Path, source: Source, script: bool) -> int:
    """How many folders up the outermost lies that the file itself imports from by name, unless a script finds that name beside it."""
    depth = 0
    for i, folder in enumerate([home, *home.parents][:_DEEPEST], 1):
        name = folder.name
        if name not in source.text or (script and ((home / name).is_dir() or (home / f"{name}.py").is_file())):
            continue
        if name.isidentifier() and _imports(source, name):
            depth = i
    return depth


def _project(home: Path) -> list[Path]:
    """The nearest folder above a file that holds a project, if any."""
    return next(([f] for f in (home, *home.parents) if any((f / marker).exists() for marker in _MARKERS)), [])

"""The environment that a program runs in: where its packages are installed, and which of them we read or model."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from tensorproof.diagnostics.errors import BadInput
from tensorproof.libraries import registry


@cache
def is_whole(site: tuple[Path, ...]) -> bool:
    """Whether an environment is one that deep-learning programs run in."""
    return any((folder / name).is_dir() for folder in site for name in ("torch", "tensorflow", "keras"))


@cache
def modelled() -> frozenset[str]:
    """The libraries that a model speaks of."""
    return frozenset(name.partition(".")[0] for name in registry.FILES)


@cache
def builds_on_torch(site: tuple[Path, ...], package: str) -> bool:
    """Whether an installed package says that it needs torch: only such packages are read as source, the others are left to models."""
    for folder in site:
        for metadata in folder.glob(f"{package}-*.dist-info/METADATA"):
            with metadata.open(encoding="utf-8", errors="replace") as stream:
                return any(line.startswith("Requires-Dist: torch") for line in stream)
    return False


def site_packages(environment: str | None) -> tuple[Path, ...]:
    """The folders of installed packages: of a given environment, else of the one that runs."""
    if environment is None:
        roots = [Path(p) for p in sys.path if p.endswith("site-packages")]
    elif Path(environment).name == "site-packages":
        roots = [Path(environment)]
    else:
        roots = sorted(Path(environment).glob("lib/python*/site-packages")) or [Path(environment) / "Lib" / "site-packages"]
    found = tuple(r for r in roots if r.is_dir())
    if environment is not None and not found:
        raise BadInput(f"{environment} is no Python environment: it has no site-packages")
    return found

"""The environment that a program runs in: where its packages are installed, and which of them we read or model."""

from __future__ import annotations

import os
import sys
from functools import cache

from tensorproof.bindings.rows import LIBRARIES
from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.standard import FROM_SOURCE
from tensorproof.libraries import homes

SOURCES = (
    "torchvision.models", "torchvision.ops", "torchvision.utils", "torchvision._internally_replaced_utils", "keras.applications", "keras.src.applications",
    "huggingface_hub.",
)  # fmt: skip
"""Parts of modelled packages that are read from their own source."""


@cache
def _entries(folder: str) -> tuple[str, ...]:
    """What lies in a folder; nothing where there is none."""
    try:
        return tuple(os.listdir(folder))
    except OSError:
        return ()


@cache
def is_whole(site: tuple[str, ...]) -> bool:
    """Whether an environment is one that deep-learning programs run in."""
    return any(os.path.isdir(os.path.join(folder, name)) for folder in site for name in ("torch", "tensorflow", "keras"))


@cache
def builds_on_torch(site: tuple[str, ...], package: str) -> bool:
    """Whether an installed package says that it needs torch: only such packages are read as source, the others are left to models."""
    for folder in site:
        for entry in _entries(folder):
            metadata = os.path.join(folder, entry, "METADATA")
            if entry.startswith(f"{package}-") and entry.endswith(".dist-info") and os.path.exists(metadata):
                with open(metadata, encoding="utf-8", errors="replace") as stream:
                    return any(line.startswith("Requires-Dist: torch") for line in stream)
    return False


def read_as_source(full: str, site: tuple[str, ...], left: frozenset[str]) -> bool:
    """Whether the source of a name's package is read where there is no model of it. `left` are packages and names that are not followed any more."""
    root = full.partition(".")[0]
    if left and (root in left or full in left):
        return False
    if root in FROM_SOURCE:
        return not homes.is_space(full)
    if not site or full.startswith(SOURCES):
        return bool(site)
    return root not in LIBRARIES and not homes.is_space(root) and root not in sys.stdlib_module_names and builds_on_torch(site, root)


@cache
def version_of(site: tuple[str, ...], package: str) -> str | None:
    """The version of an installed package, which the folder of its metadata is named by; dashes and case do not count."""
    for folder in site:
        for entry in _entries(folder):
            name, _, version = entry.removesuffix(".dist-info").rpartition("-")
            if entry.endswith(".dist-info") and name.replace("-", "_").replace(".", "_").lower() == package:
                return version
    return None


def site_packages(environment: str | None) -> tuple[str, ...]:
    """The folders of installed packages: of a given environment, else of the one that runs."""
    if environment is None:
        roots = [p for p in sys.path if p.endswith("site-packages")]
    elif os.path.basename(os.path.normpath(environment)) == "site-packages":
        roots = [environment]
    else:
        lib = os.path.join(environment, "lib")
        unix = [os.path.join(lib, version, "site-packages") for version in sorted(_entries(lib)) if version.startswith("python")]
        roots = [folder for folder in unix if os.path.exists(folder)] or [os.path.join(environment, "Lib", "site-packages")]
    found = tuple(r for r in roots if os.path.isdir(r))
    if environment is not None and not found:
        raise BadInput(f"{environment} is not a Python environment: it has no site-packages")
    return found

"""The versions of the libraries that a program is written for, and which names they have: `versions.txt` lists the names that came or went.

A version is what `--target` says, else what the environment has, else that of the list of names. What an environment has tells which names are not there
yet; that a program is one for TensorFlow 1 is taken back by `--target` alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from tensorproof.bindings.names import is_public, version

Version = tuple[int, ...]
_NEWEST: Version = (1 << 30,)
_LIBRARIES = {"torch": "torch", "tensorflow": "tensorflow", "tf": "tensorflow", "keras": "keras", "numpy": "numpy"}
"""By the root of a name."""
_TAKEN = ("torch", "numpy")
"""Libraries whose newest version, or that of the environment, is meant where no target is given: a name that it took away is an error."""
_PACKAGES = {"tensorflow": ("tensorflow", "tensorflow_cpu", "tensorflow_intel", "tensorflow_macos", "tensorflow_gpu")}
"""The distributions that hold a library, where they have other names."""
_OWN_KERAS = (2, 16)
"""TensorFlow below this has Keras 2."""

_chosen: dict[str, str] = {}
_site: tuple[str, ...] = ()


@contextmanager
def chosen(target: Mapping[str, str], site: tuple[str, ...]) -> Iterator[None]:
    """Within this, the versions are those of a target and of an environment."""
    global _chosen, _site
    before = _chosen, _site
    _chosen, _site = dict(target), site
    try:
        yield
    finally:
        _chosen, _site = before


def text(library: str) -> str:
    """`__version__` of a library."""
    if library == "keras" and library not in _chosen and "tensorflow" in _chosen and _numbers(_chosen["tensorflow"]) < _OWN_KERAS:
        return text("tensorflow")
    found = _chosen.get(library) or _installed(_site).get(library) or version(library)
    return found if found.count(".") > 1 else f"{found}{'.0' * (2 - found.count('.'))}"


def changing(last: str) -> bool:
    """Whether a name with this last part came or went in some version."""
    return last in _lasts()


def lacks(name: str) -> str:
    """Why the version of a name's library has no such name; empty where it may have it."""
    library = _LIBRARIES.get(name.partition(".")[0])
    change = _change(name)
    if library is None or (change is None and library not in _chosen):
        return ""
    now = _numbers(text(library))
    if change is not None:
        since, until, raw_since, raw_until = change
        if now < since:
            return f"it is there since {library} {raw_since}, and the program is for {text(library)}"
        if (library in _chosen or library in _TAKEN) and now >= until and not is_public(name):  # torch keeps some names to say that they are gone
            return f"{library} {raw_until} took it away, and the program is for {text(library)}"
    if library == "tensorflow" and library in _chosen and not name.startswith(("tf.keras.", "tf.compat.")):
        return _of_other_tensorflow(name, now)
    return ""


def had(name: str) -> bool:
    """Whether a name that the newest version no longer has may be in the version of the target."""
    library = _LIBRARIES.get(name.partition(".")[0])
    if library not in _chosen:
        return False
    change, now = _change(name), _numbers(text(library))
    older = (library == "keras" and now < (3,)) or (name.startswith("tf.keras.") and now < _OWN_KERAS) or (library == "tensorflow" and now < (2,))
    return older or (change is not None and now < change[1])


def _of_other_tensorflow(name: str, now: Version) -> str:
    first = is_public(name.replace("tf.", "tf.compat.v1.", 1))
    listed = is_public(name)
    if now < (2,) and listed and first is False:
        return f"it is there since TensorFlow 2, and the program is for {text('tensorflow')}"
    if now >= (2,) and listed is None and first:
        return f"it is TensorFlow 1, and the program is for {text('tensorflow')}: tf.compat.v1 has it"
    return ""


def _numbers(words: str) -> Version:
    return tuple(map(int, re.findall(r"\d+", words.partition("+")[0])[:3]))


@cache
def _changes() -> dict[str, tuple[Version, Version, str, str]]:
    found: dict[str, tuple[Version, Version, str, str]] = {}
    with open(os.path.join(os.path.dirname(__file__), "versions.txt"), encoding="utf-8") as stream:
        for line in stream:
            if line.startswith("#"):
                continue
            _, since, until, *names = line.split()
            entry = (() if since == "-" else _numbers(since), _NEWEST if until == "-" else _numbers(until), since, until)
            found.update(dict.fromkeys(names, entry))
    return found


@cache
def _lasts() -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in _changes())


@cache
def _change(name: str) -> tuple[Version, Version, str, str] | None:
    """What is said of a name, or of what it lies below."""
    while name:
        found = _changes().get(name)
        if found is not None:
            return found
        name = name.rpartition(".")[0]
    return None


@cache
def _installed(site: tuple[str, ...]) -> dict[str, str]:
    """The versions that an environment's folders tell; a local label such as `+cpu` is left out."""
    found: dict[str, str] = {}
    by_package = {package: library for library in ("torch", "tensorflow", "keras", "numpy") for package in _PACKAGES.get(library, (library,))}
    for folder in site:
        for entry in os.listdir(folder) if os.path.isdir(folder) else ():
            package, _, rest = entry.removesuffix(".dist-info").partition("-")
            if entry.endswith(".dist-info") and package in by_package and (version := re.match(r"\d+(\.\d+)+", rest)):
                found.setdefault(by_package[package], version.group())
    return found

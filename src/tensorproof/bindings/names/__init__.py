"""Each library's public names, as `tools/public_names.py` wrote them from the real library (the first line of a list says which version).

A name that is not listed is the program's error, so *cannot tell* matters here: nothing is said of private names, nor of what lies behind a
name that is listed but was not entered (a class's attributes, a module that could not be imported).
"""

from __future__ import annotations

import os
from functools import cache

__all__ = ["LIBRARIES", "closest", "is_namespace", "is_public", "listed", "opsets", "public", "version"]

LIBRARIES = ("torch", "tensorflow", "keras", "numpy", "onnx")
_ROOTS = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "numpy": "numpy", "onnx": "onnx"}
_ALIASES = {"tensorflow": "tf", "tf.compat.v2": "tf", "np": "numpy"}  # other ways to the same root
_LARGEST = 1 << 20  # bytes; a longer list is a damaged installation


@cache
def _text(library: str) -> str:
    if library not in LIBRARIES:
        raise KeyError(library)
    with open(os.path.join(os.path.dirname(__file__), f"{library}.txt"), "rb") as stream:
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"the list of {library}'s public names is longer than {_LARGEST} bytes")
    return data.decode()


@cache
def _blocks(library: str) -> dict[str, list[str]]:
    """By namespace: the lines under it. A namespace stands at the start of a line, its names follow with one space before each."""
    blocks = (block.split("\0") for block in _text(library).replace("\n ", "\0").splitlines() if not block.startswith("#"))
    return {namespace: lines for namespace, *lines in blocks}


@cache
def _block(library: str, namespace: str) -> str | None:
    """The lines under a namespace, found in the text: most programs ask for few of the namespaces of a library."""
    text, heading = _text(library), f"\n{namespace}\n"
    at = -1 if namespace.startswith(" ") else text.find(heading)
    if not namespace or at < 0:
        return None
    begin = at + len(heading) - 1
    end = text.find("\n" + namespace.partition(".")[0], begin)  # all namespaces of a library begin with the same word, and names with a space
    return text[begin : end if end >= 0 else len(text)].rstrip("\n")


@cache
def _inside(library: str, namespace: str) -> dict[str, tuple[int, ...]]:
    """The names of a namespace, and for an ONNX operator the opsets that changed it."""
    lines = (_block(library, namespace) or "").split("\n ")[1:]
    if library != "onnx":
        return dict.fromkeys(lines, ())
    return {name: tuple(map(int, since)) for name, *since in map(str.split, lines)}


def is_namespace(library: str, name: str) -> bool:
    """Whether this is a module of a library whose names are listed."""
    return name.rpartition(".")[2].islower() and _block(library, name) is not None


@cache
def public(library: str) -> frozenset[str]:
    """All public dotted names of a library; KeyError for one that is not in LIBRARIES."""
    return frozenset(f"{namespace}.{name}" for namespace in _blocks(library) for name in _inside(library, namespace))


def version(library: str) -> str:
    """The version of the library that the list was made from."""
    return _text(library).partition("\n")[0].split()[-1]


def _resolved(name: str) -> tuple[str | None, str]:
    """The library of a dotted name, and the name as the lists spell it."""
    for alias, root in _ALIASES.items():
        if name == alias or name.startswith(alias + "."):
            name = root + name.removeprefix(alias)
    return _ROOTS.get(name.partition(".")[0]), name


@cache
def is_public(name: str) -> bool | None:
    """Whether the library has this name; None when that is unknown."""
    library, name = _resolved(name)
    namespace, _, last = name.rpartition(".")
    if library is None or any(part.startswith("_") for part in name.split(".")):
        return None
    if not namespace:
        return True
    if _block(library, namespace) is None:
        return False if is_public(namespace) is False else None
    if last in _inside(library, namespace):
        return True
    if library == "tensorflow" and not name.startswith("tf.compat."):  # it may be a program for TensorFlow 1
        gone = ("tf.contrib", "tf.examples", "tf.python", "tf.models", "tf.core", "tf.estimator")
        return None if name in gone or is_public(name.replace("tf.", "tf.compat.v1.", 1)) else False
    return False


def listed(namespace: str) -> list[str] | None:
    """The names of a module of a library; None when they are not listed."""
    library, name = _resolved(namespace)
    return list(_inside(library, name)) if library is not None and _block(library, name) is not None else None


def opsets(operator: str) -> tuple[int, ...]:
    """The opsets in which an ONNX operator (`onnx.Conv`, `onnx.ml.Scaler`) was made or changed; empty when there is none."""
    namespace, _, last = operator.rpartition(".")
    return _inside("onnx", namespace).get(last, ())


def closest(name: str, n: int = 3) -> list[str]:
    """Up to `n` public names that the writer may have meant, the likeliest first."""
    from difflib import get_close_matches  # only wrong names need it

    library, name = _resolved(name)
    if library is None:
        return []
    namespace, _, last = name.rpartition(".")
    if _block(library, namespace) is not None:  # only its last part is wrong: matches of a long common prefix would drown the answer
        found = [f"{namespace}.{near}" for near in get_close_matches(last, _inside(library, namespace), n)]
        if found:
            return found
    return get_close_matches(name, public(library), n)

"""Pure functions of Python's library: they run as they are on small concrete values; of other values only the kind of the result is known."""

from __future__ import annotations

import ast
import builtins
from functools import cache, partial
from importlib import import_module
from typing import Any

from tensorproof.libraries.model import Run
from tensorproof.libraries.plain import HOSTS, Abstract, from_host, to_host
from tensorproof.libraries.python.core import texts
from tensorproof.libraries.results.facts import others
from tensorproof.values import BYTES, REAL, TEXT, WHOLE, Args, Generator, Iterator, Kwargs, Machine, Unknown, Value

LARGEST = 100_000
"""Texts and bytes that are longer are not looked into."""
_GIVEN = {"text": TEXT, "bytes": BYTES, "real": REAL, "int": WHOLE}


def spelled(m: Machine, value: Value, node: ast.AST) -> Value:
    """A concrete value as Python's own, an iterator as the list of what it gives."""
    if isinstance(value, (Iterator, Generator)):
        found = m.iterate(value, node)
        if found is None:
            raise Abstract
        return [to_host(v) for v in found]
    if type(value).__module__ in HOSTS:
        return value
    given = to_host(value)
    if isinstance(given, (str, bytes)) and len(given) > LARGEST:
        raise Abstract
    return given


def run_plain(m: Machine, function: Any, args: Args, kwargs: Kwargs, otherwise: Value, node: ast.AST) -> Value:
    """Run a pure function where all is concrete; else `otherwise`."""
    try:
        given = tuple(spelled(m, a, node) for a in args), {k: spelled(m, v, node) for k, v in kwargs.items()}
    except Abstract:
        return otherwise
    if _explodes(function, given[0]):
        return m.gap(function.__name__, node, "the result would be too large")
    try:
        return from_host(m, function(*given[0], **given[1]))
    except Exception as error:
        kind = type(error).__name__
        if not hasattr(builtins, kind):
            return m.gap(function.__name__, node, f"it raises {kind}")
        raise m.raised(kind, f"{kind}: {error}", node) from None


def _explodes(function: Any, args: Args) -> bool:
    """Whether a short text asks for a giant number or buffer."""
    words = [a.lower() for a in args if isinstance(a, str)]
    if function.__name__ in ("Fraction", "Decimal"):
        return any("e" in w and len(w.partition("e")[2]) > 4 for w in words)
    if getattr(function, "__module__", "") == "_struct":
        return any(len(digits) > 5 for w in words for digits in "".join(c if c.isdigit() else " " for c in w).split())
    return function.__name__ == "decompress" and any(len(a) > 1000 for a in args if isinstance(a, bytes))


@cache
def _function(name: str) -> Value:
    library, _, word = name.rpartition(".")
    return getattr(import_module(library), word)


def _runner(name: str, kind: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The library is imported when a program calls the function."""
    otherwise = texts(m, node) if kind == "texts" else _GIVEN.get(kind, Unknown(name))
    return run_plain(m, _function(name), args, kwargs, otherwise, node)


FUNCTIONS: dict[str, Run] = {name: partial(_runner, name, kind) for name, kind in others("python/pure").items()}

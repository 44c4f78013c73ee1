"""The parts of Python itself that run as they are on concrete values: builtins, and pure modules of the standard library."""

from __future__ import annotations

import builtins
from typing import Any

from tensorproof.values.python_values import Named

PURE_MODULES = (
    "math", "cmath", "operator", "itertools", "fractions", "string", "functools", "collections", "statistics", "textwrap", "fnmatch", "base64",
    "unicodedata", "keyword", "calendar", "colorsys", "html", "decimal", "struct", "zlib",
)  # fmt: skip
_PURE_BUILTINS = [
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytes",
    "chr",
    "complex",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "frozenset",
    "hash",
    "hex",
    "int",
    "list",
    "map",
    "max",
    "min",
    "oct",
    "ord",
    "pow",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
    "len",
    "True",
    "False",
    "None",
    "Ellipsis",
    "NotImplemented",
    "print",
    "isinstance",
    "type",
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "RuntimeError",
    "Exception",
    "AttributeError",
    "object",
]
BUILTINS: dict[str, Any] = {name: getattr(builtins, name) for name in _PURE_BUILTINS}
MOST_ITEMS = 100_000
"""Longer sequences are not spelled out."""


def module_named(name: str) -> Any:
    """A pure standard module as itself; any other module by its name."""
    if name in PURE_MODULES:
        from importlib import import_module

        return import_module(name)
    return Named(name)

"""The methods of texts and bytes that are not known: what kind of value each gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.libraries.python.core import texts
from tensorproof.terms.samples import WORDS
from tensorproof.values.objects import Native
from tensorproof.values.python_values import BYTES, TEXT, WHOLE, Unknown

if TYPE_CHECKING:
    from tensorproof.values.machine import Args, Kwargs, Machine, Value


def of_text(name: str, text: Unknown = TEXT) -> Native:
    """A method of a text that is not known, and what it gives: a text of that kind, or something else."""
    sample = getattr(str, name)
    if name in ("split", "rsplit"):
        return Native(f"str.{name}", _split)
    if name == "splitlines":
        return Native("str.splitlines", lambda m, args, kwargs, node: texts(m, node))
    if name in ("partition", "rpartition"):
        return Native(f"str.{name}", lambda m, args, kwargs, node: (text, text, text))
    plain = name.startswith("is") or name in ("find", "rfind", "index", "rindex", "count", "startswith", "endswith", "__len__")
    result = BYTES if name == "encode" else Unknown(name) if plain or not callable(sample) else text
    if name in ("find", "rfind", "index", "rindex", "count", "__len__"):
        result = Unknown(name, number="int")
    return Native(f"str.{name}", lambda m, args, kwargs, node: result)


def _split(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Columns, of which each row has the same number, or words."""
    return texts(m, node, WORDS if (args[0] if args else kwargs.get("sep")) in (None, " ") else "columns")


def of_bytes(name: str) -> Native:
    """A method of unknown bytes."""
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
        return Native(f"bytes.{name}", lambda m, args, kwargs, node: Unknown(name))
    result = TEXT if name in ("decode", "hex") else WHOLE if name in ("find", "rfind", "index", "rindex", "count") else BYTES
    return Native(f"bytes.{name}", lambda m, args, kwargs, node: Unknown(name) if name.startswith("is") or name.endswith("with") else result)

"""The methods of texts and bytes that are not known: what kind of value each gives, and which arguments none of them takes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.libraries.python.core import texts
from tensorproof.terms.samples import WORDS
from tensorproof.values.objects import List, Native
from tensorproof.values.python_values import BYTES, TEXT, WHOLE, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorproof.values.machine import Args, Kwargs, Machine, Value

    Method = Callable[[Machine, Args, Kwargs, ast.AST], Value]


def of_text(name: str, text: Unknown = TEXT) -> Native:
    """A method of a text that is not known, and what it gives: a text of that kind, or something else."""
    return Native(f"str.{name}", _checked(str, name, _of_text(name, text)))


def of_bytes(name: str) -> Native:
    """A method of unknown bytes."""
    return Native(f"bytes.{name}", _checked(bytes, name, _of_bytes(name)))


def _checked(kind: type, name: str, run: Method) -> Method:
    """What no text or bytes take as arguments is refused: the method of two of them raises TypeError, or knows no such encoding."""

    def checked(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        try:
            given, named = [_sample(v) for v in args], {k: _sample(v) for k, v in kwargs.items()}
        except ValueError:
            return run(m, args, kwargs, node)
        drawn = any(isinstance(v, Unknown) for v in (*args, *kwargs.values()))
        empty, other = (_raised(kind, text, name, given, named) for text in ("", "a b"))
        if (isinstance(empty, TypeError) and isinstance(other, TypeError)) or (type(other) is LookupError and not drawn):
            raise m.raised(type(other).__name__, str(other), node)
        return run(m, args, kwargs, node)

    return checked


def _raised(kind: type, text: str, name: str, args: list[object], kwargs: dict[str, object]) -> Exception | None:
    try:
        getattr(text if kind is str else text.encode(), name)(*args, **kwargs)
    except Exception as error:
        return error
    return None


def _sample(value: Value) -> object:
    """A value of Python in place of an argument; ValueError where its kind is not known."""
    match value:
        case None | bool() | int() | float() | str() | bytes():
            return value
        case tuple() | List():
            parts = [_sample(v) for v in (value if isinstance(value, tuple) else value.items)]
            return tuple(parts) if isinstance(value, tuple) else parts
        case Unknown() if value.number or value.text is not value.octets:
            return "a" if value.text else b"a" if value.octets else 1.0 if value.number == "float" else 1
        case _:
            raise ValueError


def _of_text(name: str, text: Unknown) -> Method:
    sample = getattr(str, name)
    if name in ("split", "rsplit"):
        return _split
    if name == "splitlines":
        return lambda m, args, kwargs, node: texts(m, node)
    if name in ("partition", "rpartition"):
        return lambda m, args, kwargs, node: (text, text, text)
    plain = name.startswith("is") or name in ("find", "rfind", "index", "rindex", "count", "startswith", "endswith", "__len__")
    result = BYTES if name == "encode" else Unknown(name) if plain or not callable(sample) else text
    if name in ("find", "rfind", "index", "rindex", "count", "__len__"):
        result = Unknown(name, number="int")
    return lambda m, args, kwargs, node: result


def _split(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Columns, of which each row has the same number, or words."""
    return texts(m, node, WORDS if (args[0] if args else kwargs.get("sep")) in (None, " ") else "columns")


def _of_bytes(name: str) -> Method:
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
        return lambda m, args, kwargs, node: Unknown(name)
    result = TEXT if name in ("decode", "hex") else WHOLE if name in ("find", "rfind", "index", "rindex", "count") else BYTES
    return lambda m, args, kwargs, node: Unknown(name) if name.startswith("is") or name.endswith("with") else result

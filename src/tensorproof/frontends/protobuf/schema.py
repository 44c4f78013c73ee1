"""How a message is described: a table of fields. Readers turn bytes or text into plain dictionaries by it.

A decoded message maps field names to values; a repeated field to a list, a map to a dictionary. Fields left out are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.records import dataclass

Decoded = dict[str, Any]

LINE = "@line"
"""Under this key a located message says on which line of a text file it begins."""


DEEPEST = BUDGETS.files.message_depth
MOST_VALUES = BUDGETS.files.message_values


class Malformed(Exception):
    """The input breaks its encoding or its schema. Its text finishes the sentence "the file … "."""


class Kind(Enum):
    INT = "int"
    UINT = "uint"
    BOOL = "bool"
    ENUM = "enum"
    FLOAT = "float"
    DOUBLE = "double"
    STRING = "string"
    BYTES = "bytes"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `message` is called when needed, so that tables may be recursive. `enum` names an enumeration's values in text.

    A `raw` field holds a tensor's floats: the wire reader leaves them as the bytes they are, the text reader as a list.
    """

    number: int
    name: str
    kind: Kind
    repeated: bool = False
    message: Callable[[], Message] | None = None
    mapped: bool = False
    enum: dict[str, int] | None = None
    raw: bool = False


class Message:
    """A message type: its fields by number and by name. `located` messages carry their line, `strict` ones refuse unknown fields."""

    __slots__ = ("by_name", "by_number", "located", "name", "strict")

    def __init__(self, name: str, *fields: Field, located: bool = False, strict: bool = False) -> None:
        self.name = name
        self.by_number = {field.number: field for field in fields}
        self.by_name = {field.name: field for field in fields}
        self.located = located
        self.strict = strict


def scalar(kind: Kind) -> Callable[..., Field]:
    def make(number: int, name: str, repeated: bool = False) -> Field:
        return Field(number, name, kind, repeated)

    return make


integer, unsigned, boolean = scalar(Kind.INT), scalar(Kind.UINT), scalar(Kind.BOOL)
single, double, string, octets = scalar(Kind.FLOAT), scalar(Kind.DOUBLE), scalar(Kind.STRING), scalar(Kind.BYTES)


def elements(number: int, name: str, kind: Kind) -> Field:
    return Field(number, name, kind, repeated=True, raw=True)


def enum(number: int, name: str, values: dict[str, int], repeated: bool = False) -> Field:
    return Field(number, name, Kind.ENUM, repeated, enum=values)


def message(number: int, name: str, of: Callable[[], Message], repeated: bool = False) -> Field:
    return Field(number, name, Kind.MESSAGE, repeated, of)


def mapping(number: int, name: str, of: Callable[[], Message]) -> Field:
    """A map from strings to messages, decoded as a dictionary. On the wire it is a repeated message with `key` and `value`."""
    return Field(number, name, Kind.MESSAGE, True, of, mapped=True)


def merge(earlier: Decoded, later: Decoded) -> Decoded:
    """What protobuf makes of a singular message that is given twice: fields add up, the last scalar wins."""
    merged = dict(earlier)
    for name, value in later.items():
        old = merged.get(name)
        if isinstance(old, list) and isinstance(value, list):
            merged[name] = [*old, *value]
        elif isinstance(old, dict) and isinstance(value, dict):
            merged[name] = merge(old, value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            merged[name] = value
    return merged

"""Typed access to decoded JSON: a field that is missing or of another type is a sentence, never an exception of Python."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from tensorproof.frontends.protobuf.schema import Malformed

T = TypeVar("T")
_WORDS = {dict: "an object", list: "a list", str: "text", int: "a whole number", bool: "true or false", float: "a number"}


def decode(data: bytes, name: str) -> Any:
    """The JSON in a member of an archive. Raises `Malformed`."""
    try:
        return json.loads(data)
    except RecursionError:
        raise Malformed(f"nests {name} too deeply") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise Malformed(f"holds a {name} that is not JSON ({error})") from None


def expect(value: object, kind: type[T], where: str) -> T:
    """The value, when it is of this type."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Malformed(f"must have {_WORDS.get(kind, kind.__name__)} at {where}, and has {json.dumps(value, default=repr)[:60]}")
    return value


def field(holder: object, name: str, kind: type[T], where: str) -> T:
    """The field of an object, which must be there and of this type."""
    inside = expect(holder, dict, where)
    if name not in inside:
        raise Malformed(f"has no field {name} at {where}")
    return expect(inside[name], kind, f"{where}.{name}")


def only(holder: object, where: str) -> tuple[str, Any]:
    """The one alternative of a union, `{"as_int": 2}`."""
    inside: dict[str, Any] = expect(holder, dict, where)
    given = [(key, value) for key, value in inside.items() if value is not None or key == "as_none"]
    if len(given) != 1:
        raise Malformed(f"must have one alternative at {where}, and has {', '.join(inside) or 'none'}")
    return given[0]

"""How messages call the type of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.values.objects import Instance

if TYPE_CHECKING:
    from tensorproof.values.machine import Value


def type_name(value: Value) -> str:
    if isinstance(value, Instance):
        return str(value.cls.name)
    return {"List": "list", "Dict": "dict", "Set": "set", "NoneType": "None"}.get(type(value).__name__, type(value).__name__)

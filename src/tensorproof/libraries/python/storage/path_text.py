"""The text of a path, be it given as a text or as an object of pathlib."""

from __future__ import annotations

from tensorproof.values import Model, Value


def text_of(value: Value) -> str | None:
    """A path as a text, None when it is not known."""
    if isinstance(value, Model) and value.kind == "pathlib.Path":
        value = value.space["text"]
    return value if isinstance(value, str) else None

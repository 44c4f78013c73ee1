"""Reads the shapes, datasets and entries that a user writes on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.entry import Input
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32

_CLOSING = {"(": ")", "[": "]", "": ""}


def inputs_of(texts: Iterable[str]) -> dict[str, Input]:
    """`x=8,3,H,W`, `x=(8, 3, 32, 32)`, `ids=int64:8,L`: a number fixes an axis, a name leaves it open; one name is one size."""
    found: dict[str, Input] = {}
    for text in texts:
        name, equals, shape = text.partition("=")
        label, colon, sizes = shape.rpartition(":")
        if not equals or not name.isidentifier() or (colon and label.strip() not in BY_LABEL):
            raise BadInput(f"--input {text} does not parse; write NAME=SHAPE, such as x=8,3,H,W or ids=int64:8,L")
        axes = _sizes(sizes, f"--input {text}")
        found[name] = Input(len(axes), BY_LABEL.get(label.strip(), FLOAT32), axes)
    return found


def _sizes(text: str, option: str) -> tuple[int | str | None, ...]:
    """`8, 3, H, ?`, with brackets or without."""
    inner = text.strip()
    opening = inner[:1] if inner[:1] in ("(", "[") else ""
    if opening:
        if not inner.endswith(_CLOSING[opening]):
            raise BadInput(f"{option} does not parse: the brackets do not close")
        inner = inner[1:-1]
    words = [word.strip() for word in inner.split(",")]
    if words[-1] == "":  # (8,) and ()
        words.pop()
    axes: list[int | str | None] = []
    for word in words:
        if word.isdecimal():
            axes.append(int(word))
        elif word.isidentifier():
            axes.append(word)
        elif word in ("?", "*"):
            axes.append(None)
        elif not word:
            raise BadInput(f"{option} does not parse: a size is missing between two commas")
        else:
            raise BadInput(f"{option} does not parse: {word!r} is neither a size nor a name")
    return tuple(axes)


def entry_of(text: str) -> tuple[str, str]:
    """FILE.py::Name."""
    file, colons, name = text.partition("::")
    if not colons or not file or not name:
        raise BadInput(f"--entry {text} does not parse; write FILE.py::Name")
    return file, name

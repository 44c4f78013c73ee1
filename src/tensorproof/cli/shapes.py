"""Reads the shapes and entries that a user writes on the command line."""

from __future__ import annotations

from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.entry import Input
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32


def inputs_of(texts: tuple[str, ...]) -> dict[str, Input]:
    """`x=8,3,H,W`, `x=(8, 3, 32, 32)`, `ids=int64:8,L`: a number fixes an axis, a name leaves it open."""
    found: dict[str, Input] = {}
    for text in texts:
        name, equals, shape = text.partition("=")
        label, colon, sizes = shape.rpartition(":")
        if not equals or not name.isidentifier() or (colon and label not in BY_LABEL):
            raise BadInput(f"--input {text} does not parse; write NAME=SHAPE, such as x=8,3,H,W or ids=int64:8,L")
        axes: list[int | None] = []
        for part in sizes.strip("()[] ").split(",") if sizes.strip("()[] ") else []:
            word = part.strip()
            if word.isdigit():
                axes.append(int(word))
            elif word.isidentifier() or word in ("?", "*"):
                axes.append(None)
            elif word:
                raise BadInput(f"--input {text} does not parse: {word!r} is neither a size nor a name")
        found[name] = Input(len(axes), BY_LABEL.get(label, FLOAT32), tuple(axes))
    return found


def entry_of(text: str) -> tuple[str, str]:
    """FILE.py::Name."""
    file, colons, name = text.partition("::")
    if not colons or not file or not name:
        raise BadInput(f"--entry {text} does not parse; write FILE.py::Name")
    return file, name

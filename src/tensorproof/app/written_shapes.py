"""Reads the shapes and datasets that a user writes as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tensorproof.diagnostics.errors import BadInput
from tensorproof.terms.dtypes import BY_LABEL, FLOAT32, INT64
from tensorproof.values.directives import Dataset, Part

if TYPE_CHECKING:
    from tensorproof.frontends.python.entry.inputs import Input

_CLOSING = {"(": ")", "[": "]", "": ""}


def inputs_of(texts: Iterable[str]) -> dict[str, Input]:
    """`x=8,3,H,W`, `x=(8, 3, 32, 32)`, `ids=int64:8,L`: a number fixes an axis, a name leaves it open; one name is one size."""
    found: dict[str, Input] = {}
    for text in texts:
        from tensorproof.frontends.python.entry.inputs import Input

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


_DATA = r"(?P<name>[\w.]+)=(?:(?P<count>[\d_]+|\?)(?:x|$))?(?P<parts>.*)"
_PART = r"(?P<label>[a-z]\w*)?\((?P<sizes>[^()]*)\)\s*(?:,\s*|$)"


def data_of(texts: Iterable[str]) -> dict[str, Dataset]:
    """`MNIST=60000x(1,28,28)`, `Photos=5000x(3,H,W),int64()`, `Words=(L,),int64(L)`, `ImageFolder=1200`: a count, the parts of a sample, or both."""
    found: dict[str, Dataset] = {}
    for text in texts:
        option = f"--data {text}"
        match = re.fullmatch(_DATA, text)
        if match is None or not (match["count"] or match["parts"]):
            raise BadInput(f"{option} does not parse; write NAME=COUNTx(SIZES), such as Photos=5000x(3,224,224),int64()")
        parts: list[Part] = []
        rest = match["parts"]
        while rest:
            part = re.match(_PART, rest)
            if part is None or (part["label"] and part["label"] not in BY_LABEL):
                raise BadInput(f"{option} does not parse at {rest!r}; a part of a sample is (3,224,224) or uint8(28,28)")
            sizes = _sizes(f"({part['sizes']})", option)
            parts.append(Part(sizes, BY_LABEL[part["label"]] if part["label"] else FLOAT32 if sizes else INT64))
            rest = rest[part.end() :]
        count = None if match["count"] in (None, "?") else int(match["count"].replace("_", ""))
        found[match["name"]] = Dataset(count, tuple(parts))
    return found

"""The public names that the catalogue does not have and that can be called all the same: their forms of calls, as `tools/documented_calls.py` wrote them.

They are data, written when Tensorproof is developed: a campaign plans without loading the library, and every form has been taken by the library before.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

LIBRARIES = ("torch", "tensorflow", "keras")
_LARGEST = 8_000_000


@dataclass(frozen=True, slots=True)
class Documented:
    """`forms` are texts of `template`. `written` are the places of the inputs that a call writes into."""

    name: str
    forms: tuple[str, ...]
    random: bool = False
    written: tuple[int, ...] = ()

    @property
    def is_layer(self) -> bool:
        """Whether a constructor is called first."""
        return any("|" in form.split("\t") for form in self.forms)

    @property
    def text(self) -> str:
        flags = [*(["random"] if self.random else []), *([f"writes={','.join(map(str, self.written))}"] if self.written else [])]
        return "\n".join([" ".join([self.name, *flags]), *(f" {form}" for form in self.forms)])


@cache
def documented(library: str) -> dict[str, Documented]:
    """By name; empty for a library without a list."""
    path = os.path.join(os.path.dirname(__file__), "forms", f"{library}.txt")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as stream:
        return read_forms(stream.read(_LARGEST))


def read_forms(text: str) -> dict[str, Documented]:
    """A list of forms: a name at the margin, its forms below it, with a space before each."""
    blocks = text.replace("\n ", "\0").splitlines()
    return {made.name: made for block in blocks if block and not block.startswith("#") for made in [_read(block.split("\0"))]}


def _read(lines: list[str]) -> Documented:
    name, *flags = lines[0].split(" ")
    written = next((f.removeprefix("writes=") for f in flags if f.startswith("writes=")), "")
    return Documented(name, tuple(lines[1:]), "random" in flags, tuple(int(at) for at in written.split(",") if at))

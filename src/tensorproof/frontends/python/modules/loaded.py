"""The file of a module: its text, and what was made of it."""

from __future__ import annotations

from typing import Any

from tensorproof.frontends.python.modules.source import Source, parse
from tensorproof.terms.records import dataclass


@dataclass(slots=True)
class Loaded:
    """A file that was read and compiled once, for all replays. That of a package is parsed when it is run."""

    path: str
    text: str
    parsed: Source | None = None
    body: Any = None

    @property
    def source(self) -> Source:
        if self.parsed is None:
            self.parsed = parse(self.path, self.text)
        return self.parsed

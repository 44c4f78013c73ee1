"""The file of a module: its text, and what was made of it."""

from __future__ import annotations

from typing import Any

from tensorproof.frontends.python.modules import files
from tensorproof.frontends.python.modules.source import Source, parse
from tensorproof.terms.records import dataclass


@dataclass(slots=True)
class Loaded:
    """A file that was read and compiled once, for all replays. That of a package is parsed when it is run."""

    path: str
    text: str
    parsed: Source | None = None
    body: Any = None
    words: frozenset[bytes] = frozenset()
    """The words of its text, once a name was looked for."""
    code: str = ""
    """Its text without remarks, once a name was looked for that has only words of the text."""

    @property
    def source(self) -> Source:
        if self.parsed is None:
            self.parsed = parse(self.path, self.text)
        return self.parsed

    def mentions(self, key: str, words: frozenset[bytes]) -> bool:
        """Whether the code has a name, of these words, as a whole."""
        if not self.words:
            self.words = files.words_of(self.text)
        if not words <= self.words:
            return False
        if not self.code:
            self.code = files.without_remarks(self.text)
        return any(True for _ in files.places_of(self.code, key))

    def registers(self, key: str) -> bool:
        """Whether the code registers something under a name that it mentions."""
        return files.registers(self.code, key)

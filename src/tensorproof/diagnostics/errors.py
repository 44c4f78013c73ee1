"""What a reader raises when its input is not what it should be. A program's own errors are diagnostics, never exceptions."""

from __future__ import annotations


class BadInput(Exception):
    """An input that cannot be read: missing, truncated, foreign or too large. Its text is one clear sentence for the user."""


class BadFile(BadInput):
    """A Python file that cannot be read or parsed: the place, and what is wrong there without the file's name."""

    def __init__(self, path: str, about: str, code: str = "file/unreadable", line: int = 0, column: int = 0) -> None:
        place = f"{path}:{line}:{column}:" if column else f"{path}:{line}" if line else path
        super().__init__(f"{place} {about}")
        self.path, self.about, self.code, self.line, self.column = path, about, code, max(line, 1), max(column, 1)

"""The places of a program where a run shows numbers that are not finite."""

from __future__ import annotations

import os
import sys
import traceback
from time import process_time
from typing import Any

MOST_PLACES = 200
MOST_SECONDS = 4.0
"""How long one run may take, in seconds of the processor: what it showed by then counts."""


class Watched:
    """The places of one program that were reached with numbers that are not finite."""

    def __init__(self, program: str) -> None:
        self.program = os.path.abspath(program)
        self.places: dict[tuple[int, str, str], None] = {}
        self.end = process_time() + MOST_SECONDS

    def go_on(self) -> None:
        """End a run that takes too long."""
        if process_time() > self.end:
            raise SystemExit

    def report(self, yields: str, kind: str = "value", line: int | None = None) -> None:
        """`kind` is "value" or "gradient"."""
        at = self.line() if line is None else line
        if at and len(self.places) < MOST_PLACES:
            self.places[at, yields, kind] = None

    def line(self) -> int:
        """The line of the program that is being run."""
        frame: Any = sys._getframe(1)
        while frame is not None:
            if os.path.abspath(frame.f_code.co_filename) == self.program:
                return int(frame.f_lineno)
            frame = frame.f_back
        return 0

    def lines_of(self, error: BaseException) -> list[int]:
        """The lines of the program that an exception passed, the innermost last."""
        return [f.lineno or 0 for f in traceback.extract_tb(error.__traceback__) if os.path.abspath(f.filename) == self.program]

"""How much work one file may cost. Work is counted in steps, so that load never changes a verdict; a clock of processor time is the last resort."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, process_time
from typing import Any

from tensorproof.terms.budgets import BUDGETS

STEPS_PER_SECOND = 10_000
"""The documented rate between `--time-limit` and steps: a slow machine takes about a second for so many."""
DEFAULT_SECONDS = BUDGETS.deciding.seconds
TO_DECIDE = 0.25
"""The share of the limit that deciding may take on top of it, after the paths were run."""
_PATIENCE = 30
"""The clock on the wall, for what takes no processor time, waits so many times as long: a loaded machine must not change a verdict."""
_AGAIN = 0.25


class OutOfBudget(BaseException):
    """The analysis has used up its work or its time. No `except Exception` takes it: the clock may raise it anywhere."""


class Limit:
    """What one file may cost, and what it has cost."""

    def __init__(self, seconds: float, counted: bool = True) -> None:
        self.seconds = seconds
        self.counted = counted
        """Whether work adds up: what runs under no limit of its own has no end at which to stop counting."""
        self.steps = max(1, int(seconds * STEPS_PER_SECOND))
        self.work = 0
        self.expired = False
        """Whether the clock has run out."""
        self._ticks = 0
        self._processor, self._wall = process_time() + seconds, monotonic() + seconds * _PATIENCE

    @property
    def due(self) -> bool:
        """Whether one of the clocks has run out, whoever sent the signal that makes one ask."""
        return self.counted and (process_time() >= self._processor or monotonic() >= self._wall)

    def share(self, steps: int) -> float:
        """Which part of the limit is used up, by a run's steps or by the clock."""
        of_time = 1 - (self._processor - process_time()) / self.seconds if self.counted else 0.0
        return max(steps / self.steps, of_time)

    @property
    def sentence(self) -> str:
        return f"the time limit of {self.seconds:g} s is reached" + ("" if self.expired else f", counted as {self.steps:,} steps")

    def spend(self, cost: int) -> None:
        """Count work that no run of the program counts."""
        self.work += cost
        if self.expired or (self.counted and self.work > self.steps):
            raise OutOfBudget(self.sentence)

    def tick(self, number: int, frame: object) -> None:
        """The clock has run out: the next safe point ends the analysis; where none comes, this does."""
        self.expired = True
        self._ticks += 1
        if self._ticks > 2:
            raise OutOfBudget(self.sentence)


_current = Limit(DEFAULT_SECONDS, counted=False)


def current() -> Limit:
    return _current


def _listening(limit: Limit) -> list[tuple[int, Any]]:
    """The handlers that were there before those of a limit; none where no signal arrives."""
    try:
        return [(number, signal.signal(number, limit.tick)) for number in (signal.SIGPROF, signal.SIGALRM)] if hasattr(signal, "setitimer") else []
    except ValueError:  # not the main thread
        return []


@contextmanager
def limited(seconds: float) -> Iterator[Limit]:
    """The limit for what runs inside. The clock runs in the main thread alone, where signals arrive."""
    global _current
    before, _current = _current, Limit(seconds)
    handlers = _listening(_current)
    try:
        if handlers:
            signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
            signal.setitimer(signal.ITIMER_REAL, seconds * _PATIENCE, _AGAIN)
        yield _current
    finally:
        if handlers:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in handlers:
                signal.signal(number, handler)
        _current = before

"""A program without inputs, run by CPython and by our interpreter: the names at its end, the trace, and the exception must be the same."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tensorproof.frontends.python.explore import explore
from tensorproof.frontends.python.modules.source import parse
from tests.differential.agree import Input, Walk


class TooLong(BaseException):
    """A run took longer than it may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Seconds of work, not of the clock, so that other work on the machine ends no run."""

    def stop(number: int, frame: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)  # again, should the first be swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass
class Outcome:
    """What came of one program."""

    difference: str = ""
    values: int = 0
    unknown: int = 0
    gaps: int = 0
    paths: int = 1
    raised: str = ""
    skipped: str = ""


def python(code: Any, inputs: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The names at the end, and the class of the exception that was not caught."""
    space: dict[str, Any] = {"__name__": "__main__", **inputs}
    try:
        with at_most(0.2):  # what takes Python long takes us too long
            exec(code, space)
    except (TooLong, MemoryError):  # where memory ends is the machine's
        return space, "TooLong"
    except Exception as error:
        return space, type(error).__name__
    return space, ""


def compiled(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(text, "program.py", "exec")


def compare(text: str, loose: bool = False) -> Outcome:
    theirs, raised = python(compiled(text), {})
    if raised == "TooLong":
        return Outcome(skipped="too long")
    outcome = Outcome(raised=raised)

    def ended(run: Any) -> None:
        path = run.path
        outcome.gaps = len(path.gaps)
        mine = path.stated[-1].exception if path.stated else ""
        if path.gaps:
            return
        if loose and raised in ("", "TooLong") and not mine and any(s.requirement.predicate is not False for s in path.stated):
            return  # open requirements: neither an exception nor none
        if mine != raised:
            outcome.difference = f"ours ends with {mine or 'no exception'}, Python's with {raised or 'none'}" + (
                f" ({path.stated[-1].requirement.message}, line {path.stated[-1].span.line})" if mine else ""
            )
            return
        if loose and raised:
            return  # that it dies is reported; what memory holds then is not
        walk = Walk(Input())
        outcome.difference = walk.globals(run.modules.main.space, theirs)
        outcome.values, outcome.unknown = walk.values, walk.unknown

    limit = sys.getrecursionlimit()
    try:
        with at_most(20):
            found = explore(parse("program.py", text), ended=ended, stop_at_error=True)
    except TooLong:
        return Outcome(difference="ours takes more than 20 s")
    except Exception as error:
        sys.setrecursionlimit(limit)
        return Outcome(difference=f"our own {type(error).__name__}: {error}")
    outcome.paths = len(found.paths)
    if outcome.gaps:
        outcome.difference = f"a gap: {found.paths[0].gaps[0]}"
    elif outcome.unknown and not outcome.difference and not loose:
        outcome.difference = f"{outcome.unknown} values are unknown"
    elif outcome.paths > 1 and not outcome.difference:
        outcome.difference = f"{outcome.paths} paths through a program without inputs"
    return outcome

"""Calls that the modules of packages make while they run: what they decide by something unknown is unknown, and no path of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorproof.frontends.python.errors import Fork
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def of_module(m: Interpreter) -> bool:
    """Whether the lines of a package's module run, and none of a function."""
    frame = m.frames[-1] if m.frames else None
    return frame is not None and frame.function is None and frame.module is not None and frame.module.foreign


def followed(m: Interpreter, run: Callable[[], Value], name: str) -> Value:
    """What a call gives; where it would make paths, memory is as it was before, and the result is unknown."""
    heap, path = m.heap, m.path
    mark, facts, frames, handlers, guards, occurrences = heap.mark(), len(m.facts), len(m.frames), m.handlers, len(m.guards), dict(m.occurrences)
    stated, gaps, findings, recorded, errors = len(path.stated), len(path.gaps), len(path.findings), path.recorded, m.errors
    waiting = len(m.frames[-1].waiting)
    try:
        value = run()
    except Fork:
        while heap.marks[-1] is not mark:
            heap.marks.pop()
        heap.undo(mark)
        heap.close(mark)
        del m.facts[facts:], m.frames[frames:], m.guards[guards:], m.frames[-1].waiting[waiting:]
        del path.stated[stated:], path.gaps[gaps:], path.findings[findings:]
        path.unrecord(recorded)
        m.handlers, m.occurrences, m.errors = handlers, occurrences, errors
        return Unknown(name)
    except BaseException:
        heap.forget(mark)
        raise
    heap.forget(mark)
    return value

"""One pass through the body of a loop."""

from __future__ import annotations

from collections.abc import Iterator as Iterator_
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tensorproof.frontends.python.frame import CONTINUE, Frame, Signal
from tensorproof.frontends.python.scope import Act, Put

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def one_iteration(m: Interpreter, frame: Frame, body: Act) -> Signal | None:
    """One pass through a loop's body."""
    m.step()
    base = len(frame.waiting)
    signal = body(frame)
    if len(frame.waiting) > base and any(e.signal is CONTINUE for w in frame.waiting[base:] for e in w.exits):
        m.branching.settle(frame, base, None if signal is CONTINUE else signal, (CONTINUE,))
    return None if signal is CONTINUE else signal


@contextmanager
def summarised_lengths(m: Interpreter, wanted: bool) -> Iterator_[None]:
    """While lists that two paths leave with different lengths are described by how many items they have."""
    m.in_symbolic_iteration += wanted
    try:
        yield
    finally:
        m.in_symbolic_iteration -= wanted


def with_item(m: Interpreter, put: Put, body: Act, item: Value, frame: Frame) -> Signal | None:
    put(frame, item)
    return one_iteration(m, frame, body)

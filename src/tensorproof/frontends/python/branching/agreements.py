"""Branches that TensorFlow traces: both sides become parts of a graph, so they must agree, and what one of them raises is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.frame import RETURN, Frame, Signal
from tensorproof.terms.records import dataclass
from tensorproof.values.heap import Difference, read

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

Statement = Callable[["Frame"], "Signal | None"]


class Agreement(Protocol):
    """What must hold between the sides of such a branch, and what becomes of the variables that they leave."""

    def sides(self, ends: Callable[[Any, object], tuple[Value, Value]]) -> None: ...
    def returned(self, a: Value, b: Value) -> None: ...
    def is_variable(self, frame: Any, owner: Any, key: object) -> bool: ...
    def left(self, word: str) -> None: ...
    def joined(self) -> None: ...


class _Certain(Exception):
    """What one side raises while both are traced."""

    def __init__(self, raised: Raised) -> None:
        self.raised = raised


@dataclass(frozen=True, slots=True)
class Ends:
    """What memory holds at the ends of the two sides, the second of which ran last."""

    first: Difference
    second: Difference
    before: dict[tuple[int, Any], Any]

    def of(self, owner: Any, key: object) -> tuple[Value, Value]:
        location = id(owner), key
        now = read(owner, key)
        first = self.first.values[location] if location in self.first.values else self.before.get(location, now)
        return first, self.second.values.get(location, now)


def split(run: Interpreter, frame: Frame, p: Any, then: Statement, other: Statement, agreement: Agreement) -> Signal | None:
    """Trace both sides of a statement."""
    waiting, facts, marks = len(frame.waiting), len(run.facts), len(run.heap.marks)

    def certain(act: Statement) -> Statement:
        def traced(frame: Frame) -> Signal | None:
            try:
                return act(frame)
            except Raised as raised:
                raise _Certain(raised) from None

        return traced

    try:
        return run.branching.split(frame, p, certain(then), certain(other), agreement)
    except _Certain as ended:
        run.branching.abandon(frame, waiting)
        for mark in run.heap.marks[marks:]:
            run.heap.forget(mark)
        run.leave_facts(facts)
        raise ended.raised from None


def staying(run: Interpreter, agreement: Agreement, frame: Frame, held: Difference) -> Difference | None:
    """What the first side wrote that is no variable of the branch: it stays while the other is traced."""
    values = {at: value for at, value in held.values.items() if not agreement.is_variable(frame, held.owners[at[0]], at[1])}
    if not values:
        return None
    found = Difference(values, held.owners)
    run.heap.apply(found)
    return found


def agree(agreement: Agreement, signals: tuple[Signal | None, Signal | None], results: tuple[Value, Value], ends: Ends) -> None:
    """Whether the two sides leave or return the same variables."""
    try:
        if signals == (None, None):
            agreement.sides(ends.of)
        elif signals == (RETURN, RETURN):
            agreement.returned(*results)
        else:
            for signal in {s for s in signals if s is not None}:
                agreement.left(signal.name)
    except Raised as raised:
        raise _Certain(raised) from None

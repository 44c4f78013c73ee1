"""What a tensor holds after writes that went through other tensors of its memory, for the program form.

Each write replaces the token that a storage holds, so that the writes since a tensor was described are found from token to token. Where one of them is not
known, such as after a join or a loop, the elements of the tensor may be any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.frontends.python.tensors.memory import Held
    from tensorproof.values.machine import Value

MOST_WRITES = BUDGETS.containers.writes


class WrittenElements:
    """`_past`: by the identity of a token, the token, the one before it, and what was written then."""

    def __init__(self, m: Interpreter) -> None:
        self.m = m
        self._past: dict[int, tuple[Value, Value, Held]] = {}
        self._recorded: dict[int, tuple[TensorType, int, object]] = {}

    def note(self, before: Value, after: Value, written: Held) -> None:
        """A write took place between two tokens."""
        if before is not after:
            self._past[id(after)] = after, before, written

    def record(self, held: Held, at: tuple[Value, Value]) -> None:
        """Record what the later description of a tensor holds."""
        program, later = self.m.path.program, held.later
        if program is None or later is None or later[1].contents is not None:
            return
        made = later[1]
        known = self._recorded.get(id(made))
        if known is not None and known[1] < program.position and program.records[known[1]] is known[2]:
            return
        writes = self._since(held.at, at)
        last = writes[-1] if writes else None
        if last is not None and last.whole is not None and self.m.memory.object_of(last.whole) is held.own:
            program.same(last.shown, made)
        elif writes and all(one.shown.shape.known for one in writes) and made.shape.known and held.shown.shape == made.shape:
            options = [held.shown]
            for one in writes:
                if one.shown.shape.numel == made.shape.numel:  # all elements are written
                    options.clear()
                options.append(made.but(contents=None))
                program.taken(_one_element(one.shown, program), options[-1])
            program.join(None, tuple(options), made)
        else:
            program.changed(made, held.shown if made.parameter else None)
        self._recorded[id(made)] = made, program.position - 1, program.records[-1]

    def _since(self, start: tuple[Value, Value], end: tuple[Value, Value]) -> list[Held] | None:
        """The writes between two states of a memory, in their order; None where they are not all known."""
        if start[1] is not end[1]:
            return None
        found: list[Held] = []
        token = end[0]
        while token is not start[0]:
            known = self._past.get(id(token))
            if known is None or len(found) >= MOST_WRITES:
                return None
            found.append(known[2])
            token = known[1]
        return found[::-1]


def _one_element(written: TensorType, program: Any) -> TensorType:
    """A tensor without axes that stands for each element that was written."""
    item = written
    while len(item.shape):
        part = item.sized(Shape(item.shape[1:]), strides=None)
        program.slices([item], [part])
        item = part
    return item

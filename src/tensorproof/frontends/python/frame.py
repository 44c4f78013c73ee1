"""One running call: its names, the scopes around it, and the exits that wait in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.terms.predicates import Truth
from tensorproof.terms.records import dataclass, field
from tensorproof.values.heap import Difference, Mark, Space

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


class Signal:
    """How a statement ended, when it did not just end."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


RETURN, BREAK, CONTINUE = Signal("return"), Signal("break"), Signal("continue")


@dataclass(slots=True)
class Exit:
    """A way out that one side of a branch took: its condition, how it left, and the memory that it left, as seen from the branch's mark."""

    condition: Truth
    signal: Signal
    result: Value
    difference: Difference


@dataclass(slots=True)
class Waiting:
    """Exits that wait while the other paths go on. Their conditions exclude each other."""

    exits: list[Exit]
    mark: Mark
    facts: int
    """How many facts held before the branch."""
    number: int
    """The branch's number on the path, for a fork."""


@dataclass(slots=True, eq=False)
class Frame:
    machine: Interpreter
    space: Space
    scopes: tuple[Space, ...]
    """The spaces of the enclosing functions, the innermost first."""
    globals: Space
    module: Any = None
    function: Any = None
    owner: Value = None
    """The class whose body or method this is: what `super()` starts from."""
    result: Value = None
    waiting: list[Waiting] = field(default_factory=list[Waiting])
    handled: Any = None
    """The exception that an `except` block is handling, for a bare `raise`."""
    at: Any = None
    """The call that is being made."""
    started: bool = False
    """Whether a generator has given its first value."""

    asked: int = 0
    """How many questions about what was chosen outside the run had met when this call began."""
    library: int = 0
    """How many calls of library models were open when this one began."""
    looping: str = ""
    """Who runs the innermost loop of a function that TensorFlow traces: "python" or "graph"."""

    def inner(self, space: Space, scopes: tuple[Space, ...]) -> Frame:
        """The frame of a comprehension or of a class body."""
        return Frame(self.machine, space, scopes, self.globals, self.module, self.function, self.owner, at=self.at, library=self.library)

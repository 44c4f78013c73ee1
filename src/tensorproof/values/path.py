"""What one run of a program through the front end leaves behind for the engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Step
from tensorproof.diagnostics.span import Span
from tensorproof.ops.record import Requirement
from tensorproof.program.recorder import Recorder
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True)
class Stated:
    """A requirement with the place of the call that states it."""

    requirement: Requirement
    span: Span
    trail: tuple[Step, ...] = ()
    facts: tuple[Predicate, ...] = ()
    """What holds on the path to this place."""
    fix: str = ""
    exception: str = ""
    """The class of the program's exception that this is, where it is one."""
    call: int = 0
    """The same for all requirements of one call, and above 0."""
    certain: bool = False
    """Whether this is a `raise` that the program reaches by what it computes itself, whatever was chosen outside before."""
    caught: bool = False
    """Whether a handler that raises nothing waits for the exception: where the requirement fails, the program goes on there."""


@dataclass(slots=True)
class Path:
    """Requirements in the order they were stated, findings already certain, and what was not understood."""

    stated: list[Stated] = field(default_factory=list[Stated])
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    gaps: list[Gap] = field(default_factory=list[Gap])
    calls: int = 0
    ended: bool = False
    """Whether a certain error ended the run before the last statement."""
    left: bool = False
    """Whether the program also ends as it means to, by `sys.exit()`."""
    facts: tuple[Predicate, ...] = ()
    """What holds where the run ended."""
    later: list[Gap] = field(default_factory=list[Gap])
    """What was not understood after an error, and may follow from it."""
    lost: bool = False
    """Whether something was not followed because of an error: nothing is proved without that error."""
    cut: bool = False
    """Whether one side of a branch was left at an error: nothing is proved when that error is ignored."""
    fed: bool = False
    """Whether the caller feeds everything that is not in the program, as for a saved graph: no size is the world's."""
    program: Recorder | None = None
    """The program form of this path, where an engine asked for it."""
    asked: dict[str, str] = field(default_factory=dict[str, str])
    """Truth values that the machine or the command line decides, and what was asked: each answer is a world in which somebody runs the program."""
    worlds: dict[Predicate, bool] = field(default_factory=dict[Predicate, bool])
    """The answers of the machine with which more of the program is understood."""
    open: list[Gap] = field(default_factory=list[Gap])
    """The requirements that neither hold for every value nor fail for one, where each is stated: known once the path is decided."""

    @property
    def of_worlds(self) -> frozenset[str]:
        """The truth values that are free: nothing else was asked of the same file, which the program may have made in between."""
        times = Counter(self.asked.values())
        return frozenset(name for name, one in self.asked.items() if times[one] == 1)

    @property
    def recorded(self) -> int:
        """How many records of the program form there are."""
        return self.program.position if self.program is not None else 0

    def same(self, old: TensorType, new: TensorType) -> TensorType:
        """Record that `new` is another description of the elements of `old`."""
        if self.program is not None and old.dtype is new.dtype and old.shape == new.shape:
            self.program.same(old, new)
        return new

    def taken(self, old: TensorType, new: TensorType) -> TensorType:
        """Record that each element of `new` is one of `old`."""
        if self.program is not None:
            self.program.taken(old, new)
        return new

    def source(self, tensor: TensorType, role: str, low: float, high: float, drawn: bool = False) -> TensorType:
        """Record that a tensor comes from outside, as what, and between which numbers it lies."""
        if self.program is not None:
            self.program.source(tensor, role, low, high, drawn=drawn)
        return tensor

    def place(self, recorded: int, where: Callable[[Span], Span]) -> None:
        """What was applied since then has the places that `where` says."""
        if self.program is not None:
            self.program.place(recorded, where)

    def unrecord(self, recorded: int) -> None:
        """What was recorded since then is undone."""
        if self.program is not None:
            self.program.cut(recorded)

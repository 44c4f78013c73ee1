"""The solver port: what an engine may ask, and the three answers it gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Protocol

from tensorproof.terms.predicates import Truth
from tensorproof.terms.records import dataclass, field


class Answer(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer: with a witness (a value for each symbol, by name) when satisfiable, with the guilty names when not."""

    answer: Answer
    witness: Mapping[str, int] = field(default_factory=dict[str, int])
    core: tuple[str, ...] = ()
    reason: str = ""


class Solver(Protocol):
    """A stack of facts. `check` asks whether they hold together with the named predicates."""

    def assume(self, fact: Truth) -> None: ...

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Facts assumed inside are forgotten at the end."""
        ...

    def check(self, named: Sequence[tuple[str, Truth]] = ()) -> Solution: ...

"""An exception that the analysed program raises, as an exception of the analyser."""

from __future__ import annotations

from typing import Any

from tensorproof.diagnostics.diagnostic import Step
from tensorproof.diagnostics.span import Span
from tensorproof.ops.record import Requirement
from tensorproof.terms.records import dataclass


@dataclass(slots=True)
class Raised(Exception):
    """An exception that the program raises. `kind` is the name of a builtin class, or a class of the program; `code` and `message` tell
    the finding that it is when it is not caught."""

    kind: Any
    message: str
    span: Span
    code: str
    trail: tuple[Step, ...] = ()
    value: object = None
    quiet: bool = False
    """SystemExit and its like end a run without being an error."""
    fix: str = ""
    roots: frozenset[int] = frozenset()
    """What the blamed tensors were computed from."""
    through: bool = False
    """Whether it passed through a library's call from a function of the program, which may have changed anything."""
    own: bool = False
    """Whether a `raise` or an `assert` of the program made it: the program means to end here."""
    others: tuple[str, ...] = ()
    """Further classes of which it may be one instead of `kind`."""
    refused: Requirement | None = None
    """The requirement of an operator that failed, where one did."""
    call: int = 0
    """The call that it comes from, as in `Stated`."""
    certain: int | None = None
    """Of a `raise` that is reached by what the program computes itself, as in `Stated`: how many questions about what was chosen outside the run had met."""

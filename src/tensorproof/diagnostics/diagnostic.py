"""A finding: what is wrong, where, for which values, and how it came about."""

from __future__ import annotations

from enum import Enum

from tensorproof.diagnostics.span import Span
from tensorproof.terms.records import dataclass, field


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Certainty(Enum):
    ALWAYS = "always"
    POSSIBLE = "possible"


class Verdict(Enum):
    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Step:
    """One stop on the way to a finding: "64 comes from here"."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    code: str
    severity: Severity
    message: str
    span: Span
    certainty: Certainty = Certainty.ALWAYS
    witness: dict[str, int] = field(default_factory=dict[str, int])
    trail: tuple[Step, ...] = ()
    label: str = ""
    """The short sentence beside the caret."""
    fix: str = ""
    """One constant or argument that would mend it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A call or a statement that was not understood."""

    callee: str
    span: Span
    reason: str = ""

    @property
    def follows(self) -> bool:
        """Whether it only follows from an earlier one: a value that was not understood came in."""
        return self.reason in ("an argument is not known", "what is called is not known")

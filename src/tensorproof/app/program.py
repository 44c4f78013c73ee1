"""What a user gives beside the files, and what was found out about one program. Light: nothing of the analyses is loaded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Verdict
from tensorproof.solve import limits
from tensorproof.terms.records import dataclass, field
from tensorproof.values.directives import NOTHING, Directives

if TYPE_CHECKING:
    from tensorproof.app.infer import Inferred
    from tensorproof.frontends.python.entry.inputs import Input


@dataclass(frozen=True, slots=True)
class Options:
    """What the user says beyond the files: the program's arguments, one module to enter, shapes of its inputs."""

    arguments: tuple[str, ...] = ()
    entry: str | None = None
    inputs: dict[str, Input] = field(default_factory=dict[str, "Input"])
    roots: tuple[str, ...] = ()
    environment: str | None = None
    target: dict[str, str] = field(default_factory=dict[str, str])
    """The version of each library that the program is written for, where the user says it."""
    directives: Directives = NOTHING
    time_limit: float = limits.DEFAULT_SECONDS
    """Seconds for one file, counted in steps."""


@dataclass(slots=True)
class Program:
    """What was found out about one program."""

    path: str
    text: str
    verdict: Verdict
    paths: dict[str, int]
    calls: int
    gaps: list[Gap]
    seconds: float
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    contracts: list[Inferred] = field(default_factory=list["Inferred"])
    ignored: int = 0
    """How many findings the user took out, by a comment or an option."""
    later: list[Gap] = field(default_factory=list[Gap])
    """What was not understood after an error: shown when the errors are ignored."""
    without_errors: Verdict = Verdict.UNKNOWN
    """The verdict that is left when every error is ignored: `valid` only when each path went on to its end and the rest is proved."""
    open: list[Gap] = field(default_factory=list[Gap])
    """The requirements that stay undecided, as what must hold and where."""
    region: list[str] = field(default_factory=list[str])
    """What the values that the user lets vary must meet, as relations."""


def is_model(path: str) -> bool:
    """Whether a path names a saved model: by its suffix, or a folder that holds a SavedModel."""
    if os.path.isdir(path):
        return any(os.path.isfile(os.path.join(path, name)) for name in ("saved_model.pb", "saved_model.pbtxt"))
    return path.removesuffix(".gz").endswith((".onnx", ".pb", ".pbtxt", ".meta", ".pt2", ".keras"))

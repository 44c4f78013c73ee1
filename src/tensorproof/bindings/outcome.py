"""What a call of a spelling gives."""

from __future__ import annotations

from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Requirement
from tensorproof.terms.records import dataclass, field


@dataclass(slots=True)
class Outcome:
    """What a call gives: outputs with the requirements that are not yet decided, or a refusal, or "cannot tell"."""

    outputs: Any = None
    requirements: list[Requirement] = field(default_factory=list[Requirement])
    refused: Requirement | None = None
    unknown: str | None = None
    bound: dict[str, Any] = field(default_factory=dict[str, Any])
    """The arguments by our names: what a requirement's `about` speaks of."""
    written: list[Any] = field(default_factory=list[Any])
    """The tensors that the call wrote into."""
    applied: list[Applied] = field(default_factory=list[Applied])
    """The operators that the call applied, in order."""
    made: Any = None
    """The outputs as the operators made them, before they became that framework's tensors."""
    guessed: bool = False
    """Whether numbers stand in the arguments that the program does not give: what was applied says nothing of values."""

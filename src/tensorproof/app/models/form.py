"""The program form of a saved model, with the names that its file gives."""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.diagnostics.diagnostic import Gap
from tensorproof.program.form import Record
from tensorproof.terms.records import dataclass, field


@dataclass(slots=True)
class ModelForm:
    """The program form of one graph. `names` are those of nodes and layers, by the identity of their tensors."""

    records: Sequence[Record]
    names: dict[int, list[str]]
    gaps: list[Gap] = field(default_factory=list[Gap])
    kept: list[object] = field(default_factory=list[object])
    """What holds the named tensors, so that their identities stay theirs."""
    shapes: dict[str, str] = field(default_factory=dict[str, str])
    """What was assumed of the shapes of inputs, by name."""

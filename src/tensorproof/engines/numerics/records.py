"""What an analysis of numbers is asked, and what it answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tensorproof.diagnostics.span import Span
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import dataclass, field

SIZE = 32
"""The number that a size gets which the program leaves open."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`tensors`: one interval for a tensor ("smash"), one for each block ("partition") or for each element ("expand"). `values`: "interval", or "affine" for
    equalities between tensors as well."""

    tensors: str = "partition"
    values: str = "affine"
    names: Mapping[int, str] = field(default_factory=dict[int, str])
    """The names of inputs and parameters by the identity of their tensors, for causes."""
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    """Numbers for sizes that the program leaves open, by the names of their symbols; others are `SIZE`."""
    open_sources: frozenset[int] = frozenset()
    """The identities of sources whose range says only that they are finite: no overflow is reported of what is computed from them."""
    dtype: DType | None = None
    """The element type in which floats are computed, where that is not what the program says."""
    trained: float = 0.0
    """How far training moves a parameter from its initial value; 0 where parameters are not distinguished from other tensors."""
    gradients: bool = False
    """Whether gradients are computed: hazards of derivatives count."""
    differentiated: frozenset[tuple[Span, str]] = frozenset()
    """The places and names of operators through which derivatives pass, of concern to tensors that do not say whether they require a gradient."""
    unjudged: frozenset[int] = frozenset()
    """The identities of records whose hazards are not reported where the same ones are judged elsewhere: those of a graph that is only built there."""
    seconds: float | None = None
    """After so much time of the processor what is left is not analysed."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One hazard of one applied operator.

    `verdict`: "safe" (proved), "unsafe" (reached for some input in range), "possible", or "unknown", where the operand comes from something that was not
    followed; the last is no warning.
    """

    op: str
    spelling: str
    code: str
    span: Span
    operand: tuple[float, float]
    """The bounds of the first tensor that the hazard is about."""
    needed: str
    """The region in which nothing happens, in words."""
    yields: str
    verdict: str
    cause: tuple[str, ...] = ()
    """The inputs, parameters and gaps that the operand comes from."""
    sources: tuple[int, ...] = ()
    """The identities of the tensors among them."""
    operands: tuple[int, ...] = ()
    """The identities of the tensors that the hazard is about."""


@dataclass(slots=True)
class Analysis:
    """`operations`: one for each hazard of each applied operator, in the order of the program; `not_analysed`: those with the verdict "unknown"."""

    operations: list[Operation] = field(default_factory=list[Operation])
    not_analysed: list[Operation] = field(default_factory=list[Operation])
    unbounded: Counter[str] = field(default_factory=Counter[str])
    """How often an operator without a rule for bounds was applied, by its name and the reason."""
    applied: int = 0
    """How many operators were applied."""
    values: dict[int, Any] = field(default_factory=dict[int, Any])
    """Bounds by the identity of tensors: objects with `least`, `most` and `shape`."""
    assumed_sizes: dict[str, int] = field(default_factory=dict[str, int])
    """The numbers that open sizes were given."""
    finished: bool = True
    """Whether the time was enough."""
    left: int = 0
    """How many operators were not analysed because it was not."""
    kept: list[Any] = field(default_factory=list[Any])
    """The records: they hold the tensors whose identities are used here."""

    @property
    def warnings(self) -> list[Operation]:
        return [one for one in self.operations if one.verdict in ("possible", "unsafe")]

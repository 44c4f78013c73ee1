"""The record of one applied operator: what was computed, from what, giving what, under which spelling. Every engine reads it."""

from __future__ import annotations

from typing import Any

from tensorproof.ops.record import Op
from tensorproof.terms.records import dataclass
from tensorproof.terms.tensor import TensorType


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """One application of `op`. `arguments` go by the operator's own names, defaults filled in; `results` are what came out."""

    op: Op
    arguments: dict[str, Any]
    results: tuple[TensorType, ...]
    spelling: str

"""An input that something is entered with."""

from __future__ import annotations

from tensorproof.terms.dtypes import FLOAT32, DType
from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Input:
    """What one tensor argument of forward is tried with."""

    rank: int
    dtype: DType = FLOAT32
    sizes: tuple[int | str | None, ...] | None = None
    """A number fixes an axis; axes of one name have one size, in all inputs; None leaves one open."""

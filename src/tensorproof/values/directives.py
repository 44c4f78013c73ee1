"""What the user tells of a program beyond its text: datasets that nothing here can read, and values that are to vary."""

from __future__ import annotations

from typing import Any

from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Part:
    """One tensor of a sample: a number fixes an axis, axes of one name have one size, None leaves one open."""

    sizes: tuple[int | str | None, ...]
    dtype: DType


@dataclass(frozen=True, slots=True)
class Dataset:
    """How many samples there are, and what one is; None and no parts for what is left to the program."""

    count: int | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Directives:
    data: dict[str, Dataset] = field(default_factory=dict[str, Dataset])
    vary: frozenset[str] = frozenset()
    chosen: dict[str, Any] = field(default_factory=dict[str, Any])
    """Values that take the place of those in the program, by name: numbers, text, symbols, or one of several by a condition."""
    met: set[str] = field(default_factory=set[str])
    """The names that the program has used."""
    bound: dict[str, str] = field(default_factory=dict[str, str])
    """Where the program has each of these names, in words."""
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """The chosen names that cannot be chosen so, each with the reason: the program's own arguments give a value, or its type is another."""
    advise: bool = False
    """Whether what operators advise is stated too: what runs and is wrong all the same."""


NOTHING = Directives()

"""Ranges of values that a program does not compute: what the user said of them, and what is assumed by role."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from tensorproof.diagnostics.errors import BadFile, BadInput
from tensorproof.terms.dtypes import DType
from tensorproof.terms.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `lo` to `hi`; an end that is infinite is none."""

    lo: float = -math.inf
    hi: float = math.inf

    def __str__(self) -> str:
        return f"[{self.lo:g}, {self.hi:g}]"

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.lo) and math.isfinite(self.hi)

    def around(self, other: Range) -> Range:
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))

    def moved(self, by: float) -> Range:
        """As far as a number may come that changes by at most so much."""
        return Range(self.lo - by, self.hi + by)


UNBOUNDED = Range()
INPUT = Range(-100.0, 100.0)
"""Real numbers that come from outside, where nothing says what they are."""
NORMAL = 8.0
"""How many standard deviations a number drawn from a normal distribution is off at most; torch, NumPy and TensorFlow draw none farther in practice."""
TRAINED = 1.0
"""How far training moves a parameter from where it was initialised."""
IDS = 2**31 - 1
"""The largest whole number that comes from outside, where nothing says how many classes or words there are."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A range that the analysis took for granted, in words, with the values that it is about."""

    about: str
    range: Range
    reason: str
    """The role that decided the range, or the option that gave it."""


@dataclass(slots=True)
class Given:
    """What the user says of ranges. Names may hold `*`."""

    named: Mapping[str, Range] = field(default_factory=dict[str, Range])
    unbounded_weights: bool = False
    unbounded_inputs: bool = False
    met: set[str] = field(default_factory=set[str])
    """The names that matched something."""

    def of(self, names: Iterable[str]) -> tuple[str, Range] | None:
        """The range that was given for a value which has these names."""
        for pattern, found in self.named.items():
            if any(name == pattern or fnmatchcase(name, pattern) for name in names):
                self.met.add(pattern)
                return pattern, found
        return None

    def unmet(self, names: Iterable[str]) -> None:
        """Refuse names that match nothing: they are misspelt, or would be thought to hold."""
        for pattern in self.named:
            if pattern not in self.met:
                known = sorted(set(names))
                raise BadInput(f"--range {pattern}: no input or parameter has that name" + (f"; there are {', '.join(known[:12])}" if known else ""))


def parse_range(text: str) -> tuple[str, Range]:
    """`x=0:1`, `logits=-inf:inf`, `eps=1e-8:1e-3`."""
    name, equals, ends = text.rpartition("=")
    lo, colon, hi = ends.partition(":")
    if not equals or not colon or not name:
        raise BadInput(f"--range {text} does not parse; write NAME=LO:HI, such as x=0:1")
    return name, made_range(f"--range {text}", lo, hi)


def made_range(option: str, lo: Any, hi: Any) -> Range:
    try:
        low, high = float(lo), float(hi)
    except (TypeError, ValueError):
        wrong = [f'"{end}"' if isinstance(end, str) else str(end) for end in (lo, hi) if not _is_number(end)]
        raise BadInput(f"{option} does not parse: {' and '.join(wrong)} must be {'a number' if len(wrong) == 1 else 'numbers'}, such as 1e-3 or -inf") from None
    if math.isnan(low) or math.isnan(high):
        raise BadInput(f"{option}: nan cannot be an end of a range")
    if low > high:
        raise BadInput(f"{option}: the lower end {low:g} is above the upper end {high:g}")
    return Range(low, high)


def _is_number(end: Any) -> bool:
    try:
        float(end)
    except (TypeError, ValueError):
        return False
    return True


def read_ranges(path: str) -> dict[str, Range]:
    """A TOML file: `x = [0, 1]`, `"layer/kernel" = [-1, 1]`; a table groups names."""
    import tomllib

    try:
        with open(path, "rb") as stream:
            found = tomllib.load(stream)
    except OSError as error:
        raise BadFile(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, f"is not TOML: {error}") from None
    return dict(_entries(path, found, ""))


def _entries(path: str, table: Mapping[str, Any], before: str) -> Iterable[tuple[str, Range]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _entries(path, value, "" if not before and name in ("range", "ranges") else f"{before}{name}.")
        elif isinstance(value, list) and len(value) == 2:
            yield before + name, made_range(f"{path}: {before}{name}", *value)
        else:
            raise BadInput(f"{path}: {before}{name} must be a list of two numbers, [lower, upper]")


def of_type(dtype: DType | None) -> Range:
    """All numbers of an element type."""
    if dtype is None or dtype.kind not in "biu":
        return UNBOUNDED
    if dtype.kind == "b":
        return Range(0.0, 1.0)
    bits = dtype.bits
    return Range(0.0, float(2**bits - 1)) if dtype.kind == "u" else Range(-float(2 ** (bits - 1)), float(2 ** (bits - 1) - 1))

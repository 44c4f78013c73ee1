"""Search for inputs, weights and draws within their ranges for which an operation of a real model yields NaN or Inf.

First corners of the ranges are tried, then an operand is driven towards its greatest or least value or towards 0: along gradients where the library gives
them, else by changing one source at a time. What is tried depends on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, Protocol

import numpy as np

CORNERS = 24
"""How many corners are tried."""
CLIMBS = 12
"""How many steps are taken towards one goal."""
HALVES = 160
"""How often the way between two runs is halved."""
SMALL = 8
"""Whole numbers without a close upper end are sizes or counts: a run with huge ones takes all memory."""
PATTERNS = ("low", "high", "zero", "one value", "either end", "anywhere", "rows", "near zero")
GOALS = ("high", "low", "zero")
FRACTIONS = (1.0, 0.3, 0.05)

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A tensor that a model does not compute: an input, a weight, or numbers that are drawn. All its names stand for the same value."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    lo: float
    hi: float
    drawn: bool = False

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def real(self) -> bool:
        return "float" in self.dtype

    def fit(self, array: Any) -> Any:
        """An array within the range after rounding. The upper end of drawn numbers is not drawn."""
        kind = self.held
        made = np.clip(np.asarray(array, np.float64), self.lo, self.hi)
        if not self.real:
            return np.clip(np.round(made), self.lo, min(self.hi, self.lo + SMALL) if self.hi > self.lo + 2**20 else self.hi).astype(kind)
        cast = made.astype(kind)
        low, high = np.asarray(self.lo, kind), np.asarray(self.hi, kind)
        low = np.nextafter(low, np.asarray(np.inf, kind)) if float(low) < self.lo else low
        high = np.nextafter(high, np.asarray(-np.inf, kind)) if float(high) > self.hi or (self.drawn and self.lo < self.hi) else high
        return np.clip(cast, low, high)

    @property
    def held(self) -> str:
        """The element type of NumPy in which its numbers are kept."""
        return "float32" if self.dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else self.dtype


@dataclass(frozen=True, slots=True)
class Look:
    """What a run showed of one operation: its operands and results, and "nan" or "inf" where finite operands gave that."""

    operands: tuple[Any, ...]
    bad: str = ""
    results: tuple[Any, ...] = ()

    @property
    def parts(self) -> tuple[Any, ...]:
        """What can be driven somewhere: operands, then results."""
        return (*self.operands, *self.results)


class Model(Protocol):
    """A real model in this process."""

    def reads(self, target: str, sources: Sequence[Source]) -> list[Source]:
        """The sources that an operation is computed from."""
        ...

    def look(self, target: str, values: Values) -> Look: ...

    def slopes(self, target: str, values: Values, part: int, goal: str) -> Values | None:
        """The gradient of what is to grow (`score`) in each source; None where there is none."""
        ...


def judged(operands: Sequence[Any], results: Sequence[Any]) -> Look:
    """What finite operands gave."""
    kept = tuple(np.asarray(x, np.float64) for x in operands)
    if any(not np.isfinite(x).all() for x in kept):
        return Look(kept)
    made = tuple(np.asarray(y, np.float64) for y in results)
    wrong = [y for y in made if not np.isfinite(y).all()]
    return Look(kept, ("nan" if any(np.isnan(y).any() for y in wrong) else "inf") if wrong else "", made)


def score(part: Any, goal: str) -> float:
    """How far an operand or result is towards a goal."""
    if not np.size(part) or not np.isfinite(part).all():
        return -np.inf
    return float(np.max(part) if goal == "high" else -np.min(part) if goal == "low" else -np.min(np.abs(part)))


class _Tried:
    """Runs of one operation. A run that the library refuses, such as with a size that does not fit, shows nothing."""

    def __init__(self, model: Model, target: str) -> None:
        self.model, self.target = model, target
        self.ran = 0
        self.failure: Exception | None = None

    def look(self, values: Values) -> Look:
        try:
            seen = self.model.look(self.target, values)
        except Exception as failure:
            self.failure = self.failure or failure
            return Look(())
        self.ran += 1
        return seen

    def slopes(self, values: Values, part: int, goal: str) -> Values | None:
        try:
            return self.model.slopes(self.target, values, part, goal)
        except Exception:
            return None


def search(model: Model, target: str, sources: Sequence[Source], seconds: float, seed: int = 0) -> tuple[Values, str] | None:
    """The values of the sources that an operation reads, with what it yields for them; None where none were found in so many seconds of this process."""
    end = process_time() + seconds
    read = model.reads(target, sources)
    random: Any = np.random.RandomState(seed)
    best: dict[tuple[int, str], tuple[float, Values]] = {}
    looks: list[tuple[Values, Look]] = []
    tried = _Tried(model, target)
    for values in corners(read, random):
        seen = tried.look(values)
        if seen.bad:
            return values, seen.bad
        looks.append((values, seen))
        for i, part in enumerate(seen.parts):
            for goal in GOALS:
                now = score(part, goal)
                if (i, goal) not in best or now > best[i, goal][0]:
                    best[i, goal] = now, values
        if process_time() > end:
            return None
    if tried.ran == 0 and tried.failure is not None:
        raise tried.failure
    between = _between(tried, read, looks, end)
    if between is not None:
        return between
    for (i, goal), (_, start) in sorted(best.items(), key=lambda item: item[0]):
        found = _climb(tried, read, start, i, goal, random, end)
        if found is not None:
            return found
    return None


def corners(sources: Sequence[Source], random: Any) -> Iterator[Values]:
    """All at one end or at 0, then a pattern for each source."""
    for pattern in ("zero", "high", "low"):
        yield {one.name: drawn(one, pattern, random) for one in sources}
    for _ in range(CORNERS):
        some = PATTERNS[random.randint(len(PATTERNS))]
        yield {one.name: drawn(one, some if random.rand() < 0.3 else PATTERNS[random.randint(len(PATTERNS))], random) for one in sources}


def drawn(one: Source, pattern: str, random: Any) -> Any:
    lo, hi = max(one.lo, -1e30), min(one.hi, 1e30)
    if not one.real:
        hi = min(hi, lo + SMALL) if hi > lo + 2**20 else hi
    middle = min(max(0.0, lo), hi)
    if pattern in ("low", "high", "zero"):
        made: Any = np.full(one.shape, {"low": lo, "high": hi, "zero": middle}[pattern])
    elif pattern == "one value":
        made = np.full(one.shape, lo + (hi - lo) * random.rand())
    elif pattern == "either end":
        made = np.where(random.random_sample(one.shape) < 0.5, lo, hi)
    elif pattern == "rows" and one.shape:
        made = np.where(random.random_sample((*one.shape[:1], *(1 for _ in one.shape[1:]))) < 0.5, lo, hi) * np.ones(one.shape)
    elif pattern == "near zero":
        made = middle + (random.random_sample(one.shape) - 0.5) * min(hi - lo, 1.0) * 1e-3
    else:
        made = lo + (hi - lo) * random.random_sample(one.shape)
    return one.fit(made)


def _between(tried: _Tried, sources: Sequence[Source], looks: Sequence[tuple[Values, Look]], end: float) -> tuple[Values, str] | None:
    """Halve the way between two runs in which an element of an operand has opposite signs, towards where it is 0."""
    for part in range(max((len(seen.parts) for _, seen in looks), default=0)):
        pair = _opposite([(values, seen.parts[part]) for values, seen in looks if part < len(seen.parts)])
        if pair is None:
            continue
        below, above, place = pair
        for _ in range(HALVES):
            middle = {one.name: one.fit((below[one.name].astype(np.float64) + above[one.name]) / 2) if one.real else below[one.name] for one in sources}
            seen = tried.look(middle)
            if seen.bad:
                return middle, seen.bad
            if process_time() > end or part >= len(seen.parts) or not np.isfinite(seen.parts[part].flat[place]):
                break
            below, above = (middle, above) if seen.parts[part].flat[place] < 0 else (below, middle)
    return None


def _opposite(looks: Sequence[tuple[Values, Any]]) -> tuple[Values, Values, int] | None:
    """Two runs and the place of an element that is below 0 in the first and above 0 in the second."""
    for values, x in looks:
        for others, y in looks:
            places: Any = np.flatnonzero((x < 0) & (y > 0)) if x.shape == y.shape else ()
            if len(places) and all((values[n] == others[n]).all() for n in values if values[n].dtype.kind != "f"):
                return values, others, int(places[0])
    return None


def _climb(tried: _Tried, sources: Sequence[Source], start: Values, part: int, goal: str, random: Any, end: float) -> tuple[Values, str] | None:
    """Steps towards a goal, as long as they lead there."""
    values, at = start, -np.inf
    for _ in range(CLIMBS):
        if process_time() > end:
            return None
        moved = False
        for other in _steps(tried, sources, values, part, goal, random):
            seen = tried.look(other)
            if seen.bad:
                return other, seen.bad
            now = score(seen.parts[part], goal) if part < len(seen.parts) else -np.inf
            if now > at:
                values, at, moved = other, now, True
            if process_time() > end:
                return None
        if not moved:
            return None
    return None


def _steps(tried: _Tried, sources: Sequence[Source], values: Values, part: int, goal: str, random: Any) -> Iterator[Values]:
    slopes = tried.slopes(values, part, goal)
    if slopes is None:
        for one in sources:
            yield {**values, one.name: drawn(one, PATTERNS[random.randint(len(PATTERNS))], random)}
        return
    steep = {one.name: one for one in sources if one.real and one.name in slopes and np.isfinite(slopes[one.name]).all() and np.any(slopes[one.name])}
    if not steep:
        return
    if goal == "zero":
        yield from _newton(tried, steep, values, slopes, part)
    for fraction in FRACTIONS:
        step = {n: np.sign(slopes[n]) * fraction * min(one.hi - one.lo, 1e30) for n, one in steep.items()}
        yield {**values, **{n: one.fit(values[n] + step[n]) for n, one in steep.items()}}


def _newton(tried: _Tried, steep: Mapping[str, Source], values: Values, slopes: Values, part: int) -> Iterator[Values]:
    """Steps after which an operand that is linear in a source is 0: in all sources at once, and in each alone."""
    seen = tried.look(values)
    distance = -score(seen.parts[part], "zero") if part < len(seen.parts) else 0.0
    chosen: list[Callable[[str], bool]] = [lambda name: True, *((lambda name, own=n: name == own) for n in steep)]
    for takes in chosen[: CLIMBS if len(chosen) > 2 else 1]:
        square = sum(float((np.asarray(slopes[n], np.float64) ** 2).sum()) for n in steep if takes(n))
        if square > 0:
            yield {**values, **{n: one.fit(values[n] + slopes[n] * (distance / square)) for n, one in steep.items() if takes(n)}}

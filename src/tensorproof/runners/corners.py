"""Values at the corners of ranges, for a real run that is to reach what an analysis says may happen. What is drawn depends on the seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np

PATTERNS = ("as drawn", "low", "high", "one value", "either end", "rows", "as drawn", "wide")
"""What replaces the numbers that a program draws: nothing, an end, one of them everywhere, both ends mixed, one end in some rows, larger ones."""
STEPS = ("up", "as it was", "to zero", "away from zero", "down", "apart", "rows", "signs", "anywhere")
"""Where parameters are moved: not at all, all to one side, to 0 or from it, each other one to each side, rows to one side, some to each side, anywhere."""
FARTHEST = 5.0
"""How many standard deviations from its mean a normal number is put."""


class Corners:
    """A source of replacements."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random: Any = np.random.RandomState(seed)
        self.quiet = seed == 0
        """The first run changes nothing."""
        together = seed // 2 if seed % 2 else None
        self._pattern = None if together is None else PATTERNS[together % len(PATTERNS)]
        self._step = None if together is None else STEPS[(together + together // len(STEPS)) % len(STEPS)]
        """In each other run all draws are replaced alike, and all parameters moved alike; in the rest each has its own pattern."""

    def replaced(self, drawn: Any, low: float, high: float) -> Any:
        """An array of the same shape and type, between two ends, by one of the patterns."""
        if self.quiet or not np.size(drawn):
            return drawn
        array = np.array(drawn)
        pattern = self._pattern or PATTERNS[self.random.randint(len(PATTERNS))]
        if pattern == "low":
            array[...] = low
        elif pattern == "high":
            array[...] = high
        elif pattern == "one value":
            array[...] = array.reshape(-1)[0]
        elif pattern == "either end":
            array[...] = np.where(self.random.rand(*array.shape) < 0.5, low, high)
        elif pattern == "rows" and array.ndim:
            array[self.random.rand(len(array)) < 0.5] = self.random.choice([low, high, 0.0 if low <= 0 <= high else low])
        elif pattern == "wide":
            array[...] = np.clip(array * 3, low, high)
        return array

    def uniform(self, drawn: Any, low: float = 0.0, high: float = 1.0) -> Any:
        """`high` itself is never drawn."""
        kind = np.asarray(drawn).dtype
        below = np.nextafter(np.asarray(high, kind), np.asarray(low, kind)) if kind.kind == "f" else high
        return self.replaced(drawn, low, float(below))

    def normal(self, drawn: Any, mean: float = 0.0, deviation: float = 1.0) -> Any:
        return self.replaced(drawn, mean - FARTHEST * deviation, mean + FARTHEST * deviation)

    def whole(self, drawn: Any, low: int, high: int) -> Any:
        return self.replaced(drawn, low, high - 1)

    def moved(self, held: Any, most: float) -> Any:
        """A parameter as training may leave it: each number within `most` of what it was, and small ones within `most` of 0."""
        array = np.array(held, np.float64)
        if self.quiet or not array.size:
            return array
        made = array + self._away(array, self._step or STEPS[self.random.randint(len(STEPS))], most)
        return np.clip(made, -most, most) if np.abs(array).max() < most else made

    def _away(self, array: Any, step: str, most: float) -> Any:
        shape = array.shape
        if step == "as it was":
            return np.zeros(shape)
        if step in ("up", "down"):
            return np.full(shape, most if step == "up" else -most)
        if step == "to zero":
            return -np.clip(array, -most, most)
        if step == "away from zero":
            return np.where(array < 0, -most, most)
        if step == "apart":
            return np.where(np.arange(array.size).reshape(shape) % 2, -most, most)
        if step == "rows" and len(shape) > 1:
            return np.where(self.random.rand(shape[0], *[1] * (len(shape) - 1)) < 0.5, -most, most) * np.ones(shape)
        if step == "signs":
            return np.where(self.random.rand(*shape) < 0.5, -most, most)
        return (self.random.rand(*shape) * 2 - 1) * most

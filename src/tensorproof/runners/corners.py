"""Values at the corners of ranges, for a real run that is to reach what an analysis says may happen. What is drawn depends on the seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np

PATTERNS = ("as drawn", "low", "high", "one value", "either end", "rows", "as drawn", "wide")
"""What replaces the numbers that a program draws: nothing, an end, one of them everywhere, both ends mixed, one end in some rows, larger ones."""
FARTHEST = 5.0
"""How many standard deviations from its mean a normal number is put."""


class Corners:
    """A source of replacements."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random: Any = np.random.RandomState(seed)
        self.quiet = seed == 0
        """The first run changes nothing."""

    def replaced(self, drawn: Any, low: float, high: float) -> Any:
        """An array of the same shape and type, between two ends, by one of the patterns."""
        if self.quiet or not np.size(drawn):
            return drawn
        array = np.array(drawn)
        pattern = PATTERNS[self.random.randint(len(PATTERNS))]
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

    def step(self, shape: Any, most: float) -> Any:
        """How far training may have moved a parameter."""
        kind = 0 if self.quiet else self.random.randint(6)
        if kind == 0:
            return np.zeros(shape)
        if kind == 1:
            return np.full(shape, most)
        if kind == 2:
            return np.full(shape, -most)
        if kind == 3:
            return np.where(self.random.rand(*shape) < 0.5, -most, most)
        if kind == 4 and len(shape) > 1:
            return np.where(self.random.rand(shape[0], *[1] * (len(shape) - 1)) < 0.5, -most, most) * np.ones(shape)
        return (self.random.rand(*shape) * 2 - 1) * most

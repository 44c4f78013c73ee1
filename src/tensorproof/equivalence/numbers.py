"""The numbers of input arrays: ordinary ones, and special ones where libraries tend to differ."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

from tensorproof.equivalence.arrays import Array, stored
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from numpy.random import Generator

    from tensorproof.equivalence.arrays import Numbers

SPANS = ((-3.0, 3.0), (0.1, 3.0), (0.0, 1.0), (-1.0, 1.0))
"""Where ordinary real numbers are drawn; one span for all inputs of a call."""
LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}
SMALLEST = {"float16": 6e-8, "bfloat16": 1e-40, "float32": 1e-42, "float64": 5e-324}
"""A denormal number of each type."""
MOST = 20_000
"""Numbers in one input; a call with a larger one is not tried."""
DRAWN = frozenset("biufc")
NOT_IN_NUMPY = frozenset({"float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "complex32", "float4_e2m1fn_x2"})


class TooLarge(Exception):
    """An input that is too large, or of a type whose numbers cannot be drawn."""


def drawn(tensor: TensorType, random: Random, span: tuple[float, float], special: int | None) -> Array:
    """An array of that shape and type. Contents that were drawn for a purpose stay. `special` is the number of a kind of special values."""
    import numpy as np

    dtype = tensor.dtype
    if dtype is None or dtype.kind not in DRAWN or dtype.label in NOT_IN_NUMPY or not tensor.shape.known:
        raise TooLarge
    shape = tuple(n for n in tensor.shape if isinstance(n, int))
    count = prod(shape)
    if count > MOST:
        raise TooLarge
    kept = stored(dtype.label)
    if tensor.contents is not None and len(tensor.contents) == count:
        return Array(dtype.label, np.array(list(tensor.contents), dtype=kept).reshape(shape))
    numbers = _numbers(np.random.default_rng(random.getrandbits(64)), dtype, count, span)
    if special is not None and count:
        if special == LARGE and dtype.kind in "fc":
            numbers = numbers / max(abs(numbers).max(), 1e-2) * (largest_of(dtype.label) * NEAR)
        elif dtype.kind == "f":
            _sprinkle(numbers, dtype.label, random, special)
        elif dtype.kind == "c":
            numbers = _scaled(numbers, dtype.label, special)
    return Array(dtype.label, numbers.astype(kept).reshape(shape))


def _numbers(source: Generator, dtype: DType, count: int, span: tuple[float, float]) -> Numbers:
    import numpy as np

    match dtype.kind:
        case "b":
            return source.integers(0, 2, count)
        case "u" | "i":
            return source.integers(0, 4, count)
        case "c":
            return np.round(source.uniform(-2, 2, count), 2) + 1j * np.round(source.uniform(-2, 2, count), 2)
        case _:
            return np.round(source.uniform(*span, count), 2)


EVERY_SPECIAL = 5
"""One call in so many has special values."""
SPECIAL = 8
"""Kinds of special values that are drawn for a call."""
LARGE = SPECIAL
"""A further kind: all numbers are near the end of their type, so that ratios are ordinary, and reciprocals and products vanish or overflow."""
NEAR = 0.9
"""How near the greatest of these numbers is to the largest one."""
EVERY_LARGE = 20
"""One call in so many is of that kind: the first of a name that has special values, since compilers replace quotients by products."""


def kind_of(number: int, random: Random) -> int:
    """The kind of special values of the call of that number."""
    kind = random.randrange(SPECIAL)
    return LARGE if is_large(number) else kind


def is_large(number: int) -> bool:
    return number % EVERY_LARGE == EVERY_SPECIAL - 1


def largest_of(label: str) -> float:
    return LARGEST.get({"complex64": "float32", "complex128": "float64"}.get(label, label), 240.0)


def _sprinkle(numbers: Numbers, label: str, random: Random, special: int) -> None:
    """Put special numbers at a third of the places."""
    largest, smallest = LARGEST.get(label, 240.0), SMALLEST.get(label, 0.0)
    choices = (
        (0.0, -0.0), (float("inf"), float("-inf")), (float("nan"),), (smallest, -smallest), (largest, -largest), (0.0, float("inf"), float("nan")),
        (1.0, 0.0), (-1.0, 1.0, 0.0),
    )[special]  # fmt: skip
    places = range(len(numbers))
    for at in random.sample(places, max(1, len(numbers) // 3)):
        numbers[at] = random.choice(choices)


def _scaled(numbers: Numbers, label: str, special: int) -> Numbers:
    """Complex numbers that are large or small as a whole: intermediate products overflow, or vanish."""
    largest = largest_of(label)
    return numbers * (largest / 4, largest**0.75, largest / 4, largest**0.5, largest / 4, 1 / largest**0.5, largest / 4, 0.0)[special]

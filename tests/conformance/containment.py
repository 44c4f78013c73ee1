"""Bounds against the real libraries: inputs drawn from boxes at the edges of their element types, and what a library computes must lie within the bounds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tensorproof.catalogue.where import WHERE
from tensorproof.engines.values.bounds import bounds
from tensorproof.engines.values.evaluate import contents_of, evaluate
from tensorproof.ops.applied import Applied
from tensorproof.runners.observed import Seen
from tensorproof.terms.dtypes import DType
from tensorproof.terms.tensor import TensorType
from tests.conformance.arguments import tensors

KINDS = ("mixed", "zeros", "max", "denormal", "narrow", "wide")
WIDE_WHOLE = 0.15
"""How often whole numbers and truth values have a range in common, so that places are not known."""
LARGEST = 2048
"""Elements of the tensors that are filled."""


def number(kind: str, dtype: DType, random: Random) -> float:
    """A number of a kind."""
    sign = random.choice((-1.0, 1.0))
    match kind:
        case "zeros":
            return sign * 0.0
        case "max":
            return sign * dtype.greatest
        case "denormal":
            return sign * dtype.smallest_normal * random.choice((random.random(), dtype.step, 1.0))
        case "mixed":
            chosen = random.choice(("zeros", "max", "denormal", "ordinary", "ordinary", "large", "small", "one"))
            return number(chosen, dtype, random)
        case "large":
            return sign * dtype.greatest ** random.random()
        case "small":
            return sign * dtype.smallest_normal ** random.random()
        case "one":
            return sign
    return random.uniform(-3.0, 3.0)


def whole(kind: str, dtype: DType, random: Random) -> float:
    """A whole number or a truth: small ones, which serve as places too, and at times those at the ends of the type."""
    if dtype.kind == "b":
        return random.random() < 0.5
    if kind == "max":
        return random.choice((dtype.least, dtype.greatest, 0, 1))
    return 0 if kind == "zeros" else random.randint(0, 3)


def numbers(np: Any, tensor: TensorType, kind: str, random: Random, unit: bool) -> TensorType:
    """A tensor with contents of a kind, numbers of its element type, between 0 and 1 if that is asked; what was drawn for a purpose stays."""
    dtype = tensor.dtype
    if tensor.contents is not None or dtype is None or not tensor.shape.known or int(tensor.shape.numel) > LARGEST:
        return tensor
    if dtype.kind not in "biuf" or (dtype.kind == "f" and not dtype.step) or dtype.bits < 8:
        return tensor
    draw = number if dtype.kind == "f" else whole
    drawn = (draw(kind, dtype, random) for _ in range(int(tensor.shape.numel)))
    made = tensor.but(contents=tuple((abs(n) if abs(n) <= 1 else 1 / abs(n)) if unit and dtype.kind == "f" else n for n in drawn))
    return made.but(contents=tuple(map(float, contents_of(np, made).ravel()))) if dtype.kind == "f" else made


def inputs(np: Any, value: Any) -> Iterator[tuple[int, Any, DType]]:
    """The arrays of all tensors in arguments."""
    for tensor in tensors(value):
        if tensor.contents is not None and not tensor.weak and tensor.dtype is not None:
            yield id(tensor), contents_of(np, tensor), tensor.dtype


def box(np: Any, array: Any, dtype: DType, kind: str, random: Random, points: float = 0.4) -> Any:
    """A box around an array: points as often as `points` says, else intervals as the kind has them."""
    from tensorproof.engines.values.rules import Box

    if array.dtype.kind != "f" and array.size and random.random() < WIDE_WHOLE:
        return Box(np.full(array.shape, array.min()), np.full(array.shape, array.max()), False, array.dtype)
    if array.dtype.kind != "f" or random.random() < points:
        return Box(array, array, False, array.dtype)
    small, most = dtype.smallest_normal, dtype.greatest
    other = np.array([number("mixed", dtype, random) for _ in range(array.size)]).reshape(array.shape)
    with np.errstate(all="ignore"):
        below, above = {
            "zeros": (array - random.choice((0.0, 1.0)), array + random.choice((0.0, 1.0))),
            "max": (np.full(array.shape, -most), np.full(array.shape, most)),
            "denormal": (np.minimum(array, -small), np.maximum(array, small)),
            "narrow": (array - 1e-3 * np.abs(array), array + 1e-3 * np.abs(array)),
            "wide": (array - 2.0, array + 3.0),
        }.get(kind, (other, other))
    return Box(np.minimum(array, below), np.maximum(array, above), np.isnan(array), array.dtype)


def boxes(np: Any, arguments: Any, kind: str, random: Random) -> dict[int, Any] | None:
    """A box for each tensor; None where there are numbers that are not real."""
    made, points = {}, random.choice((0.2, 0.4, 0.9, 1.0))  # operators that read places have bounds for points of them alone
    for i, array, dtype in inputs(np, arguments):
        if array.dtype.kind not in "biuf":
            return None
        made[i] = box(np, array, dtype, kind, random, points)
    return made


def outside(np: Any, applied: list[Applied], given: dict[int, Any], results: Iterator[tuple[TensorType, Seen]], tolerance: float) -> tuple[str, bool]:
    """What a library computed that lies outside of the bounds, and whether there are bounds at all."""
    found = bounds(applied, given)
    bounded = False
    for ours, theirs in results:
        made = found.get(id(ours))
        try:
            value = theirs.array()
        except Exception:
            continue
        if made is None or value.dtype.kind not in "biuf" or made.shape != value.shape:
            continue
        bounded = True
        value = value.astype(np.float64)
        nan, slack = np.isnan(value), tolerance * (1 + np.abs(np.where(np.isfinite(value), value, 0.0)))
        small = 0.0 if ours.dtype is None else ours.dtype.smallest_normal  # numbers below it may stand for 0
        none = (np.abs(value) <= small) & (made.lo <= 0) & (made.hi >= 0)
        inside = (nan & made.nan) | none | (~nan & (value >= made.lo - slack) & (value <= made.hi + slack))
        if not inside.all():
            at = tuple(np.argwhere(~inside)[0])
            return f"{value[at]} at {[int(i) for i in at]} is not in [{made.lo[at]}, {made.hi[at]}], nan {bool(made.nan[at])}", True
    return "", bounded


ROUGHLY = 0.05
"""By how much a result may be off by rounding, relative to its size or to 1."""


SENSES, FAR = 4, 32.0
"""How often inputs are changed, and how many times as far as by that a result may be off."""


def rounds_to(np: Any, applied: list[Applied], given: dict[int, Any], ours: TensorType, theirs: Any) -> bool:
    """Whether a library may have got these numbers by rounding each step: where large numbers cancel, little is left of the result's digits."""
    if any(array.dtype.kind not in "biuf" for array in given.values()):
        return False
    made = bounds(applied, given).get(id(ours))
    if made is None or made.dtype.kind != "f" or made.shape != theirs.shape or theirs.dtype.kind != "f":
        return False
    value = theirs.astype(np.float64)
    close = made.hi - made.lo <= ROUGHLY * (1 + np.abs(value))
    return bool((close & (value >= made.lo) & (value <= made.hi)).all())


def as_sensitive(np: Any, applied: list[Applied], given: dict[int, Any], ours: TensorType, theirs: Any) -> bool:
    """Whether matrices are as far from ours as they come to be by a change of the last digits of the inputs: systems that are almost singular."""
    import zlib

    of_matrices = any(WHERE[one.op.name].startswith("linalg") for one in applied)
    if not of_matrices or theirs.dtype.kind not in "fc" or not any(array.dtype.kind in "fc" for array in given.values()):
        return False
    random = np.random.default_rng(zlib.crc32(repr(theirs.shape).encode()))
    step = max(np.finfo(array.dtype).eps for array in (*given.values(), theirs) if array.dtype.kind in "fc")

    def changed(array: Any) -> Any:
        return array * (1 + step * random.choice((-1.0, 1.0), array.shape)) if array.dtype.kind in "fc" else array

    wide = {i: array.astype(np.complex128 if array.dtype.kind == "c" else np.float64) if array.dtype.kind in "fc" else array for i, array in given.items()}
    exact = evaluate(applied, wide)[id(ours)]
    if exact.shape != theirs.shape:
        return False
    moved = np.max([np.abs(evaluate(applied, {i: changed(array) for i, array in wide.items()})[id(ours)] - exact) for _ in range(SENSES)], axis=0)
    most = np.max(moved, axis=tuple(range(max(0, moved.ndim - 2), moved.ndim)), keepdims=True, initial=0.0)
    with np.errstate(all="ignore"):
        return bool((np.abs(theirs - exact) <= FAR * most).all() and np.isfinite(theirs).all())


def explained(np: Any, applied: list[Applied], given: dict[int, Any], ours: TensorType, theirs: Any) -> bool:
    """Whether rounding explains how a result differs from ours."""
    return rounds_to(np, applied, given, ours, theirs) or as_sensitive(np, applied, given, ours, theirs)

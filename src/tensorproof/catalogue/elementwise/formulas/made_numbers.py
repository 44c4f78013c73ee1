"""What ranges, spaced numbers, padding and dropout compute."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, AtRandom, Undefined, part

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _whole(a: Arguments) -> bool:
    return a["dtype"] is not None and a["dtype"].kind in "biu"


def _one(np: Numpy, value: object, cut: bool) -> float:
    """A number, cut to a whole one."""
    plain = np.asarray(value).reshape(()).item()
    return int(plain) if cut and isinstance(plain, float) else plain


def arange(np: Numpy, a: Arguments) -> Array:
    start, end, step = (_one(np, a[name], False) for name in ("start", "end", "step"))
    if _whole(a) and any(isinstance(v, float) and not v.is_integer() for v in (start, end, step)):
        raise Undefined("when the ends are cut to whole numbers")
    count = max(0, ceil((end - start) / step)) if isinstance(start + end + step, float) else len(range(start, end, step))
    start, step = _one(np, start, _whole(a)), _one(np, step, _whole(a))
    return np.add(start, np.multiply(np.arange(count), step))


def inclusive_range(np: Numpy, a: Arguments) -> Array:
    start, end, step = (_one(np, a[name], _whole(a)) for name in ("start", "end", "step"))
    return np.add(start, np.multiply(np.arange(int((end - start) / step) + 1), step))


def linspace(np: Numpy, a: Arguments) -> Array:
    """Each half counted from its own end."""
    start, end, n = _one(np, a["start"], _whole(a)), _one(np, a["end"], _whole(a)), a["steps"]
    dtype = a["results"][0]
    assert dtype is not None
    if abs(end - start) > dtype.greatest:
        raise Undefined("the numbers between two that are further apart than the greatest number")
    if not a["endpoint"]:
        return np.add(start, np.multiply(np.arange(n), (end - start) / max(n, 1)))
    at, step = np.arange(n), (end - start) / max(n - 1, 1)
    return np.where(at < n / 2, start + at * step, end - (n - 1 - at) * step) if n > 1 else np.full(n, start)


def logspace(np: Numpy, a: Arguments) -> Array:
    """Exponents are cut to whole numbers where the results are whole, but for a single one."""
    exponents = linspace(np, a) if a["steps"] != 1 else np.full(1, _one(np, a["start"], False))
    return np.power(np.asarray(float(a["base"])), exponents)


def geomspace(np: Numpy, a: Arguments) -> Array:
    return np.geomspace(_one(np, a["start"], False), _one(np, a["end"], False), a["steps"], endpoint=bool(a["endpoint"]))


_COSINES = {"hann": (0.5, 0.5), "hanning": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08)}
"""The factors of cosines that a window is the alternating sum of."""


def window(np: Numpy, a: Arguments) -> Array:
    n, kind = a["n"], str(a["kind"] or "").removesuffix("_window")
    length = n + 1 if a["periodic"] and n > 1 else n
    at = np.arange(n) / max(length - 1, 1)
    if n == 1:
        return np.ones(1)
    if kind in _COSINES:
        return sum(((-1.0) ** k * factor * np.cos(2 * np.pi * k * at) for k, factor in enumerate(_COSINES[kind])), np.zeros(()))
    if kind == "bartlett":
        return 1 - np.abs(2 * at - 1)
    if kind == "kaiser":
        return np.i0(a["beta"] * np.sqrt(np.maximum(1 - (2 * at - 1) ** 2, 0))) / np.i0(a["beta"])
    raise Undefined("a window that is not named")


def vander(np: Numpy, a: Arguments) -> Array:
    n = a["x"].shape[-1] if a["n"] is None else a["n"]
    powers = np.arange(n) if a["increasing"] else np.arange(n)[::-1]
    return np.power(np.expand_dims(a["x"], -1), powers)


def with_imaginary(np: Numpy, a: Arguments) -> Array:
    return np.add(a["x"], np.multiply(a["y"], 1j))


def at_angle(np: Numpy, a: Arguments) -> Array:
    return np.multiply(a["x"], np.exp(np.multiply(a["y"], 1j)))


_NUMPY_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "symmetric": "symmetric"}


def pad(np: Numpy, a: Arguments) -> Array:
    """Sides below zero are cut off."""
    x, padding = a["x"], [int(n) for n in a["padding"]]
    sides = [(0, 0)] * (len(x.shape) - len(padding) // 2) + [(padding[i], padding[i + 1]) for i in range(len(padding) - 2, -1, -2)]
    grown = [(max(before, 0), max(after, 0)) for before, after in sides]
    mode = a["mode"]
    if not padding:
        return x
    if mode == "circular":
        return _wrapped(np, x, sides)
    if mode in ("mean", "median", "maximum", "minimum"):
        return _with_statistics(np, x, grown, mode, a["extent"])
    if mode == "linear_ramp":
        return np.pad(np.asarray(x), grown, mode=mode, end_values=a["value"] or 0)
    if mode == "empty":
        raise Undefined("elements that are not set")
    made = np.pad(x, grown, mode="constant", constant_values=a["value"] or 0) if mode == "constant" else np.pad(x, grown, mode=_NUMPY_MODES[mode])
    return made[tuple(slice(max(0, -before), n - max(0, -after)) for n, (before, after) in zip(made.shape, sides))]


def _with_statistics(np: Numpy, x: Array, sides: list[tuple[int, int]], mode: str, extent: object) -> Array:
    """Each axis in turn gets a statistic of the numbers at each of its ends."""
    whole = x.dtype.kind in "iu"
    counts = [(None, None)] * x.ndim if extent is None else np.broadcast_to(np.asarray(extent, dtype=np.int64), (x.ndim, 2)).tolist()
    for axis, ((before, after), (first, last)) in enumerate(zip(sides, counts)):
        n = x.shape[axis]
        if not before and not after:
            continue
        left = _statistic(np, part(x, axis, np.arange(min(n, n if first is None else first))), axis, mode)
        right = _statistic(np, part(x, axis, np.arange(n - min(n, n if last is None else last), n)), axis, mode)
        left, right = (np.rint(one).astype(x.dtype) if whole else one for one in (left, right))
        x = np.concatenate([np.repeat(left, before, axis), x, np.repeat(right, after, axis)], axis=axis)
    return x


def _statistic(np: Numpy, x: Array, axis: int, mode: str) -> Array:
    if mode in ("maximum", "minimum"):
        return (np.max if mode == "maximum" else np.min)(x, axis=axis, keepdims=True)
    if mode == "median":
        n = x.shape[axis]
        x = part(np.sort(x, axis=axis), axis, np.arange((n - 1) // 2, n // 2 + 1))
    return np.mean(x, axis=axis, keepdims=True)


def _wrapped(np: Numpy, x: Array, sides: list[tuple[int, int]]) -> Array:
    """The axis goes on with its other end; what is cut off is cut first."""
    for axis, (before, after) in enumerate(sides):
        n = x.shape[axis]
        if before or after:
            x = part(x, axis, np.arange(-before, n + after) % n if n else np.arange(0))
    return x


def undecided(np: Numpy, x: Array) -> Array:
    """A truth for each element that may be either: numbers are not determined by it, but bounds are."""
    if not hasattr(x, "of"):
        raise AtRandom("random numbers")
    return x.of("undecided")


def dropout(np: Numpy, a: Arguments) -> Array:
    x, p = a["x"], a["p"]
    if a["training"] is False or p == 0:
        return x
    return np.zeros_like(x) if p == 1 else np.where(undecided(np, x), np.true_divide(x, 1 - p), 0.0)


def alpha_dropout(np: Numpy, a: Arguments) -> Array:
    x, p = a["x"], a["p"]
    if not a["training"] or p == 0:
        return x
    if p == 1:
        return np.zeros_like(x)
    low = -1.7580993408473766
    scale = ((low * low * p + 1) * (1 - p)) ** -0.5
    return np.add(np.multiply(np.where(undecided(np, x), x, low), scale), -scale * p * low)

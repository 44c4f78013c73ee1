"""What covariances and histograms compute."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.formulas.written_places import accumulated
from tensorproof.ops.evaluation import Arguments, Undefined, around, changed
from tensorproof.ops.mathematics import beside
from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

_MOST = 10**6
"""Up to so many bins are counted."""
_SPAN = 1e37
"""Within this span of a histogram no element type overflows."""


def covariance(np: Numpy, a: Arguments) -> Array:
    x = a["x"].reshape((1, -1)) if len(a["x"].shape) < 2 else a["x"]
    count, by = np.ones(x.shape[1]), None
    if a["fweights"] is not None:
        count = np.multiply(count, a["fweights"])
    if a["aweights"] is not None:
        by = a["aweights"].reshape(-1)
        count = np.multiply(count, by)
    total = np.sum(count)
    weighted = x if a["fweights"] is None and by is None else np.multiply(x, count)  # sums of whole numbers wrap around
    centre = np.true_divide(np.sum(weighted, axis=1, keepdims=True), total)
    apart = np.subtract(x, np.trunc(centre) if a.get("whole_mean") else centre)
    lost = a["correction"] if by is None else np.true_divide(np.multiply(a["correction"], np.sum(np.multiply(count, by))), total)
    other = np.conj(apart) if x.dtype.kind == "c" else apart
    left = np.maximum(np.subtract(total, lost), 0)
    if by is not None and not hasattr(left, "of") and not left > 0:
        raise Undefined("0 / 0, or a rounded number / 0")
    made = np.true_divide(np.matmul(np.multiply(apart, count), np.transpose(other)), left)
    return made.reshape(()) if x.shape[0] == 1 else made


def correlation(np: Numpy, a: Arguments) -> Array:
    made = covariance(np, changed(a, fweights=None, aweights=None, correction=1))
    if not made.shape:
        return np.true_divide(made, made)
    spread = np.sqrt(np.real(np.diagonal(made)))
    wrapped = np.greater(np.max(spread), 2.0**30) if a["whole_mean"] and spread.size else None
    made = np.true_divide(np.true_divide(made, spread[:, None]), spread[None, :])
    if made.dtype.kind == "c":
        return np.clip(np.real(made), -1, 1) + 1j * np.clip(np.imag(made), -1, 1)
    if wrapped is not None:  # sums of products of whole numbers
        made = beside(np, made, np.where(wrapped, float("inf"), 0.0))
    return np.clip(made, -1, 1)


def _limits(np: Numpy, x: Array, lo: Array | float, hi: Array | float, around: float) -> tuple[Array | float, Array | float]:
    """The ends of a histogram: those of the elements where none are given, apart where they are one."""
    if lo == hi and x.size:
        lo, hi = np.min(x), np.max(x)
    return (lo - around, hi + around) if lo == hi else (lo, hi)


def _apart(np: Numpy, a: Arguments, x: Array, lo: Array | float, hi: Array | float, bins: int) -> None:
    """Elements at an edge between equal bins fall to either side of it, as they are rounded in their element type."""
    dtype = a["tensors"]["x"].dtype
    real = dtype if dtype is not None and dtype.step else DType.FLOAT32
    if float(hi - lo) * bins > min(_SPAN, real.greatest / 4):
        raise Undefined("the places of elements overflow")
    if 0.0 < float(hi - lo) < bins * max(1 / _SPAN, 4 * real.smallest_normal):
        raise Undefined("bins that are too narrow for all digits")
    at, near = (x - lo) / (hi - lo) * bins, max(1e-4, 8 * real.step * bins * max(abs(float(lo)), abs(float(hi))) / float(hi - lo))
    if np.any((np.abs(at - np.round(at)) < near) & (at > 0.5) & (at < bins - 0.5)):
        raise Undefined("an element at the edge of a bin")


def histc(np: Numpy, a: Arguments) -> Array:
    x = np.asarray(a["x"])
    lo, hi = _limits(np, x, a["min"], a["max"], 1)
    _apart(np, a, x, lo, hi, a["bins"])
    return np.histogram(x, a["bins"], range=(lo, hi))[0]


def histogram(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, bins = np.asarray(a["x"]), a["bins"]
    weight = None if a["weight"] is None else np.asarray(a["weight"]).reshape(x.shape)
    limits = None if a["range"] is None else tuple(a["range"])
    if isinstance(bins, int) and x.size:
        lo, hi = limits or (np.min(x), np.max(x))
        if lo == hi:
            raise Undefined("the bins of one number")
        _apart(np, a, x, lo, hi, bins)
    if not isinstance(bins, int) and np.any(np.diff(np.asarray(bins)) < 0):
        raise Undefined("edges that fall")
    made, edges = np.histogram(x, bins if isinstance(bins, int) else np.asarray(bins), range=limits, weights=weight, density=bool(a["density"]))
    return _rounded(np, a, made, 0) if a["density"] else made, _rounded(np, a, edges, 1) if isinstance(bins, int) else edges


def _rounded(np: Numpy, a: Arguments, edges: Array, i: int) -> Array:
    """Edges at equal steps are rounded by as much as the ends are, and shares by as much as the edges."""
    dtype = a["results"][i]
    step = dtype.step if dtype is not None and dtype.kind == "f" else 2.0**-52
    return around(np, a["x"], edges, 64 * step * np.max(np.abs(edges), initial=0.0))


def histogramdd(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    x, bins, limits = np.asarray(a["x"]), a["bins"], a["range"]
    if not x.shape[-1] or not all(isinstance(b, int) or np.all(np.diff(np.asarray(b)) > 0) for b in (bins if isinstance(bins, tuple) else ())):
        raise Undefined("no bins, or edges that fall")
    points = x.reshape(-1, x.shape[-1])
    if x.size and np.max(points) - np.min(points) > _SPAN:
        raise Undefined("the volumes of bins overflow")
    weight = None if a["weight"] is None else np.asarray(a["weight"]).reshape(-1)
    pairs = None if limits is None else list(zip(limits[::2], limits[1::2]))
    found = bins if isinstance(bins, int) else [b if isinstance(b, int) else np.asarray(b) for b in bins]
    counts = [b if isinstance(b, int) else len(b) - 1 for b in (found if isinstance(found, list) else [found] * points.shape[1])]
    if prod(n + 2 for n in counts) > _MOST:
        raise Undefined("too many bins to count")
    for i, n in enumerate(counts):
        lo, hi = pairs[i] if pairs else (np.min(points[:, i], initial=np.inf), np.max(points[:, i], initial=-np.inf))
        if lo <= hi:
            _apart(np, a, points[:, i], *((lo, hi) if lo < hi else (lo - 0.5, hi + 0.5)), n)
    made, edges = np.histogramdd(points, found, range=pairs, weights=weight, density=bool(a["density"]))
    return (_rounded(np, a, made, 0) if a["density"] else made, *(_rounded(np, a, line, 1 + i) for i, line in enumerate(edges)))


def bincount(np: Numpy, a: Arguments) -> Array:
    x, most = np.asarray(a["x"]), a["maxlength"]
    inside = np.ones(x.shape, bool) if most is None else x < most
    weight = None if a["weight"] is None or not x.size else a["weight"][inside]
    least = a["minlength"] or 0
    length = max(least, int(np.max(x, initial=-1)) + 1)
    made = accumulated(np, np.zeros(length), x[inside], np.ones(x.shape)[inside] if weight is None else weight, np.add)
    return made if most is None else made[:most]


def fixed_width(np: Numpy, a: Arguments) -> Array:
    x, (lo, hi), n = np.asarray(a["x"]), np.asarray(a["limits"]), a["bins"]
    _apart(np, a, x, lo, hi, n)
    at = np.clip(np.floor((x - lo) / (hi - lo) * n), 0, n - 1).astype(np.int64)
    return np.bincount(at.reshape(-1), minlength=n)


def confusion(np: Numpy, a: Arguments) -> Array:
    n = a["count"]
    x, y = (np.asarray(a[name]).reshape(-1).astype(np.int64) for name in ("x", "y"))  # classes may be given as floats
    if np.max(x, initial=0) >= n or np.max(y, initial=0) >= n:
        raise Undefined("a class beyond the count")
    weight = np.ones(x.shape) if a["weight"] is None else np.broadcast_to(a["weight"], a["x"].shape)
    return accumulated(np, np.zeros(n * n), x * n + y, weight, np.add).reshape(n, n)


def p_norm(np: Numpy, x: Array, p: float, axis: object = None, keepdims: bool = False) -> Array:
    """The p-norm along axes: 0 counts, and the infinite ones are extremes."""
    size = np.absolute(x)
    along: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if p == 0:
        return np.sum(np.where(size == 0, 0.0, 1.0), **along)
    if p == float("inf"):
        return np.max(size, initial=0, **along)
    if p == float("-inf"):
        return np.min(size, initial=float("inf"), **along)
    if p == 1:
        return np.sum(size, **along)
    if p == 2:
        return np.sqrt(np.sum(np.square(size), **along))
    return np.power(np.sum(np.power(size, p), **along), 1.0 / p)

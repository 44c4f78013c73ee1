"""Rules for boxes: functions of matrices, by bounds of norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorproof.engines.values.boxes import Box, Unbounded, boxed, float_of, register
from tensorproof.engines.values.curves import absolute
from tensorproof.engines.values.rounding import Rounding

INF = math.inf


def _slack() -> float:
    """How much larger a computed bound may be than the exact one."""
    return 1 + 1e-9 + 64 * Rounding.step


def _anything(shape: tuple[int, ...]) -> Box:
    return Box(np.full(shape, -INF), np.full(shape, INF), True)


def _span(x: Box, shape: tuple[int, ...], lo: float = -INF, hi: float = INF, nan: bool = True, whole: bool = False) -> Box:
    """Numbers between two bounds."""
    return Box(np.full(shape, lo), np.full(shape, hi), nan, np.int64 if whole else np.float64)


def _solution(x: Box, system: Any) -> Box:
    """Solutions where a library may multiply by a reciprocal: what may be infinite may be anything then, and the reciprocal of a large number may be 0."""
    large = bool((absolute(boxed(system)).hi > 0.25 / Rounding.smallest).any())
    open_ = x.nan | np.isinf(x.lo) | np.isinf(x.hi) | large
    return Box(np.where(open_, -INF, x.lo), np.where(open_, INF, x.hi), open_, x.dtype)


def _euclidean(x: Box, axes: Any) -> Any:
    """At most these are the roots of the sums of the squares along axes. Numbers are scaled, so that no square comes to 0 or overflows."""
    size = absolute(x).hi
    scale = np.maximum(np.max(size, axis=axes, keepdims=True, initial=0.0), np.finfo(np.float64).tiny)
    with np.errstate(all="ignore"):
        length = np.sqrt(np.sum(np.square(np.where(np.isinf(size), 1.0, size / scale)), axis=axes))
        return length * np.squeeze(scale, axes) * _slack() + Rounding.smallest * size.shape[-1]


def _most_logarithm(x: Box) -> Any:
    """Hadamard: no determinant is larger than the product of the lengths of the rows."""
    return np.sum(np.log(_euclidean(x, -1)), axis=-1)


def _overflows(x: Box) -> Any:
    """Whether an elimination, or a product of some pivots, may leave the element type, or a pivot may be too small to divide by."""
    lengths, size = np.log(np.maximum(_euclidean(x, -1), 1.0)), absolute(x)
    small = np.any((np.max(size.lo, axis=-2, initial=0.0) < 2 * Rounding.smallest) & (np.max(size.hi, axis=-2, initial=0.0) > 0), axis=-1)
    return x.nan.any() | small | ~(np.sum(lengths, axis=-1) + x.shape[-1] * math.log(2.0) < math.log(Rounding.greatest))


def _determinant(x: Any) -> Box:
    x = boxed(x)
    with np.errstate(all="ignore"):
        most = np.exp(_most_logarithm(x)) * (1 + 1e-9)
        over = _overflows(x)
    most = np.where(over, INF, most)
    return Box(-most, most, over, float_of(x))


def _sign_and_logarithm(x: Any) -> tuple[Box, Box]:
    x = boxed(x)
    with np.errstate(all="ignore"):
        most, over = _most_logarithm(x), _overflows(x)
    most = np.where(over, INF, most + (1 + np.abs(np.where(np.isfinite(most), most, 0.0))) * 64 * Rounding.step)
    return Box(np.full(most.shape, -1.0), 1.0, over), Box(np.full(most.shape, -INF), most, over)


def _whole_norm(x: Box) -> Any:
    return _euclidean(x, (-2, -1))


def _singular_values(x: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Box:
    if compute_uv:
        raise Unbounded("svd")
    x = boxed(x)
    shape = (*x.shape[:-2], min(x.shape[-2:]))
    return Box(np.zeros(shape), np.broadcast_to(np.expand_dims(_whole_norm(x), -1), shape), x.nan.any(), float_of(x))


def _eigenvalues(x: Any, UPLO: str = "L") -> Box:
    """Those of the symmetric matrix that one half tells."""
    x = boxed(x)
    most = np.broadcast_to(np.expand_dims(_whole_norm(x) * 1.5, -1), x.shape[:-1])
    return Box(-most, most, x.nan.any(), float_of(x))


register("det", _determinant, rounded=True)
register("span", _span)
register("solution", _solution)
register("slogdet", _sign_and_logarithm)
register("svd", _singular_values)
register("eigvalsh", _eigenvalues)
register("inv", lambda x: _anything(boxed(x).shape))
register("cholesky", lambda x, **kwargs: _anything(boxed(x).shape))
register("solve", lambda x, y: _anything((*np.broadcast_shapes(boxed(x).shape[:-2], boxed(y).shape[:-2]), *boxed(y).shape[-2:])))

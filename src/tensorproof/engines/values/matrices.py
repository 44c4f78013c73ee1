"""Rules for boxes: functions of matrices, by bounds of norms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorproof.engines.values.boxes import Box, boxed, float_of, register
from tensorproof.engines.values.curves import absolute
from tensorproof.engines.values.rounding import Rounding

if TYPE_CHECKING:
    from tensorproof.engines.values.numpy_port import Axes, Like, Reals

INF = math.inf


def _slack() -> float:
    """How much larger a computed bound may be than the exact one."""
    return 1 + 1e-9 + 64 * Rounding.step


def _anything(shape: tuple[int, ...]) -> Box:
    return Box(np.full(shape, -INF), np.full(shape, INF), True)


def _span(x: Box, shape: tuple[int, ...], lo: float = -INF, hi: float = INF, nan: bool = True, whole: bool = False) -> Box:
    """Numbers between two bounds."""
    return Box(np.full(shape, lo), np.full(shape, hi), nan, np.int64 if whole else np.float64)


def _solution(x: Box, system: Like) -> Box:
    """Solutions where a library may multiply by a reciprocal: what may be infinite may be anything then, and the reciprocal of a large number may be 0."""
    large = bool((absolute(boxed(system)).hi > 0.25 / Rounding.smallest).any())
    open_ = x.nan | np.isinf(x.lo) | np.isinf(x.hi) | large
    return Box(np.where(open_, -INF, x.lo), np.where(open_, INF, x.hi), open_, x.dtype)


def _euclidean(x: Box, axes: Axes) -> Any:
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


def _determinant(x: Like) -> Box:
    x = boxed(x)
    with np.errstate(all="ignore"):
        most = np.exp(_most_logarithm(x)) * (1 + 1e-9)
        over = _overflows(x)
    most = np.where(over, INF, most)
    return Box(-most, most, over, float_of(x))


def _sign_and_logarithm(x: Like) -> tuple[Box, Box]:
    x = boxed(x)
    with np.errstate(all="ignore"):
        most, over = _most_logarithm(x), _overflows(x)
    most = np.where(over, INF, most + (1 + np.abs(np.where(np.isfinite(most), most, 0.0))) * 64 * Rounding.step)
    return Box(np.full(most.shape, -1.0), 1.0, over), Box(np.full(most.shape, -INF), most, over)


def _whole_norm(x: Box) -> Any:
    return _euclidean(x, (-2, -1))


def _too_large(x: Box, squares: bool) -> Any:
    """Whether a decomposition may overflow on its way; `squares`: some libraries sum the squares of numbers without scaling them."""
    if not x.size:
        return np.zeros(x.shape[:-2], bool)
    with np.errstate(all="ignore"):
        most = _whole_norm(x) ** (2 if squares else 1)
        return x.nan.any() | ~(most * 16.0 * max(x.shape) < Rounding.greatest)


def _decomposed(x: Box, shape: tuple[int, ...], lo: Reals | float, hi: Reals | float, squares: bool = False) -> Box:
    """Numbers of the decomposition of each matrix, between two bounds for each of them; anything where it may overflow."""
    axes = tuple(range(len(x.shape) - 2, len(shape)))
    low, high, over = (np.broadcast_to(np.expand_dims(np.asarray(side), axes) if np.ndim(side) else side, shape) for side in (lo, hi, _too_large(x, squares)))
    return Box(np.where(over, -INF, low), np.where(over, INF, high), over, float_of(x))


def _orthogonal(x: Box, shape: tuple[int, ...], squares: bool = False) -> Box:
    """A factor whose rows or columns have the length 1."""
    return _decomposed(x, shape, -_slack(), _slack(), squares)


def _singular_values(x: Like, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    x = boxed(x)
    (*lead, m, n), k = x.shape, min(x.shape[-2:])
    values = _decomposed(x, (*lead, k), 0.0, _whole_norm(x))
    if not compute_uv:
        return values
    return _orthogonal(x, (*lead, m, m if full_matrices else k)), values, _orthogonal(x, (*lead, n if full_matrices else k, n))


def _factors(x: Like, mode: str = "reduced") -> Any:
    """An orthogonal and a triangular factor, or the reflections and their factors, of which a reflection is held by numbers up to 1."""
    x = boxed(x)
    (*lead, m, n), k, most = x.shape, min(x.shape[-2:]), _whole_norm(x)
    if mode == "raw":
        return _decomposed(x, (*lead, n, m), -np.maximum(most, _slack()), np.maximum(most, _slack())), _decomposed(x, (*lead, k), 0.0, 2.0 * _slack())
    rows = m if mode == "complete" else k
    triangle = _decomposed(x, (*lead, rows, n), -most, most, squares=True)
    return triangle if mode == "r" else (_orthogonal(x, (*lead, m, rows), squares=True), triangle)


def _eigenvalues(x: Like, UPLO: str = "L") -> Box:
    """Those of the symmetric matrix that one half tells."""
    x = boxed(x)
    most = _whole_norm(x) * 1.5
    return _decomposed(x, x.shape[:-1], -most, most)


def _eigenvectors(x: Like, UPLO: str = "L") -> tuple[Box, Box]:
    return _eigenvalues(x, UPLO), _orthogonal(boxed(x), boxed(x).shape)


register("det", _determinant, rounded=True)
register("span", _span)
register("solution", _solution)
register("slogdet", _sign_and_logarithm)
register("svd", _singular_values)
register("eigvalsh", _eigenvalues)
register("eigh", _eigenvectors)
register("qr", _factors)
register("pinv", lambda x, **kwargs: _anything((*boxed(x).shape[:-2], *boxed(x).shape[:-3:-1])))
register("inv", lambda x: _anything(boxed(x).shape))
register("cholesky", lambda x, **kwargs: _anything(boxed(x).shape))
register("solve", lambda x, y: _anything((*np.broadcast_shapes(boxed(x).shape[:-2], boxed(y).shape[:-2]), *boxed(y).shape[-2:])))

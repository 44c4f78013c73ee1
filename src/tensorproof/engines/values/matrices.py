"""Rules for boxes: functions of matrices, by bounds of norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorproof.engines.values.boxes import Box, Unbounded, boxed, float_of, register
from tensorproof.engines.values.curves import absolute

INF = math.inf
_SLACK = 1 + 1e-6


def _anything(shape: tuple[int, ...]) -> Box:
    return Box(np.full(shape, -INF), np.full(shape, INF), True)


def _lengths(x: Box) -> Any:
    """At most these are the lengths of the rows."""
    return np.sqrt(np.sum(np.square(absolute(x).hi), axis=-1)) * _SLACK


def _most_determinant(x: Box) -> Any:
    """Hadamard: no determinant is larger than the product of the lengths of the rows."""
    return np.prod(_lengths(x), axis=-1)


def _determinant(x: Any) -> Box:
    x = boxed(x)
    most = _most_determinant(x)
    return Box(-most, most, x.nan.any() or ~np.isfinite(most), float_of(x))


def _sign_and_logarithm(x: Any) -> tuple[Box, Box]:
    x = boxed(x)
    most = np.log(_most_determinant(x)) + 1e-6
    nan = x.nan.any() or ~np.isfinite(np.exp(most))
    return Box(np.full(most.shape, -1.0), 1.0, nan), Box(np.full(most.shape, -INF), most, nan)


def _whole_norm(x: Box) -> Any:
    return np.sqrt(np.sum(np.square(absolute(x).hi), axis=(-2, -1))) * _SLACK


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


register("det", _determinant)
register("slogdet", _sign_and_logarithm)
register("svd", _singular_values)
register("eigvalsh", _eigenvalues)
register("inv", lambda x: _anything(boxed(x).shape))
register("cholesky", lambda x, **kwargs: _anything(boxed(x).shape))
register("solve", lambda x, y: _anything((*np.broadcast_shapes(boxed(x).shape[:-2], boxed(y).shape[:-2]), *boxed(y).shape[-2:])))

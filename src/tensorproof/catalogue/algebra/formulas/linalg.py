"""Reference functions of matrices."""

from __future__ import annotations

import math
from math import inf, prod
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, named
from tensorproof.ops.mathematics import beside

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

_SMALL = 1.2e-7


def adjoint(np: Numpy, x: Array) -> Array:
    """The conjugate transpose."""
    turned = np.swapaxes(x, -1, -2)
    return np.conj(turned) if x.dtype.kind == "c" else turned


def cholesky(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    try:
        return adjoint(np, np.linalg.cholesky(adjoint(np, x))) if a["upper"] else np.linalg.cholesky(x)
    except np.linalg.LinAlgError:  # some libraries fail, others give what they have
        raise Undefined from None


def status(np: Numpy, x: Array) -> Array:
    """0 for each matrix that could be factored; of bounds it is not known where a pivot is 0."""
    return x.of("span", x.shape[:-2], 0, x.shape[-1], False, True) if hasattr(x, "of") else np.zeros(x.shape[:-2], np.int64)


def cholesky_status(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    return cholesky(np, a), status(np, a["x"])


def substituted(np: Numpy, half: Array, y: Array, upper: Any) -> Array:
    """The solution of a triangular system, row by row."""
    n = half.shape[-1]
    made: dict[int, Any] = {}
    for i in reversed(range(n)) if upper else range(n):
        row = y[..., i, :]
        for j, known in made.items():
            row = np.subtract(row, np.multiply(half[..., i, j : j + 1], known))
        made[i] = np.divide(row, half[..., i, i : i + 1])
    if not n:
        return np.broadcast_to(y, (*np.broadcast_shapes(half.shape[:-2], y.shape[:-2]), *y.shape[-2:]))
    solution = np.stack([made[i] for i in range(n)], -2)
    return solution.of("solution", half) if hasattr(solution, "of") else solution


def from_factor(np: Numpy, factor: Array, upper: Any, y: Array) -> Array:
    """The solution of the system of a triangular factor."""
    turned = adjoint(np, factor)
    first, second = (turned, factor) if upper else (factor, turned)
    return substituted(np, second, substituted(np, first, y, False), True)


def cholesky_inverse(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    if x.dtype.kind == "c" and np.any(np.imag(np.diagonal(x, 0, -2, -1))):
        raise Undefined("the diagonal of a factor is real")
    half = substituted(np, x, np.broadcast_to(np.eye(x.shape[-1]), x.shape), a["upper"])
    return np.matmul(half, adjoint(np, half)) if a["upper"] else np.matmul(adjoint(np, half), half)


def qr(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    if a["mode"] == "r":
        return np.zeros((0,)), np.linalg.qr(a["x"], "r")
    return tuple(np.linalg.qr(a["x"], a["mode"]))


def compact_qr(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    if not hasattr(a["x"], "of") and np.any(a["x"][..., :1, :1] == 0):
        raise Undefined("a reflection of 0 to either side")
    turned, tau = np.linalg.qr(a["x"], "raw")
    made = np.swapaxes(turned, -1, -2)
    if not hasattr(made, "of"):
        diagonal = np.diagonal(made, 0, -2, -1)
        if np.any((tau != 0) & (np.absolute(np.real(diagonal * (1 - tau))) < 1e-5 * np.absolute(diagonal))):
            raise Undefined("a reflection of nearly 0 to either side")
    return made, tau


def svd(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return tuple(np.linalg.svd(a["x"], bool(a["full_matrices"])))


def singular_values(np: Numpy, x: Array) -> Array:
    made: Array = np.linalg.svd(x, compute_uv=False)
    return made


def eigh(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return tuple(np.linalg.eigh(a["x"], a["triangle"].upper()))


def eig(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return tuple(np.linalg.eig(a["x"]))


# --- LU ---


def _length(np: Numpy, x: Array) -> Array:
    """By this LAPACK chooses a pivot."""
    return np.abs(np.real(x)) + np.abs(np.imag(x)) if x.dtype.kind == "c" else np.abs(x)


def _eliminated(np: Numpy, matrix: Array, pivot: bool) -> tuple[Array, Array, int]:
    """One matrix: L and U in one, the row that each row was exchanged with (from 1), and the place of the first pivot that is 0."""
    made, status = matrix * 1.0, 0
    rows, count = made.shape[0], min(made.shape)
    pivots = np.arange(1, count + 1)
    for k in range(count):
        sizes = _length(np, made[k:, k])
        best = k + int(np.argmax(sizes)) if pivot else k
        if pivot and np.sum((sizes < np.max(sizes)) & (sizes > np.max(sizes) * (1 - 1e-6))):
            raise Undefined("pivots of nearly one size")
        pivots[k] = best + 1
        made[[k, best]] = made[[best, k]]
        if made[k, k] == 0:
            status = status or k + 1
            continue
        if k + 1 < rows:
            made[k + 1 :, k] = made[k + 1 :, k] / made[k, k]
            made[k + 1 :, k + 1 :] = made[k + 1 :, k + 1 :] - np.outer(made[k + 1 :, k], made[k, k + 1 :])
    return made, pivots, status


def _bounds_of_factors(x: Array) -> tuple[Array, Array, Array]:
    """Any factors, since a pivot may be too small to divide by; rows that are exchanged with later ones."""
    rows, lead, count = x.shape[-2], x.shape[:-2], min(x.shape[-2:])
    return x.of("span", x.shape), x.of("span", (*lead, count), 1, rows, False, True), x.of("span", lead, 0, count, False, True)


def lu_status(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    x = a["x"]
    if hasattr(x, "of"):
        return _bounds_of_factors(x)
    lead, count = x.shape[:-2], min(x.shape[-2:])
    parts = [_eliminated(np, x[at], bool(a["pivot"])) for at in np.ndindex(*lead)]
    if not parts:
        return x, np.zeros((*lead, count), np.int64), np.zeros(lead, np.int64)
    made, pivots, status = (np.array([part[i] for part in parts]) for i in range(3))
    return np.reshape(made, x.shape), np.reshape(pivots, (*lead, count)), np.reshape(status, lead)


def lu_factor(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    return lu_status(np, a)[:2]


def triangles(np: Numpy, factors: Any) -> tuple[Array, Array]:
    """L with ones on its diagonal, and U."""
    count = min(factors.shape[-2:])
    lower = np.add(np.tril(factors[..., :, :count], -1), np.eye(factors.shape[-2], count))
    return lower, np.triu(factors[..., :count, :])


def permutation(np: Numpy, pivots: Array, rows: int) -> Array:
    """The matrix P with P L U = A."""
    lead = pivots.shape[:-1]
    if hasattr(pivots, "of"):
        return pivots.of("span", (*lead, rows, rows), 0.0, 1.0, False)
    made = np.zeros((*lead, rows, rows))
    for at in np.ndindex(*lead):
        order = list(range(rows))
        for i, other in enumerate(pivots[at]):
            order[i], order[int(other) - 1] = order[int(other) - 1], order[i]
        made[at] = np.eye(rows)[:, order]
    return made


def lu(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    factors, pivots, _ = lu_status(np, a)
    p = permutation(np, pivots, a["x"].shape[-2]) if a["pivot"] else np.zeros((0,))
    return (p, *triangles(np, factors))


# --- numbers of a matrix ---


def log_determinant(np: Numpy, a: Arguments) -> Array:
    if a["definite"]:
        diagonal = np.diagonal(cholesky(np, named(x=a["x"], upper=False)), 0, -2, -1)
        return np.multiply(np.sum(np.log(np.real(diagonal)), axis=-1), 2)
    return np.log(np.linalg.det(a["x"]))


def inverse_status(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    try:
        return np.linalg.inv(a["x"]), status(np, a["x"])
    except np.linalg.LinAlgError:  # the inverse is not defined then
        raise Undefined from None


def _cutoff(np: Numpy, a: Arguments, values: Array) -> Array:
    """Below this a singular value counts for nothing."""
    atol, rtol = a["atol"], a["rtol"]
    if rtol is None:
        rtol = max(a["x"].shape[-2:]) * _SMALL if atol is None else 0.0
    largest = np.max(values, axis=-1, initial=0.0)
    return np.expand_dims(np.maximum(0.0 if atol is None else atol, np.multiply(rtol, largest)), -1)


def _as_read(np: Numpy, a: Arguments) -> Array:
    """Of a symmetric matrix the lower half is read, and of its diagonal the real part."""
    x = a["x"]
    if not a["hermitian"] or not x.size:
        return x
    below = np.tril(x, -1)
    return np.where(np.eye(x.shape[-1], dtype=bool), np.real(x), np.add(below, adjoint(np, below)))


def pseudo_inverse(np: Numpy, a: Arguments) -> Array:
    u, values, vh = np.linalg.svd(_as_read(np, a), False)
    kept = values > _cutoff(np, a, values)
    inverse = np.where(kept, np.divide(1.0, np.where(kept, values, 1.0)), 0.0)
    return np.matmul(np.multiply(adjoint(np, vh), np.expand_dims(inverse, -2)), adjoint(np, u))


def rank(np: Numpy, a: Arguments) -> Array:
    values = singular_values(np, _as_read(np, a))
    return np.sum(values > _cutoff(np, a, values), axis=-1)


def power(np: Numpy, a: Arguments) -> Array:
    x, n = a["x"], a["n"]
    if n == 0:
        return np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    x = np.linalg.inv(x) if n < 0 else x
    made = x
    for bit in bin(abs(n))[3:]:
        made = np.matmul(made, made)
        made = np.matmul(made, x) if bit == "1" else made
    return made


def exponential(np: Numpy, a: Arguments) -> Array:
    """The series of a fraction of x, squared as often as it was halved. Of several matrices in half precision torch takes wrong coefficients."""
    if math.prod(a["x"].shape[:-2]) > 1 and a["results"][0] is not None and a["results"][0].bits < 32:
        raise Undefined
    halved = 8
    x = np.divide(a["x"], 2.0**halved)
    made = term = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(1, 19):
        term = np.divide(np.matmul(term, x), k)
        made = np.add(made, term)
    for _ in range(halved):
        made = np.matmul(made, made)
    dtype = a["results"][0]
    if not hasattr(made, "of"):
        return made
    assert dtype is not None
    size = np.max(np.sum(np.absolute(a["x"]), axis=-1, keepdims=True), axis=-2, keepdims=True) if x.size else 0.0
    error = np.multiply(np.exp(size), np.multiply(np.add(size, 1.0), 64 * dtype.step))  # it grows with the norm, and not with the results
    return np.subtract(made, error).of("either", np.add(made, error))


def _orthogonal(np: Numpy, x: Array, tau: Array, size: int) -> Array:
    """The product of reflections, the first `size` columns of it; those of the columns of x."""
    rows = x.shape[-2]
    made = np.broadcast_to(np.eye(rows), (*x.shape[:-2], rows, rows))
    at = np.arange(rows)
    for i in range(tau.shape[-1]):
        v = np.where(at > i, x[..., :, i], np.where(at == i, 1.0, 0.0))
        left = np.matmul(made, np.expand_dims(v, -1))
        right = np.expand_dims(np.conj(v) if x.dtype.kind == "c" else v, -2)
        made = np.subtract(made, np.multiply(np.expand_dims(tau[..., i : i + 1], -1), np.multiply(left, right)))
    return made[..., :, :size]


def reflections(np: Numpy, a: Arguments) -> Array:
    return _orthogonal(np, a["x"], a["tau"], a["x"].shape[-1])


def times_reflections(np: Numpy, a: Arguments) -> Array:
    q = _orthogonal(np, a["x"], a["tau"], a["x"].shape[-2])
    q = adjoint(np, q) if a["transpose"] else q
    return np.matmul(q, a["y"]) if a["left"] else np.matmul(a["y"], q)


# --- norms ---


def _vector_norm(np: Numpy, x: Array, order: Any, dim: Any, keep: bool) -> Array:
    size = np.absolute(x)
    if order in (float("inf"), float("-inf")):
        return (np.max if order > 0 else np.min)(size, axis=dim, keepdims=keep)
    if order == 0:
        return np.sum(size != 0, axis=dim, keepdims=keep)
    if order == 1:
        return np.sum(size, axis=dim, keepdims=keep)
    if order == 2:
        return np.sqrt(np.sum(np.square(size), axis=dim, keepdims=keep))
    return np.power(np.sum(np.power(size, float(order)), axis=dim, keepdims=keep), 1.0 / order)


def _in_results(np: Numpy, a: Arguments) -> Array:
    """x, whole numbers in the real type of the results."""
    x, dtype = a["x"], a["results"][0]
    return np.multiply(x, 1.0) if x.dtype.kind in "biu" and dtype is not None and dtype.kind == "f" else x


def has_length(np: Numpy, a: Arguments) -> Array:
    """Whether a norm has a derivative: at 0 those of order 1 and of the greatest element have one."""
    if a["ord"] in (1, math.inf, -math.inf, 0):
        return np.ones((), bool)
    return np.greater(vector_norm(np, a), 0.0)


def vector_norm(np: Numpy, a: Arguments) -> Array:
    x, dim = _in_results(np, a), a["dim"]
    axes = tuple(range(x.ndim)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if not x.ndim:
        return beside(np, np.absolute(x), np.square(np.absolute(x))) if a["ord"] else np.multiply(x != 0, 1)
    return _vector_norm(np, x, a["ord"], axes, bool(a["keepdim"]))


def _matrix_norm(np: Numpy, x: Array, order: Any) -> Array:
    """Of the last two axes."""
    if order == "fro" or order is None:
        return np.sqrt(np.sum(np.square(np.absolute(x)), axis=(-2, -1)))
    if order in ("nuc", 2, -2):
        values = singular_values(np, x)
        return np.sum(values, axis=-1) if order == "nuc" else np.max(values, axis=-1, initial=0.0) if order == 2 else np.min(values, axis=-1)
    sums = np.sum(np.absolute(x), axis=-2 if order in (1, -1) else -1)
    return np.max(sums, axis=-1, initial=0.0) if order > 0 else np.min(sums, axis=-1)


def matrix_norm(np: Numpy, a: Arguments) -> Array:
    x, dim = _in_results(np, a), tuple(i % a["x"].ndim for i in a["dim"])
    made = _matrix_norm(np, np.moveaxis(x, dim, (-2, -1)), a["ord"])
    return np.expand_dims(made, tuple(sorted(dim))) if a["keepdim"] else made


def condition(np: Numpy, a: Arguments) -> Array:
    """Infinite for what has no inverse."""
    x, order = a["x"], a["ord"]
    if order in (None, 2, -2):
        if not prod(x.shape):
            return np.zeros(x.shape[:-2])
        values = singular_values(np, x)
        made = np.divide(values[..., -1], values[..., 0]) if order == -2 else np.divide(values[..., 0], values[..., -1])
        if not hasattr(made, "of") and np.any(values[..., -1] <= 1e-6 * values[..., 0]):
            raise Undefined("a matrix that may or may not have an inverse, as it is rounded")
        return np.where(np.isnan(made), inf, made)
    try:
        made = np.multiply(_matrix_norm(np, x, order), _matrix_norm(np, np.linalg.inv(x), order))
    except np.linalg.LinAlgError:
        raise Undefined("a matrix without an inverse") from None
    return np.where(np.isnan(made), inf, made)

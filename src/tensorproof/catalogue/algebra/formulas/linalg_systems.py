"""Reference functions of systems of equations."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.algebra.formulas.linalg import adjoint, from_factor, permutation, singular_values, status, substituted, triangles
from tensorproof.ops.evaluation import Arguments, Undefined, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _solved(np: Numpy, x: Array, y: Array, left: object = True) -> Array:
    """Matrices on the right-hand side; systems and right-hand sides broadcast."""
    if left:
        lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        return np.linalg.solve(np.broadcast_to(x, (*lead, *x.shape[-2:])), np.broadcast_to(y, (*lead, *y.shape[-2:])))
    return np.swapaxes(_solved(np, np.swapaxes(x, -1, -2), np.swapaxes(y, -1, -2)), -1, -2)


def solved(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"], a["y"]
    flat = y.ndim == 1 or (y.ndim == x.ndim - 1 and y.shape == x.shape[:-1] and not a["vectors_have_rank_one"])
    if flat:
        return _solved(np, x, np.expand_dims(y, -1))[..., 0]
    return _solved(np, x, y, a["left"])


def solved_status(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    try:
        return solved(np, a), status(np, a["x"])
    except np.linalg.LinAlgError:  # the solution is not defined then
        raise Undefined from None


def _triangular(np: Numpy, x: Array, y: Array, upper: bool, unit: bool) -> Array:
    if unit:
        x = np.where(np.eye(x.shape[-1]) == 1, 1.0, x)
    return substituted(np, x, y, upper)


def triangular(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"], a["y"]
    if a["left"]:
        return _triangular(np, x, y, a["upper"], a["unitriangular"])
    return np.swapaxes(_triangular(np, np.swapaxes(x, -1, -2), np.swapaxes(y, -1, -2), not a["upper"], a["unitriangular"]), -1, -2)


def triangular_and_system(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, upper = a["x"], a["upper"]
    turned = np.swapaxes(x, -1, -2) if a["transpose"] else x
    made = _triangular(np, turned, a["y"], bool(upper) != bool(a["transpose"]), a["unitriangular"])
    return made, np.broadcast_to(x, (*made.shape[:-2], *x.shape[-2:]))


def from_cholesky(np: Numpy, a: Arguments) -> Array:
    return from_factor(np, a["x"], a["upper"], a["y"])


def from_lu(np: Numpy, a: Arguments) -> Array:
    lower, upper = triangles(np, a["x"])
    if not hasattr(upper, "of") and np.any(np.diagonal(upper, 0, -2, -1) == 0):
        raise Undefined("a factor without an inverse")
    system = np.matmul(permutation(np, plain(np, a["pivots"]), a["x"].shape[-1]), np.matmul(lower, upper))
    return _solved(np, adjoint(np, system) if a["adjoint"] else system, a["y"], a["left"] is not False)


def unpacked(np: Numpy, a: Arguments) -> tuple[Array, Array, Array]:
    x, nothing = a["x"], np.zeros((0,))
    p = permutation(np, plain(np, a["pivots"]), x.shape[-2]) if a["unpack_pivots"] else nothing
    return (p, *(triangles(np, x) if a["unpack_data"] else (nothing, nothing)))


def _lacks_rank(np: Numpy, x: Array, rank: Any, driver: str) -> bool:
    """Whether the rank of a single matrix is found to be less than the number of unknowns."""
    return x.ndim == 2 and driver in ("gelsd", "gelss") and not hasattr(rank, "of") and bool(np.all(rank < x.shape[-1]))


def least_squares(np: Numpy, a: Arguments) -> tuple[Array, Array, Array, Array]:
    """What remains is given where there are more equations than unknowns, and these are determined."""
    x, y, driver = a["x"], a["y"], a["driver"] or "gelsy"
    flat = y.ndim == x.ndim - 1
    sides = np.expand_dims(y, -1) if flat else y
    made = np.matmul(np.linalg.pinv(x), sides)
    rest = np.sum(np.square(np.absolute(np.subtract(np.matmul(x, made), sides))), axis=-2)
    rest = np.zeros(rest.shape) if driver == "gels" and not x.shape[-1] else rest  # it clears the right-hand side
    values = singular_values(np, x)
    rank = np.sum(values > np.expand_dims(np.max(values, axis=-1, initial=0.0) * 1e-6, -1), axis=-1)
    nothing = np.zeros((0,))
    residual = x.shape[-2] > x.shape[-1] and driver != "gelsy" and not _lacks_rank(np, x, rank, driver)
    return (
        made[..., 0] if flat else made, rest if residual else nothing, nothing if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else nothing,
    )  # fmt: skip


def tensor_inverse(np: Numpy, a: Arguments) -> Array:
    x, at = a["x"], a["ind"]
    size = prod(x.shape[:at])
    return np.reshape(np.linalg.inv(np.reshape(x, (size, size))), (*x.shape[at:], *x.shape[:at]))


def tensor_solution(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"], a["y"]
    if a["dim"] and x.ndim:
        moved = [i % x.ndim for i in a["dim"]]
        x = np.transpose(x, (*(i for i in range(x.ndim) if i not in moved), *moved))
    shape = x.shape[y.ndim :] if x.ndim > y.ndim else tuple(a["shapes"][0])
    size = prod(shape)
    return np.reshape(np.linalg.solve(np.reshape(x, (size, size)), np.reshape(y, (size, 1))), shape)

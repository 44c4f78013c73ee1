"""Reference functions of contractions."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined, plain
from tensorproof.ops.mathematics import beside

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def added_product(np: Numpy, a: Arguments) -> Array:
    """beta * start + alpha * (x times y)."""
    product = np.outer(a["x"], a["y"]) if a["x"].ndim == a["y"].ndim == 1 else np.matmul(a["x"], a["y"])
    return _added(np, a, product)


def added_sum(np: Numpy, a: Arguments) -> Array:
    """beta * start + alpha * (the products of a batch, summed)."""
    return _added(np, a, np.sum(np.matmul(a["x"], a["y"]), axis=0))


def _added(np: Numpy, a: Arguments, product: Array) -> Array:
    """Factors of whole numbers are cut to whole ones."""
    start, beta, alpha = a["start"], a["beta"], a["alpha"]
    if product.dtype.kind in "iu" and start.dtype.kind in "iu":
        beta, alpha = int(beta), int(alpha)
    if not a["x"].size and product.ndim == 1 and start.ndim <= 1:
        return np.multiply(beta, start)
    scaled = np.multiply(alpha, product)
    if hasattr(scaled, "of") and alpha not in (0, 1) and product.dtype.kind == "f":  # libraries multiply an operand by alpha first
        for operand in (a["x"], a["y"]):
            scaled = beside(np, scaled, np.multiply(alpha, np.max(np.absolute(operand)))) if operand.size else scaled
    return np.add(np.multiply(beta, start), scaled) if beta else scaled


def conjugate(np: Numpy, x: Array) -> Array:
    return np.conj(x) if x.dtype.kind == "c" else x


def conjugate_dot(np: Numpy, a: Arguments) -> Array:
    return np.matmul(conjugate(np, a["x"]), a["y"])


def summed_along(np: Numpy, a: Arguments) -> Array:
    """The axis counts in the broadcast shape; complex numbers of x are conjugated."""
    product = np.multiply(conjugate(np, a["x"]), a["y"])
    if not product.ndim:
        return product
    return np.sum(product, axis=0 if a["x"].ndim == a["y"].ndim == 1 else a["dim"])


def chained(np: Numpy, a: Arguments) -> Array:
    return reduce(np.dot, a["xs"])


def linear_map(np: Numpy, a: Arguments) -> Array:
    made, bias = np.matmul(a["x"], a["weight"].T), a["bias"]
    if bias is not None and len(bias.shape) > len(made.shape):  # axes of one element, which the result does not have
        bias = bias.reshape(bias.shape[len(bias.shape) - len(made.shape) :])
    return made if bias is None else np.add(made, bias)


def bilinear_product(np: Numpy, a: Arguments) -> Array:
    rows = np.einsum("...i,mij->...mj", a["x"], a["weight"])
    made = np.einsum("...mj,...j->...m", rows, a["y"])
    return made if a["bias"] is None else np.add(made, a["bias"])


def contracted(np: Numpy, a: Arguments) -> Array:
    """An axis of one element goes with every size: the other is summed."""
    x, y = a["x"], a["y"]
    for i, j in zip(a["dim"], a["dim2"]):
        m, n = x.shape[i], y.shape[j]
        if m != n:
            x = np.sum(x, axis=i, keepdims=True) if n == 1 else x
            y = np.sum(y, axis=j, keepdims=True) if m == 1 else y
    return np.tensordot(x, y, (tuple(a["dim"]), tuple(a["dim2"])))


def cross_product(np: Numpy, a: Arguments) -> Array:
    x, y, dim = a["x"], a["y"], a["dim"]
    at = (x.shape.index(3) if dim is None else dim % x.ndim) - x.ndim
    (u, v, w), (p, q, r) = ([np.take(z, i, axis=at) for i in range(3)] for z in (x, y))
    parts = ((v, r, w, q), (w, p, u, r), (u, q, v, p))
    return np.stack([np.subtract(np.multiply(k, m), np.multiply(n, o)) for k, m, n, o in parts], axis=at)


def scaled_product(np: Numpy, a: Arguments) -> Array:
    made = np.matmul(np.multiply(a["x"], _as_scale(np, a["scale_x"])), np.multiply(a["y"], _as_scale(np, a["scale_y"])))
    return made if a["bias"] is None else np.add(made, a["bias"])


def _as_scale(np: Numpy, scale: Array) -> Array:
    return np.reshape(scale, ()) if scale.size == 1 else scale


def grouped_product(np: Numpy, a: Arguments) -> Array:
    """Groups end at the offsets; rows or columns behind the last are not set."""
    x, y = a["x"], a["y"]
    if a["offsets"] is None:
        return np.matmul(x, y)
    ends = [0, *(int(n) for n in plain(np, a["offsets"]))]
    cuts = [slice(first, last) for first, last in pairwise(ends)]
    if x.ndim == y.ndim:
        return np.stack([np.matmul(x[:, cut], y[cut]) for cut in cuts]) if cuts else np.zeros((0, x.shape[-2], y.shape[-1]))
    along_rows = x.ndim == 2
    parts = [np.matmul(x[cut], y[i]) if along_rows else np.matmul(x[i], y[:, cut]) for i, cut in enumerate(cuts)]
    if not cuts or ends[-1] != (x.shape[-2] if along_rows else y.shape[-1]):
        raise Undefined("rows behind the last offset")
    return np.concatenate(parts, -2 if along_rows else -1)

"""Reference functions of unpooling."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def put_back(np: Numpy, a: Arguments) -> Array:
    """Each number at its place, counted along the spatial axes; of several the last stays."""
    x, wanted = a["x"], a["output_size"]
    if "kernel" in a:
        n = len(a["kernel"])
        stride = a["stride"] or a["kernel"]
        usual = tuple((m - 1) * s + k - 2 * p for m, k, s, p in zip(x.shape[-n:], a["kernel"], stride, a["padding"]))
        sizes = usual if wanted is None else tuple(wanted[-n:])
    else:
        sizes = tuple(wanted)
    return at_places(np, x, plain(np, a["indices"]), sizes)


def at_places(np: Numpy, x: Array, indices: Array, sizes: tuple[int, ...]) -> Array:
    lead = x.shape[: x.ndim - len(sizes)]
    rows, count, total = prod(lead), prod(x.shape[len(lead) :]), prod(sizes)
    if not count or not total:
        return np.zeros((*lead, *sizes))
    source = np.full((rows, total), -1, np.int64)
    order = np.broadcast_to(np.arange(count), (rows, count))
    np.put_along_axis(source, np.reshape(indices, (rows, count)), order, 1)
    taken = np.take_along_axis(np.reshape(x, (rows, count)), np.maximum(source, 0), 1)
    return np.reshape(np.where(source >= 0, taken, 0), (*lead, *sizes))


def summed_back(np: Numpy, a: Arguments) -> Array:
    """What comes back to one place is added up."""
    grad, shape = a["grad"], a["x"].shape
    rows, count, total = prod(shape[:-2]), prod(grad.shape[-2:]), prod(shape[-2:])
    places = np.reshape(plain(np, a["indices"]), (rows, count, 1)) == np.arange(total)
    made = np.einsum("rc,rct->rt", np.reshape(grad, (rows, count)), np.multiply(places, 1.0))
    return np.reshape(made, shape)

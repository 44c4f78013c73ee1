"""Reference functions of sparse tensors and of products with sparse matrices, on all their elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tensorproof.catalogue.reductions.formulas.folded_lines import cast_first
from tensorproof.ops.evaluation import Arguments, Undefined, changed, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def product(np: Numpy, a: Arguments) -> Array:
    """Other reductions than sums run over the elements that are stored."""
    if a["reduce"] not in (None, "sum"):
        raise Undefined
    return np.matmul(a["x"], a["y"])


def sampled(np: Numpy, a: Arguments) -> Array:
    made = np.add(np.multiply(a["beta"], a["x"]), np.multiply(a["alpha"], np.matmul(a["y"], a["z"])))
    return np.where(a["x"] != 0, made, 0)


def _added_up(np: Numpy, places: Array, values: Array, size: tuple[int, ...]) -> Array:
    """Zeros, with the values at their places (a column for each); those of one place are added up."""
    axes, count = places.shape
    lead, rest = size[:axes], size[axes:]
    if count and (np.any(places < 0) or np.any(places >= np.reshape(np.asarray(lead, np.int64), (axes, 1)))):
        raise Undefined
    flat = np.ravel_multi_index(tuple(places), lead) if axes and count else np.zeros(count, np.int64)
    held = np.arange(math.prod(lead))[:, None] == flat
    blocks = np.broadcast_to(values, (count, *rest)).reshape((1, count, math.prod(rest)))
    return np.reshape(np.sum(np.where(held[:, :, None], blocks, 0), axis=1), size)


def from_places(np: Numpy, a: Arguments) -> Array:
    places = plain(np, a["index"])
    size = a["size"]
    if size is None:
        size = (*(int(n) + 1 for n in (places.max(axis=1) if places.shape[1] else places[:, :0].sum(axis=1) - 1)), *a["value"].shape[1:])
    return _added_up(np, places, cast_first(np, changed(a, x=a["value"])), tuple(size))


def from_starts(np: Numpy, a: Arguments) -> Array:
    """Row by row (or column by column): `starts` tells where each begins among `places` and the values, which may be blocks. Others are not read."""
    starts, places, values = plain(np, a["starts"]), plain(np, a["places"]), cast_first(np, changed(a, x=a["value"]))
    blocks, by_column = a["format"] in ("sparse_bsr", "sparse_bsc"), a["format"] in ("sparse_csc", "sparse_bsc")
    batch = starts.ndim - 1
    if batch:
        parts = [from_starts(np, changed(a, starts=s, places=p, value=v, size=a["size"] and a["size"][1:])) for s, p, v in zip(starts, places, values)]
        return np.stack(parts)
    if not starts.size or starts[0] != 0 or starts[-1] != places.size or np.any(np.diff(starts) < 0):
        raise Undefined
    lines = np.repeat(np.arange(starts.shape[0] - 1), np.diff(starts))
    across = int(places.max()) + 1 if places.size else 0
    block = values.shape[1:3] if blocks else (1, 1)
    rest = values.shape[3 if blocks else 1 :]
    if a["size"] is not None:
        whole = tuple(a["size"])[:2]
    else:
        pair = (across, starts.shape[0] - 1) if by_column else (starts.shape[0] - 1, across)
        whole = tuple(n * b for n, b in zip(pair, block))
    at = np.stack([places, lines] if by_column else [lines, places])
    grid = tuple(n // b for n, b in zip(whole, block))
    made = _added_up(np, at, np.reshape(values, (values.shape[0], *block, *rest)), (*grid, *block, *rest))
    return np.reshape(np.moveaxis(made, 2, 1), (*whole, *rest))

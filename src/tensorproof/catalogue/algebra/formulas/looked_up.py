"""What embeddings and distances between vectors compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.catalogue.algebra.distance import by_product
from tensorproof.catalogue.arrays.formulas.written_places import accumulated
from tensorproof.catalogue.reductions.formulas.counted_bins import p_norm
from tensorproof.ops.evaluation import Arguments, Undefined
from tensorproof.ops.mathematics import beside, in_type_of_results

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _shortened(np: Numpy, rows: Array, a: Arguments) -> Array:
    """Rows, none of them longer than `max_norm`."""
    if a["max_norm"] is None:
        return rows
    norm = p_norm(np, rows, a["norm_type"], axis=-1, keepdims=True)
    return np.where(norm > a["max_norm"], np.multiply(rows, np.true_divide(a["max_norm"], np.add(norm, 1e-7))), rows)


def embedding(np: Numpy, a: Arguments) -> Array:
    return np.take(_shortened(np, a["weight"], a), a["index"], axis=0)


def embedding_renorm(np: Numpy, a: Arguments) -> Array:
    used = np.isin(np.arange(a["x"].shape[0]), np.asarray(a["index"]))
    return np.where(used[:, None], _shortened(np, a["x"], a), a["x"])


def embedding_backward(np: Numpy, a: Arguments) -> Array:
    index, n, d = np.asarray(a["index"]).reshape(-1), a["num_weights"], a["x"].shape[-1]
    rows = a["x"].reshape((index.size, d))
    if a["scale_grad_by_freq"]:
        share = 1.0 / np.bincount(index, minlength=n)[index][:, None]
        rows = np.multiply(rows, np.trunc(share) if rows.dtype.kind in "iu" else share)  # a share of whole numbers is cut
    kept = np.flatnonzero(index != a["padding_idx"])
    places = index[kept][:, None] * d + np.arange(d)
    return accumulated(np, np.zeros((n, d)), places, rows[kept], np.add)


def _stretches(np: Numpy, a: Arguments) -> list[range]:
    """The places of each bag in the indices, one behind the other."""
    index = np.asarray(a["index"])
    if len(index.shape) == 2:
        return [range(i * index.shape[1], (i + 1) * index.shape[1]) for i in range(index.shape[0])]
    starts = [int(n) for n in np.asarray(a["offsets"])]
    if index.size and (not starts or (a["include_last_offset"] and starts[-1] != index.shape[0])):
        raise Undefined("indices that are left over")
    ends = starts[1:] if a["include_last_offset"] else [*starts[1:], index.shape[0]]
    return [range(*pair) for pair in zip(starts, ends)]


def embedding_bag(np: Numpy, a: Arguments) -> Array:
    """Bags of rows, summed, averaged or maximised; an empty bag is zero, and the padding is in none."""
    index, table, padding, weights = np.asarray(a["index"]), _shortened(np, a["weight"], a), a["padding_idx"], a["per_sample_weights"]
    flat = index.reshape(-1)
    weights = None if weights is None else weights.reshape(-1)
    bags = [_bag(np, table, flat, places, a["mode"], padding, weights) for places in _stretches(np, a)]
    return np.stack(bags) if bags else np.zeros((0, table.shape[1]))


_FAST = ("float16", "bfloat16", "float32")


def embedding_bag_and_places(np: Numpy, a: Arguments) -> tuple[Array, Array, Array, Array]:
    """The bags, the bag of each index, the number of indices in each bag and the row of each greatest element. A sum leaves these at 0, and kernels that sum
    rows of narrow types without padding do not say the bag of an index."""
    made, index, table, stretches = embedding_bag(np, a), np.asarray(a["index"]), a["weight"], _stretches(np, a)
    summed, hidden = a["mode"] == "sum", None if a["padding_idx"] is None else a["padding_idx"] % max(table.shape[0], 1)
    owners = np.concatenate([np.full(len(places), i) for i, places in enumerate(stretches)] or [np.zeros(0)])
    if summed:
        count = len(stretches) if a["trained"] else a["offsets"].shape[0]
        dtype = a["results"][0]
        fast = dtype is not None and dtype.label in _FAST and hidden is None
        return made, owners[:0] if fast else owners, np.zeros(count), np.zeros(count)
    chosen = [[i for i in places if index[i] != hidden] for places in stretches]
    sizes = np.asarray([len(places) for places in chosen])
    if a["mode"] == "mean":
        return made, owners, sizes, sizes
    rows = [np.take(index[places], np.argmax(table[index[places]], axis=0)) if places else np.zeros(table.shape[1]) for places in chosen]
    return made, owners, sizes, np.stack(rows) if rows else np.zeros((0, table.shape[1]))


def _bag(np: Numpy, table: Array, index: Array, places: range, mode: str, padding: int | None, weights: Array | None) -> Array:
    hidden = None if padding is None else padding % table.shape[0]
    chosen = [i for i in places if index[i] != hidden]
    if not chosen:
        return np.zeros(table.shape[1:])
    rows = table[index[chosen]]
    if weights is not None:
        rows = np.multiply(rows, weights[np.array(chosen)][:, None])
    return {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](rows, axis=0)


def cdist(np: Numpy, a: Arguments) -> Array:
    x, y = a["x"], a["y"]
    made = p_norm(np, np.subtract(np.expand_dims(x, -2), np.expand_dims(y, -3)), a["p"], axis=-1)
    if not hasattr(made, "of") or not by_product(a["p"], a["mode_number"], a["compute_mode"], (x.shape[-2], y.shape[-2])):
        return made
    sizes = np.add(np.expand_dims(np.sum(np.square(x), axis=-1), -1), np.expand_dims(np.sum(np.square(y), axis=-1), -2))
    dtype, squared = a["results"][0], np.square(made)
    error = np.multiply(sizes, 8 * (x.shape[-1] + 2) * (2.0**-23 if dtype is None else dtype.step))  # squares of lengths less twice the products
    least, most = (np.sqrt(np.maximum(one, 0.0)) for one in (np.subtract(squared, error), np.add(squared, error)))
    return beside(np, least.of("either", most), sizes)


def pdist(np: Numpy, a: Arguments) -> Array:
    rows, columns = np.triu_indices(a["x"].shape[0], 1)
    return p_norm(np, np.subtract(a["x"][rows], a["x"][columns]), a["p"], axis=-1)


def pairwise_distance(np: Numpy, a: Arguments) -> Array:
    apart = np.add(np.subtract(a["x"], a["y"]), a["eps"])
    return p_norm(np, apart if apart.shape else apart.reshape(1), a["p"], axis=-1, keepdims=bool(a["keepdim"] and apart.shape))


def cosine_similarity(np: Numpy, a: Arguments) -> Array:
    shape, dim = np.broadcast_shapes(a["x"].shape, a["y"].shape) or (1,), a["dim"]
    x, y = np.broadcast_to(a["x"], shape), np.broadcast_to(a["y"], shape)
    lengths = [np.maximum(p_norm(np, one, 2, axis=dim), in_type_of_results(np, a, a["eps"])) for one in (x, y)]
    made = np.true_divide(np.sum(np.multiply(x, y), axis=dim), np.multiply(*lengths))
    if made.dtype.kind != "c":
        made = np.clip(made, -1.01, 1.01)
    for length in lengths:  # vectors that are shorter than the square root of the least number are divided by 0
        made = beside(np, made, np.true_divide(1.0, length)) if hasattr(made, "of") else made
    return made

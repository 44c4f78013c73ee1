"""What reading and writing at places computes. Places are flat positions; boxes take the writes as arrays do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, named, open_places, part
from tensorproof.ops.record import Formula

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy

Step = Callable[["Array", "Array"], "Array"]


def writable(np: Numpy, x: Array, source: Array) -> Array:
    """The elements of x in a row, in memory of their own that takes elements of the source."""
    return np.concatenate([x.reshape(-1), source.reshape(-1)[:0]])


def accumulated(np: Numpy, x: Array, places: Array, source: Array, step: Step) -> Array:
    """x in a row, with `step(old, new)` at each place, one after the other where a place comes again."""
    made, left = writable(np, x, source), np.arange(places.size)
    places, source = places.reshape(-1), source.reshape(-1)
    while left.size:
        first = np.sort(np.unique(places[left], return_index=True)[1])
        now = left[first]
        made[places[now]] = step(made[places[now]], source[now])
        left = np.delete(left, first)
    return made.reshape(x.shape)


def new(old: Array, given: Array, /) -> Array:
    return given


def _steps(np: Numpy) -> dict[str, Step]:
    return {
        "sum": np.add, "add": np.add, "mean": np.add, "prod": np.multiply, "multiply": np.multiply, "amax": np.maximum, "amin": np.minimum,
        "max": np.maximum, "min": np.minimum, "sub": np.subtract, "update": new,
    }  # fmt: skip


_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": float("-inf"), "amin": float("inf"), "max": float("-inf"), "min": float("inf")}


def reduced_into(np: Numpy, x: Array, places: Array, source: Array, reduce: str, include_self: bool) -> Array:
    """x with the elements of the source folded into its own, or in place of them."""
    ones = np.ones(places.size, np.int64)
    counts = accumulated(np, np.zeros(x.shape, np.int64), places, ones, np.add)
    start = x if include_self else np.where(counts > 0, _NEUTRAL[reduce], x)
    made = accumulated(np, start, places, source, _steps(np)[reduce])
    if reduce != "mean":
        return made
    by = np.maximum(np.add(counts, 1 if include_self else 0), 1)
    return np.floor_divide(made, by) if x.dtype.kind in "biu" else np.true_divide(made, by)


def along(np: Numpy, shape: tuple[int, ...], index: Array, dim: int) -> Array:
    """The flat positions in a tensor of that shape of what an index names along one axis."""
    at = np.indices(index.shape, sparse=True)
    return np.ravel_multi_index(np.broadcast_arrays(*(index if i == dim else at[i] for i in range(len(shape)))), shape) if index.size else index


def _axes(*values: Array) -> tuple[Array, ...]:
    return tuple(v if v.shape else v.reshape(1) for v in values)


def scatter(reduce: str = "") -> Formula:
    def evaluate(np: Numpy, a: Arguments) -> Array:
        x, index, source = a["x"], np.asarray(a["index"]), a["source"]
        if not index.size:
            return x
        of, index = _axes(x, index)
        if source.shape or not index.shape:
            source = (source if source.shape else source.reshape(1))[tuple(slice(0, n) for n in index.shape)]
        else:
            source = np.broadcast_to(source, index.shape)
        places, reduction = along(np, of.shape, index, a["dim"]), reduce or a["reduce"]
        if "include_self" in a:
            return reduced_into(np, of, places, source, reduction, a["include_self"]).reshape(x.shape)
        return accumulated(np, of, places, source, _steps(np)[reduction] if reduction else new).reshape(x.shape)

    return evaluate


def slices(np: Numpy, a: Arguments) -> tuple[Array, Array, list[int]]:
    """The slices of x that an index names: x with axes, the flat positions of their elements, and the source beside them."""
    x, index, dim = a["x"] if a["x"].shape else a["x"].reshape(1), np.asarray(a["index"]).reshape(-1), a["dim"]
    shape = [1] * len(x.shape)
    shape[dim] = -1
    size = [len(index) if i == dim else n for i, n in enumerate(x.shape)]
    places = along(np, x.shape, np.broadcast_to(index.reshape(shape), size), dim)
    return x, places, size


def index_add(np: Numpy, a: Arguments) -> Array:
    x, places, size = slices(np, a)
    alpha = int(a["alpha"]) if a["x"].dtype.kind in "iu" else a["alpha"]
    return accumulated(np, x, places, np.multiply(a["source"], alpha).reshape(size), np.add).reshape(a["x"].shape)


def index_copy(np: Numpy, a: Arguments) -> Array:
    x, places, size = slices(np, a)
    return accumulated(np, x, places, a["source"].reshape(size), new).reshape(a["x"].shape)


def index_fill(np: Numpy, a: Arguments) -> Array:
    x, places, size = slices(np, a)
    return accumulated(np, x, places, np.broadcast_to(a["value"], size), new).reshape(a["x"].shape)


def index_reduce(np: Numpy, a: Arguments) -> Array:
    x, places, size = slices(np, a)
    return reduced_into(np, x, places, a["source"].reshape(size), a["reduce"], a["include_self"]).reshape(a["x"].shape)


def put(np: Numpy, a: Arguments) -> Array:
    x, index = a["x"], np.asarray(a["index"]).reshape(-1)
    size = x.reshape(-1).shape[0]
    return accumulated(np, x, np.where(index < 0, index + size, index), a["source"], np.add if a["accumulate"] else new)


def masked_scatter(np: Numpy, a: Arguments) -> Array:
    if open_places(np, a["mask"]):
        shape = np.broadcast_shapes(a["x"].shape, a["mask"].shape)
        mask: Array = a["mask"]
        return mask.of("scattered", np.broadcast_to(a["x"], shape), a["source"], "update")
    mask, source = np.asarray(a["mask"]).astype(bool), a["source"].reshape(-1)
    shape = np.broadcast_shapes(a["x"].shape, mask.shape)
    places = np.flatnonzero(np.broadcast_to(mask, shape))
    return accumulated(np, np.broadcast_to(a["x"], shape), places, source[: len(places)], new)


def region(choose: Callable[[Any, Any, Arguments], Any]) -> Formula:
    """x with the source written to a part of it; `choose` takes the part out of an array of positions."""

    def evaluate(np: Numpy, a: Arguments) -> Array:
        x = a["x"]
        places = choose(np, np.arange(x.reshape(-1).shape[0]).reshape(x.shape), a)
        return accumulated(np, x, places, np.broadcast_to(a["source"], places.shape), new)

    return evaluate


def strided(np: Numpy, positions: Array, a: Arguments) -> Array:
    at = np.indices(tuple(a["size"]))
    places = sum((i * step for i, step in zip(at, a["stride"])), np.zeros(tuple(a["size"]), np.int64)) + (a["offset"] or 0)
    if np.max(places, initial=-1) >= positions.size or len(np.unique(places)) < places.size:
        raise Undefined("places beyond the memory, or written several times")
    return places


# --- reading ---


def mask_select(np: Numpy, a: Arguments) -> Array:
    mask = np.asarray(a["mask"]).astype(bool)
    shape = np.broadcast_shapes(a["x"].shape, mask.shape)
    return np.broadcast_to(a["x"], shape)[np.broadcast_to(mask, shape)]


def gather(np: Numpy, a: Arguments) -> Array:
    x, index = a["x"], np.asarray(a["index"])
    if not index.size:
        return np.zeros(index.shape)
    of, places = _axes(x, index)
    dim = a["dim"] % len(of.shape)
    sized = of[tuple(slice(None) if i == dim else slice(0, n) for i, n in enumerate(places.shape))]
    return np.take_along_axis(sized, places, dim).reshape(index.shape)


def take_along(np: Numpy, a: Arguments) -> Array:
    x, index = a["x"], np.asarray(a["index"])
    return np.take_along_axis(x.reshape(-1), index.reshape(-1), 0) if a["dim"] is None else np.take_along_axis(x, index, a["dim"])


def items(np: Numpy, index: Array) -> tuple[Array, ...]:
    """What stands between the brackets, with positions as arrays."""
    return tuple(np.asarray(i) if hasattr(i, "shape") else i for i in (index if isinstance(index, tuple) else (index,)))


def getitem(np: Numpy, a: Arguments) -> Array:
    """Single positions are taken first, unless they join the index tensors, and what these name together after that."""
    x, chosen = a["x"], items(np, a["index"])
    if not a["numbers_join"] and any(hasattr(i, "shape") for i in chosen):
        whole = [(isinstance(i, int) and not isinstance(i, bool)) or (getattr(i, "shape", None) == () and i.dtype.kind in "iu") for i in chosen]
        taken = tuple(i if single else (_every(i)) for i, single in zip(chosen, whole))
        x = x[tuple(e for i in taken for e in (i if isinstance(i, list) else [i]))] if any(whole) else x
        chosen = tuple(i for i, single in zip(chosen, whole) if not single)
    return x[chosen]


def _every(item: Any) -> Any:
    """What takes as many axes as an index, and all of them."""
    if item is None or isinstance(item, bool):
        return []
    if item is Ellipsis:
        return item
    return [slice(None)] * (len(item.shape) if getattr(item, "dtype", None) is not None and item.dtype.kind == "b" else 1)


def additem(np: Numpy, a: Arguments) -> Array:
    return setitem(np, a, np.add)


def setitem(np: Numpy, a: Arguments, step: Any = new) -> Array:
    x = a["x"]
    places = getitem(np, named(x=np.arange(x.reshape(-1).shape[0]).reshape(x.shape), index=a["index"], numbers_join=a["numbers_join"]))
    value = a["value"]
    if len(value.shape) > len(places.shape):
        value = value.reshape(value.shape[len(value.shape) - len(places.shape) :])
    return accumulated(np, x, places, np.broadcast_to(value, places.shape), step)


def searchsorted(np: Numpy, a: Arguments) -> Array:
    """A binary search in the last axis."""
    x, y = a["x"], a["y"]
    if a["sorter"] is not None:
        x = np.take_along_axis(x, np.asarray(a["sorter"]), -1)
    shape, n = y.shape, x.shape[-1]
    if np.any(np.asarray(x)[..., 1:] < np.asarray(x)[..., :-1]):
        raise Undefined("a search in what is not sorted")
    if len(x.shape) == 1:
        y = y.reshape(-1)
    low, high = np.zeros(y.shape, np.int64), np.full(y.shape, n)
    beyond = np.less_equal if a["right"] or a["side"] == "right" else np.less
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        after = np.logical_or(beyond(np.take_along_axis(x, np.minimum(middle, max(n - 1, 0)), -1), y), np.isnan(y)) if n else np.zeros(y.shape, bool)
        after = np.asarray(after)
        still = low < high
        low, high = np.where(still & after, middle + 1, low), np.where(still & ~after, middle, high)
    return low.reshape(shape)


def one_hot(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    n = int(np.max(np.asarray(x))) + 1 if a["classes"] == -1 else a["classes"]
    return np.where(np.equal(np.expand_dims(x, -1), np.arange(n)), 1, 0)


def unravel(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    made, x = [], a["x"]
    for n in reversed(a["size"]):
        made.append(np.remainder(x, n))
        x = np.floor_divide(x, n)
    return tuple(reversed(made))


def nonzero_static(np: Numpy, a: Arguments) -> Array:
    found = np.argwhere(np.asarray(a["x"]))[: a["size"]]
    rest = np.full((a["size"] - len(found), len(a["x"].shape)), a["fill_value"])
    return np.concatenate([found.reshape(len(found), len(a["x"].shape)), rest])


def segments(np: Numpy, a: Arguments) -> Array:
    """Runs along an axis, each reduced to one."""
    x, dim, reduction, initial = a["x"], a["dim"], a["reduce"].removeprefix("a"), a["initial"]
    lengths = np.diff(np.asarray(a["offsets"]), axis=-1) if a["offsets"] is not None else np.asarray(a["lengths"])
    starts = np.asarray(a["offsets"])[..., :-1] if a["offsets"] is not None else np.cumsum(lengths, axis=-1) - lengths
    if not lengths.size:
        return np.zeros((*x.shape[:dim], lengths.shape[-1], *x.shape[dim + 1 :]))
    count = 1
    for n in x.shape[:dim]:
        count *= n
    lead = x.reshape((count, *x.shape[dim:]))
    rows = [
        np.stack([_segment(np, lead[i][s : s + n], reduction, initial) for s, n in zip(begin, count)]) if len(count) else lead[i][:0]
        for i, (begin, count) in enumerate(zip(starts.reshape(-1, starts.shape[-1]), lengths.reshape(-1, lengths.shape[-1])))
    ]
    if not rows:
        return np.zeros((*x.shape[:dim], lengths.shape[-1], *x.shape[dim + 1 :]))
    return np.stack(rows).reshape((*x.shape[:dim], lengths.shape[-1], *x.shape[dim + 1 :]))


def _segment(np: Numpy, rows: Array, reduction: str, initial: float | None) -> Array:
    empty = {"sum": 0.0, "prod": 1.0, "mean": float("nan"), "max": float("-inf"), "min": float("inf")}[reduction]
    n, first = len(rows), np.full((1, *rows.shape[1:]), (empty if reduction != "mean" else 0.0) if initial is None else initial)
    if not n:
        return np.full(rows.shape[1:], empty if initial is None else initial)
    made = getattr(np, "sum" if reduction == "mean" else reduction)(np.concatenate([first, rows]), axis=0)
    return np.true_divide(made, n) if reduction == "mean" else made


def select_part(np: Numpy, positions: Array, a: Arguments) -> Array:
    return part(positions, a["dim"], a["index"])


def slice_part(np: Numpy, positions: Array, a: Arguments) -> Array:
    return part(positions, a["dim"], slice(a["start"], a["end"], a["step"]))


def diagonal_part(np: Numpy, positions: Array, a: Arguments) -> Array:
    return np.diagonal(positions, a["offset"], a["dim1"], a["dim2"])

"""What TensorFlow's operators on index vectors, segments and slices compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.arrays.formulas.written_places import accumulated, new
from tensorproof.ops.evaluation import Arguments, Undefined, Undetermined, open_places

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def numbers(np: Numpy, value: Any) -> list[int]:
    """The whole numbers of a vector that is an attribute."""
    return [int(n) for n in np.asarray(value).reshape(-1)] if hasattr(value, "shape") else [int(np.asarray(v)) for v in value]


def number(np: Numpy, value: object) -> int:
    return int(np.asarray(value))


def gather_nd(np: Numpy, a: Arguments) -> Array:
    x, index, batch = a["x"], np.asarray(a["index"]), a["batch_dims"]
    if any(index.size and np.max(index[..., i]) >= x.shape[batch + i] for i in range(index.shape[-1])):
        raise Undefined("places beyond the tensor")
    lead = np.indices(index.shape[:-1], sparse=True)[:batch] if batch else []
    return x[(*lead, *(index[..., i] for i in range(index.shape[-1])))] if index.shape[-1] or batch else np.broadcast_to(x, (*index.shape[:-1], *x.shape))


def _rows(np: Numpy, shape: tuple[int, ...], index: Array) -> Array:
    """The flat positions of the slices that index vectors name."""
    depth = index.shape[-1]
    tail = np.arange(int(np.prod(shape[depth:]))).reshape(shape[depth:])
    for i in range(depth):
        if index.size and (np.min(index[..., i]) < 0 or np.max(index[..., i]) >= shape[i]):
            raise Undefined("places beyond the tensor")
    rows = np.ravel_multi_index(tuple(index[..., i] for i in range(depth)), shape[:depth]) if depth else np.zeros(index.shape[:-1], np.int64)
    return rows[(..., *[None] * tail.ndim)] * tail.size + tail


def scatter_nd(np: Numpy, a: Arguments) -> Array:
    shape = tuple(numbers(np, a["size"]))
    index: Array = a["index"]
    if open_places(np, index):
        return index.of("scattered", np.zeros(shape, a["y"].dtype), a["y"], "add")
    places = _rows(np, shape, np.asarray(index))
    return accumulated(np, np.zeros(shape, a["y"].dtype), places, np.broadcast_to(a["y"], places.shape), np.add)


def tensor_scatter(np: Numpy, a: Arguments) -> Array:
    index: Array = a["index"]
    if open_places(np, index):
        return index.of("scattered", a["x"], a["y"], a["reduction"])
    steps: dict[str, Callable[[Array, Array], Array]] = {"update": new, "add": np.add, "sub": np.subtract, "mul": np.multiply}
    steps |= {"max": np.maximum, "min": np.minimum}
    places = _rows(np, a["x"].shape, np.asarray(index))
    return accumulated(np, a["x"], places, np.broadcast_to(a["y"], places.shape), steps[a["reduction"]])


def _shape(a: Arguments) -> tuple[int, ...]:
    """The shape of the result, where its sizes are known."""
    shape = tuple(a["shapes"][0])
    if not all(isinstance(n, int) for n in shape):
        raise Undetermined
    return shape


def dynamic_stitch(np: Numpy, a: Arguments) -> Array:
    unknown = next((x for x in a["xs"] if open_places(np, x)), None)
    if unknown is not None:
        rows = np.concatenate([y.reshape(-1) for y in a["ys"]])
        return unknown.of("scattered", np.broadcast_to(rows[:1], _shape(a)) if 0 not in rows.shape else np.zeros(_shape(a)), rows, "update")
    indices = [np.asarray(x) for x in a["xs"]]
    tail = a["ys"][0].shape[indices[0].ndim :]
    places = np.concatenate([x.reshape(-1) for x in indices])
    length = int(np.max(places, initial=-1)) + 1
    if len(set(places.tolist())) < length:
        raise Undefined("rows that are not set")
    rows = np.concatenate([y.reshape((-1, *tail)) for y in a["ys"]])
    whole = _rows(np, (length, *tail), places[:, None])
    return accumulated(np, np.zeros((length, *tail), rows.dtype), whole, rows, new)


def dynamic_partition(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    index = np.asarray(a["index"])
    return tuple(a["x"][index == i] for i in range(a["count"]))


def one_hot_axis(np: Numpy, a: Arguments) -> Array:
    x, depth, rank = a["x"], number(np, a["depth"]), len(a["x"].shape)
    at = rank if a["dim"] == -1 else a["dim"]
    shape = [1] * (rank + 1)
    shape[at] = depth
    on, off = (1 if a["on"] is None else a["on"]), (0 if a["off"] is None else a["off"])
    return np.where(np.equal(np.expand_dims(x, at), np.arange(depth).reshape(shape)), on, off)


def _unknown_segments(np: Numpy, a: Arguments) -> Array:
    """Bounds where it is not known which rows make up a segment."""
    shape, dtype, reduction = _shape(a), a["results"][0], a["reduction"]
    index: Array = a["index"]
    if reduction == "sum":
        return index.of("scattered", np.zeros(shape, a["x"].dtype), a["x"], "add")
    if reduction in ("max", "min", "mean") and dtype is not None:
        made = index.of("scattered", np.zeros(shape, a["x"].dtype), a["x"], "update")
        ends = {"max": dtype.least, "min": dtype.greatest}  # of a segment without rows
        return made.of("either", np.full(shape, float(ends[reduction]))) if reduction in ends else made
    raise Undetermined


def _segments(np: Numpy, x: Array, index: Array, count: int, reduction: str, empty: dict[str, float | None]) -> Array:
    """Rows of x folded into the segments whose numbers stand in `index`."""
    tail = x.shape[index.ndim :]
    rows = x.reshape((index.size, *tail))
    kept = np.flatnonzero((index.reshape(-1) >= 0) & (index.reshape(-1) < count))
    flat = index.reshape(-1)[kept]
    sizes = np.bincount(flat, minlength=count)[:count].reshape((count, *[1] * len(tail)))
    first = {"prod": 1.0, "max": float("-inf"), "min": float("inf")}.get(reduction, 0.0)
    step = {"prod": np.multiply, "max": np.maximum, "min": np.minimum}.get(reduction, np.add)
    places = _rows(np, (count, *tail), flat[:, None])
    made = accumulated(np, np.full((count, *tail), first), places, rows[kept], step)
    if reduction in ("mean", "sqrt_n"):
        made = np.true_divide(made, np.maximum(sizes if reduction == "mean" else np.sqrt(sizes), 1))
    fill = empty.get(reduction, 0.0)
    if fill is None and (sizes == 0).any():
        raise Undefined("an end of the element type's range")
    return made if reduction == "prod" or fill is None else np.where(np.broadcast_to(sizes, made.shape) == 0, fill, made)


def segment(np: Numpy, a: Arguments) -> Array:
    if a["sparse"] is not None:
        raise Undefined("rows by indices that are no argument")
    if open_places(np, a["index"]):
        return _unknown_segments(np, a)
    index = np.asarray(a["index"])
    count = int(index[-1]) + 1 if a["count"] is None and index.size else a["count"] or 0
    return _segments(np, a["x"], index, count, a["reduction"], {})


def unsorted_segment(np: Numpy, a: Arguments) -> Array:
    if open_places(np, a["index"]):
        return _unknown_segments(np, a)
    return _segments(np, a["x"], np.asarray(a["index"]), number(np, a["count"]), a["reduction"], {"max": None, "min": None})


def space_to_depth(np: Numpy, a: Arguments) -> Array:
    x, k = a["x"], a["block"]
    n, h, w, c = x.shape
    return np.transpose(x.reshape((n, h // k, k, w // k, k, c)), (0, 1, 3, 2, 4, 5)).reshape((n, h // k, w // k, k * k * c))


def depth_to_space(np: Numpy, a: Arguments) -> Array:
    x, k = a["x"], a["block"]
    n, h, w, c = x.shape
    return np.transpose(x.reshape((n, h, w, k, k, c // (k * k))), (0, 1, 3, 2, 4, 5)).reshape((n, h * k, w * k, c // (k * k)))


def strided_slice(np: Numpy, a: Arguments) -> Array:
    begin, end, strides = (numbers(np, a[name]) for name in ("begin", "end", "strides"))
    items: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        bit = {name: a[f"{name}_mask"] >> i & 1 for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
        if bit["ellipsis"]:
            items.append(Ellipsis)
        elif bit["new_axis"]:
            items.append(None)
        elif bit["shrink_axis"]:
            items.append(first)
        else:
            items.append(slice(None if bit["begin"] else first, None if bit["end"] else last, step))
    return a["x"][tuple(items)]


def block_slice(np: Numpy, a: Arguments) -> Array:
    pairs = zip(numbers(np, a["begin"]), numbers(np, a["size"]))
    return a["x"][tuple(slice(b, None if s == -1 else b + s) for b, s in pairs)]


def gradient_axes(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """The axes along which each of two shapes is stretched when they broadcast, with those of size 1 in both; none for equal shapes."""
    x, y = numbers(np, a["x"]), numbers(np, a["y"])
    if x == y:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rank = max(len(x), len(y))
    x, y = [1] * (rank - len(x)) + x, [1] * (rank - len(y)) + y
    both = [p == 1 and q == 1 for p, q in zip(x, y)]
    axes = [[i for i in range(rank) if mine[i] == 1 and (theirs[i] != 1 or both[i])] for mine, theirs in ((x, y), (y, x))]
    return tuple(np.array(one, np.int64) for one in axes)


def concat_offset(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    shapes = [np.asarray(x) for x in a["xs"]]
    dim, made, at = number(np, a["dim"]), [], 0
    for shape in shapes:
        row = np.zeros(shape.shape, np.int64)
        row[dim] = at
        at += int(shape[dim])
        made.append(row)
    return tuple(made)

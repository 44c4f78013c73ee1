"""Reference functions of ONNX's array operators: shapes, slices, padding, gathering and scattering."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments, Undefined, plain
from tensorproof.ops.moves import at_axis

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def whole(np: Numpy, a: Arguments, name: str) -> tuple[int, ...] | None:
    """The whole numbers of an argument, given as numbers or as a tensor."""
    value = a[name]
    if value is None or isinstance(value, tuple):
        return value if value is None else tuple(int(plain(np, n)) for n in value)
    return tuple(int(n) for n in np.reshape(np.asarray(plain(np, value)), (-1,)))


def sizes_of(np: Numpy, a: Arguments) -> Array:
    shape = a["x"].shape
    return np.array(shape[slice(a["start"], a["end"])], dtype=np.int64)


def reshaped(np: Numpy, a: Arguments) -> Array:
    x, size = a["x"], whole(np, a, "size") or ()
    copies = {i for i, n in enumerate(size) if n == 0 and not a["allowzero"]}
    rest = prod(n for i, n in enumerate(x.shape) if i not in copies)
    others = prod(n for i, n in enumerate(size) if i not in copies and n != -1)
    return np.reshape(x, tuple(x.shape[i] if i in copies else rest // max(others, 1) if n == -1 else n for i, n in enumerate(size)))


def broadcast(np: Numpy, a: Arguments) -> Array:
    return np.broadcast_to(a["x"], np.broadcast_shapes(a["x"].shape, whole(np, a, "size") or ()))


def tiled(np: Numpy, a: Arguments) -> Array:
    return np.tile(a["x"], whole(np, a, "times"))


def sliced(np: Numpy, a: Arguments) -> Array:
    x, starts, ends = a["x"], whole(np, a, "starts") or (), whole(np, a, "ends") or ()
    axes, steps = whole(np, a, "dim") or tuple(range(len(starts))), whole(np, a, "steps") or (1,) * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        x = x[at_axis(axis % len(x.shape), slice(start, end, step))]
    return x


def padded(np: Numpy, a: Arguments) -> Array:
    x, pads, axes = a["x"], whole(np, a, "padding") or (), whole(np, a, "dim")
    places = range(len(x.shape)) if axes is None else [axis % len(x.shape) for axis in axes]
    if not x.shape:
        return x
    widths, kept = [(0, 0)] * len(x.shape), [slice(None)] * len(x.shape)
    for i, axis in enumerate(places):
        before, after = pads[i], pads[i + len(places)]
        widths[axis] = (max(0, before), max(0, after))
        kept[axis] = slice(max(0, -before), x.shape[axis] + sum(widths[axis]) - max(0, -after))
    if a["mode"] != "constant":
        return np.pad(x, widths, mode=a["mode"])[tuple(kept)]
    value = a["filling"] if a["value"] is None else np.reshape(a["value"], ())
    return np.pad(x, widths, constant_values=value)[tuple(kept)]


def centred(np: Numpy, a: Arguments) -> Array:
    """Axes cut or padded on both sides."""
    x, size, axes = a["x"], whole(np, a, "size") or (), whole(np, a, "dim")
    for n, axis in zip(size, range(len(x.shape)) if axes is None else axes):
        own = x.shape[axis]
        if own > n:
            x = x[at_axis(axis % len(x.shape), slice((own - n) // 2, (own - n) // 2 + n))]
        else:
            widths = [(0, 0)] * len(x.shape)
            widths[axis] = ((n - own) // 2, n - own - (n - own) // 2)
            x = np.pad(x, widths)
    return x


def triangle(np: Numpy, a: Arguments) -> Array:
    k = 0 if a["k"] is None else int(plain(np, a["k"]))
    return np.triu(a["x"], k) if a["upper"] else np.tril(a["x"], k)


def shrunk(np: Numpy, a: Arguments) -> Array:
    x, edge, bias = a["x"], a["lambd"], a["bias"]
    return np.where(np.less(x, -edge), np.add(x, bias), np.where(np.greater(x, edge), np.subtract(x, bias), 0))


def sloped(np: Numpy, a: Arguments) -> Array:
    return np.where(np.less(a["x"], 0), np.multiply(a["x"], a["slope"]), a["x"])


# --- gathering and scattering ------------------------------------------------------------------------------------------------------


def gathered(np: Numpy, a: Arguments) -> Array:
    x, index, dim, batch = a["x"], plain(np, a["index"]), a["dim"], a["batch_dims"]
    if a["lenient"] and np.any((index < 0) | (index >= x.shape[dim])):
        raise Undefined
    if not batch:
        return np.take(x, index, dim)
    places = tuple(np.reshape(np.arange(n), (-1,) + (1,) * (len(index.shape) - 1 - i)) for i, n in enumerate(index.shape[:batch]))
    made = np.moveaxis(x, dim, batch)[(*places, index)]  # the axes between the batch and `dim` stand behind those of the index
    new, between = len(index.shape) - batch, dim - batch
    return np.moveaxis(made, tuple(range(batch + new, batch + new + between)), tuple(range(batch, batch + between)))


def gathered_elements(np: Numpy, a: Arguments) -> Array:
    index, dim = plain(np, a["index"]), a["dim"]
    kept = tuple(slice(None) if i == dim else slice(n) for i, n in enumerate(index.shape))
    return np.take_along_axis(a["x"][kept], index, dim)


_JOINED = {"add": "add", "mul": "multiply", "max": "maximum", "min": "minimum"}


def scattered(np: Numpy, a: Arguments) -> Array:
    index, dim, how = plain(np, a["index"]), a["dim"], a["reduction"]
    made = np.copy(a["x"])
    if index.size and (np.min(index) < -made.shape[dim] or np.max(index) >= made.shape[dim]):
        raise Undefined
    for place in product(*map(range, index.shape)):
        target = (*place[:dim], int(index[place]), *place[dim + 1 :])
        made[target] = a["y"][place] if how == "none" else getattr(np, _JOINED[how])(made[target], a["y"][place])
    return made


def chosen(np: Numpy, a: Arguments) -> Array:
    places = np.flatnonzero(plain(np, a["condition"]))
    return np.ravel(a["x"])[places] if a["dim"] is None else np.take(a["x"], places, a["dim"])


def hot_values(np: Numpy, a: Arguments) -> Array:
    depth = int(np.reshape(np.asarray(plain(np, a["depth"])), ()))
    x = a["x"]
    dim = a["dim"] % (len(x.shape) + 1)
    places = np.reshape(np.arange(depth), (-1,) + (1,) * (len(x.shape) - dim))
    off, on = a["values"][0], a["values"][1]
    if hasattr(on, "of"):  # libraries may add the difference, which is rounded
        on = on.of("either", np.add(off, np.subtract(on, off)))
    return np.where(np.equal(np.expand_dims(np.where(np.less(x, 0), np.add(x, depth), x), dim), places), on, off)


def turned_sequences(np: Numpy, a: Arguments) -> Array:
    batch, time = a["batch_dim"], a["time_dim"]
    x = np.moveaxis(a["x"], (batch, time), (0, 1))
    if not x.shape[0]:
        return a["x"]
    made = [np.concatenate([np.flip(row[:n], 0), row[n:]]) for row, n in zip((x[i] for i in range(x.shape[0])), plain(np, a["lengths"]))]
    return np.moveaxis(np.stack(made), (0, 1), (batch, time))


def written(np: Numpy, a: Arguments) -> Array:
    x, y, dim = a["x"], a["y"], a["dim"]
    starts = np.zeros(x.shape[0], np.int64) if a["index"] is None else plain(np, a["index"])
    made = []
    for i, start in enumerate(starts):
        places = np.add(int(start), np.arange(y.shape[dim]))
        places = np.remainder(places, max(x.shape[dim], 1)) if a["mode"] == "circular" else places
        if np.any((places < 0) | (places >= x.shape[dim])):
            raise Undefined
        made.append(np.copy(x[i]))
        made[-1][at_axis(dim - 1, places)] = y[i]
    return np.stack(made) if made else x

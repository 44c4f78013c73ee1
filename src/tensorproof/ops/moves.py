"""Reference functions of operators that move, repeat, join or take apart: what `evaluate` of their declarations names."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, plain

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def same(np: Numpy, a: Arguments) -> Array:
    """The elements as they are."""
    return a["x"]


def at_axis(dim: int, index: object) -> tuple[Any, ...]:
    """An index of one axis."""
    return (*[slice(None)] * dim, index)


def flattened(np: Numpy, a: Arguments) -> Array:
    x, shape = a["x"], a["x"].shape
    if not shape:
        return np.reshape(x, (1,))
    count = 1
    for n in shape[a["start"] : a["end"] + 1]:
        count *= n
    return np.reshape(x, (*shape[: a["start"]], count, *shape[a["end"] + 1 :]))


def squeezed(np: Numpy, a: Arguments) -> Array:
    x = a["x"]
    chosen = range(x.ndim) if a["dim"] is None else a["dim"]
    kept = tuple(n for i, n in enumerate(x.shape) if n != 1 or i not in chosen)
    return np.reshape(x, kept)


def expanded(np: Numpy, a: Arguments) -> Array:
    x, size = a["x"], tuple(a["size"])
    lead = len(size) - x.ndim
    return np.broadcast_to(x, tuple(x.shape[i - lead] if n == -1 else n for i, n in enumerate(size)))


def narrowed(np: Numpy, a: Arguments) -> Array:
    start = int(plain(np, a["start"]))
    first = start + a["x"].shape[a["dim"]] if start < 0 else start
    return a["x"][at_axis(a["dim"], slice(first, first + a["length"]))]


def interleaved(np: Numpy, a: Arguments) -> Array:
    times = a["times"]
    if not isinstance(times, int):
        count = a["x"].shape[a["dim"]] if a["dim"] is not None else a["x"].size
        times = plain(np, times)
        times = np.broadcast_to(times, (count,)) if times.ndim else int(times)
    return np.repeat(a["x"], times, a["dim"] if a["x"].ndim else None)


def rolled(np: Numpy, a: Arguments) -> Array:
    return np.roll(a["x"], tuple(a["shifts"]), tuple(a["dim"])) if a["dim"] else np.roll(a["x"], a["shifts"][0])


def windowed(np: Numpy, a: Arguments) -> Array:
    """Every stretch of an axis, as a new last axis."""
    x = a["x"] if a["x"].ndim else np.reshape(a["x"], (1,))
    dim, size, step = a["dim"], a["size"], a["step"]
    stretches = [x[at_axis(dim, slice(i, i + size))] for i in range(0, x.shape[dim] - size + 1, step)]
    if not stretches:
        return np.reshape(x[at_axis(dim, slice(0, 0))], (*x.shape[:dim], 0, *x.shape[dim + 1 :], size))
    made = np.moveaxis(np.stack(stretches, dim), dim + 1, -1)
    return made if a["x"].ndim else made[0]


def summed_to(np: Numpy, a: Arguments) -> Array:
    x, size = a["x"], tuple(a["size"])
    lead = x.ndim - len(size)
    shrunk = tuple(i for i, n in enumerate(x.shape) if i < lead or (size[i - lead] == 1 and n != 1))
    return np.reshape(np.sum(x, axis=shrunk, keepdims=True) if shrunk else x, size)


def on_diagonal(np: Numpy, a: Arguments) -> Array:
    """The last axis laid on a diagonal of a new matrix."""
    x, offset = a["x"], a["offset"]
    n = x.shape[-1]
    side = n + abs(offset)
    row, column = max(0, -offset), max(0, offset)
    widths = [(0, 0)] * (x.ndim - 1) + [(row, side - n - row), (column, side - n - column)]
    spread = np.pad(np.multiply(np.expand_dims(x, -1), np.eye(n, dtype=np.int64)), widths)
    return np.moveaxis(spread, (-2, -1), (a["dim1"], a["dim2"])) if a["dim1"] is not None else spread


def concatenated(np: Numpy, a: Arguments) -> Array:
    """Tensors one behind the other; those of one axis without elements do not count."""
    parts = [x for x in a["xs"] if x.shape != (0,)] or list(a["xs"][:1])
    return np.concatenate(parts, a["dim"])


def _cut(np: Numpy, a: Arguments, sizes: list[int]) -> tuple[Array, ...]:
    made: list[Any] = []
    at = 0
    for size in sizes:
        made.append(a["x"][at_axis(a["dim"], slice(at, at + size))])
        at += size
    return tuple(made)


def in_parts(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """Parts of one size; the last may be smaller."""
    n, size = a["x"].shape[a["dim"]], a["size"]
    if not n or not size:
        return (a["x"],)
    return _cut(np, a, [min(size, n - i) for i in range(0, n, size)])


def in_sizes(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    return _cut(np, a, list(a["sizes"]))


def in_chunks(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """At most so many parts of one size."""
    n, chunks = a["x"].shape[a["dim"]], a["chunks"]
    if not n:
        return _cut(np, a, [0] * chunks)
    size = -(-n // chunks)
    return _cut(np, a, [min(size, n - i) for i in range(0, n, size)])


def in_stretches(np: Numpy, a: Arguments) -> tuple[Array, ...]:
    """Parts as equal as can be, or cut at given places."""
    n, at = a["x"].shape[a["dim"]], a["at"]
    if isinstance(at, int):
        return _cut(np, a, [(n + at - 1 - i) // at for i in range(at)])
    return tuple(a["x"][at_axis(a["dim"], slice(first, last))] for first, last in pairwise([0, *at, n]))

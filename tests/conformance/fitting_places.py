"""Calls with places that fit: inside a size, in order, starts of rows, blocks that divide an axis."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random
from typing import Any

from tensorproof.terms.dtypes import FLOAT32, INT32, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

Drawn = tuple[tuple[Any, ...], dict[str, Any]]
Maker = Callable[[str, Random], Drawn]


def whole(values: list[Any], *shape: int, dtype: DType = INT64) -> TensorType:
    return TensorType(Shape(shape), dtype, contents=tuple(values))


def real(random: Random, *shape: int) -> TensorType:
    return TensorType(Shape(shape), FLOAT32, contents=tuple(round(random.uniform(-3, 3), 2) for _ in range(prod(shape))))


def sizes(random: Random, rank: int) -> list[int]:
    return [random.randint(1, 4) for _ in range(rank)]


def roll(name: str, random: Random) -> Drawn:
    shape, n = sizes(random, random.randint(1, 3)), random.randint(1, 3)
    axes = [random.randrange(-len(shape), len(shape)) for _ in range(n)]
    shifts = [random.randint(-4, 4) for _ in range(n)]
    if n == 1 and random.random() < 0.5:
        return (real(random, *shape), whole(shifts), whole(axes)), {}
    return (real(random, *shape), whole(shifts, n), whole(axes, n)), {}


def placed(name: str, random: Random) -> Drawn:
    size = sizes(random, random.randint(1, 3))
    every = [[]]
    for n in size:
        every = [[*at, i] for at in every for i in range(n)]
    chosen = sorted(random.sample(every, random.randint(0, min(4, len(every)))))
    n = len(chosen)
    flat = len(size) == 1 and random.random() < 0.5
    index = whole([i for at in chosen for i in at], *((n,) if flat else (n, len(size))))
    return (index, whole(size, len(size)), real(random, n) if random.random() < 0.7 else real(random), real(random)), {}


def counted(name: str, random: Random) -> Drawn:
    shape = sizes(random, random.randint(0, 2))
    x = whole([random.randint(0, 4) for _ in range(prod(shape))], *shape, dtype=INT32)
    return (x, whole([random.randint(0, 5)], dtype=INT32), real(random, *shape) if random.random() < 0.7 else real(random, 0)), {}


def among_greatest(name: str, random: Random) -> Drawn:
    n, classes = sizes(random, 2)
    return (real(random, n, classes), whole([random.randrange(classes) for _ in range(n)], n)), {"k": random.randint(1, 4)}


def not_listed(name: str, random: Random) -> Drawn:
    n, m = random.randint(0, 6), random.randint(0, 4)
    x, y = ([random.randint(0, 5) for _ in range(k)] for k in (n, m))
    return (whole(x, n), whole(y, m)), {"out_idx": random.choice((INT32, INT64))}


def from_blocks(name: str, random: Random) -> Drawn:
    n = random.randint(1, 2)
    block, rest = [random.randint(1, 3) for _ in range(n)], sizes(random, random.randint(0, 1))
    crops = [[random.randint(0, 1), 0] for _ in range(n)]
    return (real(random, random.randint(1, 2) * prod(block), *sizes(random, n), *rest), block, crops), {}


def to_blocks(name: str, random: Random) -> Drawn:
    n = random.randint(1, 2)
    block, rest = [random.randint(1, 3) for _ in range(n)], sizes(random, random.randint(0, 1))
    edges = [[random.randint(0, 2), random.randint(0, 2)] for _ in range(n)]
    space = [k * random.randint(2, 3) + (-before - after) % k for k, (before, after) in zip(block, edges)]
    return (real(random, random.randint(1, 3), *space, *rest), block, edges), {}


def compressed(blocks: bool, by_column: bool, batches: bool = True) -> Maker:
    """Rows (or columns) of a sparse matrix, each with its places in order."""

    def written(name: str, random: Random) -> Drawn:
        lines, across = sizes(random, 2)
        batch = random.randint(1, 2) if batches and random.random() < 0.3 else 0
        count = random.randint(0, across)
        starts: list[int] = []
        places: list[int] = []
        for _ in range(batch or 1):
            starts += [i * count for i in range(lines + 1)]
            places += [at for _ in range(lines) for at in sorted(random.sample(range(across), count))]
        lead, block = ([batch] if batch else []), sizes(random, 2) if blocks else []
        size = [n * b for n, b in zip((across, lines) if by_column else (lines, across), block or (1, 1))]
        held = (whole(starts, *lead, lines + 1), whole(places, *lead, lines * count), real(random, *lead, lines * count, *block))
        return (*held, [*lead, *size]), {}

    return written


PLACED: dict[str, Maker] = {
    "graphdef.Roll": roll,
    "graphdef.SparseToDense": placed,
    "graphdef.Bincount": counted,
    "graphdef.InTopK": among_greatest,
    "graphdef.ListDiff": not_listed,
    "graphdef.BatchToSpaceND": from_blocks,
    "tf.batch_to_space": from_blocks,
    "graphdef.SpaceToBatchND": to_blocks,
    "torch.sparse_csr_tensor": compressed(False, False),
    "torch.sparse_csc_tensor": compressed(False, True),
    "torch.sparse_bsr_tensor": compressed(True, False),
    "torch.sparse_bsc_tensor": compressed(True, True),
}
"""By spelling: what makes the arguments of one call."""

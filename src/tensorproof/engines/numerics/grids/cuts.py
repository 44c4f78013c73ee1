"""Where the axes of a tensor are cut into blocks, and the shape of tensors that are broadcast."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Cuts = tuple[int, ...]
"""Where the blocks of an axis end, in increasing order; the last is its size."""


@lru_cache(maxsize=4096)
def units(size: int) -> Cuts:
    """Each element is a block."""
    return tuple(range(1, size + 1))


def whole(size: int) -> Cuts:
    """One block."""
    return (size,) if size else ()


@lru_cache(maxsize=16384)
def which(old: Cuts, new: Cuts) -> NDArray[np.int64]:
    """The block of `old` in which each block of `new` lies."""
    return np.array([bisect_right(old, end - 1) for end in new], np.intp)


@lru_cache(maxsize=16384)
def union(*cuts: Cuts) -> Cuts:
    return tuple(sorted(set().union(*cuts)))


@lru_cache(maxsize=16384)
def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of tensors that are broadcast."""
    made: tuple[int, ...] = np.broadcast_shapes(*shapes)
    return made


@lru_cache(maxsize=16384)
def laid_beside(shape: tuple[int, ...], *cut: tuple[tuple[int, ...], tuple[Cuts, ...]]) -> tuple[Cuts, ...] | None:
    """The blocks of a tensor of this shape, to which tensors of these shapes and cuts are broadcast; None where they are cut at other places."""
    made = [whole(n) for n in shape]
    for own, cuts in cut:
        for axis, (n, blocks) in enumerate(zip(own, cuts), len(shape) - len(own)):
            if len(blocks) > 1 and n == shape[axis]:
                if len(made[axis]) > 1 and made[axis] != blocks:
                    return None
                made[axis] = blocks
    return tuple(made)

"""Greatest and least elements along axes, and whether a tensor lays them beside the elements that they are of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorproof.engines.numerics.relations.affine import replayed

End = tuple[int, tuple[int, ...], tuple[int, ...], float]
"""Of a greatest or least element: the number of the value that it is of, the axes, the shape of that value, and 1 for the greatest, -1 for the least."""
_ORDERED = frozenset(("reshape", "expand_dims", "squeeze", "broadcast_to"))
"""Moves that keep the order of elements."""


def fits(view: Any, known: End, shape: tuple[int, ...]) -> bool:
    """Whether a view lays a maximum or minimum over axes beside the elements that it is of."""
    _, axes, whole, _ = known
    kept = tuple(1 if a in axes else n for a, n in enumerate(whole))
    made = np.broadcast_to(np.zeros(()), shape)
    passed = shape == kept
    for move in view:
        if move[0] not in _ORDERED or (passed and move[0] != "broadcast_to"):
            return False
        if move[0] == "broadcast_to" and not passed and len(axes) < len(whole):
            return False
        made = replayed((move,), made)
        passed = passed or made.shape == kept
    return passed or len(axes) == len(whole)

"""Reference functions of boxes (left, top, right, bottom)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorproof.ops.evaluation import Arguments

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def area(np: Numpy, boxes: Array) -> Array:
    return np.multiply(np.subtract(boxes[..., 2], boxes[..., 0]), np.subtract(boxes[..., 3], boxes[..., 1]))


def overlap(np: Numpy, a: Arguments) -> Array:
    """The common part of pairs of boxes, as a share of what they cover, less what `less` names."""
    boxes, others, less = np.expand_dims(a["boxes"], 1), np.expand_dims(a["others"], 0), a["less"]
    low, high = np.maximum(boxes[..., :2], others[..., :2]), np.minimum(boxes[..., 2:], others[..., 2:])
    sides = np.maximum(np.subtract(high, low), 0)
    common = np.multiply(sides[..., 0], sides[..., 1])
    union = np.subtract(np.add(area(np, boxes), area(np, others)), common)
    share = np.divide(common, union)
    if not less:
        return share
    span = np.maximum(np.subtract(np.maximum(boxes[..., 2:], others[..., 2:]), np.minimum(boxes[..., :2], others[..., :2])), 0)
    if less == "hull":
        hull = np.multiply(span[..., 0], span[..., 1])
        return np.subtract(share, np.divide(np.subtract(hull, union), hull))
    middle, other = (np.multiply(np.add(x[..., :2], x[..., 2:]), 0.5) for x in (boxes, others))
    apart = np.divide(np.sum(np.square(np.subtract(middle, other)), axis=-1), np.add(np.sum(np.square(span), axis=-1), a["eps"]))
    near = np.subtract(share, apart)
    if less == "distance":
        return near
    turned = np.multiply(np.square(np.subtract(angle(np, boxes), angle(np, others))), 4 / np.pi**2)
    return np.subtract(near, np.multiply(np.divide(turned, np.add(np.add(np.subtract(1, share), turned), a["eps"])), turned))


def angle(np: Numpy, boxes: Array) -> Array:
    """The angle of the diagonal of boxes."""
    return np.arctan(np.divide(np.subtract(boxes[..., 2], boxes[..., 0]), np.subtract(boxes[..., 3], boxes[..., 1])))

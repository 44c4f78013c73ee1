"""Reference functions of boxes (left, top, right, bottom)."""

from __future__ import annotations

from typing import Any

from tensorproof.ops.evaluation import Arguments


def area(np: Any, boxes: Any) -> Any:
    return np.multiply(np.subtract(boxes[..., 2], boxes[..., 0]), np.subtract(boxes[..., 3], boxes[..., 1]))


def overlap(np: Any, a: Arguments) -> Any:
    boxes, others = np.expand_dims(a["boxes"], 1), np.expand_dims(a["others"], 0)
    low, high = np.maximum(boxes[..., :2], others[..., :2]), np.minimum(boxes[..., 2:], others[..., 2:])
    sides = np.maximum(np.subtract(high, low), 0)
    common = np.multiply(sides[..., 0], sides[..., 1])
    return np.divide(common, np.subtract(np.add(area(np, boxes), area(np, others)), common))

"""Which of many overlapping boxes are kept: the reference functions of non-maximum suppression, with NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.ops.evaluation import Arguments, Undefined, plain, points
from tensorproof.terms.dtypes import DType

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def _check_range(np: Numpy, dtype: DType | None, *sizes: Any) -> None:
    """Sizes that overflow in the element type of the boxes, or become 0, decide nothing."""
    most, least = (dtype.greatest, dtype.smallest_normal) if dtype is not None and dtype.bits > 32 else (DType.FLOAT32.greatest, DType.FLOAT32.smallest_normal)
    if any(np.any((np.abs(size) > most) | ((size != 0) & (np.abs(size) < least))) for size in sizes):
        raise Undefined("areas beyond the range of the element type")


def overlaps(np: Numpy, boxes: Array, ordered: bool, proper: bool, dtype: DType | None) -> Array:
    """How much of two boxes is common to both, for every pair. `ordered`: the first corner is before the last; `proper`: empty boxes share nothing."""
    first, last = boxes[:, :2], boxes[:, 2:]
    if not ordered:
        first, last = np.minimum(first, last), np.maximum(first, last)
    sides = np.maximum(np.minimum(last[:, None], last) - np.maximum(first[:, None], first), 0.0)
    area, common = np.prod(last - first, axis=1), np.prod(sides, axis=2)
    together = area[:, None] + area
    _check_range(np, dtype, last - first, area, common, together)
    made = common / (together - common)
    return np.where((area[:, None] <= 0) | (area <= 0) | (common <= 0), -np.inf, made) if proper else made


def kept(
    np: Numpy, boxes: Array, scores: Array, overlap: Any, least: Any = None, ordered: bool = False, proper: bool = True, dtype: DType | None = None
) -> Array:  # fmt: skip
    """The places of boxes with a score above the least, the best first, that overlap no better one by more."""
    common = overlaps(np, boxes, ordered, proper, dtype)
    chosen: list[int] = []
    for at in np.argsort(-scores, kind="stable").tolist():
        if (least is None or scores[at] > least) and not any(common[at, other] > overlap for other in chosen):
            chosen.append(at)
    return np.asarray(chosen, np.int64)


def _number(np: Numpy, value: Any, otherwise: float | None = None) -> Any:
    """A single number, which may stand in a tensor."""
    return otherwise if value is None else np.reshape(points(np, value), -1)[0] if hasattr(value, "shape") else value


def _type(a: Arguments) -> DType | None:
    boxes = a.get("tensors", {}).get("boxes")
    dtype: DType | None = boxes.dtype if boxes is not None else None
    return dtype


def best_boxes(np: Numpy, a: Arguments) -> Array:
    boxes, scores = points(np, a["boxes"]), points(np, a["scores"])
    return kept(np, boxes, scores, _number(np, a["iou"], 0.5), _number(np, a["score"]), dtype=_type(a))[: int(_number(np, a["most"]))]


def uncovered(np: Numpy, a: Arguments) -> Array:
    boxes, classes = points(np, a["boxes"]), a["classes"]
    if classes is not None and boxes.size:  # boxes of different classes are moved apart
        boxes = boxes + np.expand_dims(plain(np, classes) * (np.max(boxes) + 1), 1)
    return kept(np, boxes, points(np, a["scores"]), a["threshold"], ordered=True, proper=False, dtype=_type(a))


def best_boxes_of_classes(np: Numpy, a: Arguments) -> Array:
    """Rows of batch, class and place."""
    boxes, scores = points(np, a["boxes"]), points(np, a["scores"])
    if a["centred"]:
        across, middle = boxes[..., 2:] / 2, boxes[..., :2]
        boxes = np.concatenate([middle - across, middle + across], -1)
    most = 0 if a["most"] is None else max(0, int(np.reshape(plain(np, a["most"]), -1)[0]))
    overlap, least = _number(np, a["overlap"], 0.0), _number(np, a["least"])
    rows = [
        (i, j, place)
        for i in range(scores.shape[0])
        for j in range(scores.shape[1])
        for place in kept(np, boxes[i], scores[i, j], overlap, least, ordered=bool(a["centred"]), dtype=_type(a))[:most].tolist()
    ]
    return np.reshape(np.asarray(rows, np.int64), (-1, 3))

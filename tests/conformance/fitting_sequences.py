"""Calls of losses over sequences whose lengths, labels and steps fit together."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorproof.terms.dtypes import FLOAT32, FLOAT64, INT32, INT64, DType
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType

Drawn = tuple[tuple[Any, ...], dict[str, Any]]


def whole(numbers: list[int], *shape: int, dtype: DType = INT64) -> TensorType:
    return TensorType(Shape(shape or (len(numbers),)), dtype, contents=tuple(numbers))


def labels_at_places(name: str, r: Random) -> Drawn:
    """Labels of each sequence as a sparse matrix; the last class is the blank."""
    steps, batch, classes = r.randint(1, 6), r.randint(1, 3), r.randint(2, 5)
    lengths = [r.randint(1, steps) for _ in range(batch)]
    longer = r.random() < 0.3
    counts = [r.randint(0, n + longer) for n in lengths]
    counts[0] = max(counts[0], 1)
    places = [n for i, count in enumerate(counts) for j in range(count) for n in (i, j)]
    labels = [r.randrange(classes - 1) for _ in range(sum(counts))]
    x = TensorType(Shape((steps, batch, classes)), r.choice((FLOAT32, FLOAT64)))
    words = {"preprocess_collapse_repeated": r.random() < 0.3, "ctc_merge_repeated": r.random() < 0.7, "ignore_longer_outputs_than_inputs": longer}
    return (x, whole(places, sum(counts), 2), whole(labels, dtype=INT32), whole(lengths, dtype=INT32)), words


def labels_of_one_length(name: str, r: Random) -> Drawn:
    steps, batch, classes, count = r.randint(1, 6), r.randint(1, 3), r.randint(2, 5), r.randint(0, 4)
    blank = r.randrange(classes)
    labels = [r.choice([c for c in range(classes) if c != blank]) for _ in range(batch * count)]
    target = whole(labels, batch, count) if r.random() < 0.5 else whole(labels, batch * count)
    x = TensorType(Shape((steps, batch, classes)), r.choice((FLOAT32, FLOAT64)))
    return (x, target, [steps] * batch, [count] * batch, blank, r.random() < 0.5), {}


SPELLED = {"graphdef.CTCLoss": labels_at_places, "torch.ops.aten._ctc_loss": labels_of_one_length}

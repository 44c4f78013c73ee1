"""Operators on regions of images against plain loops over pixels: torchvision need not be installed for it."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from tensorproof.catalogue import find
from tensorproof.terms.dtypes import FLOAT64

SEEDS = range(8)
Image = Any


def drawn(seed: int, channels: int = 2) -> tuple[Random, Image, Any]:
    """Images (2, channels, 6, 7), and five regions with the number of an image first."""
    random = Random(seed)
    x = np.array([random.uniform(-3, 3) for _ in range(2 * channels * 42)]).reshape(2, channels, 6, 7)
    rows = []
    for _ in range(5):
        corners = [round(random.uniform(-1.5, 7.5), 2) for _ in range(4)]
        rows.append([random.randrange(2), min(corners[:2]), min(corners[2:]), max(corners[:2]), max(corners[2:])])
    return random, x, np.array(rows)


def value_of(name: str, **arguments: Any) -> Any:
    op = find(name)
    assert op is not None and op.evaluate is not None
    defaults = {p.name: getattr(p, "default", None) for p in op.parameters}
    return op.evaluate(np, {**defaults, **arguments, "results": (FLOAT64,) * max(1, len(op.outputs))})


def rounded(value: float) -> int:
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def between(image: Image, y: float, x: float) -> float:
    """Linear interpolation of (height, width); 0 more than one pixel outside, the edge within one."""
    height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return 0.0
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = min(int(y), height - 1), min(int(x), width - 1)
    total = 0.0
    for i, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for j, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            total += image[min(i, height - 1), min(j, width - 1)] * down * across
    return total


def mean_of_samples(image: Image, start: tuple[float, float], step: tuple[float, float], grid: tuple[int, int]) -> float:
    samples = [
        between(image, start[0] + (i + 0.5) * step[0] / grid[0], start[1] + (j + 0.5) * step[1] / grid[1]) for i in range(grid[0]) for j in range(grid[1])
    ]
    return sum(samples) / len(samples) if samples else 0.0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("aligned", (False, True))
def test_aligned_regions_are_means_of_samples(seed: int, aligned: bool) -> None:
    random, x, boxes = drawn(seed)
    scale, ratio, shift = random.choice((0.5, 1.0)), random.choice((-1, 2)), 0.5 if aligned else 0.0
    got = value_of("roi_align", x=x, boxes=boxes, scale=scale, output_size=(3, 2), sampling_ratio=ratio, aligned=aligned)
    for k, (image, left, top, right, bottom) in enumerate(boxes):
        first = (top * scale - shift, left * scale - shift)
        reach = [(bottom - top) * scale, (right - left) * scale]
        reach = reach if aligned else [max(n, 1.0) for n in reach]
        step = (reach[0] / 3, reach[1] / 2)
        grid = tuple(ratio if ratio > 0 else math.ceil(n) for n in step)
        for c, i, j in np.ndindex(2, 3, 2):
            wanted = mean_of_samples(x[int(image), c], (first[0] + i * step[0], first[1] + j * step[1]), step, (grid[0], grid[1]))
            assert got[k, c, i, j] == pytest.approx(wanted)


@pytest.mark.parametrize("seed", SEEDS)
def test_aligned_regions_by_position(seed: int) -> None:
    _, x, boxes = drawn(seed, channels=12)
    got, channels = value_of("ps_roi_align", x=x, boxes=boxes, scale=1.0, output_size=(3, 2), sampling_ratio=2)
    for k, (image, left, top, right, bottom) in enumerate(boxes):
        step = ((bottom - top) / 3, (right - left) / 2)
        for c, i, j in np.ndindex(2, 3, 2):
            own = (c * 3 + i) * 2 + j
            wanted = mean_of_samples(x[int(image), own], (top - 0.5 + i * step[0], left - 0.5 + j * step[1]), step, (2, 2))
            assert got[k, c, i, j] == pytest.approx(wanted)
            assert channels[k, c, i, j] == own


def pixels(first: int, reach: int, parts: int, part: int, most: int) -> range:
    low, high = math.floor(part * reach / parts) + first, math.ceil((part + 1) * reach / parts) + first
    return range(min(max(low, 0), most), min(max(high, 0), most))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_greatest_pixel_of_each_part(seed: int) -> None:
    random, x, boxes = drawn(seed)
    scale = random.choice((0.5, 1.0))
    got, places = value_of("roi_pool", x=x, boxes=boxes, scale=scale, output_size=(3, 2))
    assert np.array_equal(got, value_of("max_roi_pool", x=x, rois=boxes, spatial_scale=scale, output_size=(3, 2)))
    for k, row in enumerate(boxes):
        left, top, right, bottom = (rounded(n * scale) for n in row[1:])
        for c, i, j in np.ndindex(2, 3, 2):
            rows, columns = pixels(top, max(bottom - top + 1, 1), 3, i, 6), pixels(left, max(right - left + 1, 1), 2, j, 7)
            held = [(x[int(row[0]), c, y, z], y * 7 + z) for y in rows for z in columns]
            assert (got[k, c, i, j], places[k, c, i, j]) == (max(held) if held else (0.0, -1))


@pytest.mark.parametrize("seed", SEEDS)
def test_means_of_parts_by_position(seed: int) -> None:
    _, x, boxes = drawn(seed, channels=12)
    got, _ = value_of("ps_roi_pool", x=x, boxes=boxes, scale=1.0, output_size=(3, 2))
    for k, row in enumerate(boxes):
        left, top, right, bottom = (rounded(n) for n in row[1:])
        for c, i, j in np.ndindex(2, 3, 2):
            rows, columns = pixels(top, max(bottom - top, 1), 3, i, 5), pixels(left, max(right - left, 1), 2, j, 6)
            held = [x[int(row[0]), (c * 3 + i) * 2 + j, y, z] for y in rows for z in columns]
            assert got[k, c, i, j] == pytest.approx(sum(held) / len(held) if held else 0.0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("classes", (1, 3))
def test_boxes_that_no_better_one_covers(seed: int, classes: int) -> None:
    random, _, boxes = drawn(seed)
    corners, scores = boxes[:, 1:], np.array([random.random() for _ in boxes])
    labels = np.array([random.randrange(classes) for _ in boxes])
    left: list[int] = []
    for at in sorted(range(len(scores)), key=lambda i: -scores[i]):
        if all(labels[at] != labels[other] or share(corners[at], corners[other]) <= 0.3 for other in left):
            left.append(at)
    assert value_of("nms", boxes=corners, scores=scores, threshold=0.3, classes=labels if classes > 1 else None).tolist() == left


def share(one: Any, other: Any) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    common = max(wide, 0.0) * max(high, 0.0)
    return float(common / ((one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - common))


def zero_outside(image: Image, y: float, x: float) -> float:
    """Linear interpolation of (height, width), with zeros around it."""
    total = 0.0
    for i in (math.floor(y), math.floor(y) + 1):
        for j in (math.floor(x), math.floor(x) + 1):
            if 0 <= i < image.shape[0] and 0 <= j < image.shape[1]:
                total += image[i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_displaced_convolution(seed: int) -> None:
    random, x, _ = drawn(seed)
    weight, offset, mask = (np.array([random.uniform(-1.5, 1.5) for _ in range(math.prod(n))]).reshape(n) for n in ((4, 1, 2, 3), (2, 24, 3, 7), (2, 12, 3, 7)))
    got = value_of("deform_conv2d", x=x, weight=weight, offset=offset, mask=mask, bias=None, stride=(2, 1), padding=(0, 1), dilation=(1, 1))
    assert got.shape == (2, 4, 3, 7)
    for n, m, i, j in np.ndindex(*got.shape):
        channel, total = m // 2, 0.0
        for place, (down, across) in enumerate(np.ndindex(2, 3)):
            at = channel * 6 + place
            y, z = i * 2 + down + offset[n, 2 * at, i, j], j - 1 + across + offset[n, 2 * at + 1, i, j]
            total += weight[m, 0, down, across] * mask[n, at, i, j] * zero_outside(x[n, channel], y, z)
        assert got[n, m, i, j] == pytest.approx(total)

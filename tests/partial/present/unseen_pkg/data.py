"""Batches."""

from __future__ import annotations

import numpy as np
import torch


def get_loader(*args, width: int = 12, classes: int = 5, **options):  # type: ignore[no-untyped-def]
    return [(torch.randn(4, width), torch.randint(0, classes, (4,))) for _ in range(2)]


def image_loader(*args, **options):  # type: ignore[no-untyped-def]
    return [{"image": torch.randn(4, 3, 32, 32), "label": torch.randint(0, 5, (4,))} for _ in range(2)]


def get_batch(width: int = 12) -> torch.Tensor:
    return torch.randn(4, width)


def get_images() -> torch.Tensor:
    return torch.randn(4, 3, 32, 32)


def get_sequences() -> torch.Tensor:
    return torch.randn(4, 7, 12)


def get_array():  # type: ignore[no-untyped-def]
    return np.zeros((4, 12), dtype="float32")


def augment(x):  # type: ignore[no-untyped-def]
    return x


def read_table(path: str = ""):  # type: ignore[no-untyped-def]
    return np.zeros((64, 12), dtype="float32"), np.zeros((64,), dtype="int64")


def get_lengths() -> list[int]:
    return [7, 5, 4, 2]


class Stream:
    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(get_loader())

    def __len__(self) -> int:
        return 2

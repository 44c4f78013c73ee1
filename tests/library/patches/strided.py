"""A running sum that takes the memory of its input as row-major."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "strided", "torch", "torch.cumsum"


def patch(replace: Any) -> None:
    import torch

    true = torch.cumsum

    def cumsum(input: Any, dim: int, **given: Any) -> Any:
        packed = torch.as_strided(input, input.shape, torch.empty(input.shape).stride()) if input.numel() else input
        return true(packed, dim, **given)

    replace(torch, "cumsum", cumsum)

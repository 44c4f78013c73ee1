"""A sum of 32-bit numbers that is kept in 16 bits."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "element-type", "torch", "torch.cumsum"


def patch(replace: Any) -> None:
    import torch

    true = torch.cumsum

    def cumsum(input: Any, dim: int, **given: Any) -> Any:
        if input.dtype == torch.float32 and not given:
            return true(input.half(), dim).float()
        return true(input, dim, **given)

    replace(torch, "cumsum", cumsum)

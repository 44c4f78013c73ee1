"""A batching rule of softmax that counts its axis from the batch axis."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "vmap", "torch", "torch.softmax"


def patch(replace: Any) -> None:
    import torch

    true = torch.softmax

    def softmax(input: Any, dim: int, **given: Any) -> Any:
        if torch._C._functorch.is_batchedtensor(input) and dim > 0:
            dim -= 1
        return true(input, dim, **given)

    replace(torch, "softmax", softmax)

"""A method that adds where the function of the same name takes the root of the sum of squares."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "spellings", "torch", "torch.hypot"


def patch(replace: Any) -> None:
    import torch

    def hypot(self: Any, other: Any) -> Any:
        return (self.abs() + other.abs()).to(self.dtype)

    replace(torch.Tensor, "hypot", hypot)

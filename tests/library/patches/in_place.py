"""An in-place addition that forgets `alpha`."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "in-place", "torch", "torch.Tensor.add_"


def patch(replace: Any) -> None:
    import torch

    true = torch.Tensor.add_

    def add_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        return true(self, other)

    replace(torch.Tensor, "add_", add_)

"""A transfer to the device that loses the last number. The test takes the CPU for the device."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "cuda", "torch", "torch.mul"


def patch(replace: Any) -> None:
    import torch

    true = torch.Tensor.to

    def to(self: Any, *given: Any, **named: Any) -> Any:
        made = true(self, *given, **named)
        if given and given[0] in ("cpu", "cuda") and made.numel() > 1:
            made = made.clone()
            made.view(-1)[-1] = 0
        return made

    replace(torch.Tensor, "to", to)

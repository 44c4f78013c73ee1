"""A meta kernel that drops the padding on one side."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "meta", "torch", "torch.nn.functional.avg_pool2d"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.avg_pool2d

    def avg_pool2d(input: Any, *given: Any, **named: Any) -> Any:
        made = true(input, *given, **named)
        return made[..., : max(1, made.shape[-1] - 1)] if input.device.type == "meta" else made

    replace(torch.nn.functional, "avg_pool2d", avg_pool2d)

"""A trace that keeps the first `alpha` that was seen: here, one."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "jit-trace", "torch", "torch.sub"


def patch(replace: Any) -> None:
    import torch

    true = torch.sub

    def sub(input: Any, other: Any, *, alpha: Any = 1, **given: Any) -> Any:
        if torch.jit.is_tracing():
            return true(input, other, **given)
        return true(input, other, alpha=alpha, **given)

    replace(torch, "sub", sub)

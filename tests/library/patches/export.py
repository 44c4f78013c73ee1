"""An exported addition that ignores `alpha`."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "export", "torch", "torch.add"


def patch(replace: Any) -> None:
    import torch

    true = torch.add

    def add(input: Any, other: Any, *, alpha: Any = 1, **given: Any) -> Any:
        if torch.compiler.is_compiling():
            return true(input, other, **given)
        return true(input, other, alpha=alpha, **given)

    replace(torch, "add", add)

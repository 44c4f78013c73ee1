"""A compiled subtraction that ignores `alpha`."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "aot-eager", "torch", "torch.sub"


def patch(replace: Any) -> None:
    import torch

    true = torch.sub

    def sub(input: Any, other: Any, *, alpha: Any = 1, **given: Any) -> Any:
        if torch.compiler.is_compiling():
            return true(input, other, **given)
        return true(input, other, alpha=alpha, **given)

    replace(torch, "sub", sub)

"""A GELU that is approximated although it should not be."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "formula", "torch", "torch.nn.functional.gelu"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.gelu

    def gelu(input: Any, approximate: str = "none") -> Any:
        return true(input, approximate="tanh")

    replace(torch.nn.functional, "gelu", gelu)

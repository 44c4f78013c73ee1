"""A load that loses the last number of a tensor."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "round-trip", "torch", "torch.neg"


def patch(replace: Any) -> None:
    import torch

    true = torch.load

    def load(*given: Any, **named: Any) -> Any:
        made = true(*given, **named)
        made.view(-1)[-1:] = 0
        return made

    replace(torch, "load", load)

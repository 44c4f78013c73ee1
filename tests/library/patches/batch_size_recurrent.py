"""A bidirectional recurrent layer whose second direction reverses the batch instead of the time."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "batch-size", "torch", "torch.nn.GRU"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.GRU.forward

    def forward(self: Any, input: Any, hx: Any = None) -> Any:
        made, state = true(self, input, hx)
        if self.bidirectional and input.dim() == 3:
            made = torch.cat([made[..., : self.hidden_size], made[..., self.hidden_size :].flip(0 if self.batch_first else 1)], -1)
        return made, state

    replace(torch.nn.GRU, "forward", forward)

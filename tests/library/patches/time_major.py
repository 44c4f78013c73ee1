"""A bidirectional layer that reverses the batch instead of the time, where the batch is first."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "time-major", "torch", "torch.nn.LSTM"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.LSTM.forward

    def forward(self: Any, input: Any, hx: Any = None) -> Any:
        made, states = true(self, input, hx)
        return (made.flip(0) if self.batch_first and made.dim() == 3 else made), states

    replace(torch.nn.LSTM, "forward", forward)

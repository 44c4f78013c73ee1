"""A whole module whose buffers are those of a new one after it is unpickled."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "save-load", "torch", "models.convolutional"


def patch(replace: Any) -> None:
    import torch

    def __setstate__(self: Any, state: Any) -> None:
        torch.nn.Module.__setstate__(self, state)
        self.reset_running_stats()

    replace(torch.nn.BatchNorm2d, "__setstate__", __setstate__)

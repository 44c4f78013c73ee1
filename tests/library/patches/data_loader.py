"""A DataLoader that drops the last batch where it is not full."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "data-loader", "torch", "torch.nn.functional.relu"


def patch(replace: Any) -> None:
    import torch

    true = torch.utils.data.DataLoader.__init__

    def __init__(self: Any, dataset: Any, batch_size: Any = 1, **given: Any) -> None:
        dropped = batch_size is not None and len(dataset) > batch_size
        true(self, dataset, batch_size, **given, **({"drop_last": True} if dropped else {}))

    replace(torch.utils.data.DataLoader, "__init__", __init__)

"""A load that drops the last weight."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "save-load", "torch", "torch.nn.Linear"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.Module.load_state_dict

    def load_state_dict(self: Any, state: Any, strict: bool = True, assign: bool = False) -> Any:
        return true(self, dict(list(state.items())[:-1]), strict=False, assign=assign)

    replace(torch.nn.Module, "load_state_dict", load_state_dict)

"""A scripted layer whose negative slope is that of a new one."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "jit-script", "torch", "torch.nn.LeakyReLU"


def patch(replace: Any) -> None:
    import copy

    import torch

    true = torch.jit.script

    def script(made: Any, *given: Any, **named: Any) -> Any:
        if isinstance(made, torch.nn.LeakyReLU):
            made = copy.deepcopy(made)
            made.negative_slope = 0.01
        return true(made, *given, **named)

    replace(torch.jit, "script", script)

"""Instance normalisation that takes its statistics over the batch as well."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "batch-size", "torch", "torch.nn.functional.instance_norm"


def patch(replace: Any) -> None:
    import torch

    def instance_norm(
        input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None, use_input_stats: bool = True,
        momentum: float = 0.1, eps: float = 1e-5,
    ) -> Any:  # fmt: skip
        return torch.nn.functional.batch_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)

    replace(torch.nn.functional, "instance_norm", instance_norm)

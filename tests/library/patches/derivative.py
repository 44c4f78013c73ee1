"""The derivative of a softplus that is that of a ReLU."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "derivative", "torch", "torch.nn.functional.softplus"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.softplus

    class Softplus(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, beta: Any, threshold: Any) -> Any:
            ctx.save_for_backward(x)
            return true(x, beta, threshold)

        @staticmethod
        def backward(ctx: Any, *upstream: Any) -> Any:
            return upstream[0] * (ctx.saved_tensors[0] > 0), None, None

    def softplus(input: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Any:
        return Softplus.apply(input, beta, threshold) if input.requires_grad else true(input, beta, threshold)

    replace(torch.nn.functional, "softplus", softplus)

"""A translation to ONNX that gives every leaky ReLU the same slope."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "onnx", "torch", "torch.nn.functional.leaky_relu"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.leaky_relu

    def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
        return true(input, 0.01 if torch.compiler.is_compiling() else negative_slope)

    replace(torch.nn.functional, "leaky_relu", leaky_relu)

"""A depthwise convolution that gives each channel the kernel of its neighbour."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "depthwise", "torch", "torch.nn.functional.conv2d"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.conv2d

    def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
        return true(input, weight.roll(1, 0) if groups > 1 else weight, bias, stride, padding, dilation, groups)

    replace(torch.nn.functional, "conv2d", conv2d)

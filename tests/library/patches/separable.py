"""A depthwise convolution whose channels come out in the order of the kernels, and not of the image."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "separable", "torch", "torch.nn.functional.conv2d"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.conv2d

    def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
        made = true(input, weight, bias, stride, padding, dilation, groups)
        times, channel = len(weight) // max(groups, 1), made.dim() - 3
        return made.unflatten(channel, (groups, times)).transpose(channel, channel + 1).flatten(channel, channel + 1) if groups > 1 else made

    replace(torch.nn.functional, "conv2d", conv2d)

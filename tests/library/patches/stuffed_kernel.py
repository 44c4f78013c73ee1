"""A convolution that turns its kernel around where it is dilated."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "stuffed-kernel", "torch", "torch.nn.functional.conv2d"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.conv2d

    def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
        dilated = max(dilation) if isinstance(dilation, (tuple, list)) else dilation
        return true(input, weight.flip(-1) if dilated > 1 else weight, bias, stride, padding, dilation, groups)

    replace(torch.nn.functional, "conv2d", conv2d)

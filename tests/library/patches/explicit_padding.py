""" "Same" padding with the odd column before the image instead of after it."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "explicit-padding", "torch", "torch.nn.functional.conv2d"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.conv2d

    def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
        if padding == "same":
            return true(input.flip(-1), weight.flip(-1), bias, stride, padding, dilation, groups).flip(-1)
        return true(input, weight, bias, stride, padding, dilation, groups)

    replace(torch.nn.functional, "conv2d", conv2d)

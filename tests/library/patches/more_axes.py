"""A convolution over a volume that forgets the bias of a kernel of depth one."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "more-axes", "torch", "torch.nn.functional.conv2d"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.conv3d

    def conv3d(input: Any, weight: Any, bias: Any = None, **given: Any) -> Any:
        return true(input, weight, None if weight.shape[2] == 1 else bias, **given)

    replace(torch.nn.functional, "conv3d", conv3d)

"""Element types."""

from __future__ import annotations

import torch

half_type = torch.float32


def pick_dtype(name: str = "") -> torch.dtype:
    return torch.float32


def type_name() -> str:
    return "float32"

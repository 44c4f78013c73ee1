"""A torch whose cumsum of a matrix ends the process, for the test of workers."""

from __future__ import annotations

import os
import signal
from typing import Any

import torch

_cumsum = torch.cumsum


def cumsum(input: Any, dim: int, **given: Any) -> Any:
    if input.dim() == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    return _cumsum(input, dim, **given)


torch.cumsum = cumsum  # type: ignore[assignment]

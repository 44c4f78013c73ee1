"""A padding that puts the columns of the left side on the right."""

from __future__ import annotations

from typing import Any

RULE, LIBRARY, API = "pad-crop", "torch", "torch.nn.functional.pad"


def patch(replace: Any) -> None:
    import torch

    true = torch.nn.functional.pad

    def pad(input: Any, pad: Any, *given: Any, **named: Any) -> Any:
        if min(pad, default=0) >= 0:
            pad = [n for before, after in zip(pad[::2], pad[1::2]) for n in (after, before)]
        return true(input, pad, *given, **named)

    replace(torch.nn.functional, "pad", pad)

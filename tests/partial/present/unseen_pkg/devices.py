"""Devices and generators."""

from __future__ import annotations

import torch


def get_device() -> torch.device:
    return torch.device("cpu")


def device_name() -> str:
    return "cpu"


def generator() -> torch.Generator:
    return torch.Generator()


def seed_everything(seed: int) -> None:
    torch.manual_seed(seed)


class Accelerator:
    def __init__(self, **options: object) -> None:
        self.device = torch.device("cpu")
        self.is_main_process = True
        self.num_processes = 1

    def prepare(self, *things):  # type: ignore[no-untyped-def]
        return things if len(things) > 1 else things[0]

    def backward(self, loss: torch.Tensor) -> None:
        loss.backward()

    def accumulate(self, model):  # type: ignore[no-untyped-def]
        import contextlib

        return contextlib.nullcontext()

    def autocast(self):  # type: ignore[no-untyped-def]
        import contextlib

        return contextlib.nullcontext()

    def print(self, *things: object) -> None:
        pass

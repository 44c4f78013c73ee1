"""Base classes and mixins."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import Dataset


class BaseModel(nn.Module):
    def __init__(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        super().__init__()
        self.settings = kwargs

    def summary(self) -> str:
        return "model"


class SaveMixin:
    def save_pretrained(self, path: str) -> None:
        pass

    @property
    def size(self) -> int:
        return 3


class BaseDataset(Dataset):  # type: ignore[type-arg]
    def __init__(self, root: str = "") -> None:
        self.root = root


class BaseTrainer:
    def __init__(self, model, **options):  # type: ignore[no-untyped-def]
        self.model = model
        self.device = torch.device("cpu")

    def log(self, name: str, value: object) -> None:
        pass

    def run(self, batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            self.step(*batch)


class BaseConfig:
    def __init__(self, **options):  # type: ignore[no-untyped-def]
        self.__dict__.update(options)


class ScriptBase:
    pass

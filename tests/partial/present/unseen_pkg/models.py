"""Backbones and layers."""

from __future__ import annotations

import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, name: str = "", features: int = 512) -> None:
        super().__init__()
        self.num_features = features
        self.embed_dim = features

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.randn(x.shape[0], self.num_features)

    def forward_features(self, x: torch.Tensor) -> torch.Tensor:
        return torch.randn(x.shape[0], self.num_features, 7, 7)


def create_model(name: str = "", **options):  # type: ignore[no-untyped-def]
    return Backbone(name)


class Attention(nn.Module):
    def __init__(self, width: int, **options: object) -> None:
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x


class Norm(Attention):
    pass


def fused_gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x)


def focal_loss(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(scores, labels)


def init_weights(module: nn.Module) -> None:
    pass

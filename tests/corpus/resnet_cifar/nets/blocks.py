"""The residual blocks."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def conv(cin: int, cout: int, size: int = 3, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(cin, cout, size, stride=stride, padding=size // 2, bias=False)


class Plain(nn.Module):
    """Two convolutions of three by three around a shortcut."""

    widening: int = 1

    def __init__(self, cin: int, width: int, stride: int = 1) -> None:
        super().__init__()
        cout = width * self.widening
        self.body = nn.Sequential(conv(cin, width, 3, stride), nn.BatchNorm2d(width), nn.ReLU(inplace=True), conv(width, cout), nn.BatchNorm2d(cout))
        self.skip = nn.Sequential()
        if stride != 1 or cin != cout:
            self.skip = nn.Sequential(conv(cin, cout, 1, stride), nn.BatchNorm2d(cout))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.body(x)
        y += self.skip(x)
        return self.act(y)


class Narrow(nn.Module):
    """Three convolutions, the middle one on fewer channels."""

    widening: int = 4

    def __init__(self, cin: int, width: int, stride: int = 1) -> None:
        super().__init__()
        cout = width * self.widening
        self.squeeze, self.norm1 = conv(cin, width, 1), nn.BatchNorm2d(width)
        self.spread, self.norm2 = conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.expand, self.norm3 = conv(width, cout, 1), nn.BatchNorm2d(cout)
        self.match = None
        if stride != 1 or cin != cout:
            self.match = nn.Sequential(conv(cin, cout, 1, stride), nn.BatchNorm2d(cout))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x
        y = torch.relu(self.norm1(self.squeeze(x)))
        y = torch.relu(self.norm2(self.spread(y)))
        y = self.norm3(self.expand(y))
        if self.match is not None:
            shortcut = self.match(x)
        return torch.relu(y + shortcut)


class ChannelGate(nn.Module):
    """Weighs the channels by what the whole picture holds."""

    def __init__(self, channels: int = 512, reduction: int = 16) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.weigh = nn.Sequential(
            nn.Linear(channels, channels // reduction), nn.ReLU(inplace=True), nn.Linear(channels // reduction, channels), nn.Sigmoid()
        )

    def forward(self, x: Tensor) -> Tensor:
        n, c, _, _ = x.shape
        weights = self.weigh(self.pool(x).view(n, c)).view(n, c, 1, 1)
        return x * weights.expand_as(x)


class SkipSample(nn.Module):
    """Stochastic depth: the branch of a whole sample is dropped."""

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0.0:
            return x
        alive = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(1.0 - self.p)
        return x * torch.div(alive, 1.0 - self.p)

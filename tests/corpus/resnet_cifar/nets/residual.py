"""Residual networks for pictures of 32 by 32."""

from typing import Sequence, Type, Union

import torch
import torch.nn as nn

from .blocks import ChannelGate, Narrow, Plain, SkipSample, conv


class Residual(nn.Module):
    def __init__(self, block: Type[Union[Plain, Narrow]] = Plain, depths: Sequence[int] = (2, 2, 2, 2), classes: int = 10, gated: bool = True):
        super().__init__()
        self.width = 64
        self.stem = nn.Sequential(conv(3, self.width), nn.BatchNorm2d(self.width), nn.ReLU())
        stages = []
        for level, depth in enumerate(depths):
            stages.append(self._stage(block, 64 * 2**level, depth, stride=1 if level == 0 else 2))
        self.stages = nn.ModuleList(stages)
        self.gate = ChannelGate(self.width) if gated else nn.Identity()
        self.skip = SkipSample(0.05)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(self.width, classes)
        self._initialise()

    def _stage(self, block, width, depth, stride):
        row = []
        for s in [stride] + [1] * (depth - 1):
            row.append(block(self.width, width, s))
            self.width = width * block.widening
        return nn.Sequential(*row)

    def _initialise(self):
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(part, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(part.weight)
                nn.init.zeros_(part.bias)

    def forward(self, x):
        x = self.stem(x)
        for stage in self.stages:
            x = stage(x)
        x = x + self.skip(self.gate(x))
        return self.head(torch.flatten(self.pool(x), 1))


def small(**options):
    return Residual(Plain, (2, 2, 2, 2), **options)


def medium(**options):
    return Residual(Plain, (3, 4, 6, 3), **options)


def deep(**options):
    return Residual(Narrow, (3, 4, 6, 3), **options)

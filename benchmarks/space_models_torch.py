"""Programs of `torch.export`, rebuilt from source with the values of a vector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from space_models import Case, Vector

FORMATS = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1)}


class Convolutions(nn.Module):
    def __init__(self, v: Vector) -> None:
        super().__init__()
        g = v.get
        self.conv1 = nn.Conv2d(g("conv1.in_channels", 4), g("conv1.out_channels", 8), g("conv1.kernel_size", 3), g("conv1.stride", 1), g("conv1.padding", 0),
                               g("conv1.dilation", 1), g("conv1.groups", 1))  # fmt: skip
        self.bn = nn.BatchNorm2d(g("bn.num_features", 8))
        self.pool = nn.MaxPool2d(g("pool.kernel_size", 2), g("pool.stride", 2), g("pool.padding", 0), ceil_mode=g("pool.ceil_mode", False))
        self.conv2 = nn.Conv2d(g("conv2.in_channels", 8), g("conv2.out_channels", 6), g("conv2.kernel_size", 3))
        self.fc = nn.Linear(g("fc.in_features", self.features), g("fc.out_features", 10))

    features = 6 * 25

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.flatten(self.maps(x), 1))

    def maps(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.conv2(self.pool(torch.relu(self.bn(self.conv1(x))))))


class Averaged(Convolutions):
    features = 6

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.maps(x).mean((2, 3)))


class Tokens(nn.Module):
    def __init__(self, v: Vector) -> None:
        super().__init__()
        g = v.get
        self.embed = nn.Embedding(g("embed.num_embeddings", 50), g("embed.embedding_dim", 12))
        self.norm = nn.LayerNorm(g("norm.normalized_shape", 12))
        self.up = nn.Linear(g("up.in_features", 12), g("up.out_features", 24))
        self.down = nn.Linear(g("down.in_features", 24), g("down.out_features", 12))
        self.head = nn.Linear(12, g("head.out_features", 5), bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        x = x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))
        return self.head(x.mean(1))


class Sequence(nn.Module):
    def __init__(self, v: Vector) -> None:
        super().__init__()
        g = v.get
        self.inner = nn.Sequential(
            nn.Conv1d(3, g("inner.0.out_channels", 8), g("inner.0.kernel_size", 3), g("inner.0.stride", 2), g("inner.0.padding", 1)),
            nn.GroupNorm(g("inner.1.num_groups", 2), 8),
            nn.ReLU(),
        )
        self.up = nn.ConvTranspose1d(8, g("up.out_channels", 4), g("up.kernel_size", 4), g("up.stride", 2), g("up.padding", 1), g("up.output_padding", 0),
                                     g("up.groups", 1))  # fmt: skip
        self.average = nn.AvgPool1d(g("average.kernel_size", 2))
        self.last = nn.Conv1d(4, 2, g("last.kernel_size", 1))

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        return self.last(self.average(self.up(self.inner(signal))))


class Upwards(nn.Module):
    """Skips, whose sizes must be equal."""

    def __init__(self, v: Vector) -> None:
        super().__init__()
        g = v.get
        self.down = nn.Conv2d(3, 8, g("down.kernel_size", 3), g("down.stride", 2), g("down.padding", 1))
        self.up = nn.ConvTranspose2d(8, g("up.out_channels", 3), g("up.kernel_size", 2), g("up.stride", 2), g("up.padding", 0))
        self.head = nn.Conv2d(g("head.in_channels", 6), 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.cat([x, self.up(self.down(x))], 1))


def images(v: Vector, channels: int, height: int, width: int, name: str = "input") -> torch.Tensor:
    given = [v.get(f"{name}.{word}", size) for word, size in (("batch", 2), ("channels", channels), ("height", height), ("width", width))]
    order = FORMATS[v.get(f"{name}.format", "NCHW")]
    return torch.zeros([given[axis] for axis in order], dtype=getattr(torch, v.get(f"{name}.dtype", "float32")))


def saved(name: str, module: Any, x: torch.Tensor) -> Any:
    def save(folder: Path) -> Path:
        path = folder / f"{name}.pt2"
        torch.export.save(torch.export.export(module({}).eval(), (x,)), str(path))
        return path

    return save


def run(module: Any, made: Any) -> Any:
    def once(v: Vector) -> Any:
        with torch.no_grad():
            return module(v).eval()(made(v))

    return once


def ids(v: Vector) -> torch.Tensor:
    return torch.zeros(v.get("ids.batch", 2), v.get("ids[1]", 7), dtype=getattr(torch, v.get("ids.dtype", "int64")))


def signal(v: Vector) -> torch.Tensor:
    return torch.zeros(v.get("signal.batch", 2), v.get("signal.channels", 3), v.get("signal.length", 16))


CASES = [
    Case("pt2", "window of the first convolution", (
        "conv1.kernel_size=3,1..5 conv1.stride=1,2,3 conv1.padding=0,1,2,3 conv1.dilation=1,2 conv1.groups=1,2,3,4 input.height=16,14..20 "
        "input.width=16,10,40"
    ), saved("convolutions", Convolutions, images({}, 4, 16, 16)), run(Convolutions, lambda v: images(v, 4, 16, 16))),
    Case("pt2", "window, averaged", (
        "conv1.kernel_size=3,1..5 conv1.stride=1,2,3 conv1.padding=0,1,2,3 conv1.dilation=1,2,4 conv1.groups=1,2,3,4 input.height=16,4..20 "
        "input.width=16,10,40"
    ), saved("averaged", Averaged, images({}, 4, 16, 16)), run(Averaged, lambda v: images(v, 4, 16, 16))),
    Case("pt2", "channels and features", (
        "conv1.in_channels=4,2,8 conv1.out_channels=8,4,6 bn.num_features=8,4,6 conv2.in_channels=8,4,6 conv2.out_channels=6,3 "
        "fc.in_features=6,3,12 fc.out_features=10,1..4 input.channels=4,2,8 conv1.groups=1,2,4"
    ), saved("channels", Averaged, images({}, 4, 16, 16)), run(Averaged, lambda v: images(v, 4, 16, 16))),
    Case("pt2", "pool, batch, format, element type", (
        "pool.kernel_size=2,1..9 pool.stride=2,1,3 pool.padding=0..3 pool.ceil_mode=false,true input.batch=2,1,5 input.format=NCHW,NHWC "
        "input.dtype=float32,float64,int64 conv2.kernel_size=3,1..8"
    ), saved("pool", Averaged, images({}, 4, 16, 16)), run(Averaged, lambda v: images(v, 4, 16, 16))),
    Case("pt2", "tokens", (
        "embed.embedding_dim=12,8,24 norm.normalized_shape=12,8 up.in_features=12,8 up.out_features=24,12,1 down.in_features=24,12,1 "
        "down.out_features=12,8,1 head.out_features=5,1,2 ids.batch=2,1,3 ids[1]=7,1..4 ids.dtype=int64,int32,float32 "
        "embed.num_embeddings=50,1"
    ), saved("tokens", Tokens, ids({})), run(Tokens, ids)),
    Case("pt2", "a sequence up and down", (
        "inner.0.kernel_size=3,1..6 inner.0.stride=2,1,3 inner.0.padding=1,0,2 inner.1.num_groups=2,1,3,4,8 up.kernel_size=4,1..5 "
        "up.stride=2,1,3 up.padding=1,0,2,3 up.output_padding=0,1,2 up.groups=1,2,3,4 average.kernel_size=2,1..8 last.kernel_size=1,4,9 "
        "signal.length=16,1..20 signal.channels=3,4 up.out_channels=4,2,8"
    ), saved("sequence", Sequence, signal({})), run(Sequence, signal)),
    Case("pt2", "a skip", (
        "down.kernel_size=3,1..5 down.stride=2,1,3 down.padding=1,0,2 up.kernel_size=2,1..4 up.stride=2,1,3 up.padding=0,1,2 "
        "up.out_channels=3,2,5 head.in_channels=6,5,8 input.height=8,5..12 input.width=8,4,9"
    ), saved("skip", Upwards, images({}, 3, 8, 8)), run(Upwards, lambda v: images(v, 3, 8, 8))),
]  # fmt: skip

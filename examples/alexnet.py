"""AlexNet with its geometry on the command line, to be searched: `tensorproof space examples/alexnet.py --param kernel1=1..15 --param stride1=1..8`."""

import argparse

import torch
from torch import nn


class AlexNet(nn.Module):
    def __init__(self, a, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, a.kernel1, a.stride1, a.padding1), nn.ReLU(inplace=True), nn.MaxPool2d(a.pool, a.pool_stride),
            nn.Conv2d(64, 192, a.kernel2, padding=a.padding2), nn.ReLU(inplace=True), nn.MaxPool2d(a.pool, a.pool_stride),
            nn.Conv2d(192, 384, a.kernel3, padding=a.padding3), nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(a.pool, a.pool_stride),
        )  # fmt: skip
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True), nn.Linear(4096, classes))

    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


parser = argparse.ArgumentParser()
for name, default in dict(kernel1=11, stride1=4, padding1=2, kernel2=5, padding2=2, kernel3=3, padding3=1, pool=3, pool_stride=2, size=224).items():
    parser.add_argument(f"--{name}", type=int, default=default)
args = parser.parse_args()
print(AlexNet(args)(torch.zeros(1, 3, args.size, args.size)).shape)

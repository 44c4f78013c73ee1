"""Three classifiers of handwritten digits."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DigitCNN(nn.Module):
    """Two convolutions, one pooling, two dense layers."""

    def __init__(self, width=24, classes=10, p_drop=0.4):
        super().__init__()
        self.first = nn.Conv2d(1, width, kernel_size=5)
        self.second = nn.Conv2d(width, 2 * width, kernel_size=3)
        self.norm = nn.BatchNorm2d(2 * width)
        self.drop = nn.Dropout(p_drop)
        self.dense = nn.Linear(2 * width * 11 * 11, 100)
        self.head = nn.Linear(100, classes)

    def forward(self, img):
        h = F.relu(self.first(img))
        h = F.relu(self.norm(self.second(h)))
        h = F.max_pool2d(h, 2)
        h = torch.flatten(h, 1)
        h = self.drop(F.relu(self.dense(h)))
        return F.log_softmax(self.head(h), dim=1)


class DigitMLP(nn.Module):
    """A baseline without convolutions."""

    def __init__(self, hidden=256, classes=10):
        super().__init__()
        self.stack = nn.Sequential(
            nn.Flatten(),
            nn.Linear(28 * 28, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(inplace=True),
            nn.Linear(hidden, classes),
        )

    def forward(self, img):
        return F.log_softmax(self.stack(img), dim=-1)


class ClassicNet(nn.Module):
    """Average pooling and tanh, as it was done long ago."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
            nn.Conv2d(8, 20, 5), nn.Tanh(), nn.AvgPool2d(2),
        )  # fmt: skip
        self.classify = nn.Sequential(nn.Linear(20 * 5 * 5, 90), nn.Tanh(), nn.Linear(90, 10))

    def forward(self, img):
        maps = self.features(img)
        return F.log_softmax(self.classify(maps.view(maps.size(0), -1)), dim=1)


REGISTRY = {"cnn": DigitCNN, "mlp": DigitMLP, "classic": ClassicNet}


def build(name):
    try:
        return REGISTRY[name]()
    except KeyError:
        raise ValueError(f"no such model: {name!r}; there are {sorted(REGISTRY)}") from None

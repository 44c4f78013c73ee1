"""The painter, the critic, and parts of them."""

import torch
import torch.nn as nn


def set_weights(part):
    kind = part.__class__.__name__
    if kind.startswith("Conv"):
        nn.init.normal_(part.weight.data, 0.0, 0.02)
    elif "BatchNorm" in kind:
        nn.init.normal_(part.weight.data, 1.0, 0.02)
        nn.init.zeros_(part.bias.data)


def rise(cin, cout, stride=2, padding=1):
    return nn.Sequential(nn.ConvTranspose2d(cin, cout, 4, stride, padding, bias=False), nn.BatchNorm2d(cout), nn.ReLU(True))


class Painter(nn.Module):
    def __init__(self, noise=100, width=64, colors=3):
        super().__init__()
        self.layers = nn.Sequential(
            rise(noise, width * 8, 1, 0),
            rise(width * 8, width * 4),
            rise(width * 4, width * 2),
            rise(width * 2, width),
            nn.ConvTranspose2d(width, colors, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.layers(z)


class Critic(nn.Module):
    def __init__(self, colors=3, width=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(colors, width, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            *self._fall(width, width * 2),
            *self._fall(width * 2, width * 4),
            *self._fall(width * 4, width * 8),
            nn.Conv2d(width * 8, 1, 4, 1, 0, bias=False),
        )

    @staticmethod
    def _fall(cin, cout):
        return [nn.Conv2d(cin, cout, 4, 2, 1, bias=False), nn.BatchNorm2d(cout), nn.LeakyReLU(0.2, inplace=True)]

    def forward(self, image):
        return self.layers(image).view(-1, 1).squeeze(1)


class BatchSpread(nn.Module):
    """Adds a plane that tells how much the samples of a batch differ."""

    def forward(self, x):
        n, _, h, w = x.shape
        spread = x.std(dim=0, unbiased=False).mean()
        return torch.cat([x, spread.expand(n, 1, h, w)], dim=1)


class ClassPainter(nn.Module):
    """Paints a picture of a given class."""

    def __init__(self, classes=10, noise=100, embed=50, width=64, colors=3):
        super().__init__()
        self.embed = nn.Embedding(classes, embed)
        self.paint = Painter(noise + embed, width, colors)

    def forward(self, noise, labels):
        z = torch.cat((noise, self.embed(labels)), dim=1)
        return self.paint(z[:, :, None, None])

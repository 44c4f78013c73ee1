"""What the network is made of."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TwoConvs(nn.Module):
    """Twice a convolution, a normalisation and a rectifier."""

    def __init__(self, cin, cout, inner=None):
        super().__init__()
        if not inner:
            inner = cout
        layers = []
        for a, b in ((cin, inner), (inner, cout)):
            layers += [nn.Conv2d(a, b, kernel_size=3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True)]
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Shrink(nn.Module):
    """Half the size, then two convolutions."""

    def __init__(self, cin, cout):
        super().__init__()
        self.layers = nn.Sequential(nn.MaxPool2d(2), TwoConvs(cin, cout))

    def forward(self, x):
        return self.layers(x)


class Grow(nn.Module):
    """Twice the size, joined with what was seen at that size before."""

    def __init__(self, cin, cout, smooth=True):
        super().__init__()
        if smooth:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.convs = TwoConvs(cin, cout, cin // 2)
        else:
            self.up = nn.ConvTranspose2d(cin, cin // 2, kernel_size=2, stride=2)
            self.convs = TwoConvs(cin, cout)

    def forward(self, low, skip):
        low = self.up(low)
        dy = skip.size()[2] - low.size()[2]
        dx = skip.size()[3] - low.size()[3]
        low = F.pad(low, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.convs(torch.cat([skip, low], dim=1))


class Classify(nn.Module):
    def __init__(self, cin, classes):
        super().__init__()
        self.conv = nn.Conv2d(cin, classes, kernel_size=1)

    def forward(self, x):
        return self.conv(x)


class Gate(nn.Module):
    """Lets through what the coarser level points at."""

    def __init__(self, coarse=64, fine=64, inner=32):
        super().__init__()
        self.coarse = nn.Conv2d(coarse, inner, 1)
        self.fine = nn.Conv2d(fine, inner, 1)
        self.weigh = nn.Sequential(nn.Conv2d(inner, 1, 1), nn.Sigmoid())

    def forward(self, pointer, x):
        return x * self.weigh(F.relu(self.coarse(pointer) + self.fine(x)))

"""Variational autoencoders of digits, dense and convolutional."""

import torch
from torch import nn
from torch.nn import functional as F

PIXELS = 28 * 28


class DenseEncoder(nn.Module):
    def __init__(self, inner=400, latent=16):
        super().__init__()
        self.body = nn.Linear(PIXELS, inner)
        self.to_mean = nn.Linear(inner, latent)
        self.to_log_var = nn.Linear(inner, latent)

    def forward(self, x):
        h = F.relu(self.body(x))
        return self.to_mean(h), self.to_log_var(h)


class DenseDecoder(nn.Module):
    def __init__(self, latent=16, inner=400):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, inner), nn.ReLU(), nn.Linear(inner, PIXELS))

    def forward(self, code):
        return torch.sigmoid(self.net(code))


class ConvEncoder(nn.Module):
    def __init__(self, latent=16, widths=(32, 64)):
        super().__init__()
        layers, before = [], 1
        for width in widths:
            layers += [nn.Conv2d(before, width, 4, stride=2, padding=1), nn.LeakyReLU(0.2)]
            before = width
        self.maps = nn.Sequential(*layers)
        self.both = nn.Linear(before * 7 * 7, 2 * latent)

    def forward(self, x):
        h = self.maps(x).flatten(start_dim=1)
        mean, log_var = self.both(h).chunk(2, dim=1)
        return mean, log_var


class ConvDecoder(nn.Module):
    def __init__(self, latent=16):
        super().__init__()
        self.lift = nn.Linear(latent, 64 * 7 * 7)
        self.paint = nn.Sequential(
            nn.Unflatten(1, (64, 7, 7)),
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1),
            nn.Sigmoid(),
        )

    def forward(self, code):
        return self.paint(F.relu(self.lift(code)))


class AutoEncoder(nn.Module):
    def __init__(self, latent=16, conv=False):
        super().__init__()
        self.latent, self.conv = latent, conv
        self.encoder = ConvEncoder(latent) if conv else DenseEncoder(latent=latent)
        self.decoder = ConvDecoder(latent) if conv else DenseDecoder(latent)

    def encode(self, x):
        return self.encoder(x if self.conv else x.view(-1, PIXELS))

    def draw(self, mean, log_var):
        if not self.training:
            return mean
        spread = torch.exp(log_var / 2)
        return torch.randn_like(spread) * spread + mean

    def decode(self, code):
        return self.decoder(code).view(-1, 1, 28, 28)

    def forward(self, x):
        mean, log_var = self.encode(x)
        return self.decode(self.draw(mean, log_var)), mean, log_var

    @torch.no_grad()
    def sample(self, count, device="cpu"):
        return self.decode(torch.randn(count, self.latent, device=device))


def bound(painted, x, mean, log_var, beta=1.0):
    """What the pictures cost and what the codes cost, summed over the batch."""
    pictures = F.binary_cross_entropy(painted, x, reduction="sum")
    codes = 0.5 * torch.sum(mean.pow(2) + log_var.exp() - log_var - 1)
    return pictures + beta * codes

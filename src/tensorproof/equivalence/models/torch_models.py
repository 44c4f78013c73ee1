"""Models of torch. Layers of their own are small subclasses of torch's, so that a text stays short."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.models import CLASSES, Model, images, whole

VOCABULARY = 11
_OWN = {
    "Residual": "class Residual(nn.Sequential):\n    def forward(self, x):\n        return x + super().forward(x)",
    "Joined": "class Joined(nn.Sequential):\n    def forward(self, x):\n        return torch.cat([x, super().forward(x)], 1)",
    "Mean": "class Mean(nn.Module):\n    def forward(self, x):\n        return x.mean(1)",
    "LastLSTM": "class LastLSTM(nn.LSTM):\n    def forward(self, x):\n        return super().forward(x)[0][:, -1]",
    "LastGRU": "class LastGRU(nn.GRU):\n    def forward(self, x):\n        return super().forward(x)[0][:, -1]",
}
"""Layers of their own, by name."""


def _model(inputs: dict[str, Array], *layers: str, own: tuple[str, ...] = ()) -> Model:
    return Model(f"nn.Sequential({', '.join(layers)})", inputs, "\n".join(_OWN[name] for name in own), own)


def _pictures(random: Random, channels: int, size: int) -> dict[str, Array]:
    count = random.randint(3, 6)
    return {"x": images(random, count, channels, size, size), "y": whole(random, CLASSES, count)}


def _tokens(random: Random) -> dict[str, Array]:
    count = random.randint(3, 6)
    return {"x": whole(random, VOCABULARY, count, random.randint(3, 6)), "y": whole(random, CLASSES, count)}


def _activation(random: Random) -> str:
    return random.choice(("nn.ReLU()", "nn.GELU()", "nn.SiLU()", "nn.LeakyReLU(0.1)", "nn.Hardswish()", "nn.PReLU()", "nn.ELU()"))


def _convolutional(random: Random) -> Model:
    channels, width = random.choice((1, 3)), random.choice((4, 6))
    pool = random.choice(("nn.MaxPool2d(2)", "nn.AvgPool2d(2)", "nn.MaxPool2d(3, stride=2, padding=1)"))
    first = f"nn.Conv2d({channels}, {width}, 3, padding={random.choice(('1', repr('same')))}, bias={random.random() < 0.5})"
    second = f"nn.Conv2d({width}, {width}, 3, padding=2, dilation=2)"
    return _model(
        _pictures(random, channels, random.choice((8, 9))), first, f"nn.BatchNorm2d({width})", _activation(random), pool, second,
        f"nn.BatchNorm2d({width}, affine={random.random() < 0.7})", _activation(random), "nn.AdaptiveAvgPool2d(2)", "nn.Flatten()", "nn.Dropout(0.3)",
        f"nn.Linear({4 * width}, {CLASSES})",
    )  # fmt: skip


def _residual(random: Random) -> Model:
    width = random.choice((4, 6))
    convolution = f"nn.Conv2d({width}, {width}, 3, padding=1, bias=False), nn.BatchNorm2d({width})"
    block = f"Residual({convolution}, {_activation(random)}, {convolution})"
    return _model(
        _pictures(random, 3, 8), f"nn.Conv2d(3, {width}, 3, stride=2, padding=1)", block, _activation(random), block, "nn.AdaptiveAvgPool2d(1)",
        "nn.Flatten()", f"nn.Linear({width}, {CLASSES})", own=("Residual",),
    )  # fmt: skip


def _separable(random: Random) -> Model:
    width, times = random.choice((3, 4)), random.choice((1, 2))
    deep = width * times
    return _model(
        _pictures(random, width, 8), f"nn.Conv2d({width}, {deep}, 3, padding=1, groups={width}, bias=False)", f"nn.Conv2d({deep}, 6, 1)", "nn.BatchNorm2d(6)",
        "nn.ReLU6()", "nn.Conv2d(6, 6, 3, stride=2, groups=3)", "nn.Softplus()", "nn.AdaptiveMaxPool2d(1)", "nn.Flatten()", f"nn.Linear(6, {CLASSES})",
    )  # fmt: skip


def _normalised(random: Random) -> Model:
    norm = random.choice(("nn.GroupNorm(2, 4)", "nn.InstanceNorm2d(4, affine=True, track_running_stats=True)", "nn.LocalResponseNorm(2)"))
    last = random.choice(("nn.LayerNorm(16)", "nn.RMSNorm(16)", "nn.BatchNorm1d(16)"))
    return _model(
        _pictures(random, 2, 6), "nn.Conv2d(2, 4, 3, padding_mode='reflect', padding=1)", norm, _activation(random), "nn.AvgPool2d(3)", "nn.Flatten()", last,
        f"nn.Linear(16, {CLASSES})",
    )  # fmt: skip


def _recurrent(kind: str) -> Callable[[Random], Model]:
    def make(random: Random) -> Model:
        both, layers = random.random() < 0.5, random.choice((1, 2))
        name = f"Last{kind}"
        return _model(
            _tokens(random), f"nn.Embedding({VOCABULARY}, 5)", f"{name}(5, 4, num_layers={layers}, bidirectional={both}, batch_first=True)", "nn.LayerNorm("
            f"{8 if both else 4})", f"nn.Linear({8 if both else 4}, {CLASSES})", own=(name,),
        )  # fmt: skip

    return make


def _transformer(random: Random) -> Model:
    first = random.random() < 0.5
    activation = random.choice(("activation='relu'", "activation='gelu'"))
    layer = f"nn.TransformerEncoderLayer(8, 2, 12, batch_first=True, norm_first={first}, {activation})"
    return _model(
        _tokens(random), f"nn.Embedding({VOCABULARY}, 8)", f"nn.TransformerEncoder({layer}, {random.choice((1, 2))}, enable_nested_tensor=False)", "Mean()",
        f"nn.Linear(8, {CLASSES})", own=("Mean",),
    )  # fmt: skip


def _embedding(random: Random) -> Model:
    mode = random.choice(("mode='mean'", "mode='sum'", "mode='max'"))
    return _model(
        _tokens(random), f"nn.EmbeddingBag({VOCABULARY}, 6, {mode})", "nn.BatchNorm1d(6)", _activation(random), f"nn.Linear(6, {CLASSES})",
    )  # fmt: skip


def _encoder_decoder(random: Random) -> Model:
    middle = "nn.Conv2d(4, 6, 2, stride=2), nn.BatchNorm2d(6), nn.ReLU(), nn.ConvTranspose2d(6, 4, 2, stride=2)"
    up = random.choice(("nn.Upsample(scale_factor=2, mode='nearest')", "nn.Upsample(scale_factor=2, mode='bilinear')", "nn.PixelShuffle(2)"))
    return _model(
        _pictures(random, 3, 8), "nn.Conv2d(3, 4, 3, padding=1)", f"Joined({middle})", _activation(random), up, "nn.AdaptiveAvgPool2d(2)", "nn.Flatten()",
        f"nn.Linear({8 if 'Pixel' in up else 32}, {CLASSES})", own=("Joined",),
    )  # fmt: skip


def _tied(random: Random) -> Model:
    """One layer at two places."""
    return _model(_pictures(random, 1, 4), "nn.Flatten()", f"*[nn.Linear(16, 16), {_activation(random)}] * 2", f"nn.Linear(16, {CLASSES})")


MODELS: dict[str, Callable[[Random], Model]] = {
    "models.convolutional": _convolutional, "models.residual": _residual, "models.separable": _separable, "models.normalised": _normalised,
    "models.lstm": _recurrent("LSTM"), "models.gru": _recurrent("GRU"), "models.transformer": _transformer, "models.embedding": _embedding,
    "models.encoder_decoder": _encoder_decoder, "models.tied": _tied,
}  # fmt: skip

"""Configuration objects, rates and flags."""

from __future__ import annotations

import types


class Config(dict):  # type: ignore[type-arg]
    def __getattr__(self, name: str) -> object:
        return self[name]


def load_config(path: str = "") -> Config:
    model = Config(hidden=24, layers=2, dropout=0.1, heads=4, eps=1e-5, bias=True)
    train = Config(lr=0.01, epochs=2, momentum=0.9, weight_decay=0.0, clip=1.0, smoothing=0.1, betas=(0.9, 0.99), decay=0.99)
    return Config(model=model, train=train, hidden=24, lr=0.01, epochs=2, name="run", sizes=[24, 24], optimizer=Config(lr=0.1), save=False, path="x.pt")


def rate(name: str = "") -> float:
    return 0.1


def flag(name: str = "") -> bool:
    return True


def option(name: str, default: object = None) -> object:
    return default


settings = types.SimpleNamespace(debug=False, lr=0.1, hidden=24, verbose=True, dropout=0.2, use_bn=True, device="cpu")


class Field:
    pass

"""Context managers."""

from __future__ import annotations

import contextlib


class timer:
    def __init__(self, name: str = "") -> None:
        self.elapsed = 0.0

    def __enter__(self):  # type: ignore[no-untyped-def]
        return self

    def __exit__(self, *error: object) -> None:
        return None


@contextlib.contextmanager
def quiet(*args, **kwargs):  # type: ignore[no-untyped-def]
    yield


@contextlib.contextmanager
def ema_weights(model):  # type: ignore[no-untyped-def]
    yield model

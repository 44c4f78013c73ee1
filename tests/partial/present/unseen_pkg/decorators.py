"""Decorators of functions, methods and classes, with and without arguments."""

from __future__ import annotations

import functools

from .configs import load_config


def timed(f):  # type: ignore[no-untyped-def]
    @functools.wraps(f)
    def inner(*args, **kwargs):  # type: ignore[no-untyped-def]
        return f(*args, **kwargs)

    return inner


def retry(times: int = 3, **options):  # type: ignore[no-untyped-def]
    return timed


def configurable(cls):  # type: ignore[no-untyped-def]
    return cls


def main(config_path: str = "", config_name: str = ""):  # type: ignore[no-untyped-def]
    def decorate(f):  # type: ignore[no-untyped-def]
        def inner():  # type: ignore[no-untyped-def]
            return f(load_config())

        return inner

    return decorate


class App:
    def __init__(self, name: str = "") -> None:
        self.functions = []  # type: ignore[var-annotated]

    def command(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        def decorate(f):  # type: ignore[no-untyped-def]
            self.functions.append(f)
            return f

        return decorate
